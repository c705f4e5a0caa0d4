import { assertOptions, fromTicks, type OptionsOwner } from '@hdrscope/core/internal';
import type { CountedUnit, FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import type { Curve } from '../plot.ts';
import { attributesText } from './attributes-text.ts';
import { type BoundedCurveOptions, percentileCurve } from './percentile-curve.ts';

/** How the curve of a series is made. */
export interface SeriesCurveOptions extends Omit<BoundedCurveOptions, 'valueScale'> {
  /** The name in the legend. @default the attributes, or the family's name when the series has no attributes */
  readonly name?: string;
}

/**
 * The distribution of a series of a snapshot as a curve, in the unit of its family. `countedUnitOf` gives the plot's unit.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
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
  { name: familyName, resolution }: Pick<FamilySnapshot, 'name' | 'resolution'>,
  { attributes, histogram }: Pick<SeriesSnapshot, 'attributes' | 'histogram'>,
  options: SeriesCurveOptions = {},
): Curve {
  assertOptions(options, CURVE_OF_SERIES);
  const { name = attributesText(attributes) || familyName, ...curveOptions } = options;
  const { points, ...curve } = percentileCurve(name, histogram, curveOptions);
  const inUnit = (ticks: number): number => fromTicks(resolution, ticks);
  return {
    ...curve,
    points: points.map(({ value, lower, upper, ...place }) => ({
      ...place,
      value: inUnit(value),
      ...(lower !== undefined && upper !== undefined && { lower: inUnit(lower), upper: inUnit(upper) }),
    })),
  };
}

const CURVE_OF_SERIES: OptionsOwner<SeriesCurveOptions> = {
  name: 'curveOfSeries',
  names: { name: true, confidence: true, columns: true, period: true },
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
 * @example
 * ```ts
 * import { countedUnitOf } from '@hdrscope/plot';
 *
 * ['s', 'By', '{request}'].map((unit) => countedUnitOf({ unit })); //=> ['s', 'bytes', 'none']
 * ```
 */
export function countedUnitOf({ unit }: Pick<FamilySnapshot, 'unit'>): CountedUnit {
  return Object.hasOwn(UNITS, unit) ? UNITS[unit]! : 'none';
}
