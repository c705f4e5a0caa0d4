import { mustBe } from '../errors.ts';
import type { IterationStep } from '../histogram/iteration.ts';
import { assertOptions, number, type OptionsOwner } from '../options.ts';
import { formatDecimal } from './decimal.ts';

/** The members of a `Histogram` or `DoubleHistogram` that its text needs. */
export interface PercentileSource {
  /** The digits and buckets that the last lines of the text state. */
  readonly layout: {
    readonly significantDigits: number;
    readonly bucketCount: number;
    readonly subBucketCount: number;
  };
  /** How many values were counted: at most 2^53 − 1. */
  readonly totalCount: number;
  /** The upper bound of the highest used slot, in the unit of the values; 0 when empty. */
  readonly max: number;
  /** The mean, in the unit of the values; 0 when empty. */
  readonly mean: number;
  /** The standard deviation of the population, in the unit of the values; 0 when empty. */
  readonly standardDeviation: number;
  /** Steps through percentiles, each half distance to 100 % in so many ticks. */
  percentiles(ticksPerHalfDistance: number): Iterable<IterationStep>;
}

/** Options of `formatPercentiles`. */
export interface PercentileTextOptions {
  /** Steps before the distance to 100 % is halved: an integer of at least 1. @default 5 */
  readonly ticksPerHalfDistance?: number;
  /** The divisor for values, for example 1e6 to print nanoseconds as milliseconds. Above 0. @default 1 */
  readonly valueScale?: number;
  /** `'text'` is the `.hgrm` file that plotters read; `'csv'` has the same rows, separated by commas. @default 'text' */
  readonly format?: 'text' | 'csv';
}

/**
 * Prints the distribution as HdrHistogram's Java implementation does, byte for byte.
 * Source: HdrHistogram (Java), `AbstractHistogram.outputPercentileDistribution`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it, `ERR_INCOMPATIBLE` when
 *   `histogram` is anything else.
 * @example
 * ```ts
 * import { formatPercentiles, Histogram } from '@hdrscope/core';
 *
 * const histogram = new Histogram({ highestTrackableValue: 1000, significantDigits: 1 });
 * histogram.record(7);
 * formatPercentiles(histogram).split('\n').slice(0, 3);
 * //=> ['       Value     Percentile TotalCount 1/(1-Percentile)', '', '         7.0 0.000000000000          1           1.00']
 * ```
 */
export function formatPercentiles(histogram: PercentileSource, options?: PercentileTextOptions): string {
  let text = '';
  for (const part of percentileTextParts(histogram, options)) text += part;
  return text;
}

const OWNER: OptionsOwner<PercentileTextOptions> = {
  name: 'formatPercentiles',
  names: { ticksPerHalfDistance: true, valueScale: /* @__PURE__ */ number({ above: 0 }), format: true },
};

/**
 * The text of `formatPercentiles` in parts of a few lines: with many steps it is too long for one string.
 *
 * @throws HdrscopeError as `formatPercentiles` does, when the first part is asked for.
 */
export function* percentileTextParts(
  histogram: PercentileSource,
  options: PercentileTextOptions = {},
): Generator<string, void, undefined> {
  assertOptions(options, OWNER);
  if (typeof histogram?.percentiles !== 'function') {
    throw mustBe(
      'ERR_INCOMPATIBLE',
      'formatPercentiles: the argument',
      'a Histogram or DoubleHistogram',
      histogram,
    );
  }
  const { ticksPerHalfDistance = 5, valueScale = 1, format = 'text' } = options;
  if (format !== 'text' && format !== 'csv') {
    throw mustBe('ERR_INVALID_OPTION', 'format', "'text' or 'csv'", format);
  }
  const decimals = histogram.layout.significantDigits;
  const scaled = (value: number): string => formatDecimal(value / valueScale, decimals);
  const row = format === 'csv' ? csvRow : textRow;
  yield format === 'csv'
    ? '"Value","Percentile","TotalCount","1/(1-Percentile)"\n'
    : `${'Value'.padStart(12)} ${'Percentile'.padStart(14)} ${'TotalCount'.padStart(10)} ${'1/(1-Percentile)'.padStart(14)}\n\n`;
  for (const step of histogram.percentiles(ticksPerHalfDistance)) {
    const level = step.percentileLevelIteratedTo / 100;
    yield row(
      scaled(step.valueIteratedTo),
      formatDecimal(level, 12),
      String(step.totalCountToThisValue),
      step.percentileLevelIteratedTo === 100 ? undefined : formatDecimal(1 / (1 - level), 2),
    );
  }
  if (format === 'text') yield footer(histogram, scaled);
}

function textRow(value: string, percentile: string, count: string, inverse: string | undefined): string {
  const end = inverse === undefined ? '' : ` ${inverse.padStart(14)}`;
  return `${value.padStart(12)} ${percentile} ${count.padStart(10)}${end}\n`;
}

function csvRow(value: string, percentile: string, count: string, inverse = 'Infinity'): string {
  return `${value},${percentile},${count},${inverse}\n`;
}

function footer(histogram: PercentileSource, scaled: (value: number) => string): string {
  const { mean, standardDeviation, max, totalCount, layout } = histogram;
  const wide = (value: string | number): string => String(value).padStart(12);
  return (
    `#[Mean    = ${wide(scaled(mean))}, StdDeviation   = ${wide(scaled(standardDeviation))}]\n` +
    `#[Max     = ${wide(scaled(max))}, Total count    = ${wide(totalCount)}]\n` +
    `#[Buckets = ${wide(layout.bucketCount)}, SubBuckets     = ${wide(layout.subBucketCount)}]\n`
  );
}
