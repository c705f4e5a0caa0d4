/** Calls back once after a delay, unless the returned function is called before. The timer does not keep the process alive. */
export type Delay = (callback: () => void, delayMs: number) => () => void;

export const realDelay: Delay = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
};

/** The times of a ticker: `originMs` plus whole multiples of `intervalMs`, on the clock `nowMs`. */
export interface TickerOptions {
  readonly intervalMs: number;
  readonly originMs: number;
  readonly nowMs: () => number;
  readonly delay: Delay;
}

// A longer sleep would not notice that the clock was set.
const LONGEST_SLEEP_MS = 60_000;

/** Ticks until the returned function is called. A missed tick is left out, and the next one is on time. */
export function startTicker(
  onTick: () => void,
  { intervalMs, originMs, nowMs, delay }: TickerOptions,
): () => void {
  const nextAfter = (timeMs: number): number =>
    originMs + (Math.floor((timeMs - originMs) / intervalMs) + 1) * intervalMs;
  let dueMs = nextAfter(nowMs());
  let cancel: () => void;
  const sleep = (): void => {
    // A timer may fire early, so `wake` sleeps again, for at least a millisecond.
    cancel = delay(wake, Math.max(1, Math.min(dueMs - nowMs(), LONGEST_SLEEP_MS)));
  };
  const wake = (): void => {
    const timeMs = nowMs();
    const isDue = timeMs >= dueMs;
    // If the clock was set back, the next tick comes within one interval all the same.
    if (isDue || dueMs - timeMs > intervalMs) dueMs = nextAfter(timeMs);
    sleep();
    if (isDue) onTick();
  };
  sleep();
  return () => cancel();
}

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
