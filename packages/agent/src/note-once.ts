import type { EntryContext } from './entry.ts';

/** Logs a note that stays true: not again when its entry starts again. */
export function noteOnce(
  note: string,
  { memory: { notes }, info }: Pick<EntryContext, 'memory' | 'info'>,
): void {
  if (notes.has(note)) return;
  notes.add(note);
  info(note);
}
