import { mustBe } from '@hdrscope/core/internal';

/** An emitter of messages and of its end, as all emitters of Node.js are. */
interface Listenable {
  on(event: string, listener: (message: unknown) => void): unknown;
  off(event: string, listener: (message: unknown) => void): unknown;
}

/** A `Worker`, `parentPort` or any other `MessagePort` of `node:worker_threads`. */
export interface ThreadPort extends Listenable {
  /** Sends a message. The buffers of `transfer` move to the receiver, and are empty here afterwards. */
  postMessage(message: unknown, transfer?: readonly ArrayBuffer[]): void;
}

/** A `ChildProcess` with an IPC channel, a `Worker` of `node:cluster`, or the `process` that has such a parent. */
export interface ProcessPort extends Listenable {
  /** Sends a message; left out in a process without an IPC channel. The callback gets the error, or `null` once it is sent. */
  send?(message: unknown, callback?: (error: Error | null) => void): unknown;
}

/** One end of a connection to another thread or process. */
export type RemotePort = ThreadPort | ProcessPort;

/** The listeners of a channel. */
export interface ChannelEvents {
  /** Takes each message, as `structuredClone` or JSON has left it. */
  readonly onMessage: (message: unknown) => void;
  /** Called when nothing can be sent any more, possibly more than once. */
  readonly onEnd: () => void;
}

/** A port of either kind, with one way to send. */
export interface Channel {
  /** Whether the port takes no buffers: the IPC of processes sends nothing but JSON by default. */
  readonly isText: boolean;
  /**
   * Rejects when the port reports that the message cannot be sent; not all ports report it.
   *
   * @param buffers Buffers in the message that the sender gives away. @default no buffers
   */
  post(message: object, buffers?: readonly ArrayBuffer[]): Promise<void>;
  /** Ends listening. `post` still works. */
  close(): void;
}

// A child process has sent all its messages when it disconnects, which is sometimes after its exit.
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
    isText: !isThread,
    post: (message, buffers = []) =>
      isThread ? postToThread(port, message, buffers) : sendToProcess(port, message),
    close() {
      port.off('message', onMessage);
      for (const event of ends) port.off(event, onEnd);
    },
  };
}

function isThreadPort(port: RemotePort): port is ThreadPort {
  return typeof (port as Partial<ThreadPort> | null)?.postMessage === 'function';
}

async function postToThread(
  port: ThreadPort,
  message: object,
  buffers: readonly ArrayBuffer[],
): Promise<void> {
  port.postMessage(message, buffers);
}

function sendToProcess(port: ProcessPort, message: object): Promise<void> {
  return new Promise((resolve, reject) => {
    // Without a callback, a closed channel would be an uncaught error of the whole process.
    const callback = (error: Error | null): void => (error ? reject(error) : resolve());
    if (port.send === undefined) callback(new Error('the IPC channel is closed'));
    else port.send(message, callback);
  });
}
