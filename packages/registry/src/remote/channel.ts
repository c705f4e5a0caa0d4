import { mustBe } from '@hdrscope/core/internal';

/** What tells messages and ends: every emitter of Node.js does. */
interface Listenable {
  on(event: string, listener: (message: unknown) => void): unknown;
  off(event: string, listener: (message: unknown) => void): unknown;
}

/** A `Worker`, `parentPort` or any other `MessagePort` of `node:worker_threads`. */
export interface ThreadPort extends Listenable {
  postMessage(message: unknown): void;
}

/** A `ChildProcess` with an IPC channel, a `Worker` of `node:cluster`, or the `process` that has such a parent. */
export interface ProcessPort extends Listenable {
  send?(message: unknown, callback?: (error: Error | null) => void): unknown;
}

/** The way to another thread or process. */
export type RemotePort = ThreadPort | ProcessPort;

/** What is done with what comes. */
export interface ChannelEvents {
  readonly onMessage: (message: unknown) => void;
  /** Nothing can be sent any more. May be called more than once. */
  readonly onEnd: () => void;
}

/** A port of either kind. */
export interface Channel {
  /** Rejects when the message cannot be sent. Where a port does not say, it seems to be sent always. */
  post(message: object): Promise<void>;
  /** Listens no more; can still post. */
  close(): void;
}

// A child has told all it had to tell when it disconnects; that is after its exit, now and then.
const ENDS = { thread: ['exit', 'close'], process: ['disconnect'] } as const;

/**
 * Listens to a port.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when nothing can be sent through it.
 */
export function openChannel(port: RemotePort, { onMessage, onEnd }: ChannelEvents): Channel {
  const isThread = isThreadPort(port);
  if (!isThread && typeof port?.send !== 'function') {
    const allowed = 'a port with postMessage, or a process with an IPC channel';
    throw mustBe('ERR_INVALID_OPTION', 'port', allowed, port);
  }
  const ends = isThread ? ENDS.thread : ENDS.process;
  port.on('message', onMessage);
  for (const event of ends) port.on(event, onEnd);
  return {
    post: (message) => (isThread ? postToThread(port, message) : sendToProcess(port, message)),
    close() {
      port.off('message', onMessage);
      for (const event of ends) port.off(event, onEnd);
    },
  };
}

function isThreadPort(port: RemotePort): port is ThreadPort {
  return typeof (port as Partial<ThreadPort> | null)?.postMessage === 'function';
}

async function postToThread(port: ThreadPort, message: object): Promise<void> {
  port.postMessage(message);
}

function sendToProcess(port: ProcessPort, message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    // Without a callback a channel that is closed would be an uncaught error of the whole process.
    const callback = (error: Error | null): void => (error ? reject(error) : resolve());
    if (port.send === undefined) callback(new Error('the IPC channel is closed'));
    else port.send(message, callback);
  });
}
