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
