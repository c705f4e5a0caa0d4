import { percentileDifference } from '@hdrscope/core';
import { fromTicks } from '@hdrscope/core/internal';
import { type ComparisonPlot, countedUnitOf, curveOfSeries, type PlottedChange } from '@hdrscope/plot';
import type { FamilyDefinition } from '../history/history.ts';
import type { Change, Comparison } from '../messages.ts';
import type { Distribution } from './distribution.ts';

/** One side of a comparison. */
export interface Side {
  readonly name: string;
  readonly family: FamilyDefinition;
  readonly distribution: Distribution;
}

const PERCENTILES = [50, 90, 99, 99.9];
const CONFIDENCE = 0.99;

/** Whether the values of two families are of one unit, and counted in one step. */
export function areComparable(a: FamilyDefinition, b: FamilyDefinition): boolean {
  const { ticksPerUnit, unitsPerTick } = a.resolution;
  const isSameStep = b.resolution.ticksPerUnit === ticksPerUnit && b.resolution.unitsPerTick === unitsPerTick;
  return a.unit === b.unit && isSameStep;
}

/**
 * Compares percentiles, each with the interval of core's `percentileDifference`.
 *
 * @param before Has values, as `after` has, and both are comparable.
 */
export function compared(before: Side, after: Side): Comparison {
  const sideOf = ({ name, distribution }: Side): Comparison['before'] => ({
    name,
    count: distribution.histogram.totalCount,
  });
  return {
    before: sideOf(before),
    after: sideOf(after),
    confidence: CONFIDENCE,
    changes: PERCENTILES.map((percentile) => changeOf(before, after, percentile)),
  };
}

function changeOf(before: Side, after: Side, percentile: number): Change {
  const [a, b] = [after.distribution.histogram, before.distribution.histogram];
  const { lower, upper, confidence } = percentileDifference(a, b, percentile, { confidence: CONFIDENCE });
  const isKnown = confidence >= CONFIDENCE;
  const inUnit = (ticks: number): number => fromTicks(after.family.resolution, ticks);
  return {
    percentile,
    before: inUnit(b.valueAtPercentile(percentile)),
    after: inUnit(a.valueAtPercentile(percentile)),
    lower: isKnown ? inUnit(lower) : null,
    upper: isKnown ? inUnit(upper) : null,
    verdict: isKnown ? verdictOf(lower, upper) : 'too few values',
  };
}

/** The verdict of `compareHistograms` of `@hdrscope/interval-log`, without a tolerance. */
function verdictOf(lower: number, upper: number): Change['verdict'] {
  if (lower > 0) return 'worse';
  return upper < 0 ? 'better' : 'no difference shown';
}

/** A comparison as a plot. */
export function comparisonPlotOf(
  before: Side,
  after: Side,
  { changes, confidence }: Comparison,
  columns: number,
): ComparisonPlot {
  const curveOf = ({ name, family, distribution }: Side): ComparisonPlot['before'] =>
    curveOfSeries(family, { attributes: {}, histogram: distribution.histogram }, { name, columns });
  return {
    kind: 'comparison',
    title: 'Comparison',
    unit: countedUnitOf(after.family),
    before: curveOf(before),
    after: curveOf(after),
    changes: changes.map(
      ({ percentile, before, after, lower, upper }): PlottedChange => ({
        ...{ percentile, before, after },
        ...(lower !== null && upper !== null && { lower, upper }),
      }),
    ),
    confidence,
  };
}
