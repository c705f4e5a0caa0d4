import type { CountedUnit } from '@hdrscope/registry';
import { axisEnd, ninesOf, percentileText, placesOf } from '../chart/percentile-axis.ts';
import { sloName } from '../chart/slo.ts';
import { formatCount } from '../count-text.ts';
import { longestOf } from '../data/largest.ts';
import type { Curve, CurvePoint, PercentilePlot, SloLine } from '../plot.ts';
import { confidenceText, formatValue } from '../value-text.ts';
import { type ChartLimit, type ChartLine, formatChart, type Tick } from './chart.ts';
import { inkOf, sloInk } from './inks.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { type LegendEntry, legendLines } from './text.ts';

/** Curves over percentiles, below their legend. */
export function percentileLines(
  { curves, lines = [], unit, valueAxis }: Pick<PercentilePlot, 'curves' | 'lines' | 'unit' | 'valueAxis'>,
  options: TerminalOptions,
): string[] {
  const drawn = curves.filter(({ points }) => points.length > 0);
  const legend = legendLines(
    legendOf(curves, lines, unit, options),
    options.columns ?? DEFAULT_COLUMNS,
    options,
  );
  if (drawn.length === 0) return [...legend, 'nothing was counted'];
  const places = drawn.map(placesOf);
  const end = axisEnd(places.flat());
  const chart = drawn.flatMap((curve, i): ChartLine[] => {
    const at = places[i]!.map((place) => place / end);
    const ink = inkOf(curves.indexOf(curve), options);
    const steps = (boundOf: (point: CurvePoint) => number | undefined): ChartLine['points'] =>
      stepsOf(curve, at, boundOf);
    const bounds = [({ lower }: CurvePoint) => lower, ({ upper }: CurvePoint) => upper];
    const band = curve.confidence === undefined ? [] : bounds;
    return [
      ...band.map((boundOf) => ({ ink, points: steps(boundOf), isFaint: true })),
      { ink, points: steps(({ value }) => value) },
    ];
  });
  return [
    ...legend,
    '',
    ...formatChart(
      {
        unit,
        valueAxis,
        lines: chart,
        limits: lines.map((line) => limitOf(line, end, options)),
        ticks: ticksOf(end),
        isMarked: drawn.length > 1 && options.colours !== true,
      },
      options,
    ),
  ];
}

/** A curve rises in steps: all percentiles between two points have the value of the second point. */
function stepsOf(
  { points }: Curve,
  at: readonly number[],
  boundOf: (point: CurvePoint) => number | undefined,
): ChartLine['points'] {
  return points.flatMap((point, i) => {
    const value = boundOf(point);
    if (value === undefined) return [undefined];
    return [
      { at: at[Math.max(0, i - 1)]!, value },
      { at: at[i]!, value },
    ];
  });
}

function limitOf({ value, percentile = 100 }: SloLine, end: number, options: TerminalOptions): ChartLimit {
  const to = percentile >= 100 ? 1 : Math.min(1, ninesOf(percentile) / end);
  return { value, to, ink: sloInk(options) };
}

function ticksOf(end: number): Tick[] {
  const nines = Array.from({ length: Math.floor(end) + 1 }, (_, i) => i);
  const percentiles = [0, 50, ...nines.slice(1).map((count) => 100 - 10 ** (2 - count))];
  return percentiles.map((percentile) => ({
    at: ninesOf(percentile) / end,
    label: percentileText(percentile),
  }));
}

function legendOf(
  curves: readonly Curve[],
  slos: readonly SloLine[],
  unit: CountedUnit,
  options: TerminalOptions,
): LegendEntry[] {
  const width = longestOf(curves.map(({ name }) => name));
  const isMarked = curves.length > 1;
  return [
    ...curves.map(({ name, points, totalCount, confidence }, i) => {
      const max = points.at(-1)?.value;
      const parts = [
        name.padEnd(width),
        `${formatCount(totalCount)} ${totalCount === 1 ? 'value' : 'values'}`,
        ...(max === undefined ? [] : [`max ${formatValue(max, unit)}`]),
        ...(confidence === undefined ? [] : [`dotted: ${confidenceText(confidence)} interval`]),
      ];
      const ink = inkOf(i, options);
      return { ink: isMarked ? ink : { ...ink, mark: '⠒' }, text: parts.join('  ') };
    }),
    ...slos.map((slo) => ({ ink: sloInk(options), text: sloName(slo, unit) })),
  ];
}
