import type { Bounds } from '@hdrscope/core';
import { boundedCount, countText, formatTickCount } from '../count-text.ts';
import { largestOf } from '../data/largest.ts';
import { boundsOfCount } from '../data/used-part.ts';
import type { AxisSlot, BarPlot } from '../plot.ts';
import { describePlot } from './description.ts';
import {
  type AxisLabel,
  fittingLabels,
  frameOf,
  labelledAxis,
  nameAbove,
  nameBelow,
  placeOfGrid,
  type Setting,
  tooltipOf,
  tooltipText,
} from './frame.ts';
import { markSeries } from './mark.ts';
import { uprightObjectives } from './objectives.ts';
import type { ChartOption, ChartSeries, Drawing, DrawingApi } from './option.ts';
import { slotText } from './slot-text.ts';
import { textWidth } from './text-width.ts';
import type { Theme } from './theme.ts';
import { logTicks } from './ticks.ts';
import { linearRange, tickText, valueAxis } from './value-axis.ts';

const COUNT_SIZE = { size: 11 } as const;
const PIXELS_PER_LABEL = 56;

/** A bar for each slot. All bars have one width. They are labelled with their slots, or with round values where these have no room. */
export function barChart(plot: BarPlot, setting: Setting): ChartOption {
  const { theme } = setting;
  const { slots, counts, lower, upper, unit, isInteger = false, slos = [], name = 'value' } = plot;
  const { option, top } = frameOf(plot, setting, describePlot(plot));
  const most = largestOf(counts, 0);
  // Counts have no parts, unless they are shares of counts.
  const parts = counts.every(Number.isInteger) ? Math.max(1, Math.min(6, most)) : 6;
  const range = linearRange([1.08 * most], 'none', parts);
  const ticks = range.ticks.filter((tick) => parts === 6 || Number.isInteger(tick));
  const grid = placeOfGrid(ticks.map(formatTickCount), setting);
  const end = Math.max(1, slots.length);
  const room = grid.width / end;
  const boundsOf = (i: number): Partial<Bounds> => boundsOfCount(lower?.[i], upper?.[i]);
  const texts = counts.map((count, i) =>
    count > 0 || (upper?.[i] ?? 0) > 0 ? boundedCount(count, boundsOf(i)) : '',
  );
  const isCounted = texts.every((text) => textWidth(text, COUNT_SIZE) + 4 <= room);
  const labels = labelsOf(plot, room, grid.width);
  const upright = uprightObjectives(slos, unit, (value) => placeOf(slots, value, isInteger), end, grid);
  return {
    ...option,
    grid: { left: grid.left, right: grid.right, top: top + upright.height, bottom: 52 },
    tooltip: tooltipOf(theme, {
      trigger: 'item',
      formatter: ({ value }: { value: unknown }) => {
        if (!Array.isArray(value)) return '';
        const [middle, count] = value as [number, number];
        const slot = Math.floor(middle);
        return tooltipText(countText(count, undefined, boundsOf(slot)), [
          [name, slotText(slots[slot]!, unit, isInteger)],
        ]);
      },
    }),
    xAxis: {
      type: 'value',
      min: 0,
      max: end,
      axisLine: { lineStyle: { color: theme.axis } },
      ...labelledAxis(fittingLabels(labels, { min: 0, max: end }, grid), theme),
      splitLine: { show: false },
      ...nameBelow(name, grid, setting),
    },
    yAxis: {
      ...valueAxis(range, 'none', theme, nameAbove('count', grid, setting)),
      nameGap: 10 + upright.height,
      axisTick: { show: true, customValues: ticks },
      axisLabel: { color: theme.text, customValues: ticks, hideOverlap: true, formatter: formatTickCount },
    },
    series: [
      {
        type: 'custom',
        name: 'count',
        color: theme.palette[0],
        clip: true,
        data: counts.map((count, i) => [i + 0.5, count]),
        encode: { x: 0, y: 1 },
        renderItem: (_: unknown, api: DrawingApi) => drawBar(api, theme),
      },
      ...(isCounted ? [countSeries(counts, texts, theme)] : []),
      ...markSeries(upright.marks, theme.objective, theme),
    ],
  };
}

/** The labels of bars, by importance: the slots in the middle of their bars, or round values at their places. */
function labelsOf({ slots, unit, isInteger = false }: BarPlot, room: number, width: number): AxisLabel[] {
  const texts = slots.map((slot) => slotText(slot, unit, isInteger));
  const inMiddle = (every: number): AxisLabel[] =>
    texts.flatMap((text, i) => (i % every === 0 ? [{ place: i + 0.5, text }] : []));
  if (texts.every((text) => textWidth(text) + 8 <= room)) return inMiddle(1);
  const bounds = slots
    .flatMap(({ lower, upper }) => [lower, upper])
    .filter((bound) => Number.isFinite(bound));
  const positive = bounds.filter((bound) => bound > 0);
  const parts = Math.max(2, Math.floor(width / PIXELS_PER_LABEL));
  const round = positive.length === 0 ? [] : logTicks(positive[0]!, positive.at(-1)!, unit, parts);
  const labels = round.map((value) => ({
    place: placeOf(slots, value, isInteger),
    text: tickText(value, unit),
  }));
  const zero = slots.findIndex(({ lower, upper }) => lower === 0 && (upper === 0 || !isInteger));
  const first = zero < 0 ? [] : [{ place: zero + (isInteger ? 0.5 : 0), text: '0' }];
  // Too few round values lie in a narrow range.
  return labels.length >= 2
    ? [...first, ...labels]
    : inMiddle(Math.ceil((largestOf(texts.map((text) => textWidth(text))) + 8) / room));
}

function drawBar(api: DrawingApi, theme: Theme): Drawing {
  const [middle, count] = [api.value(0), api.value(1)];
  const [left, top] = api.coord([middle - 0.46, count]);
  const [right, bottom] = api.coord([middle + 0.46, 0]);
  return {
    type: 'rect',
    // A count that is small beside the largest one shows.
    shape: {
      x: left,
      y: count > 0 ? Math.min(top, bottom - 1) : top,
      width: right - left,
      height: count > 0 ? Math.max(1, bottom - top) : 0,
    },
    style: { fill: theme.palette[0] },
  };
}

/** The counts above their bars, which hide the lines of objectives behind them. */
function countSeries(counts: readonly number[], texts: readonly string[], theme: Theme): ChartSeries {
  return {
    type: 'custom',
    silent: true,
    z: 6,
    tooltip: { show: false },
    data: counts.map((count, i) => [i + 0.5, count]),
    encode: { x: 0, y: 1 },
    renderItem: ({ dataIndex }: { dataIndex: number }, api: DrawingApi): Drawing | undefined => {
      const text = texts[dataIndex]!;
      if (text === '') return undefined;
      const [x, y] = api.coord([api.value(0), api.value(1)]);
      const look = { fill: theme.mutedText, backgroundColor: theme.background, padding: [0, 1] };
      const style = { text, fontSize: COUNT_SIZE.size, align: 'center', verticalAlign: 'bottom', ...look };
      return { type: 'text', x, y: y - 3, style };
    },
  };
}

/** The place of a value among bars, which are 1 wide: within the bar of its slot, by where it lies between the slot's bounds. */
function placeOf(slots: readonly AxisSlot[], value: number, isInteger: boolean): number {
  const at = slots.findLastIndex(({ lower }) => lower <= value);
  if (at < 0) return 0;
  const { lower, upper } = slots[at]!;
  // An integer that has a bar of its own is in its middle.
  if (isInteger && lower === upper) return at + 0.5;
  const end = slots[at + 1]?.lower ?? upper;
  const part = (value - lower) / (end - lower);
  return at + (Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0.5);
}
