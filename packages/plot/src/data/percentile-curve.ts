import {
  type ConfidenceOptions,
  type HdrCounts,
  type IterationStep,
  type ParsedPercentiles,
  percentileInterval,
} from '@hdrscope/core';
import type { Curve, CurvePoint } from '../plot.ts';
import { assertScale } from './checks.ts';

/** What a curve is made of: a `Histogram`, a `DoubleHistogram`, and what reads alike. */
export interface CurveSource {
  readonly totalCount: number;
  percentiles(ticksPerHalfDistance: number): Iterable<IterationStep>;
  valueAtPercentile(percentile: number): number;
}

/** How a curve is made. */
export interface CurveOptions {
  /** Steps before the distance to 100 % is halved: an integer of at least 1. @default 5 */
  readonly ticksPerHalfDistance?: number;
  /** What values are divided by, for example 1e6 to have nanoseconds in milliseconds. Above 0. @default 1 */
  readonly valueScale?: number;
}

/** How a curve with bounds is made. */
export interface BoundedCurveOptions extends CurveOptions, ConfidenceOptions {
  /** How sure the bounds of each point are: above 0 and below 1. @default no bounds */
  readonly confidence?: number;
}

const TICKS_PER_HALF_DISTANCE = 5;

/** Those that people ask for have points of their own: what a text or a table says of them is not that of a neighbour. */
const USUAL = [50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 99.9999];

/**
 * A distribution as a curve, with points where `formatPercentiles` has rows and at the percentiles that people ask for, up
 * to the maximum, which is the last. Without values there are no points.
 *
 * With a confidence, points have the bounds of `percentileInterval`; where there are too few values to be so sure, they
 * have none.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { percentileCurve } from '@hdrscope/plot';
 *
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * for (let value = 1; value <= 1000; value++) latencies.record(value);
 *
 * const { points } = percentileCurve('get', latencies, { confidence: 0.95 });
 * points[5]; //=> { percentile: 50, value: 500, lower: 469, upper: 532 }
 * points.at(-1); //=> { percentile: 100, value: 1000 }
 * ```
 */
export function percentileCurve(
  name: string,
  histogram: CurveSource & HdrCounts,
  { confidence, ...options }: BoundedCurveOptions = {},
): Curve {
  const curve = curveOf(name, histogram, options);
  if (confidence === undefined) return curve;
  const { valueScale = 1 } = options;
  const points = curve.points.map((point): CurvePoint => {
    const interval = percentileInterval(histogram, point.percentile, { confidence });
    if (interval.confidence < confidence) return point;
    return { ...point, lower: interval.lower / valueScale, upper: interval.upper / valueScale };
  });
  return { ...curve, points, confidence };
}

/**
 * A curve of anything that steps through its percentiles, as `percentileCurve` without bounds: also of doubles.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { DoubleHistogram } from '@hdrscope/core';
 * import { curveOf } from '@hdrscope/plot';
 *
 * const seconds = new DoubleHistogram({ significantDigits: 2 });
 * seconds.record(0.5);
 * curveOf('seconds', seconds).points.map(({ percentile }) => percentile); //=> [0, 100]
 * ```
 */
export function curveOf(name: string, source: CurveSource, options: CurveOptions = {}): Curve {
  const { ticksPerHalfDistance = TICKS_PER_HALF_DISTANCE, valueScale = 1 } = options;
  assertScale(valueScale);
  const points: CurvePoint[] = [];
  const usual = USUAL.values();
  let next = usual.next().value;
  for (const { percentileLevelIteratedTo: percentile, valueIteratedTo } of source.percentiles(
    ticksPerHalfDistance,
  )) {
    // Beyond the last step before the maximum, a percentile is the maximum.
    for (; next !== undefined && next <= percentile && percentile < 100; next = usual.next().value) {
      if (next < percentile)
        points.push({ percentile: next, value: source.valueAtPercentile(next) / valueScale });
    }
    points.push({ percentile, value: valueIteratedTo / valueScale });
  }
  return { name, points, totalCount: source.totalCount };
}

/**
 * A curve of percentile text, as `parsePercentiles` of core read it: a `.hgrm` file, its CSV, the report of wrk2. It has
 * no bounds: where between two rows values are the text does not tell.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option is outside the range stated on it.
 * @example
 * ```ts
 * import { formatPercentiles, Histogram, parsePercentiles } from '@hdrscope/core';
 * import { curveOfPercentiles } from '@hdrscope/plot';
 *
 * const latencies = new Histogram({ highestTrackableValue: 3_600_000_000 });
 * for (let value = 1; value <= 1000; value++) latencies.record(value);
 *
 * const text = formatPercentiles(latencies);
 * curveOfPercentiles('get.hgrm', parsePercentiles(text)).points.at(-1); //=> { percentile: 100, value: 1000 }
 * ```
 */
export function curveOfPercentiles(
  name: string,
  { histogram }: Pick<ParsedPercentiles, 'histogram'>,
  options?: CurveOptions,
): Curve {
  return curveOf(name, histogram, options);
}
