import type { PlotTitles } from '../plot.ts';
import type { OptionPart } from './option.ts';
import { middleCut, textWidth, wrappedText } from './text-width.ts';
import { FONTS, type Theme } from './theme.ts';
import type { Zone } from './time-text.ts';

/** The surroundings of a drawing. */
export interface Frame {
  readonly option: OptionPart;
  /** The upper edge of the drawing, in pixels from the top. */
  readonly top: number;
}

/** Where a chart is shown. */
export interface Setting {
  readonly theme: Theme;
  /** The width of the chart in pixels. */
  readonly width: number;
  readonly zone: Zone;
}

const TITLE_SIZE = { size: 16, isBold: true } as const;
const TITLE_LINE = 20;
const SUBTITLE_LINE = 16;
const MOST_TITLE_LINES = 3;
const MARGIN = 12;
// The name of the vertical axis stands above the drawing.
const AXIS_NAME_HEIGHT = 26;

/**
 * The titles, in as many lines as they take.
 *
 * @param description The picture in words, for people who cannot see it.
 * @param names The names of the curves, which a page may hide.
 */
export function frameOf(
  { title, subtitle }: PlotTitles,
  { theme, width }: Setting,
  description: string,
  names: readonly string[] = [],
): Frame {
  const room = Math.max(40, width - 2 * MARGIN);
  const titleLines = title
    ? wrappedText(title, room, MOST_TITLE_LINES, (text) => textWidth(text, TITLE_SIZE))
    : [];
  const subtitleLines = subtitle ? wrappedText(subtitle, room, MOST_TITLE_LINES) : [];
  const gap = titleLines.length > 0 && subtitleLines.length > 0 ? 4 : 0;
  const titles = titleLines.length * TITLE_LINE + gap + subtitleLines.length * SUBTITLE_LINE;
  return {
    top: 8 + titles + AXIS_NAME_HEIGHT,
    option: {
      animation: false,
      useUTC: true,
      backgroundColor: theme.background,
      color: theme.palette,
      textStyle: { fontFamily: FONTS, color: theme.text },
      aria: { enabled: true, label: { enabled: true, description } },
      title: {
        show: titles > 0,
        text: titleLines.join('\n'),
        ...(subtitleLines.length > 0 && { subtext: subtitleLines.join('\n') }),
        left: MARGIN,
        top: 8,
        padding: 0,
        itemGap: gap,
        textStyle: { color: theme.text, fontSize: TITLE_SIZE.size, fontWeight: 600, lineHeight: TITLE_LINE },
        subtextStyle: { color: theme.mutedText, fontSize: 12, lineHeight: SUBTITLE_LINE },
      },
      // Names stand at the ends of lines. Pages hide a curve through its entry, which is not drawn.
      legend: { show: false, data: names },
    },
  };
}

/** The place of a drawing, in pixels of the chart. */
export interface GridPlace {
  readonly left: number;
  readonly right: number;
  /** The width of the drawing. */
  readonly width: number;
}

/**
 * The horizontal place of a drawing, with room at its left for the labels of the vertical axis.
 *
 * @param labels Of the vertical axis.
 * @param right The room at its right.
 */
export function placeOfGrid(
  labels: readonly string[],
  { width }: Setting,
  right: number = RIGHT_MARGIN,
): GridPlace {
  const widest = labels.reduce((most, text) => Math.max(most, textWidth(text)), 0);
  const left = Math.round(Math.min(18 + widest, width / 3));
  return { left, right: Math.round(right), width: Math.max(20, width - left - Math.round(right)) };
}

const RIGHT_MARGIN = 24;

/** The name of a vertical axis, which stands above it. */
export function nameAbove(name: string, { left }: GridPlace, { width, theme }: Setting): OptionPart {
  return {
    name: middleCut(name, width - left - MARGIN),
    nameTextStyle: { color: theme.mutedText, align: 'left' },
    nameGap: 10,
  };
}

/** The name of a horizontal axis, which stands below its middle. */
export function nameBelow(
  name: string,
  { left, right, width: room }: GridPlace,
  { theme }: Setting,
): OptionPart {
  return {
    // It is centered, so the narrower margin decides.
    name: middleCut(name, room + 2 * Math.min(left, right) - 8),
    nameLocation: 'middle',
    nameGap: 28,
    nameTextStyle: { color: theme.mutedText },
  };
}

/** A label of a horizontal axis: its place on the axis and its text. */
export interface AxisLabel {
  readonly place: number;
  readonly text: string;
}

/**
 * The labels of a horizontal axis that stand beside each other, within the picture. Earlier ones in the list take precedence.
 *
 * @param labels By importance.
 */
export function fittingLabels(
  labels: readonly AxisLabel[],
  { min, max }: { readonly min: number; readonly max: number },
  { left, right, width }: GridPlace,
): AxisLabel[] {
  const taken: { from: number; to: number; label: AxisLabel }[] = [];
  for (const label of labels) {
    const middle = ((label.place - min) / (max - min || 1)) * width;
    const half = textWidth(label.text) / 2;
    const [from, to] = [middle - half, middle + half];
    if (middle < -1 || middle > width + 1 || from < -left || to > width + right) continue;
    if (taken.some((other) => from < other.to + LABEL_GAP && to > other.from - LABEL_GAP)) continue;
    taken.push({ from, to, label });
  }
  return taken.sort((a, b) => a.from - b.from).map(({ label }) => label);
}

const LABEL_GAP = 8;

/** The parts of an axis that its labels decide. */
export function labelledAxis(
  labels: readonly AxisLabel[],
  theme: Theme,
): { axisTick: OptionPart; axisLabel: OptionPart } {
  const texts = new Map(labels.map(({ place, text }) => [place, text]));
  const customValues = labels.map(({ place }) => place);
  return {
    axisTick: { show: true, customValues },
    axisLabel: {
      color: theme.text,
      customValues,
      hideOverlap: false,
      showMinLabel: true,
      showMaxLabel: true,
      formatter: (place: number) => texts.get(place) ?? '',
    },
  };
}

/** The look of a tooltip. Each chart adds the contents. */
export function tooltipOf(theme: Theme, more: OptionPart): OptionPart {
  return {
    show: true,
    confine: true,
    backgroundColor: theme.background,
    borderColor: theme.axis,
    textStyle: { color: theme.text, fontSize: 12 },
    ...more,
  };
}

/** Text for HTML. Names of curves may hold anything, markup included. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** The HTML of a tooltip: a heading, and a row for each name and value. */
export function tooltipText(
  heading: string,
  rows: readonly (readonly [name: string, value: string, colour?: string])[],
): string {
  const lines = rows.map(([name, value, colour]) => {
    const dot = colour === undefined ? '' : `<span style="color:${colour}">●</span> `;
    return `<tr><td>${dot}${escapeHtml(name)}</td><td style="text-align:right;padding-left:1em"><b>${escapeHtml(value)}</b></td></tr>`;
  });
  return `${escapeHtml(heading)}<table>${lines.join('')}</table>`;
}
