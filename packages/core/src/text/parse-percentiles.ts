import { HdrscopeError, mustBe } from '../errors.ts';
import { Histogram } from '../histogram/histogram.ts';
import { assertOptions, integer, number, type OptionsOwner } from '../options.ts';
import {
  type PercentileRow,
  type PercentileTable,
  type PrintedUnit,
  readPercentileTable,
} from './percentile-table.ts';

/** Options of `parsePercentiles`. */
export interface ParsePercentilesOptions {
  /**
   * The factor for printed values, equal to the number they were divided by: 1e6 reads milliseconds as nanoseconds. Above 0.
   * @default 1
   */
  readonly valueScale?: number;
  /** The digits of the new histogram: an integer from 0 to 5. @default the decimals of printed values, which are as many */
  readonly significantDigits?: number;
}

/** The information that a printed percentile distribution has lost. */
export interface PercentileLoss {
  /** The total count in the text: the histogram has all these values. */
  readonly totalCount: number;
  /** How many values are only known to lie above one printed value and at most at the next one, where they are counted. */
  readonly interpolated: number;
  /** How many values lie above the last row, when rows are missing: they are counted at the maximum, or at the last row if higher. */
  readonly beyondLastRow: number;
  /** The largest error of a printed value: half of its last decimal times the scale, plus the rounding to integers. */
  readonly valueResolution: number;
  /** The largest relative error of an interpolated value; `Infinity` when the value may have been 0. */
  readonly maxRelativeError: number;
  /** The printed mean times the scale, `undefined` in CSV, and the mean of the new histogram. */
  readonly mean: { readonly printed: number | undefined; readonly rebuilt: number };
  /** The printed standard deviation times the scale, `undefined` in CSV, and that of the new histogram. */
  readonly standardDeviation: { readonly printed: number | undefined; readonly rebuilt: number };
  /** The number of rows with the same total count as the row before. */
  readonly repeatedRows: number;
}

/** A row of printed percentiles. */
export interface PrintedPercentile {
  /** The percentile that the row aims at, from 0 to 100: it has the value of the row. */
  readonly percentile: number;
  /** The printed value times the scale, not rounded. */
  readonly value: number;
  /** How many values are at most this one. */
  readonly totalCount: number;
}

/** A percentile distribution, read back. */
export interface ParsedPercentiles {
  /** The histogram that the rows describe, with as many values as the text states. */
  readonly histogram: Histogram;
  /** The rows of the text, ascending. Several rows may have one value and one total count. */
  readonly rows: readonly PrintedPercentile[];
  /** The unit that the title of the values states, as in `Value(ms)`. `valueScale` is not derived from it. */
  readonly unit: PrintedUnit | undefined;
  /** What the text did not preserve, in numbers. */
  readonly loss: PercentileLoss;
}

const OWNER: OptionsOwner<ParsePercentilesOptions> = {
  name: 'parsePercentiles',
  names: {
    valueScale: /* @__PURE__ */ number({ above: 0 }),
    significantDigits: /* @__PURE__ */ integer({ from: 0, to: 5 }),
  },
};

/**
 * Reads a percentile distribution back: `.hgrm` files of HdrHistogram in Java, C, Go and JavaScript, their CSV, and the spectrum
 * that wrk2 prints with `--latency` among other lines. A text with several distributions yields the first.
 *
 * The text holds less than the histogram did, and `loss` states the difference. All values between two rows are counted at the
 * value of the later row, so printed percentiles are right, and percentiles between them are not too low.
 *
 * @throws HdrscopeError `ERR_DECODE` when the text is anything else; the message names the line. `ERR_INVALID_OPTION` when an
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
  const table = readPercentileTable(text);
  const { decimals, footer, unit } = table;
  const histogram = new Histogram({
    autoResize: true,
    significantDigits: significantDigits ?? Math.min(decimals, MOST_DIGITS),
  });
  const { roundedOff, ...filled } = fill(histogram, table, valueScale);
  const scaled = (printed: number | undefined): number | undefined =>
    printed === undefined ? undefined : printed * valueScale;
  return {
    histogram,
    rows: table.rows.map(({ percentile, value, totalCount }) => ({
      percentile: Math.min(100, percentile * 100),
      value: value * valueScale,
      totalCount,
    })),
    unit,
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
  /** The largest difference between a value and the integer that was counted for it. */
  readonly roundedOff: number;
}

/** Counts the values that each row adds, at the value of the row. */
function fill(histogram: Histogram, { rows, footer }: PercentileTable, valueScale: number): Filled {
  let before: PercentileRow | undefined;
  let [interpolated, maxRelativeError, repeatedRows, roundedOff] = [0, 0, 0, 0];
  const count = (printed: number, added: number, line: number): void => {
    const value = integerOf(printed, valueScale, line);
    histogram.record(value, added);
    const off = Math.abs(printed * valueScale - value);
    // A smaller difference is the rounding of the multiplication.
    if (off > value * 1e-12) roundedOff = Math.max(roundedOff, off);
    // Rows stand at recorded values, so one of the added values has the value of the row.
    const isLowest = before === undefined && rows[0]?.percentile === 0;
    const lowest = before?.value ?? 0;
    if (added === 1 || isLowest || printed === lowest) return;
    interpolated += added - 1;
    maxRelativeError = Math.max(maxRelativeError, (printed - lowest) / lowest);
  };
  for (const row of rows) {
    const added = row.totalCount - (before?.totalCount ?? 0);
    if (added > 0) count(row.value, added, row.line);
    else if (before !== undefined) repeatedRows++;
    before = row;
  }
  const beyondLastRow = Math.max(0, (footer.totalCount ?? 0) - (before?.totalCount ?? 0));
  // Some tools print the largest value below the upper bound of its slot, which stands in the rows.
  const max = Math.max(footer.max ?? 0, before?.value ?? 0);
  if (beyondLastRow > 0) count(max, beyondLastRow, footer.line);
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
