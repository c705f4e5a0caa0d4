import { EventEmitter } from 'node:events';

/** One end of a connection between two registries, of either kind. Messages cross it as JSON. */
export class FakePort extends EventEmitter {
  #peer: FakePort | undefined;
  readonly #held: string[] = [];
  #isHeld = false;
  /** The messages that were sent from this end. */
  readonly sent: unknown[] = [];

  static pair(): { readonly main: FakePort; readonly remote: FakePort } {
    const [main, remote] = [new FakePort(), new FakePort()];
    main.#peer = remote;
    remote.#peer = main;
    return { main, remote };
  }

  postMessage(message: unknown): void {
    this.sent.push(message);
    const text = JSON.stringify(message);
    if (this.#isHeld) this.#held.push(text);
    else this.#deliver(text);
  }

  /** Holds back the messages of this end: the sender is slow. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Sends all messages that were held back. */
  release(): void {
    this.#isHeld = false;
    for (const text of this.#held.splice(0)) this.#deliver(text);
  }

  /** Ends the thread at this end. The messages that it sent before still arrive. */
  kill(): void {
    const peer = this.#peer;
    this.#peer = undefined;
    queueMicrotask(() => peer?.emit('exit', 1));
    this.removeAllListeners();
  }

  #deliver(text: string): void {
    const peer = this.#peer;
    queueMicrotask(() => peer?.emit('message', JSON.parse(text)));
  }
}

/** A `FakePort` with the interface of a process. */
export class FakeProcess extends EventEmitter {
  readonly #port: FakePort;

  constructor(port: FakePort) {
    super();
    this.#port = port;
    port.on('message', (message) => this.emit('message', message));
    port.on('exit', () => this.emit('disconnect'));
  }

  send(message: unknown, callback?: (error: Error | null) => void): boolean {
    this.#port.postMessage(message);
    queueMicrotask(() => callback?.(null));
    return true;
  }
}

/** Resolves when all messages that are under way have arrived. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
