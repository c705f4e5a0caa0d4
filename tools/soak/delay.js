/** How late the callbacks of a thread are. */
import { Histogram } from '@hdrscope/core';

const everyMs = 1;

/**
 * Measures how late a timer of a millisecond is. `monitorEventLoopDelay` of Node.js does the same, but after a pause it counts
 * the pause.
 */
export class DelayMonitor {
  /** In microseconds. */
  #lateness = new Histogram({ highestTrackableValue: 3_600_000_000 });
  /** @type {NodeJS.Timeout | undefined} */ #timer;

  start() {
    const dueMs = performance.now() + everyMs;
    this.#timer = setTimeout(() => {
      this.#lateness.record(Math.max(0, Math.round((performance.now() - dueMs) * 1000)));
      this.start();
    }, everyMs);
  }

  pause() {
    clearTimeout(this.#timer);
  }

  /** The delay at percentiles, in milliseconds. */
  get delayMs() {
    const [p50 = 0, p99 = 0, max = 0] = this.#lateness
      .valuesAtPercentiles([50, 99, 100])
      .map((us) => us / 1000);
    return { p50, p99, max };
  }
}
