import {
  type Bounds,
  type Counted,
  type HdrLayout,
  percentileDifference,
  percentileInterval,
} from '@hdrscope/core';
import { countIndependent, fromTicks } from '@hdrscope/core/internal';
import { areWide } from '@hdrscope/kit';
import { type ComparisonPlot, countedUnitOf, curveOfSeries } from '@hdrscope/plot';
import type { PlottedChange } from '@hdrscope/plot/internal';
import { boundsAtPercentiles, boundsOfSlots } from '@hdrscope/registry/internal';
import type { FamilyDefinition } from '../history/history.ts';
import type { Change, Comparison } from '../messages.ts';
import type { Distribution } from './distribution.ts';

/** One side of a comparison. */
export interface Side {
  readonly name: string;
  readonly family: FamilyDefinition;
  readonly distribution: Distribution;
  /** The most values that one stands for: see `HistorySeries`. */
  readonly weight: number;
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
 * Compares percentiles, each with the interval of core's `percentileDifference`. Where values come from wide buckets, the interval contains
 * the difference wherever they lie in them. Values of a sample count as so many fewer.
 *
 * @param before Has values, as `after` has, and both are comparable.
 */
export function compared(before: Side, after: Side): Comparison {
  const sideOf = (side: Side): Comparison['before'] => {
    const count = side.distribution.histogram.totalCount;
    const asGoodAs = countIndependent(countedOf(side));
    return { name: side.name, count, ...(asGoodAs < count && { asGoodAs }) };
  };
  return {
    before: sideOf(before),
    after: sideOf(after),
    confidence: CONFIDENCE,
    digits: Math.min(before.family.layout.significantDigits, after.family.layout.significantDigits),
    changes: PERCENTILES.map((percentile) => changeOf(before, after, percentile)),
  };
}

function changeOf(before: Side, after: Side, percentile: number): Change {
  const { lower, upper, confidence } = differenceOf(before, after, percentile);
  const isKnown = confidence >= CONFIDENCE;
  return {
    percentile,
    before: valueAt(before, percentile),
    after: valueAt(after, percentile),
    lower: isKnown && Number.isFinite(lower) ? lower : null,
    upper: isKnown && Number.isFinite(upper) ? upper : null,
    verdict: isKnown ? verdictOf(lower, upper) : 'too few values',
  };
}

function valueAt({ family, distribution }: Side, percentile: number): Bounds {
  return boundsAtPercentiles(family, distribution.ends, [percentile])[0]!;
}

interface Interval extends Bounds {
  readonly confidence: number;
}

/** The interval of a difference, in the unit of the families. */
function differenceOf(before: Side, after: Side, percentile: number): Interval {
  if (before.distribution.ends.wide + after.distribution.ends.wide > 0) {
    const [a, b] = [intervalOf(after, percentile), intervalOf(before, percentile)];
    const confidence = Math.min(a.confidence, b.confidence);
    // The distances to the bounds add up: those of wide buckets are no standard errors, which would add in squares.
    return { lower: a.lower - b.upper, upper: a.upper - b.lower, confidence };
  }
  const [a, b] = [countedOf(after), countedOf(before)];
  const { lower, upper, confidence } = percentileDifference(a, b, percentile, { confidence: CONFIDENCE });
  const inUnit = (ticks: number): number => fromTicks(after.family.resolution, ticks);
  return { lower: inUnit(lower), upper: inUnit(upper), confidence };
}

function countedOf({ distribution, weight }: Side): Counted<HdrLayout> {
  const { layout, counts } = distribution.histogram;
  return { layout, counts, weight };
}

/** The interval of a percentile, wherever the values lie in their buckets. */
function intervalOf(
  { family: { layout, unitLayout }, distribution: { ends }, weight }: Side,
  percentile: number,
): Interval {
  const [low, high] = [ends.lower, ends.upper].map((counts) =>
    percentileInterval({ layout, counts, weight }, percentile, { confidence: CONFIDENCE }),
  );
  const { lower, upper } = boundsOfSlots(unitLayout, layout.slotOf(low!.lower), layout.slotOf(high!.upper));
  return { lower, upper, confidence: high!.confidence };
}

/** The verdict on these values, which is one on the program only if they are independent. */
function verdictOf(lower: number, upper: number): Change['verdict'] {
  if (lower > 0) return 'worse';
  return upper < 0 ? 'better' : 'no difference shown';
}

/** A comparison as a plot. */
export function comparisonPlotOf(
  before: Side,
  after: Side,
  { changes, confidence, digits }: Comparison,
  columns: number,
): ComparisonPlot {
  const curveOf = ({ name, family, distribution }: Side): ComparisonPlot['before'] =>
    curveOfSeries(
      family,
      { attributes: {}, histogram: distribution.histogram },
      { name, columns, ends: distribution.ends },
    );
  return {
    kind: 'comparison',
    title: 'Comparison',
    unit: countedUnitOf(after.family),
    before: curveOf(before),
    after: curveOf(after),
    changes: changes
      .filter(({ before, after }) => Number.isFinite(before.upper) && Number.isFinite(after.upper))
      .map(
        ({ percentile, before, after, lower, upper }): PlottedChange => ({
          ...{ percentile, before: before.upper, after: after.upper },
          ...(areWide(before, digits) && { beforeLower: before.lower }),
          ...(areWide(after, digits) && { afterLower: after.lower }),
          ...(lower !== null && upper !== null && { lower, upper }),
        }),
      ),
    confidence,
  };
}
