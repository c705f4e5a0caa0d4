import type { AxisSlot, BarPlot } from '../plot.ts';
import { describePlot } from './description.ts';
import { frameOf, gridAt, type Setting, textWidth, tooltipOf, tooltipText } from './frame.ts';
import type { ChartOption, Drawing, DrawingApi } from './option.ts';
import { uprightSlos } from './slo.ts';
import { slotText } from './slot-text.ts';
import type { Theme } from './theme.ts';
import { labelsOf, linearRange, valueAxis } from './value-axis.ts';

// The room, in pixels, of axes and margins beside the bars.
const MARGINS = 100;

// The room of a slanted label, in pixels.
const LINE_HEIGHT = 18;

/** A bar for each slot. All bars have one width, and each is labelled with its slot. */
export function barChart(plot: BarPlot, setting: Setting): ChartOption {
  const { theme, width } = setting;
  const { slots, counts, unit, isInteger = false, lines = [], name = 'value' } = plot;
  const { option, top } = frameOf(plot, setting, describePlot(plot));
  const texts = slots.map((slot) => slotText(slot, unit, isInteger));
  const widestCount = counts.reduce((most, count) => Math.max(most, textWidth(String(count))), 0);
  const isCounted = widestCount * slots.length <= width - MARGINS;
  // The count above the highest bar needs room.
  const range = linearRange(isCounted ? counts.map((count) => 1.05 * count) : counts, 'none');
  const widest = texts.reduce((most, text) => Math.max(most, textWidth(text)), 0);
  const isNarrow = (widest + 8) * slots.length > width - MARGINS;
  const every = isNarrow ? Math.ceil((slots.length * LINE_HEIGHT) / (width - MARGINS)) : 1;
  const middles = slots.map((_, i) => i + 0.5).filter((_, i) => i % every === 0);
  return {
    ...option,
    grid: gridAt(labelsOf(range, 'none'), {
      top,
      bottom: isNarrow ? Math.round(24 + widest * 0.75) : 52,
    }),
    tooltip: tooltipOf(theme, {
      trigger: 'item',
      formatter: ({ value }: { value: unknown }) => {
        if (!Array.isArray(value)) return '';
        const [middle, count] = value as [number, number];
        return tooltipText(texts[Math.floor(middle)]!, [['count', count.toLocaleString('en-GB')]]);
      },
    }),
    xAxis: {
      type: 'value',
      min: 0,
      max: Math.max(1, slots.length),
      name: isNarrow ? '' : name,
      nameLocation: 'middle',
      nameGap: 28,
      nameTextStyle: { color: theme.mutedText },
      axisLine: { lineStyle: { color: theme.axis } },
      axisTick: { show: false, customValues: middles },
      axisLabel: {
        color: theme.text,
        customValues: middles,
        hideOverlap: true,
        rotate: isNarrow ? 45 : 0,
        formatter: (middle: number) => texts[Math.floor(middle)] ?? '',
      },
      splitLine: { show: false },
    },
    yAxis: valueAxis(range, 'none', 'linear', theme, { name: isNarrow ? `count by ${name}` : 'count' }),
    series: [
      {
        type: 'custom',
        name: 'count',
        color: theme.palette[0],
        clip: true,
        data: counts.map((count, i) => [i + 0.5, count]),
        encode: { x: 0, y: 1 },
        renderItem: (_: unknown, api: DrawingApi) => drawBar(api, isCounted, theme),
      },
      ...uprightSlos({ lines, unit, theme }, (value) => placeOf(slots, value)),
    ],
  };
}

function drawBar(api: DrawingApi, isCounted: boolean, theme: Theme): Drawing {
  const [middle, count] = [api.value(0), api.value(1)];
  const [left, top] = api.coord([middle - 0.46, count]);
  const [right, bottom] = api.coord([middle + 0.46, 0]);
  return {
    type: 'rect',
    shape: { x: left, y: top, width: right - left, height: bottom - top },
    style: { fill: theme.palette[0] },
    ...(isCounted && count > 0
      ? {
          textContent: { type: 'text', style: { text: String(count), fill: theme.mutedText, fontSize: 11 } },
          textConfig: { position: 'top', distance: 3 },
        }
      : {}),
  };
}

/** The place of a value among bars, which are 1 wide: within the bar of its slot, by where it lies between the slot's bounds. */
function placeOf(slots: readonly AxisSlot[], value: number): number {
  const at = slots.findLastIndex(({ lower }) => lower <= value);
  if (at < 0) return 0;
  const { lower } = slots[at]!;
  const end = slots[at + 1]?.lower ?? slots[at]!.upper;
  const part = (value - lower) / (end - lower);
  return at + (Number.isFinite(part) ? Math.min(1, Math.max(0, part)) : 0.5);
}
