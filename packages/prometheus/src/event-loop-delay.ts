import { performance } from 'node:perf_hooks';
import type { Series } from '@hdrscope/registry';

// Half a minute of hang-up at the default interval of 10 ms. A longer hang-up counts with so many values too.
const MOST_SAMPLES = 3000;

/**
 * The waits of callbacks that were due at `dueMs` and every `intervalMs` after that, and all ran at `nowMs`. So a hang-up
 * counts for everything that it delayed. Counting only the first wait would be coordinated omission.
 */
export function waitsUntil(nowMs: number, dueMs: number, intervalMs: number): number[] {
  // A timer may fire up to a millisecond early.
  const longest = Math.max(nowMs - dueMs, 0);
  const count = Math.min(Math.floor(longest / intervalMs) + 1, MOST_SAMPLES);
  const step = Math.max(intervalMs, longest / count);
  return Array.from({ length: count }, (_, i) => longest - i * step);
}

/**
 * Records, in seconds, how late the event loop runs a callback that is due every `intervalMs`. An idle loop shows the
 * precision of timers, up to a millisecond. Does not keep the process alive.
 *
 * `perf_hooks.monitorEventLoopDelay` would not do: it counts the interval as delay, records one long value for each hang-up
 * whatever it delayed, and does not give out its counts.
 *
 * @param intervalMs An integer of at least 1.
 * @returns A function that stops the recording.
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
