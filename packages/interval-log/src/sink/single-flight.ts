/** Runs asynchronous work one call at a time. One further call may wait for the running one. */
export class SingleFlight<T> {
  readonly #work: () => Promise<T>;
  #running: Promise<T> | undefined;
  #waiting: Promise<T> | undefined;

  /** @param work Must not reject. */
  constructor(work: () => Promise<T>) {
    this.#work = work;
  }

  /** Whether a call runs or waits. */
  get isBusy(): boolean {
    return this.#running !== undefined || this.#waiting !== undefined;
  }

  /** Starts the work now. Call it only if `isBusy` is false. */
  run(): Promise<T> {
    this.#running = this.#work().finally(() => {
      this.#running = undefined;
    });
    return this.#running;
  }

  /** Starts the work after the running call, because that one may have gathered already. Callers meanwhile share it. */
  runNext(): Promise<T> {
    this.#waiting ??= (async () => {
      await this.#running;
      this.#waiting = undefined;
      return this.run();
    })();
    return this.#waiting;
  }
}
