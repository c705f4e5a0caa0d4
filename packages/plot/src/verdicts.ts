import { findRank, judgeLimit } from '@hdrscope/core/internal';
import { percentileName } from '@hdrscope/kit';
import { formatCount, formatValue } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import type { AxisSlot, BarPlot, Curve, ObjectiveLine, Plot } from './plot.ts';

/** The percentiles of a curve, as exactly as its file has them. */
export interface CurveValues {
  readonly name: string;
  /** In the unit of the plot. */
  slotAt(percentile: number): AxisSlot;
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

function verdict(
  { percentile, value }: ObjectiveLine,
  slot: AxisSlot | undefined,
  unit: CountedUnit,
): string[] {
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

function slotOfCurve({ points }: Curve, { percentile = 100 }: ObjectiveLine): AxisSlot | undefined {
  const point = points.find((one) => one.percentile >= percentile);
  return point && { lower: point.lower ?? point.value, upper: point.upper ?? point.value };
}

function slotOfBars({ slots, counts }: BarPlot, { percentile = 100 }: ObjectiveLine): AxisSlot | undefined {
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
