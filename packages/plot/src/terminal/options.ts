import { assertInteger } from '../data/checks.ts';

/** How a plot is drawn with characters. */
export interface TerminalOptions {
  /** The largest width: an integer from 40 to 1000. @default 80 */
  readonly columns?: number;
  /** The height without titles and axes: an integer from 4 to 200. @default 16 for curves, at most 48 for bars and heat maps */
  readonly rows?: number;
  /** Whether 24-bit colours are used. Without them, lines carry marks and heat maps have shades of one colour. @default false */
  readonly colours?: boolean;
  /** Whether only ASCII characters are used. @default false */
  readonly ascii?: boolean;
}

/** The default of `columns`. */
export const DEFAULT_COLUMNS = 80;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertSize({ columns, rows }: TerminalOptions): void {
  if (columns !== undefined) assertInteger('columns', columns, 40, 1000);
  if (rows !== undefined) assertInteger('rows', rows, 4, 200);
}
