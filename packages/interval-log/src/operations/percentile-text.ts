import { Histogram, type ParsedPercentiles, parsePercentiles } from '@hdrscope/core';
import {
  type BoundedHistogram,
  type PercentileLoss,
  type RulesFor,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { scale } from '../writer/format.ts';

/** Options of `parsePercentileText`. */
export interface ParsePercentileTextOptions {
  /** Divisor of the printed values. Above 0. @default 1e6, for nanoseconds printed as milliseconds */
  readonly valueScale?: number;
}

/** A histogram made from percentile text, and the bounds of its values. */
export interface PercentileText extends BoundedHistogram {
  /** The best estimate of the values. */
  readonly histogram: Histogram;
  /** Each value at the lowest that it may have been. */
  readonly lowest: Histogram;
  /** Each value at the highest that it may have been. */
  readonly highest: Histogram;
  /** The rows of the text. */
  readonly rows: ParsedPercentiles['rows'];
  /** The unit that the text states, as in `Value(ms)`. `valueScale` is not derived from it. */
  readonly unit: ParsedPercentiles['unit'];
  /** How far values may be off, in the unit of the histogram's values. */
  readonly loss: PercentileLoss;
}

// The finest HDR layout.
const MOST_DIGITS = 5;

/**
 * Reads a percentile distribution (`.hgrm`, its CSV, the report of wrk2) into a histogram whose percentiles are the
 * printed ones. HdrHistogram's own tools print as many decimals as the layout has significant digits. The histogram has
 * that layout if it can print these values, otherwise one of five digits. A value between two rows counts at the later
 * row, and its true place lies between `lowest` and `highest`.
 *
 * @throws HdrscopeError `ERR_DECODE` when the text is not a percentile distribution; `ERR_INVALID_OPTION` when an option does
 *   not exist, or `valueScale` is out of range; `ERR_VALUE_OUT_OF_RANGE` when a value is too large.
 * @example
 * ```ts
 * import { formatPercentiles, Histogram } from '@hdrscope/core';
 * import { parsePercentileText } from '@hdrscope/interval-log';
 *
 * const original = new Histogram({ highestTrackableValue: 3_600_000_000_000 });
 * for (let ms = 1; ms <= 1000; ms++) original.record(ms * 1e6);
 *
 * const { histogram } = parsePercentileText(formatPercentiles(original, { valueScale: 1e6 }));
 * histogram.valueAtPercentile(50) === original.valueAtPercentile(50); //=> true
 * ```
 */
export function parsePercentileText(text: string, options: ParsePercentileTextOptions = {}): PercentileText {
  const { valueScale } = readOptions(options, PARSE_PERCENTILE_TEXT);
  const parsed = parsePercentiles(text, { valueScale });
  const decimals = parsed.histogram.layout.significantDigits;
  // Values in units of the last printed decimal. Large ones share a slot with a few neighbours.
  const printed = parsePercentiles(text, { valueScale: 10 ** decimals, significantDigits: MOST_DIGITS });
  const unit = valueScale / 10 ** decimals;
  // From the highest one down: the range of a histogram then grows once, and not with each row.
  const counted = [...printed.histogram.recordedValues()]
    .map(({ valueIteratedTo, countAddedInThisIterationStep: count }): Row => {
      const value = printed.histogram.lowestEquivalentValue(valueIteratedTo);
      const from = Math.ceil(Math.max(0, value - 0.5) * unit);
      return { from, value: Math.round(value * unit), to: (valueIteratedTo + 0.5) * unit, count };
    })
    .reverse();
  const histogram = countAtSlots(counted, decimals) ?? countAtValues(counted);
  // Values below the first row are unknown, unless that row has the lowest value.
  const isLowestKnown = printed.loss.maxRelativeError < Number.POSITIVE_INFINITY;
  const bounds = boundValues(counted, isLowestKnown);
  return {
    histogram,
    ...bounds,
    rows: parsed.rows,
    unit: parsed.unit,
    loss: scaleLoss(printed.loss, histogram, unit),
  };
}

/** The rules of `ParsePercentileTextOptions`. */
export const PERCENTILE_RULES: RulesFor<ParsePercentileTextOptions> = {
  valueScale: withDefault(scale, 1e6),
};

const PARSE_PERCENTILE_TEXT = {
  name: 'parsePercentileText',
  rules: PERCENTILE_RULES,
  call: 'parsePercentileText(text, { valueScale: 1000 })',
};

/** A printed value and its count. Values from `from` to below `to` print as this one. */
interface Row {
  readonly from: number;
  readonly value: number;
  /** Exclusive. */
  readonly to: number;
  readonly count: number;
}

function emptyHistogram(significantDigits: number): Histogram {
  return new Histogram({ significantDigits, autoResize: true, storage: 'sparse' });
}

/**
 * Counts each row in the slot whose highest value prints as the row. That slot need not be the one of the printed value.
 *
 * @returns `undefined` if a row has no such slot, so that the printer had another layout.
 */
function countAtSlots(rows: readonly Row[], significantDigits: number): Histogram | undefined {
  const histogram = emptyHistogram(significantDigits);
  for (const { from, value, to, count } of rows) {
    const isHighestIn = histogram.highestEquivalentValue(value) <= to;
    const highestBefore = histogram.lowestEquivalentValue(value) - 1;
    if (!isHighestIn && highestBefore < from) return undefined;
    histogram.record(isHighestIn ? value : highestBefore, count);
  }
  return histogram;
}

/** Counts rows at their printed values. */
function countAtValues(rows: readonly Row[]): Histogram {
  const histogram = emptyHistogram(MOST_DIGITS);
  for (const { value, count } of rows) histogram.record(value, count);
  return histogram;
}

/** Bounds all values: one value of a row lies at the row itself, each other one anywhere above the next lower row. */
function boundValues(
  rows: readonly Row[],
  isLowestKnown: boolean,
): { readonly lowest: Histogram; readonly highest: Histogram } {
  const [lowest, highest] = [emptyHistogram(MOST_DIGITS), emptyHistogram(MOST_DIGITS)];
  for (const [i, { from, to, count }] of rows.entries()) {
    highest.record(Math.ceil(to), count);
    const least = below(lowest, from);
    lowest.record(least);
    const lower = rows[i + 1];
    const leastOfOthers = lower === undefined ? (isLowestKnown ? least : 0) : below(lowest, lower.from);
    if (count > 1) lowest.record(leastOfOthers, count - 1);
  }
  return { lowest, highest };
}

/** Returns a value whose slot ends below the given value, or 0. */
function below(histogram: Histogram, value: number): number {
  return Math.max(0, histogram.lowestEquivalentValue(Math.floor(value)) - 1);
}

function scaleLoss(loss: PercentileLoss, histogram: Histogram, unit: number): PercentileLoss {
  const scaled = (value: number | undefined): number | undefined => value && value * unit;
  return {
    ...loss,
    valueResolution: unit / 2 + (Number.isInteger(unit) ? 0 : 0.5),
    mean: { printed: scaled(loss.mean.printed), rebuilt: histogram.mean },
    standardDeviation: {
      printed: scaled(loss.standardDeviation.printed),
      rebuilt: histogram.standardDeviation,
    },
  };
}
