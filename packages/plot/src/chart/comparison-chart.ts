import { formatBounds, formatShare } from '@hdrscope/kit';
import type { ComparisonPlot, PlottedChange } from '../plot.ts';
import { formatValue, intervalText, isBounded } from '../value-text.ts';
import { describePlot } from './description.ts';
import { frameOf, nameAbove, nameBelow, placeOfGrid, type Setting } from './frame.ts';
import { labelRoom, labelSeries } from './line-labels.ts';
import { markSeries } from './mark.ts';
import type { ChartOption, ChartSeries, Drawing, DrawingApi, OptionPart } from './option.ts';
import { axisEnd, ninesOf, percentileAxis, percentileText, placesOf } from './percentile-axis.ts';
import { curveLabels, curveRange, curveSeries, percentileTooltip } from './percentile-chart.ts';
import { cornersOf } from './steps.ts';
import type { Theme } from './theme.ts';
import { logTicks } from './ticks.ts';
import { clampTo, extentOf, labelsOf, valueAxis } from './value-axis.ts';

const RATIO = 'ratio';

/** Two curves, and below them the ratio of each percentile after the change to that before it. */
export function comparisonChart(plot: ComparisonPlot, setting: Setting): ChartOption {
  const { theme } = setting;
  const { before, after, changes, unit, confidence, valueAxis: scale } = plot;
  const curves = [before, after];
  const { option, top } = frameOf(plot, setting, describePlot(plot), [before.name, after.name]);
  const range = curveRange(curves, [], unit, scale);
  const end = axisEnd(curves.flatMap((curve) => placesOf(curve).at(-1) ?? []));
  const corners = curves.map(cornersOf);
  const labels = curveLabels(curves, corners, undefined, theme);
  const ratios = changes.flatMap((change) => ratioOf(change) ?? []);
  const ratioRange = rangeOfRatios(ratios);
  // One margin for both drawings, so that their left edges align.
  const grid = placeOfGrid(
    [...labelsOf(range, unit), ...ratioRange.ticks.map(ratioText)],
    setting,
    labelRoom(labels, setting),
  );
  const { left, right } = grid;
  const name = `after ÷ before, ${formatShare(confidence)} confidence`;
  return {
    ...option,
    // The upper drawing and its labels take the room that the lower drawing leaves.
    grid: [
      { left, right, top, bottom: '41%' },
      { left, right, top: '69%', bottom: 50 },
    ],
    tooltip: percentileTooltip(curves, unit, theme, (percentile) => nearestChange(changes, percentile, plot)),
    axisPointer: { link: [{ xAxisIndex: 'all' }] },
    xAxis: [
      percentileAxis(end, grid, theme, { gridIndex: 0 }),
      percentileAxis(end, grid, theme, { gridIndex: 1, ...nameBelow('percentile', grid, setting) }),
    ],
    yAxis: [
      valueAxis(range, unit, theme, { gridIndex: 0, ...nameAbove('value', grid, setting) }),
      ratioAxis(ratioRange, theme, { gridIndex: 1, ...nameAbove(name, grid, setting) }),
    ],
    series: [
      ...curves.flatMap((curve, i) => curveSeries(curve, corners[i]!, i, [], unit, range, theme)),
      ...labelSeries(labels, (value) => clampTo(range, value), grid, theme, { xAxisIndex: 0, yAxisIndex: 0 }),
      ...markSeries([{ y: 1 }], theme.axis, theme, { isSolid: true, xAxisIndex: 1, yAxisIndex: 1 }),
      ratioSeries(ratios, end, ratioRange, theme),
    ],
  };
}

/** A percentile after the change divided by the percentile before it. */
interface Ratio {
  readonly percentile: number;
  readonly ratio: number;
  /** Lower bound of the ratio; `ratio` itself when it is unknown. */
  readonly lower: number;
  /** Upper bound of the ratio; `ratio` itself when it is unknown. */
  readonly upper: number;
  /** Whether the interval of the difference excludes zero. */
  readonly isSure: boolean;
}

/** @returns `undefined` when there is no ratio: the value before is 0, or has no upper bound. */
function ratioOf(change: PlottedChange): Ratio | undefined {
  const { percentile, before, after, beforeLower = before, lower, upper } = change;
  if (!(before > 0 && before < Number.POSITIVE_INFINITY)) return undefined;
  return {
    percentile,
    ratio: after / before,
    // A difference is the larger part of the smaller value.
    lower: lower === undefined ? after / before : 1 + lower / (lower < 0 ? beforeLower : before),
    upper: upper === undefined ? after / before : 1 + upper / (upper > 0 ? beforeLower : before),
    isSure: lower !== undefined && upper !== undefined && (lower > 0 || upper < 0),
  };
}

/** Ratios that are labelled where they are near 1. */
const RATIOS = [0.1, 0.2, 0.5, 0.8, 0.9, 0.95, 0.98, 0.99, 1, 1.01, 1.02, 1.05, 1.1, 1.25, 2, 5, 10];
const MOST_RATIO_TICKS = 5;

/** The logarithmic axis of ratios, with 1 in it. Ratios of 0 and less lie at its beginning. */
function rangeOfRatios(ratios: readonly Ratio[]): { min: number; max: number; ticks: number[] } {
  const values = [1, ...ratios.flatMap(({ ratio, lower, upper }) => [ratio, lower, upper])].filter(
    (value) => value > 0 && Number.isFinite(value),
  );
  const [least, most] = extentOf(values);
  // An interval that reaches zero does not stretch the axis without end.
  const low = Math.max(
    least,
    extentOf([1, ...ratios.map(({ ratio }) => ratio)].filter((ratio) => ratio > 0))[0] / 10,
  );
  // Room for the points at the ends.
  const room = Math.max(1.01, (most / low) ** 0.08);
  const [min, max] = [Math.min(0.98, low / room), Math.max(1.02, most * room)];
  const wide = logTicks(min, max, 'none', MOST_RATIO_TICKS);
  const near = RATIOS.filter((ratio) => ratio >= min && ratio <= max);
  const ticks = max / min > 12 ? wide : spaced(near, Math.log(max / min) / MOST_RATIO_TICKS);
  return { min, max, ticks: [...new Set([...ticks, 1])].sort((a, b) => a - b) };
}

/** The ratios that are at least so far apart, seen from 1. */
function spaced(ratios: readonly number[], least: number): number[] {
  const kept: number[] = [1];
  for (const side of [ratios.filter((one) => one > 1), ratios.filter((one) => one < 1).reverse()]) {
    let last = 1;
    for (const one of side) {
      if (Math.abs(Math.log(one / last)) < least) continue;
      kept.push(one);
      last = one;
    }
  }
  return kept;
}

function ratioText(ratio: number): string {
  return `${formatValue(ratio, 'none')}×`;
}

function ratioAxis(
  { min, max, ticks }: ReturnType<typeof rangeOfRatios>,
  theme: Theme,
  more: OptionPart,
): OptionPart {
  return {
    ...valueAxis({ scale: 'log', min, max, ticks, hasZero: false }, 'none', theme, more),
    axisLabel: { color: theme.text, customValues: ticks, hideOverlap: true, formatter: ratioText },
  };
}

function nearestChange(
  changes: readonly PlottedChange[],
  percentile: number,
  { unit }: ComparisonPlot,
): (readonly [string, string])[] {
  const place = ninesOf(Math.min(percentile, 100 - 1e-12));
  const distance = (change: PlottedChange) =>
    Math.abs(ninesOf(Math.min(change.percentile, 100 - 1e-12)) - place);
  const [first, ...rest] = changes;
  if (first === undefined) return [];
  const nearest = rest.reduce((best, one) => (distance(one) < distance(best) ? one : best), first);
  const text = differenceText(nearest, unit);
  return [[`difference at ${percentileText(nearest.percentile)}`, text]];
}

/** The difference of a percentile, with its interval. Values with bounds have the interval alone. */
export function differenceText(change: PlottedChange, unit: ComparisonPlot['unit']): string {
  const { before, after, lower, upper } = change;
  if (isBounded(change)) {
    const [least, most] = [lower ?? Number.NaN, upper ?? Number.NaN];
    return formatBounds({ lower: least, upper: most }, (value) => signedText(value, unit));
  }
  return `${signedText(after - before, unit)}${intervalText(lower, upper, unit)}`;
}

function signedText(difference: number, unit: ComparisonPlot['unit']): string {
  return `${difference > 0 ? '+' : ''}${formatValue(difference, unit)}`;
}

/** A point with an error bar for each percentile. The point is filled when the interval excludes an equal value. */
function ratioSeries(
  ratios: readonly Ratio[],
  end: number,
  range: { readonly min: number; readonly max: number },
  theme: Theme,
): ChartSeries {
  return {
    type: 'custom',
    name: RATIO,
    xAxisIndex: 1,
    yAxisIndex: 1,
    clip: true,
    z: 5,
    silent: true,
    tooltip: { show: false },
    encode: { x: 0, y: [1, 2, 3] },
    data: ratios.map(({ percentile, ratio, lower, upper }) => [
      percentile >= 100 ? end : Math.min(end, ninesOf(percentile)),
      ...[ratio, lower, upper].map((bound) => clampTo(range, bound)),
    ]),
    renderItem: ({ dataIndex }: { dataIndex: number }, api: DrawingApi): Drawing => {
      const [place, ratio, lower, upper] = [0, 1, 2, 3].map((dimension) => api.value(dimension));
      const [x, y] = api.coord([place!, ratio!]);
      const [top, bottom] = [api.coord([place!, upper!])[1], api.coord([place!, lower!])[1]];
      const line = { stroke: theme.text, lineWidth: 1.5 };
      const stroke = (x1: number, y1: number, x2: number, y2: number) => ({
        type: 'line',
        shape: { x1, y1, x2, y2 },
        style: line,
      });
      return {
        type: 'group',
        children: [
          stroke(x, top, x, bottom),
          stroke(x - 4, top, x + 4, top),
          stroke(x - 4, bottom, x + 4, bottom),
          {
            type: 'circle',
            shape: { cx: x, cy: y, r: 4 },
            style: { ...line, fill: ratios[dataIndex]!.isSure ? theme.text : theme.background },
          },
        ],
      };
    },
  };
}
