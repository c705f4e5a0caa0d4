import { THEMES } from '../chart/theme.ts';
import type { Ink } from './canvas.ts';
import type { TerminalOptions } from './options.ts';

const MARKS = '●▲■◆○△□◇';
const ASCII_MARKS = '*ox#@%&=';
const { palette, slo } = THEMES.dark;

/** What the lines of a plot are told apart by. Beyond the eighth they are told apart no more. */
export function inkOf(line: number, { colours = false }: TerminalOptions): Ink {
  return {
    ascii: ASCII_MARKS[line % ASCII_MARKS.length]!,
    mark: [...MARKS][line % MARKS.length]!,
    colour: colours ? palette[line % palette.length] : undefined,
  };
}

/** What is drawn where something was promised. */
export function sloInk({ colours = false }: TerminalOptions): Ink {
  return { ascii: '-', mark: '╌', colour: colours ? slo : undefined };
}
