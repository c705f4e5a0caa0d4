import { Histogram, type PercentileLoss, parsePercentiles } from '@hdrscope/core';
import type { BoundedHistogram } from './compare.ts';

/** How percentile text becomes a histogram. */
export interface ReadPercentileTextOptions {
  /** What printed values were divided by. Above 0. @default 1e6, which is what makes milliseconds of nanoseconds */
  readonly valueScale?: number;
}

/** A histogram made of percentile text, and how well its values are known. */
export interface PercentileText extends BoundedHistogram {
  readonly histogram: Histogram;
  readonly lowest: Histogram;
  readonly highest: Histogram;
  /** In the unit of the histogram's values. */
  readonly loss: PercentileLoss;
}

// The finest layout there is.
const MOST_DIGITS = 5;

/**
 * Reads a percentile distribution (`.hgrm`, its CSV, the report of wrk2) as what a log would have held: percentiles that
 * are printed are those of the histogram. Where there is a layout of as many significant digits as decimals that prints
 * so, as HdrHistogram's own tools do it, the histogram has it; otherwise five digits. A value between two rows is counted at the later, and lies between `lowest` and `highest`.
 *
 * @throws HdrscopeError `ERR_DECODE` when it is no such text, `ERR_INVALID_OPTION`, `ERR_VALUE_OUT_OF_RANGE`.
 * @example
 * ```ts
 * import { formatPercentiles, Histogram } from '@hdrscope/core';
 * import { readPercentileText } from '@hdrscope/interval-log';
 *
 * const original = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
 * for (let ms = 1; ms <= 1000; ms++) original.record(ms * 1e6);
 *
 * const { histogram } = readPercentileText(formatPercentiles(original, { valueScale: 1e6 }));
 * histogram.valueAtPercentile(50) === original.valueAtPercentile(50); //=> true
 * ```
 */
export function readPercentileText(
  text: string,
  { valueScale = 1e6 }: ReadPercentileTextOptions = {},
): PercentileText {
  const decimals = parsePercentiles(text, { valueScale }).histogram.layout.significantDigits;
  // Integers of the last printed decimal: what they are, or where they are large, one of a few.
  const printed = parsePercentiles(text, { valueScale: 10 ** decimals, significantDigits: MOST_DIGITS });
  const scale = valueScale / 10 ** decimals;
  const rows = [...printed.histogram.recordedValues()].map(
    ({ valueIteratedTo, countAddedInThisIterationStep: count }): Row => {
      const value = printed.histogram.lowestEquivalentValue(valueIteratedTo);
      const from = Math.ceil(Math.max(0, value - 0.5) * scale);
      return { from, value: Math.round(value * scale), to: (valueIteratedTo + 0.5) * scale, count };
    },
  );
  const histogram = histogramOf(rows, decimals) ?? finestOf(rows);
  // Below the first row there may be anything, unless that is at the lowest value.
  const isLowestKnown = printed.loss.maxRelativeError < Number.POSITIVE_INFINITY;
  return { histogram, ...boundsOf(rows, isLowestKnown), loss: lossOf(printed.loss, histogram, scale) };
}

/** Values that are printed as one. */
interface Row {
  /** The smallest that would be. */
  readonly from: number;
  readonly value: number;
  /** All are below. */
  readonly to: number;
  readonly count: number;
}

function emptyHistogram(significantDigits: number): Histogram {
  return new Histogram({ significantDigits, autoResize: true, storage: 'sparse' });
}

/**
 * Counts rows, each in a slot of whose highest value it is the print: that need not be the slot of the printed value.
 *
 * @returns `undefined` where a row has no such slot, so that the layout is not that of the printer.
 */
function histogramOf(rows: readonly Row[], significantDigits: number): Histogram | undefined {
  const histogram = emptyHistogram(significantDigits);
  for (const { from, value, to, count } of rows) {
    const isHighestIn = histogram.highestEquivalentValue(value) <= to;
    const highestBefore = histogram.lowestEquivalentValue(value) - 1;
    if (!isHighestIn && highestBefore < from) return undefined;
    histogram.record(isHighestIn ? value : highestBefore, count);
  }
  return histogram;
}

/** Counts rows at the values that are printed. */
function finestOf(rows: readonly Row[]): Histogram {
  const histogram = emptyHistogram(MOST_DIGITS);
  for (const { value, count } of rows) histogram.record(value, count);
  return histogram;
}

/** A value that is printed is in its row, each other one somewhere after the row before. */
function boundsOf(
  rows: readonly Row[],
  isLowestKnown: boolean,
): { readonly lowest: Histogram; readonly highest: Histogram } {
  const [lowest, highest] = [emptyHistogram(MOST_DIGITS), emptyHistogram(MOST_DIGITS)];
  let before = isLowestKnown ? undefined : 0;
  for (const { from, to, count } of rows) {
    highest.record(Math.ceil(to), count);
    const least = below(lowest, from);
    lowest.record(least);
    if (count > 1) lowest.record(before ?? least, count - 1);
    before = least;
  }
  return { lowest, highest };
}

/** A value whose slot ends below another. */
function below(histogram: Histogram, value: number): number {
  return Math.max(0, histogram.lowestEquivalentValue(Math.floor(value)) - 1);
}

function lossOf(loss: PercentileLoss, histogram: Histogram, scale: number): PercentileLoss {
  const scaled = (value: number | undefined): number | undefined => value && value * scale;
  return {
    ...loss,
    valueResolution: scale / 2 + (Number.isInteger(scale) ? 0 : 0.5),
    mean: { printed: scaled(loss.mean.printed), rebuilt: histogram.mean },
    standardDeviation: {
      printed: scaled(loss.standardDeviation.printed),
      rebuilt: histogram.standardDeviation,
    },
  };
}
