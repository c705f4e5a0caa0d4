import { EventEmitter } from 'node:events';

/** One end of a connection between two threads. Messages cross it as copies, and their buffers are handed over. */
export class FakePort extends EventEmitter {
  #peer: FakePort | undefined;
  readonly #held: unknown[] = [];
  #isHeld = false;
  /** The messages that were sent from this end. */
  readonly sent: unknown[] = [];

  static pair(): { readonly main: FakePort; readonly remote: FakePort } {
    const [main, remote] = [new FakePort(), new FakePort()];
    main.#peer = remote;
    remote.#peer = main;
    return { main, remote };
  }

  postMessage(message: unknown, transfer: readonly ArrayBuffer[] = []): void {
    this.sent.push(structuredClone(message));
    const copy: unknown = structuredClone(message, { transfer: [...transfer] });
    if (this.#isHeld) this.#held.push(copy);
    else this.#deliver(copy);
  }

  /** Holds back the messages of this end: the sender is slow. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Sends all messages that were held back. */
  release(): void {
    this.#isHeld = false;
    for (const message of this.#held.splice(0)) this.#deliver(message);
  }

  /** Ends the thread at this end. The messages that it sent before still arrive. */
  kill(): void {
    const peer = this.#peer;
    this.#peer = undefined;
    queueMicrotask(() => peer?.emit('exit', 1));
    this.removeAllListeners();
  }

  #deliver(message: unknown): void {
    const peer = this.#peer;
    queueMicrotask(() => peer?.emit('message', message));
  }
}

/** A `FakePort` with the interface of a process. Messages cross it as JSON. */
export class FakeProcess extends EventEmitter {
  readonly #port: FakePort;

  constructor(port: FakePort) {
    super();
    this.#port = port;
    port.on('message', (message) => this.emit('message', message));
    port.on('exit', () => this.emit('disconnect'));
  }

  send(message: unknown, callback?: (error: Error | null) => void): boolean {
    this.#port.postMessage(JSON.parse(JSON.stringify(message)));
    queueMicrotask(() => callback?.(null));
    return true;
  }
}

/** Resolves when all messages that are under way have arrived. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
