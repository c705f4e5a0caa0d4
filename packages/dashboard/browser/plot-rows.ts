import { type AxisSlot, type Curve, formatValue, type Plot } from '@hdrscope/plot';
import { clockText, countText } from './texts.ts';

/** A plot as a table. */
export interface PlotRows {
  readonly columns: readonly string[];
  readonly rows: readonly (readonly string[])[];
}

const PERCENTILES = [0, 25, 50, 75, 90, 95, 99, 99.9, 99.99, 99.999, 100];
const MOST_MOMENTS = 60;

/** What a plot shows, as texts: for those who cannot see it, and those who want the figures. */
export function plotRows(plot: Plot): PlotRows {
  switch (plot.kind) {
    case 'percentiles':
      return {
        columns: ['percentile', ...plot.curves.map(({ name }) => name)],
        rows: PERCENTILES.map((percentile) => [
          percentile === 100 ? 'max' : `${percentile} %`,
          ...plot.curves.map((curve) => formatValue(valueAt(curve, percentile), plot.unit)),
        ]),
      };
    case 'over-time':
      return {
        columns: ['time', ...plot.lines.map(({ name }) => name)],
        rows: plot.timesMs
          .map((ms, i) => [clockText(ms), ...plot.lines.map(({ values }) => orDash(values[i], plot.unit))])
          .slice(-MOST_MOMENTS)
          .reverse(),
      };
    case 'heat-map':
      return {
        columns: [plot.y.name, plot.countName ?? 'count'],
        rows: plot.y.slots
          .map((slot, i) => [slotText(slot, plot.y.unit), countText(sum(plot.counts[i] ?? []))])
          .reverse(),
      };
    case 'bars':
      return {
        columns: [plot.name ?? 'value', 'count'],
        rows: plot.slots.map((slot, i) => [slotText(slot, plot.unit), countText(plot.counts[i] ?? 0)]),
      };
    case 'comparison':
      return {
        columns: ['percentile', plot.before.name, plot.after.name],
        rows: plot.changes.map(({ percentile, before, after }) => [
          `${percentile} %`,
          formatValue(before, plot.unit),
          formatValue(after, plot.unit),
        ]),
      };
  }
}

function valueAt({ points }: Curve, percentile: number): number {
  return (points.find((point) => point.percentile >= percentile) ?? points.at(-1))?.value ?? Number.NaN;
}

function orDash(value: number | null | undefined, unit: Parameters<typeof formatValue>[1]): string {
  return value === null || value === undefined ? '-' : formatValue(value, unit);
}

function slotText({ lower, upper }: AxisSlot, unit: Parameters<typeof formatValue>[1] | 'time'): string {
  const text = (value: number): string => (unit === 'time' ? clockText(value) : formatValue(value, unit));
  if (lower === Number.NEGATIVE_INFINITY) return `up to ${text(upper)}`;
  return upper === Number.POSITIVE_INFINITY ? `above ${text(lower)}` : `${text(lower)} to ${text(upper)}`;
}

function sum(counts: readonly number[]): number {
  return counts.reduce((total, count) => total + count, 0);
}
