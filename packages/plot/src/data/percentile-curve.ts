import {
  type ConfidenceOptions,
  type Counted,
  type HdrLayout,
  type IterationStep,
  type ParsedPercentiles,
  percentileInterval,
} from '@hdrscope/core';
import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import type { Curve, CurvePoint } from '../plot.ts';
import { assertScale } from './checks.ts';

/** A distribution that a curve can be made of, such as a `Histogram` or a `DoubleHistogram`. */
export interface CurveSource {
  readonly totalCount: number;
  percentiles(ticksPerHalfDistance: number): Iterable<IterationStep>;
  valueAtPercentile(percentile: number): number;
}

/** How a curve is made. */
export interface CurveOptions {
  /** The number of steps in which the distance to 100 % is halved: an integer of at least 1. @default 5 */
  readonly ticksPerHalfDistance?: number;
  /** The divisor of all values: 1e6 turns nanoseconds into milliseconds. Above 0. @default 1 */
  readonly valueScale?: number;
}

/** How a curve with bounds is made. */
export interface BoundedCurveOptions extends CurveOptions, ConfidenceOptions {
  /** The confidence of each point's bounds: above 0 and below 1. @default points have no bounds */
  readonly confidence?: number;
}

const TICKS_PER_HALF_DISTANCE = 5;

/** The percentiles that people ask for. Each has a point of its own, so that texts and tables show its exact value. */
const USUAL = [50, 75, 90, 95, 99, 99.5, 99.9, 99.95, 99.99, 99.999, 99.9999];

/**
 * A distribution as a curve. It has points where `formatPercentiles` has rows, at the percentiles that people ask for, and
 * last at the maximum. A histogram without values has no points.
 *
 * With a confidence, points have the bounds of `percentileInterval`. A point with too few values for that has no bounds.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
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
  histogram: CurveSource & Counted<HdrLayout>,
  options: BoundedCurveOptions = {},
): Curve {
  assertOptions(options, PERCENTILE_CURVE);
  const { confidence, ...curveOptions } = options;
  const curve = curveOf(name, histogram, curveOptions);
  if (confidence === undefined) return curve;
  const { valueScale = 1 } = curveOptions;
  const points = curve.points.map((point): CurvePoint => {
    const interval = percentileInterval(histogram, point.percentile, { confidence });
    if (interval.confidence < confidence) return point;
    return { ...point, lower: interval.lower / valueScale, upper: interval.upper / valueScale };
  });
  return { ...curve, points, confidence };
}

const PERCENTILE_CURVE: OptionsOwner<BoundedCurveOptions> = {
  name: 'percentileCurve',
  names: { confidence: true, ticksPerHalfDistance: true, valueScale: true },
  call: "percentileCurve('GET', histogram, { confidence: 0.99 })",
};

/**
 * A curve without bounds of any distribution that steps through its percentiles, `DoubleHistogram` included. Otherwise as
 * `percentileCurve`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
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
  assertOptions(options, CURVE_OF);
  const { ticksPerHalfDistance = TICKS_PER_HALF_DISTANCE, valueScale = 1 } = options;
  assertScale(valueScale);
  const points: CurvePoint[] = [];
  const usual = USUAL.values();
  let next = usual.next().value;
  for (const { percentileLevelIteratedTo: percentile, valueIteratedTo } of source.percentiles(
    ticksPerHalfDistance,
  )) {
    // A percentile beyond the last step below 100 is the maximum.
    for (; next !== undefined && next <= percentile && percentile < 100; next = usual.next().value) {
      if (next < percentile)
        points.push({ percentile: next, value: source.valueAtPercentile(next) / valueScale });
    }
    points.push({ percentile, value: valueIteratedTo / valueScale });
  }
  return { name, points, totalCount: source.totalCount };
}

const CURVE_OF: OptionsOwner<CurveOptions> = {
  name: 'curveOf',
  names: { ticksPerHalfDistance: true, valueScale: true },
  call: "curveOf('GET', histogram, { valueScale: 1000 })",
};

/**
 * A curve of percentile text that core's `parsePercentiles` has read: a `.hgrm` file, its CSV, the report of wrk2. It has no
 * bounds, because the text does not say where values lie between two rows.
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
