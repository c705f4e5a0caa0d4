import type { Histogram } from '@hdrscope/core';
import { type Figures, figuresOf } from '../figures.ts';
import { inUnit, type NumberUnit } from '../numbers/number-unit.ts';

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

/** The figures, within the numbers that were counted, because the slots at both ends reach further. */
export function recordedFigures({ histogram, least, most, unit, name, percentiles }: Recorded): Figures {
  // A correction may have counted smaller ones.
  const smallest = histogram.lowestEquivalentValue(least) <= histogram.min ? least : histogram.min;
  const shown = (ticks: number): number => inUnit(unit, Math.min(most, Math.max(smallest, ticks)));
  return figuresOf(histogram, { name, unit: unit.unit, percentiles, shown });
}
