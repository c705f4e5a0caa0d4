import type { NumberFormat } from '@hdrscope/kit/number-reader';
import type { CountedUnit } from '@hdrscope/registry';
import { type Command, Option } from 'commander';
import { integerParser, wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { suggestion } from '../nearest.ts';
import { isPlotDocument } from '../plot-document.ts';
import {
  bareDocument,
  cellsOf,
  fieldOf,
  fieldsWithNumbers,
  firstDocuments,
  isNumber,
  numberColumns,
  numberText,
  parsedJson,
  tableOf,
} from './number-texts.ts';
import { numberWithUnit } from './number-unit.ts';

/** Where a text has its numbers, as the command line says. */
export interface NumberOptions {
  /** The path to a field of JSON, as in `request.latency`. */
  readonly field?: string;
  /** The name of a column, or its number from 1. */
  readonly column?: string;
  readonly separator?: string;
  /** How many lines at the beginning are left out. */
  readonly skip?: number;
}

/** Adds `--field`, `--column`, `--separator` and `--skip` to a command that counts numbers. */
export function addNumberOptions(parser: Command): Command {
  return parser
    .option(
      '--field <path>',
      'for JSON, an object per line: the field with the numbers, as in latency or request.ms',
    )
    .addOption(
      new Option(
        '--column <name>',
        'for CSV and other tables: the column with the numbers, by its title or from 1',
      )
        .argParser(parseColumn)
        .default(undefined, 'the line is one number'),
    )
    .addOption(
      new Option('--separator <character>', 'the character between columns; \\t is a tab')
        .argParser(parseSeparator)
        .default(undefined, 'recognised'),
    )
    .addOption(
      new Option('--skip <lines>', 'how many lines at the beginning of each file are ignored')
        .argParser(integerParser('--skip', 0))
        .default(undefined, '0, and the titles of columns'),
    );
}

/** @throws UsageError */
export function assertNumberOptions({ field, column, separator }: NumberOptions): void {
  if (field !== undefined && column !== undefined) {
    throw new UsageError('--field and --column exclude each other: JSON has fields, and tables have columns');
  }
  if (separator !== undefined && column === undefined) {
    throw new UsageError('--separator needs --column, the column that has the numbers');
  }
}

function parseColumn(text: string): string {
  if (text.trim() !== '' && !/^(0+|-\d+|\d+\.\d+)$/.test(text)) return text.trim();
  throw wrongOption('--column', 'the title of a column, or its number from 1', text);
}

function parseSeparator(text: string): string {
  const character = text === '\\t' ? '\t' : text;
  // A digit or a point could belong to the number.
  if (!/^[\t !-*,/:-~]$/.test(character) || /[a-z]/i.test(character)) {
    throw wrongOption(
      '--separator',
      'one ASCII character that is no part of a number, such as , or \\t',
      text,
    );
  }
  return character;
}

// Plans.

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

// Units.

/** The unit in which numbers are counted. */
export interface UnitOfNumbers {
  readonly unit: CountedUnit;
  /** Whether numbers without a unit are in it. */
  readonly takesBare: boolean;
  /** The step of the finest recorded figures, in the unit. @default that of the unit, which is at least as fine */
  readonly step?: number;
}

/**
 * The unit of texts of numbers: what the command line states, else that of the first number with a unit, else none.
 *
 * @throws UsageError when a text has no such field or column
 */
export function unitOfNumbers(
  texts: readonly BegunText[],
  stated: CountedUnit | undefined,
  numbers: NumberOptions,
): UnitOfNumbers {
  if (stated !== undefined) return { unit: stated, takesBare: true };
  for (const text of texts) {
    const { unit } = planOf(text, numbers);
    if (unit !== undefined) return { unit, takesBare: false };
  }
  return { unit: 'none', takesBare: true };
}
