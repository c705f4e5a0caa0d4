import type { CountedUnit } from '@hdrscope/registry';
import { assertPlot } from '../assert-plot.ts';
import { countText } from '../count-text.ts';
import { largestOf } from '../data/largest.ts';
import { totalOf } from '../data/used-part.ts';
import type { Curve, HeatMapPlot, ObjectiveLine, Plot, TimePlot } from '../plot.ts';
import { boundedText, formatValue } from '../value-text.ts';
import { visiblePlot } from '../visible-plot.ts';
import { objectiveName } from './objectives.ts';
import { boundText, slotText } from './slot-text.ts';
import { pointAt } from './steps.ts';
import { dateTimeText, type Zone, zoneOfPlot } from './time-text.ts';

/**
 * A plot in words, for people who cannot see it.
 *
 * @param zone The time zone of times. @default that of the plot
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `given` is not a plot.
 * @example
 * ```ts
 * import { describePlot } from '@hdrscope/plot';
 *
 * const slots = [{ lower: 0, upper: 4096 }, { lower: 4096, upper: 8192 }];
 * describePlot({ kind: 'bars', title: 'Writes', name: 'size', unit: 'bytes', slots, counts: [7, 2] });
 * //=> 'Writes. 9 counts of size in 2 slots. Most are in 0 B – 4 KiB.'
 * ```
 */
export function describePlot(given: Plot, zone?: Zone): string {
  assertPlot(given);
  const plot = visiblePlot(given);
  const start = [plot.title, plot.subtitle].filter((text) => text !== undefined && text !== '');
  return [...start, ...sentencesOf(plot, zone ?? zoneOfPlot(plot))]
    .map((text) => sentenceOf(text!))
    .join(' ');
}

/** A text with one full stop at its end. */
function sentenceOf(text: string): string {
  let end = text.length;
  while (end > 0 && /[.\s]/.test(text[end - 1]!)) end--;
  return `${text.slice(0, end)}.`;
}

function sentencesOf(plot: Plot, zone: Zone): string[] {
  switch (plot.kind) {
    case 'percentiles':
      return [
        'Values by percentile.',
        ...plot.curves.map((curve) => describeCurve(curve, plot.unit)),
        ...objectives(plot.slos, plot.unit),
      ];
    case 'comparison':
      return [
        'Two distributions compared.',
        describeCurve(plot.before, plot.unit),
        describeCurve(plot.after, plot.unit),
      ];
    case 'over-time':
      return [
        timeSentence(plot.timesMs, zone),
        ...plot.lines.map((line) => describeLine(line, plot.unit)),
        ...objectives(plot.slos, plot.unit),
      ];
    case 'heat-map':
      return describeHeatMap(plot, zone);
    case 'bars': {
      const total = totalOf(plot.counts);
      const slot = plot.slots[surelyMost(plot.counts, plot.lower, plot.upper)];
      const mode =
        slot === undefined || total === 0
          ? []
          : [`Most are in ${slotText(slot, plot.unit, plot.isInteger)}.`];
      const slots = countText(plot.slots.length, 'slots');
      return [`${countText(total, 'counts')} of ${plot.name ?? 'value'} in ${slots}.`, ...mode];
    }
  }
}

function describeCurve(curve: Curve, unit: CountedUnit): string {
  const { name, points, totalCount, confidence } = curve;
  if (points.length === 0) return `${name}: no values.`;
  const at = (percentile: number): string => {
    const { value, lower } = pointAt(curve, percentile)!;
    return boundedText(confidence === undefined ? lower : undefined, value, unit);
  };
  return `${name}: p50 ${at(50)}, p99 ${at(99)}, maximum ${at(100)} of ${countText(totalCount)}.`;
}

function describeLine({ name, values, lower }: TimePlot['lines'][number], unit: CountedUnit): string {
  const counted = values.filter((value) => value !== null);
  if (counted.length === 0) return `${name}: no values.`;
  const least = values.flatMap((value, i) => lower?.[i] ?? value ?? []).reduce((a, b) => Math.min(a, b));
  const end = values.findLastIndex((value) => value !== null);
  const last = boundedText(lower?.[end] ?? undefined, values[end]!, unit);
  return `${name}: from ${formatValue(least, unit)} to ${formatValue(largestOf(counted, 0), unit)}, ${last} at the end.`;
}

function timeSentence(timesMs: readonly number[], zone: Zone): string {
  const [from, to] = [timesMs[0], timesMs.at(-1)];
  if (from === undefined || to === undefined) return 'Values over time.';
  return `Values over time, from ${dateTimeText(from, zone)} to ${dateTimeText(to, zone)} ${zone.name}.`;
}

/** The place of the largest count, wherever counts with bounds lie; -1 when that depends on it. */
function surelyMost(
  counts: readonly number[],
  lower: readonly number[] = counts,
  upper: readonly number[] = counts,
): number {
  const most = largestOf(lower, 0);
  const first = lower.indexOf(most);
  return upper.every((count, at) => at === first || count <= most) ? first : -1;
}

function describeHeatMap(plot: HeatMapPlot, zone: Zone): string[] {
  const { x, y, counts, lower, upper, countName = 'values' } = plot;
  const textOf = (bound: number): string => boundText(bound, x.unit, undefined, zone);
  const sums = counts.map(totalOf);
  const total = totalOf(sums);
  const most = y.slots[surelyMost(sums, lower?.map(totalOf), upper?.map(totalOf))];
  const [from, to] = [x.slots[0], x.slots.at(-1)];
  const range =
    from === undefined || to === undefined
      ? []
      : [`${x.name} from ${textOf(from.lower)} to ${textOf(to.upper)}.`];
  const mode =
    most === undefined || total === 0 ? [] : [`Most have a ${y.name} of ${slotText(most, y.unit)}.`];
  return [`Heat map of ${y.name} by ${x.name}: ${countText(total, countName)} in all.`, ...range, ...mode];
}

function objectives(slos: readonly ObjectiveLine[] = [], unit: CountedUnit): string[] {
  return slos.length === 0
    ? []
    : [`Objectives: ${slos.map((objective) => objectiveName(objective, unit)).join(', ')}.`];
}
