import { sloName } from '../chart/slo.ts';
import { timeAxisName, timeTickText } from '../chart/time-text.ts';
import type { TimePlot } from '../plot.ts';
import { formatChart, type Tick } from './chart.ts';
import { inkOf, sloInk } from './inks.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { legendLines } from './text.ts';

/** Values over time. The legend begins with the last line, which is usually the highest. */
export function timeLines(
  { timesMs, lines, slos = [], unit, valueAxis }: TimePlot,
  options: TerminalOptions,
): string[] {
  const { columns = DEFAULT_COLUMNS } = options;
  const entries = [
    ...lines.map(({ name }, i) => ({ ink: inkOf(i, options), text: name })).reverse(),
    ...slos.map((slo) => ({ ink: sloInk(options), text: sloName(slo, unit) })),
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
        lines: lines.map(({ values }, i) => ({
          ink: inkOf(i, options),
          points: values.map((value, at) =>
            value === null ? undefined : { at: placeOf(timesMs[at]!), value },
          ),
        })),
        limits: slos.map(({ value }) => ({ value, ink: sloInk(options) })),
        ticks: timeTicks(start, end, columns).map(({ timeMs, label }) => ({
          at: placeOf(timeMs),
          label,
        })),
        isMarked: lines.length > 1 && options.colours !== true,
      },
      options,
    ),
    start < YEAR_MS ? 'time since the start' : timeAxisName(start, end),
  ];
}

const SECOND_MS = 1000;
const DAY_MS = 86_400 * SECOND_MS;
const STEPS_MS = [
  ...[1, 2, 5, 10, 20, 50, 100, 200, 500],
  ...[1, 2, 5, 10, 15, 30, 60, 120, 300, 600, 900, 1800, 3600, 7200, 10_800, 21_600, 43_200].map(
    (s) => s * SECOND_MS,
  ),
  ...[1, 2, 7, 14, 30, 91, 365].map((days) => days * DAY_MS),
];
const COLUMNS_PER_LABEL = 14;

function timeTicks(
  start: number,
  end: number,
  columns: number,
): (Pick<Tick, 'label'> & { readonly timeMs: number })[] {
  const least = ((end - start) * COLUMNS_PER_LABEL) / columns;
  const step = STEPS_MS.find((one) => one >= least) ?? Math.ceil(least / DAY_MS) * DAY_MS;
  const first = Math.ceil(start / step) * step;
  const count = Math.floor((end - first) / step) + 1;
  // A short time may hold no round moment.
  if (count < 1) return [{ timeMs: start, label: timeTickText(start) }];
  return Array.from({ length: count }, (_, i) => ({
    timeMs: first + i * step,
    label: timeTickText(first + i * step),
  }));
}

// Moments in 1970 come from logs without a start time, which count from 0.
const YEAR_MS = 365 * DAY_MS;
