import type { Bounds } from '@hdrscope/core';

/** What an input knows about its values, in the unit of the verdict. */
export interface Evidence {
  readonly count: number;
  /** The value of a percentile; a sentence with the cause and the cure when it is not known. There must be values. */
  percentile(percentile: number): Bounds | string;
  /** How many values are at most the threshold. */
  within(threshold: number): Bounds;
  /**
   * The interval that contains the percentile of the population with the confidence. `upper` is `Infinity` when there are too few
   * values above it. `undefined` when the input does not have every value.
   */
  interval(percentile: number, confidence: number): Bounds | undefined;
}
