import type { Io } from '../command.ts';
import { screenOf } from './screen.ts';

const NARROWEST = 40;
const WIDEST = 100;
const WITHOUT_TERMINAL = 80;

/** The length of a line of help: that of the terminal or `COLUMNS`, within readable limits. */
export function helpColumns(io: Pick<Io, 'stdout' | 'environment'>): number {
  return Math.min(Math.max(screenOf(io).columns ?? WITHOUT_TERMINAL, NARROWEST), WIDEST);
}

/**
 * Breaks a text into lines of at most so many characters; a longer word stays whole. Lines that follow each other are one
 * paragraph. An indented line is an item of a list: `  name  what it is`. What is indented further continues the item.
 */
export function wrapText(text: string, columns: number): string {
  return paragraphsOf(text)
    .map((paragraph) => wrapParagraph(paragraph, columns))
    .join('\n');
}

/** Breaks words into lines. */
export function wrapWords(text: string, columns: number): string[] {
  const lines: string[] = [];
  for (const word of text.split(/\s+/).filter(Boolean)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + 1 + word.length > columns) lines.push(word);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return lines.length === 0 ? [''] : lines;
}

/** A paragraph in lines that fit on the screen. Files and pipes get one line. */
export function wrapToScreen(text: string, io: Pick<Io, 'stdout' | 'environment'>): string {
  const { columns } = screenOf(io);
  return columns === undefined ? text : wrapWords(text, columns).join('\n');
}

/** A term and what it means, side by side when there is room, else below each other. */
export function wrapItem(term: string, termWidth: number, meaning: string, columns: number): string {
  const indent = 2 + termWidth + 2;
  if (columns - indent >= LEAST_ROOM) {
    return `  ${term.padEnd(termWidth)}  ${wrapWords(meaning, columns - indent).join(`\n${' '.repeat(indent)}`)}`.trimEnd();
  }
  return [`  ${term}`, ...wrapWords(meaning, columns - 6).map((line) => `      ${line}`.trimEnd())].join(
    '\n',
  );
}

/** Narrower columns of text are hard to read. */
const LEAST_ROOM = 24;

/** Breaks a command of a shell before options and operands, with a backslash at the end of each line but the last one. */
export function wrapCommand(command: string, columns: number): string {
  if (command.length <= columns) return command;
  const lines: string[] = [];
  for (const [part] of command.matchAll(COMMAND_PARTS)) {
    const last = lines.at(-1);
    if (last !== undefined && `${last} ${part} \\`.length <= columns)
      lines[lines.length - 1] = `${last} ${part}`;
    else lines.push(last === undefined ? part : `    ${part}`);
  }
  return lines.join(' \\\n');
}

// An option stays with its value. Blanks in quotes do not separate words.
const COMMAND_PARTS = /(?:--?\w[\w-]* (?=[^\s-]))?(?:'[^']*'|"[^"]*"|[^\s'"])+/g;

/** Joins the lines of each paragraph and of each item. */
function paragraphsOf(text: string): string[] {
  const paragraphs: string[] = [];
  let indent = 0;
  for (const line of text.split('\n')) {
    const own = line.search(/\S/);
    const last = paragraphs.at(-1);
    const isItem = indent > 0;
    const continues = !!last && own !== -1 && (isItem ? own > indent : own === 0);
    if (continues) paragraphs[paragraphs.length - 1] = `${last} ${line.trim()}`;
    else {
      paragraphs.push(line.trimEnd());
      indent = own;
    }
  }
  return paragraphs;
}

function wrapParagraph(paragraph: string, columns: number): string {
  const text = paragraph.trimStart();
  const indent = paragraph.length - text.length;
  // Two blanks part a term from its meaning.
  const gap = indent === 0 ? -1 : text.indexOf('  ');
  if (gap === -1) {
    return wrapWords(text, columns - indent)
      .map((line) => (' '.repeat(indent) + line).trimEnd())
      .join('\n');
  }
  const meaning = text.slice(gap).trimStart();
  return wrapItem(text.slice(0, gap), text.length - meaning.length - GAP, meaning, columns);
}

/** The blanks between a term and its meaning. */
const GAP = 2;
