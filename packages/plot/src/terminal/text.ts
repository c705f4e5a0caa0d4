import type { Ink } from './canvas.ts';
import { painted } from './canvas.ts';
import type { TerminalOptions } from './options.ts';

/** Text that fits: what is too long is cut, which shows. */
export function cut(text: string, width: number, ascii = false): string {
  const characters = [...text];
  if (width <= 0) return '';
  if (characters.length <= width) return text;
  const end = ascii ? '...' : '…';
  return `${characters.slice(0, Math.max(0, width - end.length)).join('')}${end}`.slice(0, width);
}

/** Text of ASCII alone, as far as that says the same. */
export function plain(text: string, ascii: boolean): string {
  if (!ascii) return text;
  return text
    .replaceAll('µ', 'u')
    .replaceAll('≤', '<=')
    .replaceAll('≥', '>=')
    .replaceAll('∞', 'inf')
    .replaceAll('–', '-');
}

/** A line of what is drawn how. */
export interface LegendEntry {
  readonly ink: Ink;
  readonly text: string;
}

/** A line for each thing that is drawn. */
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
