import type { CountedUnit } from '@hdrscope/registry';
import { clampTo, labelsOf, rangeOf, type ValueRange } from '../chart/value-axis.ts';
import { longestOf } from '../data/largest.ts';
import { Canvas, type Dot, type Ink } from './canvas.ts';
import { DEFAULT_COLUMNS, type TerminalOptions } from './options.ts';
import { plain } from './text.ts';

/** A tick of the horizontal axis. */
export interface Tick {
  /** From 0, at the left, to 1. */
  readonly at: number;
  readonly label: string;
}

/** A line. An `undefined` point breaks it. */
export interface ChartLine {
  readonly ink: Ink;
  /** `at` from 0, at the left, to 1. Ascending. */
  readonly points: readonly ({ readonly at: number; readonly value: number } | undefined)[];
  /** Whether only every fourth dot is drawn. @default false */
  readonly isFaint?: boolean;
}

/** An objective: a level line up to a place. */
export interface ChartLimit {
  readonly ink: Ink;
  readonly value: number;
  /** The place, from 0 to 1. @default 1 */
  readonly to?: number;
}

/** Lines over an axis, in characters. */
export interface Chart {
  readonly unit: CountedUnit;
  readonly valueAxis?: 'linear' | 'log' | undefined;
  readonly lines: readonly ChartLine[];
  readonly limits: readonly ChartLimit[];
  readonly ticks: readonly Tick[];
  /** Whether lines carry marks, because they have no colours. */
  readonly isMarked: boolean;
}

const DEFAULT_ROWS = 16;
const ROWS_PER_LABEL = 3;
const COLUMNS_BETWEEN_MARKS = 4;
/** Numbers without end, as of 1e300 seconds, are written with an exponent, which takes this many columns. */
const SHORTEST_LABEL = 8;

/** Draws lines with their axes. No line of text is wider than `columns`. */
export function formatChart(chart: Chart, options: TerminalOptions): string[] {
  const { columns = DEFAULT_COLUMNS, rows = DEFAULT_ROWS, ascii = false } = options;
  const range = chartRange(chart, rows);
  const widest = Math.max(SHORTEST_LABEL, Math.floor(columns / 3));
  const labels = labelsOf(range, chart.unit).map((label, i) =>
    plain(label.length <= widest ? label : range.ticks[i]!.toExponential(1), ascii),
  );
  const gutter = longestOf(labels) + 1;
  const canvas = new Canvas(columns - gutter - 1, rows, ascii);
  const heightOf = heights(range);
  const rowOf = (value: number): number => Math.round((1 - heightOf(value)) * (canvas.height - 1));
  const dotOf = ({ at, value }: { readonly at: number; readonly value: number }): Dot => ({
    x: Math.round(at * (canvas.width - 1)),
    y: rowOf(value),
  });

  const solid = chart.lines.filter(({ isFaint }) => isFaint !== true).length;
  for (const [number, line] of chart.lines.entries()) {
    draw(canvas, line, dotOf);
    if (chart.isMarked && !ascii && line.isFaint !== true) {
      markLine(canvas, line, dotOf, number, solid);
    }
  }
  for (const limit of chart.limits) drawLimit(canvas, limit, dotOf, ascii);

  const labelOfRow = new Map<number, string>();
  for (const [i, tick] of range.ticks.entries()) {
    labelOfRow.set(canvas.cellOf({ x: 0, y: rowOf(tick) }).row, labels[i]!);
  }
  const marks = ascii ? ASCII_AXES : AXES;
  const body = canvas.lines().map((line, row) => {
    const label = labelOfRow.get(row);
    return `${(label ?? '').padStart(gutter - 1)} ${label === undefined ? marks.side : marks.tick}${line}`;
  });
  return [...body, ...axisBelow(chart.ticks, gutter, canvas.columns, ascii)];
}

const AXES = { side: '│', tick: '┤', corner: '└', floor: '─', down: '┬' } as const;
const ASCII_AXES = { side: '|', tick: '+', corner: '+', floor: '-', down: '+' } as const;

function chartRange({ lines, limits, unit, valueAxis }: Chart, rows: number): ValueRange {
  const values = [
    ...lines.flatMap(({ points }) => points.map((point) => point?.value ?? Number.NaN)),
    ...limits.map(({ value }) => value),
  ];
  return rangeOf(values, unit, valueAxis, Math.max(2, Math.floor(rows / ROWS_PER_LABEL)));
}

/** The height of a value, from 0 at the bottom to 1 at the top. */
function heights(range: ValueRange): (value: number) => number {
  const { min, max, scale } = range;
  if (scale !== 'log') return (value) => (clampTo(range, value) - min) / (max - min);
  return (value) => Math.log(clampTo(range, value) / min) / Math.log(max / min);
}

type DotOf = (point: { readonly at: number; readonly value: number }) => Dot;

function draw(canvas: Canvas, { points, ink, isFaint = false }: ChartLine, dotOf: DotOf): void {
  let before: Dot | undefined;
  for (const point of points) {
    const dot = point && dotOf(point);
    if (dot !== undefined) canvas.line(before ?? dot, dot, ink, { every: isFaint ? 4 : 1 });
    before = dot;
  }
}

/** Sets the mark of a line, at columns where no other line has its mark. */
function markLine(
  canvas: Canvas,
  { points, ink }: ChartLine,
  dotOf: DotOf,
  line: number,
  lines: number,
): void {
  const every = COLUMNS_BETWEEN_MARKS * Math.max(lines, 2);
  for (let column = 1 + line * COLUMNS_BETWEEN_MARKS; column < canvas.columns; column += every) {
    const dot = dotAt(points, (2 * column + 1) / (canvas.width - 1), dotOf);
    if (dot !== undefined) canvas.mark(column, canvas.cellOf(dot).row, ink.mark, ink);
  }
}

function dotAt(points: ChartLine['points'], at: number, dotOf: DotOf): Dot | undefined {
  const next = points.findIndex((point) => point !== undefined && point.at >= at);
  const [before, after] = [points[next - 1], points[next]];
  if (before === undefined || after === undefined) return undefined;
  const [from, to] = [dotOf(before), dotOf(after)];
  const part = (at - before.at) / (after.at - before.at || 1);
  return { x: Math.round(from.x + (to.x - from.x) * part), y: Math.round(from.y + (to.y - from.y) * part) };
}

function drawLimit(canvas: Canvas, { value, to = 1, ink }: ChartLimit, dotOf: DotOf, ascii: boolean): void {
  const { column: last, row } = canvas.cellOf(dotOf({ at: to, value }));
  const dash = ascii ? ink.ascii : ink.mark;
  for (let column = 0; column < last; column++) canvas.background(column, row, dash, ink);
  if (to < 1) canvas.mark(last, row, ascii ? '+' : '┤', ink);
  else canvas.background(last, row, dash, ink);
}

function axisBelow(ticks: readonly Tick[], gutter: number, columns: number, ascii: boolean): string[] {
  const marks = ascii ? ASCII_AXES : AXES;
  const axis = new Array<string>(columns).fill(marks.floor);
  let labels = '';
  for (const { at, label } of ticks) {
    const column = Math.round(at * (columns - 1));
    const middle = gutter + 1 + column - Math.floor(label.length / 2);
    const from = Math.max(0, Math.min(middle, gutter + 1 + columns - label.length));
    if (labels !== '' && from <= labels.length) continue;
    axis[column] = marks.down;
    labels = labels.padEnd(from) + label;
  }
  return [`${' '.repeat(gutter)}${marks.corner}${axis.join('')}`, labels];
}
