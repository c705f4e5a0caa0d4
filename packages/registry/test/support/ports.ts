import { EventEmitter } from 'node:events';

/** One end of a way between two registries, of either kind; what is sent crosses it as JSON. */
export class FakePort extends EventEmitter {
  #peer: FakePort | undefined;
  readonly #held: string[] = [];
  #isHeld = false;
  /** What was sent from here. */
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

  /** Keeps back what is sent from here: the sender is slow. */
  hold(): void {
    this.#isHeld = true;
  }

  /** Lets it all go. */
  release(): void {
    this.#isHeld = false;
    for (const text of this.#held.splice(0)) this.#deliver(text);
  }

  /** The thread at this end is no more; what it had sent before still arrives. */
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

/** The same as a process sees it. */
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

/** Until everything that is under way has arrived. */
export function settled(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
