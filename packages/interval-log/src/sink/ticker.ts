/** Calls back once after a delay, unless the returned function is called before. Keeps no process alive. */
export type Delay = (callback: () => void, delayMs: number) => () => void;

export const realDelay: Delay = (callback, delayMs) => {
  const timer = setTimeout(callback, delayMs).unref();
  return () => clearTimeout(timer);
};

/** When a ticker ticks: at `originMs` plus whole multiples of `intervalMs`, by `nowMs`. */
export interface TickerOptions {
  readonly intervalMs: number;
  readonly originMs: number;
  readonly nowMs: () => number;
  readonly delay: Delay;
}

// A longer sleep would not notice that somebody has set the clock.
const LONGEST_SLEEP_MS = 60_000;

/** Ticks until the returned function is called. A tick that is missed is left out; the one after it is on time. */
export function startTicker(
  onTick: () => void,
  { intervalMs, originMs, nowMs, delay }: TickerOptions,
): () => void {
  const nextAfter = (timeMs: number): number =>
    originMs + (Math.floor((timeMs - originMs) / intervalMs) + 1) * intervalMs;
  let dueMs = nextAfter(nowMs());
  let cancel: () => void;
  const sleep = (): void => {
    // Timers may fire a little early, and then sleep again; but not for no time at all.
    cancel = delay(wake, Math.max(1, Math.min(dueMs - nowMs(), LONGEST_SLEEP_MS)));
  };
  const wake = (): void => {
    const timeMs = nowMs();
    const isDue = timeMs >= dueMs;
    // The clock may have been set back, too: nothing is due later than after an interval.
    if (isDue || dueMs - timeMs > intervalMs) dueMs = nextAfter(timeMs);
    sleep();
    if (isDue) onTick();
  };
  sleep();
  return () => cancel();
}
