import { setTimeout as sleep } from 'node:timers/promises';

/**
 * Makes a function that waits for the end of the next interval. The time that work takes in an interval does not stretch it. Work that
 * takes longer than an interval begins a new one.
 *
 * @param intervalMs Above 0, in milliseconds.
 * @param signal The wait rejects when it is aborted.
 * @example
 * ```ts
 * import { intervalTicks } from '@hdrscope/kit/delivery';
 *
 * const tick = intervalTicks(10, new AbortController().signal);
 * await tick();
 * ```
 */
export function intervalTicks(intervalMs: number, signal: AbortSignal): () => Promise<void> {
  let lastMs = performance.now();
  return async () => {
    const nowMs = performance.now();
    lastMs = Math.max(lastMs + intervalMs, nowMs);
    await sleep(lastMs - nowMs, undefined, { signal });
  };
}
