import { numberWithUnit } from './number-unit.ts';

/** The columns of a text that is a table. */
export interface TableText {
  /** The character between columns; `undefined` for blanks. */
  readonly separator: string | undefined;
  /** The titles of columns; `undefined` when the first line has values. */
  readonly titles: readonly string[] | undefined;
  /** How many lines come before the first line with values. */
  readonly headLines: number;
  /** The first rows with values. */
  readonly rows: readonly (readonly string[])[];
}

const SEPARATORS: readonly (string | undefined)[] = [',', ';', '\t', '|', undefined];
const MOST_ROWS = 50;

/**
 * Reads the columns of a text, by its beginning.
 *
 * @param text Its whole lines.
 * @param isStated Whether somebody states that the text is a table. Otherwise all rows must have the same number of columns, and
 * one column must have values.
 * @returns `undefined` when the text is no table.
 */
export function readTable(
  text: string,
  { separator, skip = 0 }: { separator?: string | undefined; skip?: number | undefined } = {},
  isStated = false,
): TableText | undefined {
  const lines = text
    .split(/\r?\n/)
    .map((line, at) => ({ line, at }))
    .slice(skip)
    .filter(({ line }) => !/^\s*(#|$)/.test(line))
    .slice(0, MOST_ROWS + 1);
  const first = lines[0];
  if (first === undefined) return undefined;
  const tables = (separator === undefined ? SEPARATORS : [separator]).map((one) => ({
    separator: one,
    cells: lines.map(({ line }) => cellsOf(line, one)),
  }));
  const found = tables.find(({ cells }) => isTable(cells)) ?? (isStated ? bestSplit(tables) : undefined);
  if (found === undefined) return undefined;
  const [head = [], ...rows] = found.cells;
  const hasTitles = !head.some(isValue) && rows.length > 0;
  return {
    separator: found.separator,
    titles: hasTitles ? head : undefined,
    headLines: hasTitles ? (lines[1]?.at ?? first.at + 1) : first.at,
    rows: hasTitles ? rows : found.cells,
  };
}

interface Split {
  readonly separator: string | undefined;
  readonly cells: readonly (readonly string[])[];
}

/** The way to split lines that gives two columns or more, of which one has the most values; else one column. */
function bestSplit(splits: readonly Split[]): Split | undefined {
  let [found, most] = [splits.at(-1), -1];
  for (const split of splits) {
    if (split.cells.every(({ length }) => length < 2)) continue;
    const values: number[] = [];
    for (const row of split.cells) {
      for (const [at, cell] of row.entries()) if (isValue(cell)) values[at] = (values[at] ?? 0) + 1;
    }
    const count = values.reduce((highest, one) => Math.max(highest, one), 0);
    if (count > most) [found, most] = [split, count];
  }
  return found;
}

/** Whether all rows have the same number of columns, two or more, and one column has values. */
function isTable(cells: readonly (readonly string[])[]): boolean {
  const [{ length: columns } = [], ...others] = cells;
  if (columns < 2 || !others.every(({ length }) => length === columns)) return false;
  const rows = others.length === 0 ? cells : others;
  return rows[0]!.some((_, at) => rows.every((row) => isValue(row[at]!) || row[at] === ''));
}

/** The cells of a line, without blanks and quotes around them. A cell in quotes may have separators, as `NumberReader` reads it. */
export function cellsOf(line: string, separator: string | undefined): string[] {
  const text = separator === undefined ? line.trim() : line;
  if (!text.includes('"')) return text.split(separator ?? /\s+/).map((cell) => cell.trim());
  const cells: string[] = [];
  for (let from = 0; ; ) {
    const to = cellTo(text, from, separator);
    cells.push(unquoted(text.slice(from, to).trim()));
    if (to === text.length) return cells;
    from = to + 1;
    while (separator === undefined && isBlank(text[from]!)) from++;
  }
}

/** Where a cell ends, as `NumberReader` finds it. */
function cellTo(text: string, from: number, separator: string | undefined): number {
  let at = from;
  while (separator !== ' ' && text[at] === ' ') at++;
  let isQuoted = false;
  let closedAt = -1;
  for (const first = at; at < text.length; at++) {
    const character = text[at]!;
    if (isQuoted) {
      if (character === '"') [isQuoted, closedAt] = [false, at];
      else if (character === '\\' && separator === undefined) at++;
    } else if (separator === undefined ? isBlank(character) : character === separator) return at;
    else if (character === '"') isQuoted = at === first || text[at - 1] === '=' || at - 1 === closedAt;
  }
  return text.length;
}

function isBlank(character: string): boolean {
  return character === ' ' || character === '\t' || character === '\r';
}

function unquoted(cell: string): string {
  return /^".*"$/.test(cell) ? cell.slice(1, -1).replaceAll('""', '"') : cell;
}

/** Whether a cell is a number, perhaps with a unit. */
export function isValue(cell: string): boolean {
  return isNumber(cell) || numberWithUnit(cell) !== undefined;
}

/** Whether a text is a number of at least 0, as `NumberReader` reads it. */
export function isNumber(text: string): boolean {
  return /^\+?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i.test(text);
}

/** A moment in seconds: a number of `perSec` parts of a second, or a date. `NaN` for other texts. */
export function momentOf(text = '', perSec = 1): number {
  const number = text.trim() === '' ? Number.NaN : Number(text);
  return Number.isNaN(number) ? Date.parse(text) / 1000 : number / perSec;
}

/** A column or a field. */
export interface Place {
  /** Its title, its number from 1, or its path. */
  readonly name: string;
  /** Whether the name says something. */
  readonly isTitled: boolean;
  /** The texts of the first rows or documents, in their order; a text is empty where there is no value. */
  readonly cells: readonly string[];
}

/** The columns of a table: by their titles, or by their numbers from 1 where a title is empty or another column's too. */
export function tableColumns({ titles, rows }: TableText): Place[] {
  const first = rows[0] ?? [];
  return first.map((_, at) => {
    const title = titles?.[at] ?? '';
    const isTitled = title !== '' && titles?.indexOf(title) === at;
    return { name: isTitled ? title : String(at + 1), isTitled, cells: rows.map((row) => row[at] ?? '') };
  });
}

/** Whether a column has numbers, and nothing else. */
export function hasNumbers({ cells }: Place): boolean {
  return cells.some(isValue) && cells.every((cell) => cell === '' || isValue(cell));
}

/** The columns that have numbers. */
export function numberColumns(table: TableText): Place[] {
  return tableColumns(table).filter(hasNumbers);
}

// Fields of JSON.

const MOST_DEPTH = 8;

/** The value of a field; `undefined` when the document has no such field. The name of a field may contain points. */
export function fieldOf(document: unknown, path: string): unknown {
  if (typeof document !== 'object' || document === null) return undefined;
  if (Object.hasOwn(document, path)) return (document as Record<string, unknown>)[path];
  // The longest name that is there comes first.
  for (let at = path.lastIndexOf('.'); at > 0; at = path.lastIndexOf('.', at - 1)) {
    const name = path.slice(0, at);
    if (Object.hasOwn(document, name))
      return fieldOf((document as Record<string, unknown>)[name], path.slice(at + 1));
  }
  return undefined;
}

/** The text of a number in JSON, perhaps with a unit; `undefined` for other values. */
export function numberText(value: unknown): string | undefined {
  if (typeof value === 'number') return String(value);
  return typeof value === 'string' && isValue(value.trim()) ? value.trim() : undefined;
}

function wordText(value: unknown): string | undefined {
  return typeof value === 'string' ? value.trim() : undefined;
}

/** Reads the text of a field; returns `undefined` for a field of another kind. */
type TextOfField = (value: unknown) => string | undefined;

/** The paths of the fields of a document that have a text. */
function pathsWith(textOf: TextOfField, document: unknown, prefix = '', depth = 0): string[] {
  if (typeof document !== 'object' || document === null || Array.isArray(document) || depth > MOST_DEPTH)
    return [];
  return Object.entries(document).flatMap(([name, value]) => {
    const path = `${prefix}${name}`;
    return textOf(value) === undefined ? pathsWith(textOf, value, `${path}.`, depth + 1) : [path];
  });
}

function fieldsWith(textOf: TextOfField, documents: readonly unknown[]): Place[] {
  const names = new Set(documents.flatMap((document) => pathsWith(textOf, document)));
  return [...names].map((name) => ({
    name,
    isTitled: true,
    cells: documents.map((document) => textOf(fieldOf(document, name)) ?? ''),
  }));
}

/** The fields that have numbers in any of several documents. */
export function fieldsWithNumbers(documents: readonly unknown[]): Place[] {
  return fieldsWith(numberText, documents);
}

/** The fields that have strings, perhaps with numbers in them, in any of several documents. */
export function fieldsWithStrings(documents: readonly unknown[]): Place[] {
  return fieldsWith(wordText, documents);
}

/** The documents of a beginning that has one per line. Other lines are left out. */
export function lineDocuments(beginning: string): unknown[] {
  // The last line may be incomplete.
  return beginning.split('\n').flatMap((line) => parsed(bareDocument(line)));
}

/** The first documents of a text that has one per line, or of an array of them. */
export function firstDocuments(beginning: string): unknown[] {
  const lines = beginning.split('\n');
  const found = lineDocuments(beginning);
  if (found.length > 0) return found;
  const whole = parsed(beginning)[0];
  return Array.isArray(whole) ? whole.slice(0, lines.length + 100) : whole === undefined ? [] : [whole];
}

/** The document in a line of an array that has one per line, without the bracket or comma around it. */
export function bareDocument(line: string): string {
  const begun = line.trim().replace(/^\[/, '');
  return begun.replace(/[,\]]$/, '').trim();
}

function parsed(text: string): unknown[] {
  if (!text.startsWith('{') && !text.trimStart().startsWith('[')) return [];
  const document = parsedJson(text);
  return document === undefined ? [] : [document];
}

/** A document of JSON; `undefined` when the text is malformed. */
export function parsedJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
