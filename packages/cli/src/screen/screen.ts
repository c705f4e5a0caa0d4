import { inspect } from 'node:util';
import type { Io, Output } from '../command.ts';
import { terminalControl } from './clean-output.ts';

/** What a command may draw with. */
export interface Screen {
  /** The length of a line; `undefined` for files and pipes, unless the environment sets it. */
  readonly columns: number | undefined;
  /** Whether only ASCII is drawn. */
  readonly ascii: boolean;
}

const NARROWEST = 20;
const WIDEST = 1000;

/**
 * The screen of standard output. `COLUMNS` of the environment comes before the width of the terminal. Where the locale has
 * another character set than UTF-8, as with `LC_ALL=C`, only ASCII is drawn. Without a locale UTF-8 is assumed.
 */
export function screenOf(
  { stdout, environment }: Pick<Io, 'stdout' | 'environment'>,
  { ascii }: { readonly ascii?: boolean } = {},
): Screen {
  const { COLUMNS = '', LC_ALL, LC_CTYPE, LANG } = environment;
  const columns = /^[1-9]\d{0,5}$/.test(COLUMNS) ? Number(COLUMNS) : stdout.columns;
  const locale = LC_ALL || LC_CTYPE || LANG || 'UTF-8';
  return {
    columns: columns === undefined ? undefined : Math.min(Math.max(columns, NARROWEST), WIDEST),
    ascii: ascii ?? !/utf-?8/i.test(locale),
  };
}

/** The length of a line of standard output: infinite for files and pipes. */
export function lineLength(io: Pick<Io, 'stdout' | 'environment'>): number {
  return screenOf(io).columns ?? Number.POSITIVE_INFINITY;
}

/** The width of a plot between other lines: that of the terminal, within readable limits. */
export function plotColumns(columns = 80): number {
  return Math.min(Math.max(columns, 40), 120);
}

// Colours.

export type Colour = 'bold' | 'dim' | 'red' | 'green' | 'yellow';

/** Whether the terminal has colours and the environment allows them. Source: https://no-color.org */
export function hasColours({ environment }: Pick<Io, 'environment'>, output: Output): boolean {
  return output.isTerminal && !environment.NO_COLOR && environment.TERM !== 'dumb';
}

/** Highlights text when there are colours. */
export function painter(io: Io, output: Output): (format: Colour, text: string) => string {
  const isColoured = hasColours(io, output);
  return (format, text) => {
    if (!isColoured) return text;
    const [begin, end] = inspect.colors[format]!;
    return terminalControl(`\u001b[${begin}m`) + text + terminalControl(`\u001b[${end}m`);
  };
}

// Screens that change.

/** Text in place of the whole screen of a terminal. */
export function replaceScreen(text: string): string {
  return CLEAR + text;
}

const CLEAR = terminalControl('\u001b[H\u001b[2J');

/** Text in place of the lines that a terminal shows last. */
export function replaceLines(shown: string, text: string): string {
  const lines = shown.split('\n').length - 1;
  return lines === 0 ? text : terminalControl(`\u001b[${lines}A\u001b[J`) + text;
}
