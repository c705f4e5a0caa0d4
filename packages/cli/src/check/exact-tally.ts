import type { ExactCounts } from './counted-evidence.ts';

/** Counts values that are at most a threshold, for some thresholds. Unlike a slot of a histogram, a count never straddles a threshold. */
export class ExactTally {
  readonly #thresholds: readonly number[];
  /** The thresholds in the unit of the values. */
  readonly #limits: readonly number[];
  readonly #counts: Float64Array;
  #total = 0;

  /** @param divisor Brings a value to the unit of the thresholds. */
  constructor(thresholds: readonly number[], divisor = 1) {
    this.#thresholds = thresholds;
    // 5.1 ms are 0.0051 s, and 0.0051 / 0.001 is more than 5.1.
    this.#limits = thresholds.map((threshold) => Number((threshold * divisor).toPrecision(15)));
    this.#counts = new Float64Array(thresholds.length);
  }

  get counts(): ExactCounts {
    return new Map(this.#thresholds.map((threshold, at) => [threshold, this.#counts[at]!]));
  }

  /** How many values were counted. */
  get total(): number {
    return this.#total;
  }

  add(value: number): void {
    this.#total++;
    for (let at = 0; at < this.#counts.length; at++) {
      if (value <= this.#limits[at]!) this.#counts[at]!++;
    }
  }
}
