import type { CountedUnit } from '@hdrscope/registry';
import type { PlotTitles } from '../plot.ts';
import { formatValue } from '../value-text.ts';
import { visibleText } from '../visible-plot.ts';
import { frameOf, type GridPlace, type Setting } from './frame.ts';
import type { ChartOption, ChartSeries, Drawing, DrawingApi } from './option.ts';
import { textWidth, wrappedText } from './text-width.ts';
import { THEMES, type Theme, type ThemeName } from './theme.ts';
import { UTC } from './time-text.ts';
import { linearRange, valueAxis } from './value-axis.ts';

/** How a value became another one, step by step. */
export interface WaterfallPlot extends PlotTitles {
  /** Marks a waterfall. */
  readonly kind: 'waterfall';
  /** The unit of the values. */
  readonly unit: CountedUnit;
  /** The value at first, and its name. */
  readonly before: { readonly name: string; readonly value: number };
  /** What each step adds: below 0 where it takes away. */
  readonly steps: readonly { readonly name: string; readonly change: number; readonly note?: string }[];
  /** The value at last, and its name: that at first and all steps. */
  readonly after: { readonly name: string; readonly value: number };
}

/** A bar from one value to another one. */
interface Row {
  readonly name: string;
  readonly from: number;
  readonly to: number;
  readonly text: string;
  readonly colour: string;
}

function rowsOf(plot: WaterfallPlot, { palette, objective }: Theme): Row[] {
  const { before, after, steps, unit } = plot;
  const [whole = '', , , , , , , less = ''] = palette;
  const ofSide = ({ name, value }: WaterfallPlot['before']): Row => {
    return { name: visibleText(name), from: 0, to: value, text: formatValue(value, unit), colour: whole };
  };
  let at = before.value;
  const ofSteps = steps.map(({ name, change, note }): Row => {
    const from = at;
    at += change;
    const text = `${change < 0 ? '-' : '+'}${formatValue(Math.abs(change), unit)}${note === undefined ? '' : ` (${note})`}`;
    return { name: visibleText(name), from, to: at, text, colour: change < 0 ? less : objective };
  });
  return [ofSide(before), ...ofSteps, ofSide(after)];
}

/** A waterfall in words, for people who cannot see it. */
export function describeWaterfall(plot: WaterfallPlot): string {
  const rows = rowsOf(plot, THEMES.light).map(({ name, text }) => `${name}: ${text}`);
  return [plot.title, plot.subtitle, ...rows]
    .filter((text) => text !== undefined && text !== '')
    .map((text) => `${visibleText(text!)}.`)
    .join(' ');
}

const ROW_HEIGHT = 44;
const LINE_HEIGHT = 14;
const MOST_LINES = 3;
const BELOW = 40;
const RIGHT = 24;

/** The height that all rows take, in pixels. */
export function waterfallHeight(plot: WaterfallPlot): number {
  return Math.max(
    150,
    frameOf(plot, makeSetting('light', 920), '').top + rowCount(plot) * ROW_HEIGHT + BELOW,
  );
}

function rowCount({ steps }: WaterfallPlot): number {
  return steps.length + 2;
}

function makeSetting(theme: ThemeName, width: number): Setting {
  return { theme: THEMES[theme], width, zone: UTC };
}

/** A row for each value and step, from above. Long names take several lines. */
export function waterfallOption(plot: WaterfallPlot, themeName: ThemeName, width: number): ChartOption {
  const setting = makeSetting(themeName, width);
  const { theme } = setting;
  const { title, subtitle, unit } = plot;
  const titles = {
    ...(title !== undefined && { title: visibleText(title) }),
    ...(subtitle !== undefined && { subtitle: visibleText(subtitle) }),
  };
  const { option, top } = frameOf(titles, setting, describeWaterfall(plot));
  const rows = rowsOf(plot, theme);
  const names = rows.map(({ name }) => wrappedText(name, width / 3, MOST_LINES));
  const left = Math.round(18 + names.flat().reduce((most, line) => Math.max(most, textWidth(line)), 0));
  const grid: GridPlace = { left, right: RIGHT, width: Math.max(20, width - left - RIGHT) };
  const range = linearRange(
    rows.flatMap(({ from, to }) => [from, to]),
    unit,
    Math.max(2, Math.min(6, Math.floor(grid.width / 90))),
  );
  const data = rows.map((_, i) => [0, i]);
  return {
    ...option,
    grid: { left, right: RIGHT, top: top - ABOVE, bottom: BELOW },
    tooltip: { show: false },
    xAxis: valueAxis(range, unit, theme, {
      position: 'bottom',
      axisLine: { show: true, onZero: false, lineStyle: { color: theme.axis } },
    }),
    yAxis: { type: 'value', show: false, inverse: true, min: 0, max: rows.length },
    series: [
      {
        type: 'custom',
        silent: true,
        data,
        encode: { x: 0, y: 1 },
        renderItem: ({ dataIndex }: { dataIndex: number }, api: DrawingApi): Drawing =>
          drawRow(rows, dataIndex, names[dataIndex]!.join('\n'), api, { theme, grid }),
      } satisfies ChartSeries,
    ],
  };
}

// No name of an axis stands above the drawing.
const ABOVE = 20;
const GAP = 6;

function drawRow(
  rows: readonly Row[],
  at: number,
  name: string,
  api: DrawingApi,
  { theme, grid }: { readonly theme: Theme; readonly grid: GridPlace },
): Drawing {
  const { from, to, text, colour } = rows[at]!;
  const [start, above] = api.coord([Math.min(from, to), at + 0.2]);
  const [end, below] = api.coord([Math.max(from, to), at + 0.8]);
  const [last, next] = api.coord([to, at + 1.2]);
  const middle = (above + below) / 2;
  const label = { fontSize: 12, verticalAlign: 'middle' };
  // A text stands behind its bar, or before it, or over it, where it has room.
  const room = textWidth(text) + 2 * GAP;
  const isBehind = end + room <= grid.left + grid.width + RIGHT;
  const isBefore = !isBehind && start - room >= grid.left;
  const place = isBehind
    ? { x: end + GAP, style: { align: 'left' } }
    : isBefore
      ? { x: start - GAP, style: { align: 'right' } }
      : { x: (start + end) / 2, style: { align: 'center' } };
  return {
    type: 'group',
    children: [
      {
        type: 'text',
        x: grid.left - GAP,
        y: middle,
        style: { ...label, text: name, lineHeight: LINE_HEIGHT, align: 'right', fill: theme.text },
      },
      {
        type: 'rect',
        // A step that is small beside the whole shows.
        shape: { x: start, y: above, width: Math.max(1, end - start), height: below - above },
        style: { fill: colour },
      },
      ...(at === rows.length - 1
        ? []
        : [
            {
              type: 'line',
              shape: { x1: last, y1: below, x2: last, y2: next },
              style: { stroke: theme.axis, lineWidth: 1 },
            },
          ]),
      {
        type: 'text',
        x: place.x,
        y: middle,
        style: {
          ...{ ...label, ...place.style, text, fill: theme.text },
          ...{ backgroundColor: theme.background, padding: [1, 2] },
        },
      },
    ],
  };
}
