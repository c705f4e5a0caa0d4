import type { PlotTitles } from '../plot.ts';
import type { OptionPart } from './option.ts';
import { FONTS, type Theme } from './theme.ts';

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
}

const TITLE_HEIGHT = 28;
const SUBTITLE_HEIGHT = 20;
const LEGEND_ROW = 28;
const TEXT_HEIGHT = 14;
const MOST_ROWS = 4;
const LEGEND_ICON = 30;
// Between names and between rows. Generous, since a font may be wider than `textWidth` assumes.
const LEGEND_GAP = 28;
// The name of the vertical axis stands above the drawing.
const AXIS_NAME_HEIGHT = 30;

/**
 * The titles, and below them the legend.
 *
 * @param description The picture in words, for people who cannot see it.
 * @param legend The names of the curves. A single curve has no legend, because the title names it.
 */
export function frameOf(
  { title, subtitle }: PlotTitles,
  { theme, width }: Setting,
  description: string,
  legend: readonly string[] = [],
): Frame {
  const titles = (title === undefined ? 0 : TITLE_HEIGHT) + (subtitle === undefined ? 0 : SUBTITLE_HEIGHT);
  const rows = legend.length > 1 ? rowsOf(legend, width - 24) : 0;
  return {
    top: 8 + titles + legendHeight(rows) + AXIS_NAME_HEIGHT,
    option: {
      animation: false,
      useUTC: true,
      backgroundColor: theme.background,
      color: theme.palette,
      textStyle: { fontFamily: FONTS, color: theme.text },
      aria: { enabled: true, label: { enabled: true, description } },
      title: {
        show: titles > 0,
        text: title ?? '',
        ...(subtitle === undefined ? {} : { subtext: subtitle }),
        left: 12,
        top: 8,
        padding: 0,
        itemGap: 10,
        textStyle: { color: theme.text, fontSize: 16, fontWeight: 600 },
        subtextStyle: { color: theme.mutedText, fontSize: 12 },
      },
      legend: {
        show: rows > 0,
        type: rows > MOST_ROWS ? 'scroll' : 'plain',
        data: legend,
        left: 12,
        right: 12,
        top: 10 + titles,
        itemGap: LEGEND_GAP,
        icon: 'roundRect',
        itemHeight: 4,
        textStyle: { color: theme.text },
        inactiveColor: theme.grid,
        pageTextStyle: { color: theme.text },
        pageIconColor: theme.text,
        pageIconInactiveColor: theme.grid,
      },
    },
  };
}

/** The number of rows that a legend takes. */
function rowsOf(names: readonly string[], width: number): number {
  let [rows, used] = [1, 0];
  for (const name of names) {
    const needed = LEGEND_ICON + textWidth(name) + LEGEND_GAP;
    if (used > 0 && used + needed > width) [rows, used] = [rows + 1, 0];
    used += needed;
  }
  return rows;
}

function legendHeight(rows: number): number {
  if (rows === 0) return 0;
  const shown = rows > MOST_ROWS ? 1 : rows;
  return LEGEND_ROW + (shown - 1) * (TEXT_HEIGHT + LEGEND_GAP);
}

/** The approximate width, in pixels, of a text that is 12 pixels high, in a wide font. */
export function textWidth(text: string): number {
  return text.length * 7.2;
}

/** The place of a drawing, with room at its left for the labels of the vertical axis and at its right for half a label. */
export function gridAt(labels: readonly string[], place: OptionPart): OptionPart {
  const widest = labels.reduce((width, text) => Math.max(width, textWidth(text)), 0);
  return { left: Math.round(22 + widest), right: 44, ...place };
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
