import { formatShare } from '@hdrscope/kit';
import type { CountedUnit } from '@hdrscope/registry';
import { objectiveName } from '../chart/objectives.ts';
import { axisEnd, ninesOf, percentileText, placesOf } from '../chart/percentile-axis.ts';
import { bandsOf, type Corner, cornersOf } from '../chart/steps.ts';
import { countText } from '../count-text.ts';
import { longestOf } from '../data/largest.ts';
import type { Curve, ObjectiveLine, PercentilePlot } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { type ChartLimit, type ChartLine, formatChart, type Tick } from './chart.ts';
import { inkOf, objectiveInk } from './inks.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { type LegendEntry, legendLines, namesFor } from './text.ts';

/** Curves over percentiles, below their legend. */
export function percentileLines(
  { curves, slos = [], unit, valueAxis }: Pick<PercentilePlot, 'curves' | 'slos' | 'unit' | 'valueAxis'>,
  options: TerminalOptions,
): string[] {
  const drawn = curves.filter(({ points }) => points.length > 0);
  const legend = legendLines(
    legendOf(curves, slos, unit, options),
    options.columns ?? DEFAULT_COLUMNS,
    options,
  );
  if (drawn.length === 0) return [...legend, 'nothing was counted'];
  const end = axisEnd(drawn.flatMap((curve) => placesOf(curve).at(-1) ?? []));
  const chart = curves.flatMap((curve, i): ChartLine[] => {
    if (curve.points.length === 0) return [];
    const ink = inkOf(i, options);
    const pointsOf = (corners: readonly Corner[]): ChartLine['points'] =>
      corners.map(([place, value]) => ({ at: place / end, value }));
    const bands = bandsOf(curve).flatMap((band) => [
      band.map(([place, lower]): Corner => [place, lower]),
      band.map(([place, , upper]): Corner => [place, upper]),
    ]);
    return [
      ...bands.map((corners) => ({ ink, points: pointsOf(corners), isFaint: true })),
      { ink, points: pointsOf(cornersOf(curve)) },
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
        limits: slos.map((objective) => limitOf(objective, end, options)),
        ticks: ticksOf(end),
        isMarked: drawn.length > 1 && options.colours !== true,
      },
      options,
    ),
  ];
}

function limitOf(
  { value, percentile = 100 }: ObjectiveLine,
  end: number,
  options: TerminalOptions,
): ChartLimit {
  const to = percentile >= 100 ? 1 : Math.min(1, ninesOf(percentile) / end);
  return { value, to, ink: objectiveInk(options) };
}

function ticksOf(end: number): Tick[] {
  const nines = Array.from({ length: Math.floor(end) + 1 }, (_, i) => i);
  const percentiles = [0, 50, ...nines.slice(1).map((count) => 100 - 10 ** (2 - count))];
  return percentiles.map((percentile) => ({
    at: ninesOf(percentile) / end,
    label: percentileText(percentile),
  }));
}

/** The meaning of the dotted lines of a curve. */
function dottedText(points: Curve['points'], confidence: number | undefined): string[] {
  if (confidence !== undefined) return [`dotted: ${formatShare(confidence)} interval`];
  return points.some(({ lower }) => lower !== undefined) ? ['dotted: bounds of slots'] : [];
}

const SHORTEST_NAME = 8;

function legendOf(
  curves: readonly Curve[],
  slos: readonly ObjectiveLine[],
  unit: CountedUnit,
  options: TerminalOptions,
): LegendEntry[] {
  const { columns = DEFAULT_COLUMNS, ascii = false } = options;
  const isMarked = curves.length > 1;
  const facts = curves.map(({ points, totalCount, confidence }) => {
    const max = points.at(-1)?.value;
    const parts = [
      countText(totalCount),
      ...(max === undefined ? [] : [`max ${formatValue(max, unit)}`]),
      ...dottedText(points, confidence),
    ];
    return parts.join('  ');
  });
  // The mark, and the blanks on both sides of the name.
  const room = Math.max(SHORTEST_NAME, columns - longestOf(facts) - 4);
  const names = namesFor(
    curves.map(({ name }) => name),
    room,
    ascii,
  );
  const width = longestOf(names);
  return [
    ...curves.map((_, i) => {
      const ink = inkOf(i, options);
      const text = `${names[i]!.padEnd(width)}  ${facts[i]}`;
      return { ink: isMarked ? ink : { ...ink, mark: '⠒' }, text };
    }),
    ...slos.map((objective) => ({ ink: objectiveInk(options), text: objectiveName(objective, unit) })),
  ];
}
