import { performance } from 'node:perf_hooks';
import type { Series } from '@hdrscope/registry';

// Half a minute of hang-up at the default of 10 ms; what is longer is counted by so many values, too.
const MOST_SAMPLES = 3000;

/**
 * What callbacks had to wait that were due at `dueMs` and every `intervalMs` after it, when all of them ran at `nowMs`.
 * So one hang-up counts for everything that it held up, as it should: the first of them alone would be the
 * coordinated omission of the rest.
 */
export function waitsUntil(nowMs: number, dueMs: number, intervalMs: number): number[] {
  // A timer may fire up to a millisecond early.
  const longest = Math.max(nowMs - dueMs, 0);
  const count = Math.min(Math.floor(longest / intervalMs) + 1, MOST_SAMPLES);
  const step = Math.max(intervalMs, longest / count);
  return Array.from({ length: count }, (_, i) => longest - i * step);
}

/**
 * Records, in seconds, how late the event loop gets to what is due every `intervalMs`. An idle loop shows the
 * precision of timers: up to a millisecond. Returns what stops it; keeps no process alive.
 *
 * @param intervalMs An integer of at least 1.
 *
 * Not `monitorEventLoopDelay`: it counts the interval as a delay, one long value for each hang-up whatever it held up,
 * and its counts cannot be read out.
 */
export function watchEventLoopDelay(series: Series, intervalMs: number): () => void {
  let dueMs = performance.now() + intervalMs;
  const timer = setTimeout(() => {
    for (const waitMs of waitsUntil(performance.now(), dueMs, intervalMs)) series.record(waitMs / 1000);
    dueMs = performance.now() + intervalMs;
    timer.refresh();
  }, intervalMs).unref();
  return () => clearTimeout(timer);
}
