import { HdrscopeError, mustBe } from '../errors.ts';
import { Histogram } from '../histogram/histogram.ts';
import { assertOptions, type OptionsOwner } from '../options.ts';
import { type PercentileRow, type PercentileTable, readPercentileTable } from './percentile-table.ts';

/** How a percentile distribution is read. */
export interface ParsePercentilesOptions {
  /**
   * What printed values are multiplied by, which is what they were divided by: 1e6 reads milliseconds as nanoseconds.
   * Above 0. @default 1
   */
  readonly valueScale?: number;
  /** Of the histogram that is made: an integer from 0 to 5. @default the decimals of printed values, which are as many */
  readonly significantDigits?: number;
}

/** What a percentile distribution does not say of the histogram that it was printed of. */
export interface PercentileLoss {
  /** How many values the text speaks of: all of them are in the histogram. */
  readonly totalCount: number;
  /** How many of them are only known to lie above one printed value and at most at the next, where they are counted. */
  readonly interpolated: number;
  /** How many lie above the last row, where rows are missing: they are counted at the maximum. */
  readonly beyondLastRow: number;
  /** How far a printed value can be from the true one: half of its last decimal times the scale, and what is rounded off. */
  readonly valueResolution: number;
  /** The largest error that an interpolated value can have, relative to it; `Infinity` where it may have been 0. */
  readonly maxRelativeError: number;
  /** As printed, times the scale, and as rebuilt. CSV prints none. */
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

const OWNER: OptionsOwner<ParsePercentilesOptions> = {
  name: 'parsePercentiles',
  names: { valueScale: true, significantDigits: true },
};

/**
 * Reads a percentile distribution back: the `.hgrm` files of HdrHistogram in Java, C, Go and JavaScript, their CSV, and
 * the spectrum that wrk2 prints with `--latency`, in the midst of its other lines; of several, the first. Such a text
 * holds less than the histogram did, and `loss` tells by how much: values between two rows are all counted at the value
 * of the later one, so every percentile that is printed is right, and those between are not too low.
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
export function parsePercentiles(text: string, options: ParsePercentilesOptions = {}): ParsedPercentiles {
  assertOptions(options, OWNER);
  if (typeof text !== 'string') throw mustBe('ERR_DECODE', 'percentile text', 'a string', text);
  const { valueScale = 1, significantDigits } = options;
  if (!(valueScale > 0 && Number.isFinite(valueScale))) {
    throw mustBe('ERR_INVALID_OPTION', 'valueScale', 'a finite number above 0', valueScale);
  }
  const table = readPercentileTable(text);
  const { decimals, footer } = table;
  const histogram = new Histogram({
    autoResize: true,
    significantDigits: significantDigits ?? Math.min(decimals, MOST_DIGITS),
  });
  const { roundedOff, ...filled } = fill(histogram, table, valueScale);
  const scaled = (printed: number | undefined): number | undefined =>
    printed === undefined ? undefined : printed * valueScale;
  return {
    histogram,
    loss: {
      totalCount: histogram.totalCount,
      ...filled,
      valueResolution: (valueScale * 10 ** -decimals) / 2 + roundedOff,
      mean: { printed: scaled(footer.mean), rebuilt: histogram.mean },
      standardDeviation: {
        printed: scaled(footer.standardDeviation),
        rebuilt: histogram.standardDeviation,
      },
    },
  };
}

const MOST_DIGITS = 5;

interface Filled
  extends Pick<PercentileLoss, 'interpolated' | 'beyondLastRow' | 'maxRelativeError' | 'repeatedRows'> {
  /** The most by which a value was off the integer that it is counted at. */
  readonly roundedOff: number;
}

/** Counts what each row adds at its value. */
function fill(histogram: Histogram, { rows, footer }: PercentileTable, valueScale: number): Filled {
  let before: PercentileRow | undefined;
  let [interpolated, maxRelativeError, repeatedRows, roundedOff] = [0, 0, 0, 0];
  const count = (printed: number, added: number, line: number): void => {
    const value = integerOf(printed, valueScale, line);
    histogram.record(value, added);
    const off = Math.abs(printed * valueScale - value);
    // Less is the noise of the multiplication.
    if (off > value * 1e-12) roundedOff = Math.max(roundedOff, off);
    // Rows stand at values that were recorded: one of those added has the value itself.
    const isLowest = before === undefined && rows[0]?.percentile === 0;
    if (added === 1 || isLowest || printed === before?.value) return;
    interpolated += added - 1;
    const lowest = before?.value ?? 0;
    maxRelativeError = Math.max(maxRelativeError, (printed - lowest) / lowest);
  };
  for (const row of rows) {
    const added = row.totalCount - (before?.totalCount ?? 0);
    if (added > 0) count(row.value, added, row.line);
    else if (before !== undefined) repeatedRows++;
    before = row;
  }
  const beyondLastRow = Math.max(0, (footer.totalCount ?? 0) - (before?.totalCount ?? 0));
  if (beyondLastRow > 0) count(footer.max ?? 0, beyondLastRow, footer.line);
  return { interpolated, beyondLastRow, maxRelativeError, repeatedRows, roundedOff };
}

function integerOf(printed: number, valueScale: number, line: number): number {
  const value = Math.round(printed * valueScale);
  if (value <= Number.MAX_SAFE_INTEGER) return value;
  throw new HdrscopeError(
    'ERR_VALUE_OUT_OF_RANGE',
    `line ${line}: value times valueScale must be at most 2^53 - 1, got ${printed} times ${valueScale}`,
  );
}
