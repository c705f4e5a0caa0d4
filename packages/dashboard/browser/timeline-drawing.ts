import { formatValue, type TimePlot } from '@hdrscope/plot';
import type { ThemeName, Zone } from '@hdrscope/plot/internal';
import type { TimeRange } from '../src/question.ts';
import { ticksOf } from './clock.ts';

/** How a timeline is drawn. */
export interface TimelineStyle {
  readonly theme: ThemeName;
  readonly zone: Zone;
  /** The names of fonts, as in CSS. */
  readonly fonts: string;
  /** The time in which the picked row has changed. */
  readonly changed: TimeRange | undefined;
  /** Times of which nothing is known. */
  readonly gaps: readonly TimeRange[];
}

interface Colours {
  readonly text: string;
  readonly grid: string;
  readonly changed: string;
  readonly lines: readonly string[];
}

// As in the charts: each percentile has the colour that its line has there.
const COLOURS: Readonly<Record<ThemeName, Colours>> = {
  light: { text: '#57606a', grid: '#e7eaee', changed: '#b42318', lines: ['#0e91f2', '#6c006c', '#1b1f24'] },
  dark: { text: '#a6adb7', grid: '#2b3037', changed: '#ff8f85', lines: ['#8d86de', '#9c7b9f', '#e8eaed'] },
};

/** The names of the lines that a timeline draws. */
const LINES: readonly string[] = ['p50', 'p99.9', 'max'];

const TOP = 16;
const BOTTOM = 18;
const PIXELS_PER_TICK = 90;

// Pixels between two lines of a hatched band.
const HATCH = 6;

/** Draws a few percentiles over time, on a logarithmic axis. */
export function drawTimeline(
  context: CanvasRenderingContext2D,
  { width, height }: { readonly width: number; readonly height: number },
  plot: TimePlot | undefined,
  window: TimeRange,
  { theme, zone, fonts, changed, gaps }: TimelineStyle,
): void {
  const colours = COLOURS[theme];
  context.clearRect(0, 0, width, height);
  context.font = `11px ${fonts}`;
  context.textBaseline = 'alphabetic';
  const length = window.toMs - window.fromMs;
  const xOf = (ms: number): number => (length > 0 ? ((ms - window.fromMs) / length) * width : 0);
  for (const { fromMs, toMs } of gaps) drawGap(context, height, xOf(fromMs), xOf(toMs), colours);
  if (changed !== undefined) drawChanged(context, height, xOf(changed.fromMs), xOf(changed.toMs), colours);
  drawTicks(context, width, height, window, zone, colours, xOf);
  if (plot === undefined) return;
  const lines = timelineLines(plot);
  const scale = valueScale(plot, window);
  if (scale === undefined) return;
  const yOf = (value: number): number => {
    const part = scale.isLog
      ? Math.log(value / scale.low) / Math.log(scale.high / scale.low)
      : (value - scale.low) / (scale.high - scale.low);
    return height - BOTTOM - Math.min(1, Math.max(0, part)) * (height - TOP - BOTTOM);
  };
  lines.forEach(({ values }, i) => {
    context.strokeStyle = colours.lines[i % colours.lines.length]!;
    context.lineWidth = i === 0 ? 1.6 : 1.2;
    drawSteps(context, plot, values, xOf, yOf);
  });
  drawLegend(context, lines, colours);
  context.fillStyle = colours.text;
  context.textAlign = 'right';
  // The bounds stand above the drawing: beside the lines, they would cover them.
  const [low, high] = [scale.low, scale.high].map((value) => formatValue(value, plot.unit));
  context.fillText(`${low} – ${high}`, width - 4, 11);
}

/** The lines of a plot that the timeline shows: those in `LINES`, or all lines of a plot without these. */
export function timelineLines({ lines }: TimePlot): TimePlot['lines'] {
  const known = lines.filter(({ name }) => LINES.includes(name));
  return known.length > 0 ? known : lines;
}

/** The values between which all lines lie, in the time that is shown. */
export function valueScale(
  plot: TimePlot,
  { fromMs, toMs }: TimeRange,
): { readonly low: number; readonly high: number; readonly isLog: boolean } | undefined {
  let [low, high] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  for (const { values } of timelineLines(plot)) {
    for (const [at, value] of values.entries()) {
      const start = plot.timesMs[at]!;
      const end = plot.timesMs[at + 1] ?? plot.endMs ?? start;
      if (value === null || end < fromMs || start > toMs) continue;
      low = Math.min(low, value);
      high = Math.max(high, value);
    }
  }
  if (!Number.isFinite(low) || !Number.isFinite(high)) return undefined;
  // Equal values lie in the middle.
  if (low === high) return { low: low === 0 ? -1 : low / 2, high: high === 0 ? 1 : high * 2, isLog: false };
  return { low, high, isLog: low > 0 && high / low > 10 };
}

function drawTicks(
  context: CanvasRenderingContext2D,
  width: number,
  height: number,
  window: TimeRange,
  zone: Zone,
  colours: Colours,
  xOf: (ms: number) => number,
): void {
  context.strokeStyle = colours.grid;
  context.fillStyle = colours.text;
  context.lineWidth = 1;
  context.textAlign = 'center';
  for (const { timeMs, text } of ticksOf(window, width / PIXELS_PER_TICK, zone)) {
    const x = Math.round(xOf(timeMs)) + 0.5;
    context.beginPath();
    context.moveTo(x, TOP - 2);
    context.lineTo(x, height - BOTTOM);
    context.stroke();
    if (x > 24 && x < width - 24) context.fillText(text, x, height - 4);
  }
}

/** A hatched band: it is empty because nothing is known, and not because nothing was counted. */
function drawGap(
  context: CanvasRenderingContext2D,
  height: number,
  from: number,
  to: number,
  { text }: Colours,
): void {
  const [top, bottom] = [TOP - 2, height - BOTTOM];
  context.save();
  context.beginPath();
  context.rect(from, top, Math.max(1, to - from), bottom - top);
  context.clip();
  context.strokeStyle = text;
  context.globalAlpha = 0.35;
  context.lineWidth = 1;
  context.beginPath();
  const left = Math.max(from, 0);
  const right = Math.min(to, context.canvas.width);
  for (let x = left - (bottom - top); x < right; x += HATCH) {
    context.moveTo(x, bottom);
    context.lineTo(x + bottom - top, top);
  }
  context.stroke();
  context.restore();
}

/** A band over the time of a change, with a line where it began. */
function drawChanged(
  context: CanvasRenderingContext2D,
  height: number,
  from: number,
  to: number,
  { changed }: Colours,
): void {
  context.fillStyle = changed;
  context.globalAlpha = 0.12;
  context.fillRect(from, TOP - 2, Math.max(2, to - from), height - TOP - BOTTOM + 2);
  context.globalAlpha = 1;
  context.fillRect(from - 1, TOP - 2, 2, height - TOP - BOTTOM + 2);
}

/** A line has a step for each interval, and a gap where nothing was counted. */
function drawSteps(
  context: CanvasRenderingContext2D,
  { timesMs, endMs }: TimePlot,
  values: readonly (number | null)[],
  xOf: (ms: number) => number,
  yOf: (value: number) => number,
): void {
  context.beginPath();
  let isDrawing = false;
  for (const [at, start] of timesMs.entries()) {
    const value = values[at] ?? null;
    if (value === null) {
      isDrawing = false;
      continue;
    }
    const y = yOf(value);
    if (isDrawing) context.lineTo(xOf(start), y);
    else context.moveTo(xOf(start), y);
    context.lineTo(xOf(timesMs[at + 1] ?? endMs ?? start), y);
    isDrawing = true;
  }
  context.stroke();
}

function drawLegend(context: CanvasRenderingContext2D, lines: TimePlot['lines'], colours: Colours): void {
  context.textAlign = 'left';
  let x = 4;
  lines.forEach(({ name }, i) => {
    context.fillStyle = colours.lines[i % colours.lines.length]!;
    context.fillRect(x, 6, 10, 3);
    context.fillStyle = colours.text;
    context.fillText(name, x + 14, 11);
    x += 26 + context.measureText(name).width;
  });
}
