import type { Io } from '../command.ts';

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

/** The width of a plot between other lines: that of the terminal, within readable limits. */
export function plotColumns(columns = 80): number {
  return Math.min(Math.max(columns, 40), 120);
}
