import { addedUnitWords, type FamilyFacts } from '@hdrscope/registry/internal';
import type { Attributes } from '@opentelemetry/api';
import { COUNTER_INSTRUMENT, DOUBLE_VALUES, type Point, PointType, type SumMetric } from './sdk.ts';

/**
 * The counter of the values within each threshold that a family states, as scrapes have it: a recorded value counts exactly there. Its
 * name has the unit in words, so that Prometheus makes the name of the histogram and `_within_total` of it.
 *
 * @param dataPoints Those of `withinPoints`.
 */
export function withinMetric(
  { name, unit }: FamilyFacts,
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
 * @param point That of the histogram, which has the same times and attributes.
 * @param counts How many values are within each of the thresholds.
 */
export function withinPoints(
  { statedThresholds: thresholds }: FamilyFacts,
  { startTime, endTime, attributes: ofSeries }: Omit<Point<unknown>, 'value'>,
  counts: readonly number[],
): Point<number>[] {
  const attributes = withoutThreshold(ofSeries as Attributes);
  return counts.map((value, at) => ({
    startTime,
    endTime,
    attributes: { ...attributes, threshold: String(thresholds[at]) },
    value,
  }));
}

/** Attributes of which one that is called `threshold` has the name that a scrape gives it. */
function withoutThreshold({ threshold, ...others }: Attributes): Attributes {
  if (threshold === undefined) return others;
  let free = 'exported_threshold';
  while (Object.hasOwn(others, free)) free = `exported_${free}`;
  return { ...others, [free]: threshold };
}
