/** The background that a chart is for. */
export type ThemeName = 'light' | 'dark';

/** The colours of a chart. */
export interface Theme {
  readonly background: string;
  readonly text: string;
  /** For axis names and subtitles. */
  readonly mutedText: string;
  readonly axis: string;
  readonly grid: string;
  readonly objective: string;
  /** For curves, in order. People who see few colours can distinguish the curves: see `test/chart/theme.test.ts`. */
  readonly palette: readonly string[];
  /** From the smallest to the largest count. A single count stands out from the background too, since outliers matter. */
  readonly heat: readonly string[];
}

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    background: '#ffffff',
    text: '#1b1f24',
    mutedText: '#57606a',
    axis: '#6e7781',
    grid: '#e7eaee',
    objective: '#b3261e',
    palette: ['#0e91f2', '#f84c0b', '#306550', '#6c006c', '#1b1f24', '#aa8558', '#7182aa', '#6707ab'],
    heat: ['#e27300', '#b93420', '#8a1f70', '#581f86', '#301060', '#100520'],
  },
  dark: {
    background: '#15181d',
    text: '#e8eaed',
    mutedText: '#a6adb7',
    axis: '#8b949e',
    grid: '#2b3037',
    objective: '#ff8a80',
    palette: ['#8d86de', '#f9651a', '#2cdea6', '#9c7b9f', '#e8eaed', '#ffb165', '#a3bce7', '#327bff'],
    heat: ['#3f78b0', '#2f93a8', '#2fb08a', '#6fcb5c', '#bfdc3c', '#fde725'],
  },
};

/** The style of a curve. From the fifth curve on, lines differ by their dashes too. */
export function lineStyleOf(index: number, theme: Theme): { color: string; type: string; width: number } {
  const { palette } = theme;
  const type = ['solid', 'dashed', 'dotted'][Math.floor(index / 4) % 3]!;
  return { color: palette[index % palette.length]!, type, width: 2 };
}

// A machine takes the first font that it has. Names stand without quotes, which ECharts does not escape in SVG.
export const FONTS = 'system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, DejaVu Sans, sans-serif';

/**
 * A colour of a scale as `#rrggbb`.
 *
 * @param part From 0, the first colour, to 1, the last.
 */
export function colourAt(scale: readonly string[], part: number): string {
  const position = Math.min(1, Math.max(0, part)) * (scale.length - 1);
  const below = Math.min(scale.length - 2, Math.floor(position));
  const [from, to] = [channelsOf(scale[below]!), channelsOf(scale[below + 1]!)];
  const mixed = from.map((value, i) => Math.round(value + (to[i]! - value) * (position - below)));
  return `#${mixed.map((value) => value.toString(16).padStart(2, '0')).join('')}`;
}

/** Red, green and blue of `#rrggbb`, from 0 to 255. */
export function channelsOf(colour: string): number[] {
  return [1, 3, 5].map((at) => Number.parseInt(colour.slice(at, at + 2), 16));
}
