/** How long a slice of work is, in milliseconds: short beside the delays that people look for in an event loop. */
const SLICE_MS = 2;

// Looking at the clock takes as long as a small piece of work.
const PIECES_PER_LOOK = 8;

/**
 * Cuts long work into slices, between which other work of the process runs. Work that takes less than a slice is not cut.
 *
 * @example
 * ```ts
 * import { Slices } from '@hdrscope/kit';
 *
 * let sum = 0;
 * const slices = new Slices();
 * for (let piece = 1; piece <= 1000; piece++) {
 *   sum += piece;
 *   if (slices.isOver()) await slices.next();
 * }
 * sum; //=> 500500
 * ```
 */
export class Slices {
  readonly #lengthMs: number;
  #endMs: number;
  #pieces = 0;

  /** @param lengthMs How long a slice is, in milliseconds. @default 2 */
  constructor(lengthMs: number = SLICE_MS) {
    this.#lengthMs = lengthMs;
    this.#endMs = performance.now() + lengthMs;
  }

  /** Whether it is time to let other work run. Call it after each piece of work: it looks at the clock at each eighth call. */
  isOver(): boolean {
    return ++this.#pieces % PIECES_PER_LOOK === 0 && performance.now() >= this.#endMs;
  }

  /** Lets all other work run that is due, and begins the next slice. */
  async next(): Promise<void> {
    await new Promise<void>((resolve) => {
      // Browsers have no `setImmediate`.
      if (typeof setImmediate === 'function') setImmediate(resolve);
      else setTimeout(resolve, 0);
    });
    this.#endMs = performance.now() + this.#lengthMs;
  }
}
