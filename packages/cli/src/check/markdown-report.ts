import { visible } from '@hdrscope/core/internal';
import { formatMarkdown } from '../table.ts';
import { cellsOf, columnsOf, factsText, notesOf } from './cells.ts';
import { conclusionOf, isKept } from './conclusion.ts';
import type { Judged } from './verdicts.ts';

/** Formats a section of Markdown, for a pull request or the summary of a job. */
export function markdownReport(all: readonly Judged[], confidence: number): string {
  const tables = all.map((one) => {
    const notes = notesOf(one).map((note) => `- ${escaped(note)}\n`);
    return `
**${escaped(one.subject.name)}** (${factsText(one.subject)})

${formatMarkdown(columnsOf(confidence), cellsOf(one)).join('\n')}
${notes.length === 0 ? '' : `\n${notes.join('')}`}`;
  });
  return `### ${isKept(all) ? '✅' : '❌'} hdrscope check: ${conclusionOf(all)}\n${tables.join('')}\n`;
}

/** Text of files and tags, which Markdown and HTML must not obey. */
function escaped(text: string): string {
  return visible(text).replace(/[\\`*_[\]<>#|~&]/g, (character) => `\\${character}`);
}
