import { painter } from '../colour.ts';
import type { Io } from '../command.ts';
import { wrapToScreen } from '../help-text.ts';
import { shownTable } from '../table.ts';
import { cellsOf, columnsOf, factsText, notesOf } from './cells.ts';
import { conclusionOf } from './conclusion.ts';
import type { Verdict } from './judge.ts';
import type { Judged } from './verdicts.ts';

const COLOURS: Readonly<Record<Verdict, 'red' | 'green' | 'yellow'>> = {
  'kept beyond doubt': 'green',
  kept: 'green',
  missed: 'red',
  'missed beyond doubt': 'red',
  'cannot be judged': 'yellow',
};

/** Formats a table for each subject, and a sentence with the result. */
export function textReport(all: readonly Judged[], confidence: number, io: Io): string {
  const paint = painter(io, io.stdout);
  const tables = all.map((one) => {
    const table = shownTable(columnsOf(confidence), cellsOf(one), io, (line, at) => {
      const { verdict } = one.rows[at]!;
      const start = line.length - verdict.length;
      return line.endsWith(verdict) ? line.slice(0, start) + paint(COLOURS[verdict], verdict) : line;
    });
    const notes = notesOf(one).map((note) => `${wrapToScreen(note, io)}\n`);
    return `${wrapToScreen(`${one.subject.name} (${factsText(one.subject)})`, io)}

${table.join('\n')}
${notes.length === 0 ? '' : `\n${notes.join('')}`}
`;
  });
  return `${tables.join('')}${wrapToScreen(conclusionOf(all), io)}\n`;
}
