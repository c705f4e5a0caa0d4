import { countText, formatTickCount } from '../count-text.ts';
import { boundsOfCell, usedPart } from '../data/used-part.ts';
import type { HeatMapPlot } from '../plot.ts';
import { describePlot } from './description.ts';
import {
  type AxisLabel,
  fittingLabels,
  frameOf,
  type GridPlace,
  labelledAxis,
  nameAbove,
  nameBelow,
  placeOfGrid,
  type Setting,
  tooltipOf,
  tooltipText,
} from './frame.ts';
import type { ChartOption, ChartSeries, Drawing, DrawingApi, OptionPart } from './option.ts';
import { axisName, placeSlots, type SlotAxis } from './slot-axis.ts';
import { slotText } from './slot-text.ts';
import { middleCut, textWidth } from './text-width.ts';
import { colourAt, type Theme } from './theme.ts';
import { momentsOf, timeAxisLabels } from './time-axis.ts';
import type { Zone } from './time-text.ts';

/** The room of the colour scale at the right and of its labels, in pixels. */
const SCALE_WIDTH = 84;
const PIXELS_PER_LABEL = 60;
/** On a vertical axis of times. */
const MOST_MOMENTS = 8;

/** A cell for each count above 0, at the true bounds of its slots, with a colour by the logarithm of the count. */
export function heatMapChart(whole: HeatMapPlot, setting: Setting): ChartOption {
  const { theme, width, zone } = setting;
  const plot = usedPart(whole) ?? whole;
  const { x, y, counts, countName = 'values' } = plot;
  const { option, top } = frameOf(plot, setting, describePlot(plot, zone));
  const placedY = placeSlots(y, 10);
  const scale = scaleOf(counts);
  const labels = labelsBeside(placedY, zone);
  const grid = placeOfGrid(
    labels.map(({ text }) => text),
    setting,
    SCALE_WIDTH,
  );
  const middleName = axisName(y, zone);
  const nameRoom = width - grid.left - 36;
  const scaleName = middleCut(countName, Math.max(nameRoom - textWidth(middleName), nameRoom / 3, 40));
  const placedX = placeSlots(x, Math.max(2, Math.floor(grid.width / PIXELS_PER_LABEL)));
  return {
    ...option,
    grid: [
      { left: grid.left, right: grid.right, top, bottom: 52, show: true, borderColor: theme.grid },
      { top, bottom: 76, right: 52, width: 12 },
    ],
    tooltip: tooltipOf(theme, {
      trigger: 'item',
      formatter: ({ value }: { value: unknown }) => {
        if (!Array.isArray(value)) return '';
        const [column, row, count] = value as number[];
        return tooltipText(countText(count!, countName, boundsOfCell(plot, row!, column!)), [
          [x.name, slotText(x.slots[column!]!, x.unit, false, zone)],
          [y.name, slotText(y.slots[row!]!, y.unit, false, zone)],
        ]);
      },
    }),
    xAxis: [
      {
        ...slotAxis(placedX, labelsBelow(placedX, grid, zone), theme),
        gridIndex: 0,
        ...nameBelow(axisName(x, zone), grid, setting),
      },
      { type: 'value', gridIndex: 1, min: 0, max: 1, show: false },
    ],
    yAxis: [
      {
        ...slotAxis(placedY, labels, theme),
        gridIndex: 0,
        ...nameAbove(middleName, { ...grid, left: grid.left + textWidth(scaleName) + 16 }, setting),
      },
      scaleAxis(scale, scaleName, theme),
    ],
    series: [cellSeries(counts, placedX, placedY, scale, theme), scaleSeries(theme)],
  };
}

/** The labels of the horizontal axis that have room. */
function labelsBelow(placed: SlotAxis, grid: GridPlace, zone: Zone): AxisLabel[] {
  return placed.isTime ? timeAxisLabels(placed, grid, zone) : fittingLabels(placed.labels, placed, grid);
}

/** The labels of the vertical axis that have room. */
function labelsBeside(placed: SlotAxis, zone: Zone): AxisLabel[] {
  return apart(placed.isTime ? momentsOf(placed, MOST_MOMENTS, zone) : placed.labels, placed);
}

/** Labels of an upright axis that leave each other room: a twenty-fourth of the axis. */
function apart(labels: readonly AxisLabel[], { min, max }: { min: number; max: number }): AxisLabel[] {
  const least = (max - min) / 24;
  const kept: AxisLabel[] = [];
  for (const label of labels) {
    const isFree = kept.every(({ place }) => Math.abs(place - label.place) >= least);
    if (isFree && label.place >= min && label.place <= max) kept.push(label);
  }
  return kept;
}

function slotAxis({ min, max }: SlotAxis, labels: readonly AxisLabel[], theme: Theme): OptionPart {
  return {
    type: 'value',
    min,
    max: max > min ? max : min + 1,
    axisLine: { show: true, onZero: false, lineStyle: { color: theme.axis } },
    ...labelledAxis(labels, theme),
    splitLine: { show: false },
  };
}

/** The counts at the ends of the colour scale: 1, or the least part of one, and the largest. */
interface Scale {
  readonly least: number;
  readonly most: number;
}

function scaleOf(counts: HeatMapPlot['counts']): Scale {
  let [least, most] = [1, 0];
  for (const count of counts.flat()) {
    if (count > 0) least = Math.min(least, count);
    most = Math.max(most, count);
  }
  return { least, most: most || 1 };
}

/** The place of a count on the colour scale, from 0 to 1. */
function heatOf(count: number, { least, most }: Scale): number {
  return most <= least ? 1 : Math.log(count / least) / Math.log(most / least);
}

function cellSeries(
  counts: HeatMapPlot['counts'],
  x: SlotAxis,
  y: SlotAxis,
  scale: Scale,
  theme: Theme,
): ChartSeries {
  const cells = counts.flatMap((row, j) => row.flatMap((count, i) => (count > 0 ? [[i, j, count]] : [])));
  return {
    type: 'custom',
    name: 'cells',
    xAxisIndex: 0,
    yAxisIndex: 0,
    clip: true,
    // Draws all cells at once: a picture made on a server is not drawn again.
    progressive: 0,
    dimensions: ['column', 'row', 'count', 'from', 'to', 'bottom', 'top'],
    encode: { x: ['from', 'to'], y: ['bottom', 'top'] },
    data: cells.map(([i, j, count]) => [i!, j!, count!, ...x.places[i!]!, ...y.places[j!]!]),
    renderItem: (_: unknown, api: DrawingApi): Drawing => {
      // Whole pixels leave no seams between neighbours.
      const [left, bottom] = api.coord([api.value(3), api.value(5)]).map(Math.round);
      const [right, top] = api.coord([api.value(4), api.value(6)]).map(Math.round);
      return {
        type: 'rect',
        shape: {
          x: left!,
          y: top!,
          width: Math.max(1, right! - left!),
          height: Math.max(1, bottom! - top!),
        },
        style: { fill: colourAt(theme.heat, heatOf(api.value(2), scale)) },
      };
    },
  };
}

/** The axis of the colour scale: counts, placed by their logarithm. */
function scaleAxis(scale: Scale, name: string, theme: Theme): Readonly<Record<string, unknown>> {
  const ticks = scaleTicks(scale);
  return {
    type: 'value',
    gridIndex: 1,
    position: 'right',
    min: 0,
    max: 1,
    name,
    nameTextStyle: { color: theme.mutedText, align: 'right', padding: [0, -36, 0, 0] },
    nameGap: 10,
    // Without it the ticks stand at the left edge, where the colours hide them.
    axisLine: { show: false, onZero: false },
    axisTick: { show: true, customValues: ticks.map(({ place }) => place), lineStyle: { color: theme.axis } },
    axisLabel: {
      color: theme.text,
      customValues: ticks.map(({ place }) => place),
      formatter: (place: number) => formatTickCount(ticks.find((tick) => tick.place === place)?.count ?? 0),
    },
    splitLine: { show: false },
  };
}

/** The labelled counts: the powers of ten that leave the largest count its room, and this count. */
function scaleTicks(scale: Scale): { place: number; count: number }[] {
  const { least, most } = scale;
  const [first, last] = [Math.ceil(Math.log10(least)), Math.floor(Math.log10(most))];
  const step = Math.ceil((last - first + 1) / 8);
  const counts = Array.from({ length: Math.max(0, last - first + 1) }, (_, i) => 10 ** (first + i));
  const ticks = counts
    .filter((_, i) => i % step === 0)
    .map((count) => ({ place: heatOf(count, scale), count }));
  return [...ticks.filter(({ place }) => place < 0.93), { place: 1, count: most }];
}

function scaleSeries(theme: Theme): ChartSeries {
  return {
    type: 'custom',
    name: 'scale',
    xAxisIndex: 1,
    yAxisIndex: 1,
    silent: true,
    tooltip: { show: false },
    data: [[0, 0]],
    renderItem: (_: unknown, api: DrawingApi): Drawing => {
      const [[left, bottom], [right, top]] = [api.coord([0, 0]), api.coord([1, 1])];
      const colorStops = theme.heat.map((color, i) => ({ offset: i / (theme.heat.length - 1), color }));
      return {
        type: 'rect',
        shape: { x: left, y: top, width: right - left, height: bottom - top },
        style: { fill: { type: 'linear', x: 0, y: 1, x2: 0, y2: 0, colorStops } },
      };
    },
  };
}
