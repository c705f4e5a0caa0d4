import { assertInteger } from '../data/checks.ts';

/** How a plot is drawn with characters. */
export interface TerminalOptions {
  /** How wide it may be: an integer from 40 to 1000. @default 80 */
  readonly columns?: number;
  /** How high the drawing is, without titles and axes: an integer from 4 to 200. @default what suits the plot */
  readonly rows?: number;
  /** Whether 24-bit colours may be used; without them, shades and letters tell apart what colours would. @default false */
  readonly colours?: boolean;
  /** Whether it is drawn with ASCII alone. @default false */
  readonly ascii?: boolean;
}

/** The width of a drawing, unless the options have another one. */
export const DEFAULT_COLUMNS = 80;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertSize({ columns, rows }: TerminalOptions): void {
  if (columns !== undefined) assertInteger('columns', columns, 40, 1000);
  if (rows !== undefined) assertInteger('rows', rows, 4, 200);
}
