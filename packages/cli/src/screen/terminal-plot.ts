import { visible } from '@hdrscope/core/internal';
import { type Plot, plotText, type TerminalOptions } from '@hdrscope/plot';
import type { Io } from '../command.ts';
import { terminalControl } from './clean-output.ts';
import { hasColours, plotColumns, screenOf } from './screen.ts';

/** A plot as text. Its names and titles come from files of others, so only colours of ours control the terminal. */
export function terminalPlot(plot: Plot, options: TerminalOptions): string {
  const text = plotText(withVisibleTexts(plot), options);
  return options.colours === true ? text.replace(COLOUR, terminalControl) : text;
}

/** A plot between other lines of standard output. */
export function plotOnScreen(plot: Plot, io: Io, options: { readonly ascii?: boolean } = {}): string {
  const { columns, ascii } = screenOf(io, options);
  return terminalPlot(plot, { columns: plotColumns(columns), colours: hasColours(io, io.stdout), ascii });
}

// biome-ignore lint/suspicious/noControlCharactersInRegex: it finds the sequences that colour text.
const COLOUR = /\u001b\[[\d;]*m/g;

/** A copy of plain data in which every text is visible. Other values and keys stay. */
function withVisibleTexts<T>(data: T): T {
  return copied(data) as T;
}

function copied(value: unknown): unknown {
  if (typeof value === 'string') return visible(value);
  if (Array.isArray(value)) return value.some(holdsText) ? value.map(copied) : value;
  if (value === null || typeof value !== 'object' || ArrayBuffer.isView(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, item]) => [key, copied(item)]));
}

function holdsText(item: unknown): boolean {
  return typeof item === 'string' || (typeof item === 'object' && item !== null);
}
