import { visible } from '@hdrscope/core/internal';
import type { Io } from '../command.ts';
import { wrapItem, wrapWords } from './help-text.ts';
import { type Colour, lineLength, painter } from './screen.ts';

/** A column: its title, and whether its cells are words. Words begin at the left, numbers end at the right. */
export interface Column {
  readonly title: string;
  readonly isText?: boolean;
  /** On a narrow screen, columns are left out, the highest number first. @default never left out */
  readonly spare?: number;
}

/** Formats a table with columns as wide as their widest cell. The first line has the titles. */
export function formatTable(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const cells = [columns.map(({ title }) => title), ...rows].map((row) => row.map((cell) => visible(cell)));
  const widths = columns.map((_, at) =>
    cells.reduce((widest, row) => Math.max(widest, row[at]?.length ?? 0), 0),
  );
  const last = columns.length - 1;
  return cells.map((row) =>
    row
      .map((cell, at) => {
        if (columns[at]?.isText !== true) return cell.padStart(widths[at]!);
        return at === last ? cell : cell.padEnd(widths[at]!);
      })
      .join('  '),
  );
}

/**
 * A table for a screen: as `formatTable` when it fits, perhaps without spare columns; else a line per figure below the first cell of
 * each row.
 *
 * @param paintLine Colours a line of the row with an index. @default as it is
 */
export function shownTable(
  columns: readonly Column[],
  rows: readonly (readonly string[])[],
  io: Io,
  paintLine: (line: string, row: number) => string = (line) => line,
): string[] {
  const paint = painter(io, io.stdout);
  const width = lineLength(io);
  const places = narrowing(columns);
  for (const shown of places) {
    const [titles = '', ...lines] = tableOfPlaces(columns, rows, shown);
    if ([titles, ...lines].every((line) => line.length <= width)) {
      return [paint('bold', titles), ...lines.map(paintLine)];
    }
  }
  const short = withShortNames(columns, rows, places.at(-1)!, width);
  if (short !== undefined) {
    const [titles = '', ...lines] = tableOfPlaces(columns, short, places.at(-1)!);
    return [paint('bold', titles), ...lines.map(paintLine)];
  }
  return rows.flatMap((row, at) => {
    const [heading = '', ...figures] = rowBlock(columns, row, width);
    return [paint('bold', heading), ...figures.map((line) => paintLine(line, at))];
  });
}

/** Makes a function that colours the last cell of each row of a table: see `shownTable`. */
export function paintEnds(
  rows: Rows,
  colours: readonly Colour[],
  io: Io,
): (line: string, row: number) => string {
  const paint = painter(io, io.stdout);
  return (line, row) => {
    const word = rows[row]!.at(-1)!;
    return line.endsWith(word) ? line.slice(0, -word.length) + paint(colours[row]!, word) : line;
  };
}

type Rows = readonly (readonly string[])[];

function tableOfPlaces(columns: readonly Column[], rows: Rows, places: readonly number[]): string[] {
  return formatTable(
    places.map((at) => columns[at]!),
    rows.map((row) => places.map((at) => row[at]!)),
  );
}

const SHORTEST_NAME = 16;

/** The rows with names that are cut in their middle so that the table fits; `undefined` when they would be too short, or alike. */
function withShortNames(
  columns: readonly Column[],
  rows: Rows,
  places: readonly number[],
  width: number,
): Rows | undefined {
  if (columns[0]?.isText !== true) return undefined;
  // The last column may have words, and lines of different lengths.
  const others = tableOfPlaces(columns, rows, places.slice(1)).reduce(
    (widest, { length }) => Math.max(widest, length),
    0,
  );
  const room = width - others - GAP;
  if (room < SHORTEST_NAME) return undefined;
  const cut = rows.map(([name = '', ...cells]) => [shortened(visible(name), room), ...cells]);
  return new Set(cut.map(([name]) => name)).size === new Set(rows.map(([name]) => name)).size
    ? cut
    : undefined;
}

/** The blanks between two columns. */
const GAP = 2;

function shortened(name: string, length: number): string {
  if (name.length <= length) return name;
  const end = Math.floor((length - 1) / 2);
  return `${name.slice(0, length - 1 - end)}…${name.slice(name.length - end)}`;
}

/** The places of the columns: all of them, then without the spare ones, one by one. */
function narrowing(columns: readonly Column[]): number[][] {
  const all = columns.map((_, at) => at);
  const spare = all.filter((at) => columns[at]!.spare !== undefined);
  const order = spare.sort((a, b) => columns[b]!.spare! - columns[a]!.spare!);
  return [all, ...order.map((_, count) => all.filter((at) => !order.slice(0, count + 1).includes(at)))];
}

/** A row as lines: its first cell, and below it a line per figure. */
export function rowBlock(columns: readonly Column[], row: readonly string[], width: number): string[] {
  const widest = columns.slice(1).reduce((most, { title }) => Math.max(most, title.length), 0);
  const [first = '', ...cells] = row.map((cell) => visible(cell).trim());
  const figures = cells.flatMap((cell, i) => {
    const { title } = columns[i + 1]!;
    const line = `  ${title.padEnd(widest)}  ${cell}`.trimEnd();
    return line.length <= width ? [line] : wrapItem(title, widest, cell, width).split('\n');
  });
  return [...(first.length <= width ? [first] : wrapWords(first, width)), ...figures];
}

export function formatMarkdown(columns: readonly Column[], rows: readonly (readonly string[])[]): string[] {
  const line = (cells: readonly string[]): string => `| ${cells.join(' | ')} |`;
  return [
    line(columns.map(({ title }) => title)),
    `|${columns.map(({ isText }) => (isText ? '---' : '--:')).join('|')}|`,
    ...rows.map((row) => line(row.map((cell) => visible(cell).replaceAll('|', '\\|')))),
  ];
}

// CSV.

/** A line of CSV. Source of the quoting: RFC 4180 §2. */
export function csvLine(cells: readonly (string | number)[]): string {
  return `${cells.map(quoted).join()}\n`;
}

function quoted(cell: string | number): string {
  const text = String(cell);
  return /[",\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
