import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import { addedUnitWords, countsWithin } from '@hdrscope/registry/internal';
import type { Attributes } from '@opentelemetry/api';
import { COUNTER_INSTRUMENT, DOUBLE_VALUES, type Point, PointType, type SumMetric } from './sdk.ts';

/**
 * The counter of the values within each threshold that a family states, as scrapes have it: a recorded value counts exactly there. Its
 * name has the unit in words, so that Prometheus makes the name of the histogram and `_within_total` of it.
 *
 * @param dataPoints Those of `withinPoints`.
 */
export function withinMetric(
  { name, unit }: FamilySnapshot,
  dataPoints: readonly Point<number>[],
  temporality: number,
): SumMetric {
  return {
    descriptor: {
      name: [name, ...addedUnitWords(name, unit), 'within'].join('_'),
      description: `How many values of ${name} are at most the threshold`,
      unit: '',
      type: COUNTER_INSTRUMENT,
      valueType: DOUBLE_VALUES,
      advice: {},
    },
    aggregationTemporality: temporality,
    dataPointType: PointType.SUM,
    isMonotonic: true,
    dataPoints,
  };
}

/**
 * A point for each threshold that the family of a series states.
 *
 * @param times Those of the point of the histogram.
 */
export function withinPoints(
  family: FamilySnapshot,
  state: SeriesSnapshot,
  { startTime, endTime }: Pick<Point<unknown>, 'startTime' | 'endTime'>,
): readonly Point<number>[] {
  const { statedThresholds: thresholds } = family;
  if (thresholds.length === 0) return NO_POINTS;
  const attributes = withoutThreshold(state.attributes as Attributes);
  return countsWithin(family, state).map((value, at) => ({
    startTime,
    endTime,
    attributes: { ...attributes, threshold: String(thresholds[at]) },
    value,
  }));
}

const NO_POINTS: readonly Point<number>[] = /* @__PURE__ */ Object.freeze([]);

/** Attributes of which one that is called `threshold` has the name that a scrape gives it. */
function withoutThreshold({ threshold, ...others }: Attributes): Attributes {
  if (threshold === undefined) return others;
  let free = 'exported_threshold';
  while (Object.hasOwn(others, free)) free = `exported_${free}`;
  return { ...others, [free]: threshold };
}
