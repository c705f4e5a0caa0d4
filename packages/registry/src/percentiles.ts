import { fromTicks } from '@hdrscope/core/internal';
import type { FamilySnapshot } from './family.ts';
import type { SeriesSnapshot } from './series-snapshot.ts';
import { assertFamily } from './snapshot.ts';

/**
 * Values at percentiles of a series, in the unit of its family; `series.histogram` itself has them in ticks.
 *
 * @param percentiles From 0 to 100; others count as the nearer end. In any order.
 * @returns A value for each percentile, in the order of `percentiles`: the upper bound of its slot, at percentile 0
 *   the lower one; 0 when the series is empty.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the family is not one of a snapshot, `ERR_INVALID_VALUE` when a percentile is
 *   not a number.
 * @example
 * ```ts
 * import { createRegistry, valuesAtPercentiles } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * const sizes = registry.histogram({ name: 'http.server.response.body.size', unit: 'By', significantDigits: 3 });
 * for (let bytes = 1; bytes <= 1000; bytes++) sizes.with({}).record(bytes);
 *
 * const { families } = await registry.gather();
 * valuesAtPercentiles(families[0]!, families[0]!.series[0]!, [50, 99]); //=> [500, 990]
 * ```
 */
export function valuesAtPercentiles(
  family: Pick<FamilySnapshot, 'resolution'>,
  { histogram }: Pick<SeriesSnapshot, 'histogram'>,
  percentiles: readonly number[],
): number[] {
  assertFamily(family, 'resolution');
  const { resolution } = family;
  return histogram.valuesAtPercentiles(percentiles).map((ticks) => fromTicks(resolution, ticks));
}
