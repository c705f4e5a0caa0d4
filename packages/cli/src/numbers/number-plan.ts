import type { NumberFormat } from '@hdrscope/kit/number-reader';
import type { CountedUnit } from '@hdrscope/registry';
import { UsageError } from '../command.ts';
import { suggestion } from '../nearest.ts';
import { isPlotDocument } from '../plot-document.ts';
import {
  bareDocument,
  fieldOf,
  fieldsWithNumbers,
  firstDocuments,
  numberText,
  parsedJson,
} from './json-fields.ts';
import type { NumberOptions } from './number-options.ts';
import { numberWithUnit } from './quantity.ts';
import { cellsOf, isNumber, numberColumns, tableOf } from './table-text.ts';

/** A text with numbers, and its beginning. */
export interface BegunText {
  readonly name: string;
  /** At least its first lines, or the whole text. */
  readonly beginning: string;
}

/** How the numbers of a text are found. */
export interface NumberPlan {
  /** Reads numbers alone, in columns or not: the fast way. */
  readonly format: NumberFormat;
  /** Finds the text of a number in a line, where numbers have units, quotes or names; `undefined` when `format` is enough. */
  readonly textIn: ((line: string) => string | undefined) | undefined;
  /** The unit of the first value; `undefined` when it is a number alone. */
  readonly unit: CountedUnit | undefined;
}

/** @throws UsageError when a text has no such field or column; its message names those with numbers. */
export function planOf(text: BegunText, options: NumberOptions): NumberPlan {
  const { field, column, skip } = options;
  if (field !== undefined) return fieldPlan(text, field);
  if (column !== undefined) return columnPlan(text, column, options);
  const values = wholeLines(text.beginning)
    .slice(skip)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const unit = unitOf(values);
  // The fast way would refuse each line that has a unit.
  const textIn = unit === undefined ? undefined : (line: string) => line.trim();
  return { format: { skip }, textIn, unit };
}

function fieldPlan({ name, beginning }: BegunText, field: string): NumberPlan {
  const documents = firstDocuments(beginning);
  const texts = documents.flatMap((document) => numberText(fieldOf(document, field)) ?? []);
  if (documents.length > 0 && texts.length === 0) {
    const others = othersText(field, fieldsWithNumbers(documents), 'fields');
    throw new UsageError(`${name} has no numbers in the field ${field}${others}`);
  }
  const textIn = (line: string): string | undefined => {
    // An array of objects may have one per line.
    const bare = bareDocument(line);
    return bare.startsWith('{') ? numberText(fieldOf(parsedJson(bare), field)) : undefined;
  };
  return { format: {}, textIn, unit: unitOf(texts) };
}

function columnPlan({ name, beginning }: BegunText, column: string, options: NumberOptions): NumberPlan {
  const lines = wholeLines(beginning).join('\n');
  const table = tableOf(lines, options, true);
  const named = table?.titles?.indexOf(column) ?? -1;
  const isNumbered = /^\d+$/.test(column) && named === -1;
  const at = isNumbered ? Number(column) - 1 : named;
  if (!isNumbered && named === -1) {
    const found = table === undefined ? [] : numberColumns(table);
    throw new UsageError(`${name} has no column ${column}${othersText(column, found, 'columns')}`);
  }
  const separator = table === undefined ? options.separator : table.separator;
  const cells = (table?.rows ?? []).map((row) => row[at] ?? '');
  const { titles, headLines = 0 } = table ?? {};
  const format = { column: at + 1, separator, skip: titles === undefined ? (options.skip ?? 0) : headLines };
  const isPlain =
    cells.every((cell) => isNumber(cell) || numberWithUnit(cell) === undefined) && !lines.includes('"');
  const textIn = isPlain ? undefined : (line: string) => cellsOf(line, separator)[at];
  return { format, textIn, unit: unitOf(cells) };
}

function othersText(asked: string, found: readonly string[], what: string): string {
  if (found.length === 0) return `: it has no ${what} with numbers`;
  const shown = found.slice(0, MOST_NAMES).join(', ');
  const more = found.length > MOST_NAMES ? ` and ${found.length - MOST_NAMES} more` : '';
  return `${suggestion(asked, found)}; the ${what} with numbers are ${shown}${more}`;
}

const MOST_NAMES = 12;

/** How to count the numbers of a text that is JSON or a table; `undefined` when it has none. */
export function cureOf({ name, beginning }: BegunText, command: string): string | undefined {
  const path = name === 'standard input' ? '-' : name;
  const documents = firstDocuments(beginning);
  // The numbers of a plot, such as its version, are no values.
  if (documents.some(isPlotDocument)) return undefined;
  const fields = fieldsWithNumbers(documents);
  if (fields.length > 0) return cureText('the fields with numbers are', fields, `${command} --field`, path);
  const table = tableOf(wholeLines(beginning).join('\n'));
  const columns = table === undefined ? [] : numberColumns(table);
  if (columns.length === 0) return undefined;
  return cureText('the columns with numbers are', columns, `${command} --column`, path);
}

function cureText(what: string, names: readonly string[], command: string, path: string): string {
  const shown = names.slice(0, MOST_NAMES).join(', ');
  const first = names[0]!;
  return `${what} ${shown}: ${command} ${/^[\w.-]+$/.test(first) ? first : `'${first}'`} ${path}`;
}

/** The lines of a beginning, without the last one when it may be incomplete. */
function wholeLines(beginning: string): string[] {
  const lines = beginning.split(/\r?\n/);
  return lines.length > 1 && !beginning.endsWith('\n') && beginning.length > LONG
    ? lines.slice(0, -1)
    : lines;
}

// A text shorter than a chunk is whole, or ends where its writer has paused.
const LONG = 4096;

/** The unit of the first value, with a unit or without; other texts are skipped. */
function unitOf(values: readonly string[]): CountedUnit | undefined {
  for (const value of values) {
    if (isNumber(value)) return undefined;
    const found = numberWithUnit(value);
    if (found !== undefined) return found.unit;
  }
  return undefined;
}
