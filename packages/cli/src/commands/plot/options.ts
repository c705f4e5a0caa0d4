import { findRank, judgeLimit } from '@hdrscope/core/internal';
import { percentileName } from '@hdrscope/kit';
import { type BarPlot, type Curve, formatValue, type ObjectiveLine, type Plot } from '@hdrscope/plot';
import type { AxisSlot } from '@hdrscope/plot/internal';
import type { CountedUnit } from '@hdrscope/registry';
import { Refusal, UsageError } from '../../command.ts';
import { formatCount } from '../../format.ts';
import { type Objective, thresholdIn } from '../../objective.ts';
import { hasCounts } from './counted-curves.ts';

/** Options of every plot. */
export interface PlotOptions {
  readonly title?: string;
  readonly slo: readonly Objective[];
  readonly log?: boolean;
  readonly linear?: boolean;
}

/** A finished plot can be drawn as its own kind, and as percentiles when it has counts of values. @throws Refusal for another kind. */
export function assertKind(plot: Plot, asked: Plot['kind'] | undefined, path: string): void {
  const kinds: Plot['kind'][] = hasCounts(plot) ? [plot.kind, 'percentiles'] : [plot.kind];
  if (asked === undefined || kinds.includes(asked)) return;
  throw new Refusal(`${path} can be drawn with --kind ${kinds.join(' or ')} only, got ${asked}`);
}

const WITH_SLO: readonly Plot['kind'][] = ['percentiles', 'over-time', 'bars'];
const WITH_VALUE_AXIS: readonly Plot['kind'][] = ['percentiles', 'over-time', 'comparison'];

/** @throws UsageError for an option that no plot would use. */
export function assertFits(plots: readonly Plot[], { slo, log = false, linear = false }: PlotOptions): void {
  const noneIs = (kinds: readonly Plot['kind'][]): boolean => !plots.some(({ kind }) => kinds.includes(kind));
  if (slo.length > 0 && noneIs(WITH_SLO))
    throw new UsageError(`--slo goes with --kind ${WITH_SLO.join(', ')}`);
  if (log && linear) throw new UsageError('--log and --linear exclude each other');
  if ((log || linear) && noneIs(WITH_VALUE_AXIS)) {
    throw new UsageError(`--${log ? 'log' : 'linear'} goes with --kind ${WITH_VALUE_AXIS.join(', ')}`);
  }
}

/** The plot with the title, the objectives and the axis of the command line. */
export function dressed(plot: Plot, { title, slo, log = false, linear = false }: PlotOptions): Plot {
  const titled = title === undefined ? plot : { ...plot, title };
  const isScaled = (log || linear) && titled.kind !== 'heat-map' && titled.kind !== 'bars';
  const scaled: Plot = isScaled ? { ...titled, valueAxis: log ? 'log' : 'linear' } : titled;
  if (slo.length === 0 || scaled.kind === 'heat-map' || scaled.kind === 'comparison') return scaled;
  const slos = objectiveLines(slo, scaled.unit);
  return { ...scaled, slos };
}

/** Whether the plot has no counts. */
export function isEmpty(plot: Plot): boolean {
  switch (plot.kind) {
    case 'percentiles':
      return plot.curves.length === 0;
    case 'over-time':
      return plot.lines.every(({ values }) => values.every((value) => value === null));
    case 'heat-map':
      return plot.x.slots.length === 0 || plot.y.slots.length === 0;
    case 'bars':
      return plot.slots.length === 0;
    case 'comparison':
      return false;
  }
}

// Objectives.

/** Objectives as lines of a plot. @throws UsageError when an objective has another unit than the plot. */
function objectiveLines(objectives: readonly Objective[], unit: CountedUnit): ObjectiveLine[] {
  return objectives.map((objective) => ({
    value: thresholdIn(objective, unit),
    ...(objective.percentile !== undefined && { percentile: objective.percentile }),
  }));
}

/** The bounds of a percentile: those of its slot, or those that its file states. */
export type Slot = Pick<AxisSlot, 'lower' | 'upper'>;

/** The percentiles of a curve, as exactly as its file has them. */
export interface CurveValues {
  readonly name: string;
  /** In the unit of the plot. */
  slotAt(percentile: number): Slot;
}

/**
 * The verdicts on the objectives of a plot: a line for each objective and curve. An objective without a percentile has none.
 *
 * @param known The values of curves whose files have all of them. Other curves are read off.
 */
export function verdictsOn(plot: Plot, known: readonly CurveValues[]): string[] {
  if (plot.kind === 'over-time') return (plot.slos ?? []).flatMap((objective) => overTime(plot, objective));
  if (plot.kind === 'bars')
    return (plot.slos ?? []).flatMap((objective) =>
      verdict(objective, slotOfBars(plot, objective), plot.unit),
    );
  if (plot.kind !== 'percentiles') return [];
  const { unit, curves, slos = [] } = plot;
  return slos.flatMap((objective) =>
    curves.flatMap((curve) => {
      const exact = known.find(({ name }) => name === curve.name);
      const slot = exact?.slotAt(objective.percentile ?? 100) ?? slotOfCurve(curve, objective);
      const name = curves.length > 1 ? `${curve.name}: ` : '';
      return verdict(objective, slot, unit).map((text) => `${name}${text}`);
    }),
  );
}

function verdict({ percentile, value }: ObjectiveLine, slot: Slot | undefined, unit: CountedUnit): string[] {
  if (percentile === undefined || slot === undefined) return [];
  const { lower, upper } = slot;
  const text = (bound: number): string => formatValue(bound, unit);
  const isNarrow = upper <= lower * NARROW || text(lower) === text(upper);
  const shown = isNarrow ? text(upper) : `from ${text(lower)} to ${text(upper)}`;
  const objective = formatValue(value, unit, EXACT_DIGITS);
  return [`${percentileName(percentile)} is ${shown}: ${RESULTS[judgeLimit(slot, value)]} ${objective}`];
}

const RESULTS = { kept: 'keeps', missed: 'misses', undecided: 'may keep or miss' } as const;

// The slots of a histogram with two significant digits or more.
const NARROW = 1.01;
/** As a person wrote it. */
const EXACT_DIGITS = 15;

function slotOfCurve({ points }: Curve, { percentile = 100 }: ObjectiveLine): Slot | undefined {
  const point = points.find((one) => one.percentile >= percentile);
  return point && { lower: point.lower ?? point.value, upper: point.upper ?? point.value };
}

function slotOfBars({ slots, counts }: BarPlot, { percentile = 100 }: ObjectiveLine): Slot | undefined {
  const total = counts.reduce((sum, count) => sum + count, 0);
  // Shares of counts have no ranks.
  const wanted = counts.every(Number.isInteger) ? findRank(percentile, total) : (percentile / 100) * total;
  let countTo = 0;
  return slots.find((_, at) => {
    countTo += counts[at]!;
    return counts[at]! > 0 && countTo >= wanted;
  });
}

/** How many intervals miss an objective. */
function overTime(
  plot: Extract<Plot, { kind: 'over-time' }>,
  { percentile, value }: ObjectiveLine,
): string[] {
  if (percentile === undefined) return [];
  const name = percentileName(percentile);
  const line = plot.lines.find((one) => one.name === name);
  if (line === undefined) return [`${name} has no line: --percentiles ${percentile} draws and judges it`];
  const counted = line.values.filter((one) => one !== null);
  if (counted.length === 0) return [];
  const missed = counted.filter((one) => one > value).length;
  const shown = formatValue(value, plot.unit, EXACT_DIGITS);
  const result = missed === 0 ? `keeps ${shown} in all` : `misses ${shown} in ${formatCount(missed)} of`;
  return [`${name} ${result} ${formatCount(counted.length)} intervals`];
}
