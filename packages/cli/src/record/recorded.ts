import type { Histogram } from '@hdrscope/core';
import type { NumberUnit } from '../numbers/number-unit.ts';

/** A distribution of numbers, and how it is shown. */
export interface Recorded {
  /** In ticks of the unit's resolution. Not empty. */
  readonly histogram: Histogram;
  /** The smallest and the largest number, in ticks; a correction may have counted smaller ones. */
  readonly least: number;
  readonly most: number;
  readonly unit: NumberUnit;
  /** Significant digits. */
  readonly digits: number;
  /** The names of the inputs. */
  readonly name: string;
  readonly percentiles: readonly number[];
}

/** Options of the command line that outputs use. */
export interface ShownAs {
  readonly plot: boolean;
  /** The file to write. @default standard output */
  readonly output?: string;
}

/** Limits a value of the histogram to the numbers that were counted, because the slots at both ends reach further. */
export function withinNumbers({ histogram, least, most }: Recorded, ticks: number): number {
  // A correction may have counted smaller ones.
  const smallest = histogram.lowestEquivalentValue(least) <= histogram.min ? least : histogram.min;
  return Math.min(most, Math.max(smallest, ticks));
}
