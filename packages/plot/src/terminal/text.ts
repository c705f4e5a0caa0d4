import { distinctCuts, type Measure } from '../chart/text-width.ts';
import type { Ink } from './canvas.ts';
import { painted } from './canvas.ts';
import type { TerminalOptions } from './options.ts';

/** Text that fits. A text that is too long is cut and ends with an ellipsis. */
export function cut(text: string, width: number, ascii = false): string {
  const characters = [...text];
  if (width <= 0) return '';
  if (characters.length <= width) return text;
  const end = ascii ? '...' : '…';
  return `${characters.slice(0, Math.max(0, width - end.length)).join('')}${end.slice(0, width)}`;
}

/** The beginning of a text, without an ellipsis. */
export function clipped(text: string, width: number): string {
  return text.length <= width ? text : [...text].slice(0, width).join('');
}

/** Names of at most so many characters, which differ where the whole names do. */
export function namesFor(names: readonly string[], width: number, ascii: boolean): string[] {
  const measure: Measure = (text) => [...plain(text, ascii)].length;
  return distinctCuts(names, width, measure).map((name) => plain(name, ascii));
}

/** With `ascii`, replaces the characters beyond ASCII that this package writes. Others, as in names, stay as they are. */
export function plain(text: string, ascii: boolean): string {
  if (!ascii) return text;
  return text
    .replaceAll('µ', 'u')
    .replaceAll('≤', '<=')
    .replaceAll('≥', '>=')
    .replaceAll('∞', 'inf')
    .replaceAll('–', '-')
    .replaceAll('·', '-')
    .replaceAll('…', '...')
    .replaceAll('÷', '/')
    .replaceAll('×', 'x');
}

/** A line of a legend. */
export interface LegendEntry {
  readonly ink: Ink;
  readonly text: string;
}

/** The lines of a legend. */
export function legendLines(
  entries: readonly LegendEntry[],
  columns: number,
  { ascii = false, colours = false }: TerminalOptions,
): string[] {
  return entries.map(({ ink, text }) => {
    const mark = ascii ? ink.ascii : colours && ink.mark !== '╌' ? '━' : ink.mark;
    return `${painted(mark, ink.colour)} ${cut(plain(text, ascii), columns - 2, ascii)}`;
  });
}
