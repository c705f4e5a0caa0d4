import { HdrscopeError, mustBe } from '../errors.ts';
import { Histogram } from '../histogram/histogram.ts';
import { type PercentileRow, type PercentileTable, readPercentileTable } from './percentile-table.ts';

/** How a percentile distribution is read. */
export interface ParsePercentilesOptions {
  /**
   * What printed values are multiplied by, which is what they were divided by: 1e6 reads milliseconds as nanoseconds.
   * Above 0. @default 1
   */
  readonly valueScale?: number;
  /** Of the histogram that is made: an integer from 0 to 5. @default 3 */
  readonly significantDigits?: number;
}

/** What a percentile distribution does not say of the histogram that it was printed of. */
export interface PercentileLoss {
  /** How many values the text speaks of: all of them are in the histogram. */
  readonly totalCount: number;
  /** How many of them are only known to lie above one printed value, up to the next, and are counted at the next. */
  readonly interpolated: number;
  /** How many are above the last row, in a text that does not go to 100 %: they are counted at the maximum, or left out where none is told. */
  readonly beyondLastRow: number;
  /** Values are known to this: half of the last printed decimal, times the scale. */
  readonly valueResolution: number;
  /** The largest error that an interpolated value can have, relative to it; `Infinity` where it may have been 0. */
  readonly maxRelativeError: number;
  /** Mean as printed, times the scale, and as rebuilt. `undefined` where none is printed, as in CSV. */
  readonly mean: { readonly printed: number | undefined; readonly rebuilt: number };
  /** As `mean`. */
  readonly standardDeviation: { readonly printed: number | undefined; readonly rebuilt: number };
  /** Rows that tell of no further values: the same total count as the row before. */
  readonly repeatedRows: number;
}

/** What could be read of a percentile distribution. */
export interface ParsedPercentiles {
  readonly histogram: Histogram;
  readonly loss: PercentileLoss;
}

/**
 * Reads a percentile distribution back: the `.hgrm` files of HdrHistogram in Java, C, Go and JavaScript, their CSV, and
 * the spectrum that wrk2 prints with `--latency`, in the midst of its other lines. Such a text holds less than the
 * histogram did, and `loss` tells by how much: values between two rows are all counted at the value of the later one, so
 * every percentile that is printed is right, and those between are not too low.
 *
 * @throws HdrscopeError `ERR_DECODE` when it is no such text; the message names the line. `ERR_INVALID_OPTION` when an
 *   option is outside the range stated on it, `ERR_VALUE_OUT_OF_RANGE` when a value times the scale is above 2^53 − 1.
 * @example
 * ```ts
 * import { formatPercentiles, Histogram, parsePercentiles } from '@hdrscope/core';
 *
 * const original = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * for (let value = 1; value <= 1000; value++) original.record(value);
 *
 * const { histogram, loss } = parsePercentiles(formatPercentiles(original));
 * [histogram.totalCount, histogram.max, histogram.valueAtPercentile(50)]; //=> [1000, 1000, 500]
 * [loss.mean.printed, loss.mean.rebuilt > 500.5, loss.interpolated > 900]; //=> [500.5, true, true]
 * ```
 */
export function parsePercentiles(
  text: string,
  { valueScale = 1, significantDigits = 3 }: ParsePercentilesOptions = {},
): ParsedPercentiles {
  if (!(valueScale > 0 && Number.isFinite(valueScale))) {
    throw mustBe('ERR_INVALID_OPTION', 'valueScale', 'a finite number above 0', valueScale);
  }
  const histogram = new Histogram({ autoResize: true, significantDigits });
  const table = readPercentileTable(text);
  const filled = fill(histogram, table, valueScale);
  const { mean, standardDeviation } = table.footer;
  const scaled = (printed: number | undefined): number | undefined => printed && printed * valueScale;
  return {
    histogram,
    loss: {
      totalCount: histogram.totalCount,
      ...filled,
      valueResolution: (valueScale * 10 ** -table.decimals) / 2,
      mean: { printed: scaled(mean), rebuilt: histogram.mean },
      standardDeviation: { printed: scaled(standardDeviation), rebuilt: histogram.standardDeviation },
    },
  };
}

type Filled = Pick<PercentileLoss, 'interpolated' | 'beyondLastRow' | 'maxRelativeError' | 'repeatedRows'>;

/** Counts what each row adds at its value. */
function fill(histogram: Histogram, { rows, footer }: PercentileTable, valueScale: number): Filled {
  let before: PercentileRow | undefined;
  let interpolated = 0;
  let maxRelativeError = 0;
  let repeatedRows = 0;
  const count = (value: number, values: number, line: number, isExact: boolean): void => {
    histogram.record(valueOf(value, valueScale, line), values);
    if (isExact || value === before?.value) return;
    interpolated += values;
    const lowest = before?.value ?? 0;
    maxRelativeError = Math.max(maxRelativeError, (value - lowest) / lowest);
  };
  for (const row of rows) {
    const added = row.totalCount - (before?.totalCount ?? 0);
    // The first row is at 0 %: the lowest value, which all values up to its count have.
    if (added > 0) count(row.value, added, row.line, before === undefined && row.percentile === 0);
    else if (before !== undefined) repeatedRows++;
    before = row;
  }
  const beyondLastRow = Math.max(0, (footer.totalCount ?? 0) - (before?.totalCount ?? 0));
  if (beyondLastRow > 0 && footer.max !== undefined) count(footer.max, beyondLastRow, footer.line, false);
  return { interpolated, beyondLastRow, maxRelativeError, repeatedRows };
}

function valueOf(printed: number, valueScale: number, line: number): number {
  const value = Math.round(printed * valueScale);
  if (value <= Number.MAX_SAFE_INTEGER) return value;
  throw new HdrscopeError(
    'ERR_VALUE_OUT_OF_RANGE',
    `line ${line}: value times valueScale must be at most 2^53 - 1, got ${printed} times ${valueScale}`,
  );
}
