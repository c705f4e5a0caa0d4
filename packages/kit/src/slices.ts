/** How long a slice of work is, in milliseconds: short beside the delays that people look for in an event loop. */
const SLICE_MS = 2;

// In a busy process, the other work between two slices may take 50 ms. Slices of 2 ms would make work of 100 ms last 2.5 s, and would
// hardly shorten the delays of the event loop. So a slice may take a quarter of what the other work has just taken.
const SHARE_OF_OTHERS = 0.25;
const LONGEST_SLICE_MS = 25;

// Looking at the clock takes as long as a small piece of work.
const PIECES_PER_LOOK = 8;

/** Node.js takes one new connection in a turn of the event loop, so a slice lets so many turns pass while connections come. */
const MOST_TURNS = 16;
let connections = 0;

/** Notes a new connection of a server: others may wait behind it. */
export function noteConnection(): void {
  connections++;
}

/** The time that all slices of this process have taken: slices make each other no longer. */
let takenMs = 0;

/**
 * Cuts long work into slices, between which other work of the process runs. Work that takes less than a slice is not cut. In a busy
 * process a slice takes a quarter of the time that the other work took between it and the slice before, and at most 25 ms, or as long as the caller allows.
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
  readonly #longestMs: number;
  #beganMs: number;
  #endMs: number;
  #pieces = 0;

  /**
   * @param lengthMs How long a slice is at least, in milliseconds. @default 2
   * @param longestMs How long a slice is at most in a busy process, in milliseconds. @default 25
   */
  constructor(lengthMs: number = SLICE_MS, longestMs: number = LONGEST_SLICE_MS) {
    this.#lengthMs = lengthMs;
    this.#longestMs = longestMs;
    this.#beganMs = performance.now();
    this.#endMs = this.#beganMs + lengthMs;
  }

  /** Whether it is time to let other work run. Call it after each piece of work: it looks at the clock at each eighth call. */
  isOver(): boolean {
    return ++this.#pieces % PIECES_PER_LOOK === 0 && performance.now() >= this.#endMs;
  }

  /** Lets all other work run that is due, and begins the next slice. */
  async next(): Promise<void> {
    const leftMs = performance.now();
    takenMs += leftMs - this.#beganMs;
    const before = takenMs;
    let known: number;
    let turns = 0;
    do {
      known = connections;
      await new Promise<void>((resolve) => {
        // Browsers have no `setImmediate`.
        if (typeof setImmediate === 'function') setImmediate(resolve);
        else setTimeout(resolve, 0);
      });
    } while (connections > known && ++turns < MOST_TURNS);
    this.#beganMs = performance.now();
    const othersMs = this.#beganMs - leftMs - (takenMs - before);
    const shareMs = Math.min(SHARE_OF_OTHERS * othersMs, this.#longestMs);
    this.#endMs = this.#beganMs + Math.max(this.#lengthMs, shareMs);
  }
}
