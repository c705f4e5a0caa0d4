import { THEMES } from '../chart/theme.ts';
import type { Ink } from './canvas.ts';
import type { TerminalOptions } from './options.ts';

const MARKS = '●▲■◆○△□◇';
const ASCII_MARKS = '*ox#@%&=';
const { palette, objective } = THEMES.dark;

/** The look of a plot's lines. The first eight differ; the ninth looks like the first. */
export function inkOf(line: number, { colours = false }: TerminalOptions): Ink {
  return {
    ascii: ASCII_MARKS[line % ASCII_MARKS.length]!,
    mark: [...MARKS][line % MARKS.length]!,
    colour: colours ? palette[line % palette.length] : undefined,
  };
}

/** The look of objectives. */
export function objectiveInk({ colours = false }: TerminalOptions): Ink {
  return { ascii: '-', mark: '╌', colour: colours ? objective : undefined };
}
