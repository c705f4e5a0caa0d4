/** Which background a chart is made for. */
export type ThemeName = 'light' | 'dark';

/** The colours of a chart. */
export interface Theme {
  readonly background: string;
  readonly text: string;
  /** Of what is less important: axis names, subtitles. */
  readonly mutedText: string;
  readonly axis: string;
  readonly grid: string;
  readonly slo: string;
  /** For curves, in order. People who see few colours can tell them apart: see `test/chart/theme.test.ts`. */
  readonly palette: readonly string[];
  /** From the fewest to the most counts; what is rare is close to the background, but not on it. */
  readonly heat: readonly string[];
}

const VIRIDIS = [
  '#440154',
  '#482878',
  '#3e4a89',
  '#31688e',
  '#26828e',
  '#1f9e89',
  '#35b779',
  '#6dcd59',
  '#b4de2c',
  '#fde725',
];

export const THEMES: Readonly<Record<ThemeName, Theme>> = {
  light: {
    background: '#ffffff',
    text: '#1b1f24',
    mutedText: '#57606a',
    axis: '#6e7781',
    grid: '#e7eaee',
    slo: '#b3261e',
    palette: ['#0e91f2', '#f84c0b', '#306550', '#6c006c', '#1b1f24', '#aa8558', '#7182aa', '#6707ab'],
    heat: VIRIDIS.toReversed(),
  },
  dark: {
    background: '#15181d',
    text: '#e8eaed',
    mutedText: '#a6adb7',
    axis: '#8b949e',
    grid: '#2b3037',
    slo: '#ff8a80',
    palette: ['#8d86de', '#f9651a', '#2cdea6', '#9c7b9f', '#e8eaed', '#ffb165', '#a3bce7', '#327bff'],
    heat: VIRIDIS.slice(1),
  },
};

/** Lines beyond the fourth are also told apart by their dashes. */
export function lineStyleOf(index: number, theme: Theme): { color: string; type: string; width: number } {
  const { palette } = theme;
  const type = ['solid', 'dashed', 'dotted'][Math.floor(index / 4) % 3]!;
  return { color: palette[index % palette.length]!, type, width: 2 };
}

// The first that a machine has. Without quotes, which ECharts does not escape in SVG.
export const FONTS = 'system-ui, Segoe UI, Roboto, Helvetica Neue, Arial, DejaVu Sans, sans-serif';

/** The colour at a part of a scale, from 0 to 1, as `#rrggbb`. */
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
