import { percentileInterval, type ReadonlyCounts, type ReadonlyHistogram } from '@hdrscope/core';
import {
  assertOptions,
  custom,
  fromTicks,
  type OptionsOwner,
  text,
  usedSlots,
} from '@hdrscope/core/internal';
import type { CountedUnit, FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import { assertFamily, boundsOfSlots, endCounts } from '@hdrscope/registry/internal';
import type { Curve, CurvePoint } from '../plot.ts';
import { attributesText } from './attributes-text.ts';
import { PERIOD } from './option-rules.ts';
import {
  type BoundedCurveOptions,
  type CountedValues,
  curveBetween,
  percentileCurve,
} from './percentile-curve.ts';

/** How the curve of a series is made. */
export interface SeriesCurveOptions extends Omit<BoundedCurveOptions, 'valueScale'> {
  /** The name in the legend. @default the attributes, or the family's name when the series has no attributes */
  readonly name?: string;
  /**
   * The counts if all values were as small, and as large, as they may be: for several series in one. @default those of `reaches` of the
   * series
   */
  readonly ends?: { readonly lower: ReadonlyCounts; readonly upper: ReadonlyCounts };
}

/**
 * The distribution of a series of a snapshot as a curve, in the unit of its family. `countedUnitOf` gives the plot's unit. Where values
 * came in buckets that are wider than the slots of the series, points have the bounds of the buckets.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the family is not one of a snapshot, or an option does not exist or is outside the range
 *   stated on it.
 * @example
 * ```ts
 * import { countedUnitOf, curveOfSeries } from '@hdrscope/plot';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'request.duration', unit: 's' }).with({ route: '/', method: 'get' }).record(0.25);
 *
 * const [family] = (await registry.gather()).families;
 * const curve = curveOfSeries(family!, family!.series[0]!);
 * [curve.name, countedUnitOf(family!)]; //=> ['method=get, route=/', 's']
 * ```
 */
export function curveOfSeries(
  family: Pick<FamilySnapshot, 'name' | 'resolution'>,
  series: Pick<SeriesSnapshot, 'attributes' | 'histogram'> & Partial<Pick<SeriesSnapshot, 'reaches'>>,
  options: SeriesCurveOptions = {},
): Curve {
  assertFamily(family, 'resolution');
  assertOptions(options, CURVE_OF_SERIES);
  const { name: familyName, resolution } = family;
  const { attributes, histogram, reaches } = series;
  const { name = attributesText(attributes) || familyName, ends: given, ...curveOptions } = options;
  const ends = given ?? endCounts(histogram.counts, reaches);
  const { points, ...curve } =
    ends.lower === ends.upper
      ? percentileCurve(name, histogram, curveOptions)
      : wideCurve(name, histogram, ends, curveOptions);
  const inUnit = (ticks: number): number => (Number.isFinite(ticks) ? fromTicks(resolution, ticks) : ticks);
  return {
    ...curve,
    points: points.map(({ value, lower, upper, ...place }) => ({
      ...place,
      value: inUnit(value),
      ...(lower !== undefined && upper !== undefined && { lower: inUnit(lower), upper: inUnit(upper) }),
    })),
  };
}

/**
 * The curve of counts whose values may lie in other slots than their own. With a confidence, the bounds of a point contain those of its
 * interval too; a point with too few values for that has the bounds of its slots.
 */
function wideCurve(
  name: string,
  { layout, weight }: Pick<ReadonlyHistogram, 'layout' | 'weight'>,
  ends: NonNullable<SeriesCurveOptions['ends']>,
  { confidence, ...options }: BoundedCurveOptions,
): Curve {
  const values = (end: 'lower' | 'upper'): CountedValues =>
    [...usedSlots(ends[end])].map(([slot, count]) => [boundsOfSlots(layout, slot, slot)[end], count]);
  const curve = curveBetween(
    name,
    { lower: values('lower'), upper: values('upper') },
    {
      digits: layout.significantDigits,
      totalCount: ends.lower.total,
      // Intervals change within a slot.
      isSplit: confidence !== undefined,
    },
    options,
  );
  if (confidence === undefined) return curve;
  const points = curve.points.map((point): CurvePoint => {
    const [low, high] = [ends.lower, ends.upper].map((counts) =>
      percentileInterval({ layout, counts, weight }, point.percentile, { confidence }),
    );
    if (low!.confidence < confidence) return point;
    return { ...point, ...boundsOfSlots(layout, layout.slotOf(low!.lower), layout.slotOf(high!.upper)) };
  });
  return { ...curve, points, confidence };
}

const ENDS = custom('{ lower, upper } of counts', (ends) => {
  const { lower, upper } = ends as NonNullable<SeriesCurveOptions['ends']>;
  return typeof lower.at === 'function' && typeof upper.at === 'function';
});

const CURVE_OF_SERIES: OptionsOwner<SeriesCurveOptions> = {
  name: 'curveOfSeries',
  names: { name: text, ends: ENDS, confidence: true, columns: true, period: PERIOD },
  call: "curveOfSeries(family, series, { name: 'GET' })",
};

const UNITS: Readonly<Record<string, CountedUnit>> = {
  s: 's',
  ms: 'ms',
  us: 'us',
  ns: 'ns',
  By: 'bytes',
  KiBy: 'KiB',
};

/**
 * The unit of a plot for the UCUM unit of a family; `'none'` for units that plots do not know.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the family is not one of a snapshot.
 * @example
 * ```ts
 * import { countedUnitOf } from '@hdrscope/plot';
 *
 * ['s', 'By', '{request}'].map((unit) => countedUnitOf({ unit })); //=> ['s', 'bytes', 'none']
 * ```
 */
export function countedUnitOf(family: Pick<FamilySnapshot, 'unit'>): CountedUnit {
  assertFamily(family, 'unit');
  const { unit } = family;
  return Object.hasOwn(UNITS, unit) ? UNITS[unit]! : 'none';
}
