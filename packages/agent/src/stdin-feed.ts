/** Takes the bytes of standard input. */
interface StdinListener {
  onBytes(bytes: Uint8Array): void;
  onEnd(): void;
  onError(error: unknown): void;
}

/**
 * Shares the one standard input of a process among listeners, one after the other. Bytes go to the current listener. Without
 * a listener, nothing is read.
 */
export class StdinFeed {
  readonly #input: AsyncIterable<Uint8Array>;
  #iterator: AsyncIterator<Uint8Array> | undefined;
  #next: Promise<void> | undefined;
  #waiting: IteratorResult<Uint8Array, unknown> | undefined;
  #listener: StdinListener | undefined;

  constructor(input: AsyncIterable<Uint8Array>) {
    this.#input = input;
  }

  /** @returns A function that ends the listening. */
  listen(listener: StdinListener): () => void {
    this.#listener = listener;
    this.#iterator ??= this.#input[Symbol.asyncIterator]();
    this.#pump();
    return () => {
      if (this.#listener === listener) this.#listener = undefined;
    };
  }

  #pump(): void {
    const listener = this.#listener;
    if (listener === undefined) return;
    if (this.#waiting !== undefined) this.#give(listener, this.#waiting);
    else this.#read();
  }

  #give(listener: StdinListener, result: IteratorResult<Uint8Array, unknown>): void {
    // Every later listener also learns that the input has ended.
    if (result.done === true) {
      listener.onEnd();
      return;
    }
    this.#waiting = undefined;
    listener.onBytes(result.value);
    this.#pump();
  }

  #read(): void {
    this.#next ??= this.#iterator!.next().then(
      (result) => {
        this.#next = undefined;
        this.#waiting = result;
        this.#pump();
      },
      (error: unknown) => {
        this.#next = undefined;
        this.#waiting = { done: true, value: undefined };
        this.#listener?.onError(error);
      },
    );
  }
}
