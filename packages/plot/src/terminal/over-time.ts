import { objectiveName } from '../chart/objectives.ts';
import { timeAxisName, timeTicks, zoneOfPlot } from '../chart/time-text.ts';
import type { TimePlot } from '../plot.ts';
import { type ChartLine, formatChart } from './chart.ts';
import { inkOf, objectiveInk } from './inks.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { legendLines, namesFor } from './text.ts';

/** Values over time. The legend begins with the last line, which is usually the highest. */
export function timeLines(plot: TimePlot, options: TerminalOptions): string[] {
  const { timesMs, lines, slos = [], unit, valueAxis } = plot;
  const zone = zoneOfPlot(plot);
  const { columns = DEFAULT_COLUMNS, ascii = false } = options;
  const names = namesFor(
    lines.map(({ name }) => name),
    columns - 2,
    ascii,
  );
  const entries = [
    ...lines
      .map(({ lower }, i) => ({
        ink: inkOf(i, options),
        text: lower === undefined ? names[i]! : `${names[i]!}  dotted: lower bounds`,
      }))
      .reverse(),
    ...slos.map((objective) => ({ ink: objectiveInk(options), text: objectiveName(objective, unit) })),
  ];
  const legend = legendLines(entries, columns, options);
  const hasValues = lines.some(({ values }) => values.some((value) => value !== null));
  if (!hasValues) return [...legend, 'nothing was counted'];
  const [start, end] = [timesMs[0]!, timesMs.at(-1)!];
  const placeOf = (timeMs: number): number => (end === start ? 0.5 : (timeMs - start) / (end - start));
  return [
    ...legend,
    '',
    ...formatChart(
      {
        unit,
        valueAxis,
        lines: lines.flatMap(({ values, lower }, i): ChartLine[] => {
          const ink = inkOf(i, options);
          const pointsOf = (all: readonly (number | null)[]): ChartLine['points'] =>
            all.map((value, at) => (value === null ? undefined : { at: placeOf(timesMs[at]!), value }));
          const whole = { ink, points: pointsOf(values) };
          return lower === undefined ? [whole] : [{ ink, points: pointsOf(lower), isFaint: true }, whole];
        }),
        limits: slos.map(({ value }) => ({ value, ink: objectiveInk(options) })),
        ticks: timeTicks(start, end, columns / COLUMNS_PER_LABEL, zone).map(({ timeMs, label }) => ({
          at: placeOf(timeMs),
          label,
        })),
        isMarked: lines.length > 1 && options.colours !== true,
      },
      options,
    ),
    timeAxisName(start, end, zone),
  ];
}

const COLUMNS_PER_LABEL = 14;
