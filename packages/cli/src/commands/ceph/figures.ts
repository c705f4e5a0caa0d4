import type { Axis } from '@hdrscope/ceph';
import { type AxisFacts, type Bounds, countValues, measureAxis, toJsonText } from '@hdrscope/ceph/internal';
import type { ValueRange } from '@hdrscope/core/joint';
import { type Figures, figuresJson, UNKNOWN, withoutEstimate } from '@hdrscope/inputs/internal';
import { formatBounds } from '@hdrscope/kit';
import { formatValue, informativeAxes } from '@hdrscope/plot';
import type { Sourced } from './histograms.ts';

/** A histogram, and the ranges of it that are selected. */
export interface SelectedHistogram {
  readonly one: Sourced;
  readonly where: readonly ValueRange[];
}

/** A histogram, and the facts of its axes. Axes with a single slot are left out, unless there are no others. */
export interface HistogramFacts extends SelectedHistogram {
  readonly facts: readonly AxisFacts[];
}

export function histogramFacts(selected: SelectedHistogram, percentiles: readonly number[]): HistogramFacts {
  const { one, where } = selected;
  const places = informativeAxes(one.histogram.layouts);
  return { ...selected, facts: places.map((at) => measureAxis(one, at, percentiles, where)) };
}

/** The number of values that meet the conditions; `undefined` when it is not exact. */
export function countOf({ one, where, facts }: HistogramFacts): bigint | undefined {
  if (where.length === 0) return countValues(one);
  const count = facts[0]?.count;
  return count === undefined ? undefined : BigInt(count);
}

export function histogramJson(known: HistogramFacts, percentiles: readonly number[]): object {
  const { source, daemon, logger, counter, histogram, unitSources } = known.one;
  return {
    source,
    daemon: daemon ?? null,
    logger,
    counter,
    count: countOf(known) ?? null,
    axes: known.facts.map((facts) => {
      const { axis, count, sum, sumSource } = facts;
      const { name, unit = 'none' } = axis;
      return {
        ...figuresJson(axisFigures({ name, unit, count }, facts, percentiles)),
        unitSource: unitSources[histogram.axes.indexOf(axis)],
        sum: { lower: finiteOrNull(sum.lower), upper: finiteOrNull(sum.upper) },
        sumSource,
      };
    }),
  };
}

/** An integer for a document with exact numbers; `null` where it is infinite or unknown. */
function finiteOrNull(value: number | bigint): number | bigint | null {
  return typeof value === 'bigint' || Number.isFinite(value) ? value : null;
}

/** The figures of an axis. @param facts `undefined` when nothing was counted. */
export function axisFigures(
  known: Pick<Figures, 'name' | 'unit' | 'count' | 'seconds'>,
  facts: AxisFacts | undefined,
  percentiles: readonly number[],
): Figures {
  const { min = UNKNOWN, mean = UNKNOWN, max = UNKNOWN } = facts ?? {};
  return {
    ...known,
    min: withoutEstimate(min),
    mean: withoutEstimate(mean),
    max: withoutEstimate(max),
    areBounds: true,
    percentiles: percentiles.map((percentile, at) => ({
      percentile,
      ...withoutEstimate(facts?.percentiles[at] ?? UNKNOWN),
    })),
  };
}

/** A document of JSON with exact counts, which may be beyond the integers of a double. */
export function exactDocument(value: Parameters<typeof toJsonText>[0]): string {
  // Strings have no line feeds in JSON, so a line begins with its indent.
  return toJsonText(value, 'json-pretty').replace(/^ +/gm, (indent) => ' '.repeat(indent.length / 2));
}

/** Bounds on an axis: `400 to 800 µs`, `1.64 s or more`, or `-` when no value was counted. */
export function formatAxisBounds({ lower, upper }: Bounds, { unit = 'none' }: Pick<Axis, 'unit'>): string {
  const text = (bound: number): string => (bound === 0 ? '0' : formatValue(bound, unit));
  // A slot of Ceph ends below its upper bound. Ceph counts integers, and a slot of width 1 has only one.
  if (lower === Number.NEGATIVE_INFINITY && Number.isFinite(upper)) return `below ${text(upper)}`;
  const isOne = unit === 'none' && upper - lower === 1 && Number.isInteger(lower);
  return formatBounds({ lower, upper: isOne ? lower : upper }, text);
}
