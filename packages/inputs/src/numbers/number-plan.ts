import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  assertText,
  custom,
  integer,
  listOf,
  type OptionNames,
  type OptionRule,
  type OptionsOwner,
  text,
} from '@hdrscope/core/internal';
import { listNames, suggestion } from '@hdrscope/kit';
import type { NumberFormat } from '@hdrscope/kit/number-reader';
import type { CountedUnit } from '@hdrscope/registry';
import { type LikelyPlace, likelyPlaces, withoutKnown } from './likely-places.ts';
import {
  bareDocument,
  cellsOf,
  fieldOf,
  fieldsWithNumbers,
  fieldsWithStrings,
  firstDocuments,
  hasNumbers,
  isNumber,
  lineDocuments,
  numberColumns,
  numberText,
  type Place,
  parsedJson,
  readTable,
  tableColumns,
} from './number-texts.ts';
import { numberWithUnit, stepOf } from './number-unit.ts';

/** Where a text has its numbers. */
export interface NumberPlace {
  /** The path to a field of JSON, as in `request.latency`. @default the text is no JSON */
  readonly field?: string | undefined;
  /** The title of a column, or its number from 1. @default each line is a number */
  readonly column?: string | undefined;
  /**
   * The field or column with the time of each value: a number in any unit, or a date. With `field` or `column`.
   *
   * @default the times are not known
   */
  readonly time?: string | undefined;
  /** The character between columns, with `column`. @default it is recognised */
  readonly separator?: string | undefined;
  /** How many lines at the beginning are left out: an integer of at least 0. @default 0, and the titles of columns */
  readonly skip?: number | undefined;
}

/** The rules of {@link NumberPlace}. */
export const PLACE_NAMES: OptionNames<NumberPlace> = {
  field: text,
  column: text,
  time: text,
  separator: text,
  skip: integer({ from: 0 }),
};

const FIND_NUMBER_UNIT: OptionsOwner<NumberPlace> = {
  name: 'findNumberUnit',
  names: PLACE_NAMES,
  call: "findNumberUnit(texts, { column: 'wait' })",
};

/** The rule of texts of numbers. */
export const numberTexts: OptionRule<readonly BegunText[]> = listOf<BegunText>(
  custom(
    'a text',
    (one) => text.accepts((one as BegunText).name) && text.accepts((one as BegunText).beginning),
  ),
  'texts { name, beginning }',
);

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
  /** Finds the text of the time of a line; `undefined` when times are not asked for. `textIn` is there with it. */
  readonly timeIn?: ((line: string) => string | undefined) | undefined;
  /** The unit of the first value; `undefined` when it is a number alone. */
  readonly unit: CountedUnit | undefined;
  /** The step that keeps the decimals of the first values apart. */
  readonly step: number;
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` when a text has no such field or column; its message names those with numbers. */
export function planNumbers(text: BegunText, place: NumberPlace): NumberPlan {
  const { field, column, skip } = place;
  if (field !== undefined) return fieldPlan(text, field, place);
  if (column !== undefined) return columnPlan(text, column, place);
  const values = wholeLines(text.beginning)
    .slice(skip)
    .map((line) => line.trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
  const unit = unitOf(values);
  // The fast way would refuse each line that has a unit.
  const textIn = unit === undefined ? undefined : (line: string) => line.trim();
  return { format: { skip }, textIn, unit, step: finestStep(values) };
}

function fieldPlan({ name, beginning }: BegunText, field: string, { time }: NumberPlace): NumberPlan {
  const documents = firstDocuments(beginning);
  const texts = documents.flatMap((document) => numberText(fieldOf(document, field)) ?? []);
  if (documents.length > 0 && texts.length === 0) {
    const others = othersText(field, namesOf(fieldsWithNumbers(documents)), 'fields');
    throw missingPlace(`${name} has no numbers in the field ${field}${others}`);
  }
  if (time !== undefined && !documents.some((document) => momentText(fieldOf(document, time)) !== undefined))
    throw missingPlace(`${name} has no times in the field ${time}`);
  const valueIn = (line: string, path: string): unknown => {
    // An array of objects may have one per line.
    const bare = bareDocument(line);
    return bare.startsWith('{') ? fieldOf(parsedJson(bare), path) : undefined;
  };
  return {
    format: {},
    textIn: (line) => numberText(valueIn(line, field)),
    timeIn: time === undefined ? undefined : (line) => momentText(valueIn(line, time)),
    unit: unitOf(texts),
    step: finestStep(texts),
  };
}

/** The text of a time in JSON; `undefined` for other values. */
function momentText(value: unknown): string | undefined {
  return typeof value === 'number' || typeof value === 'string' ? String(value) : undefined;
}

function columnPlan({ name, beginning }: BegunText, column: string, place: NumberPlace): NumberPlan {
  const lines = wholeLines(beginning).join('\n');
  const table = readTable(lines, place, true);
  const placeOf = (wanted: string): number => {
    const named = table?.titles?.indexOf(wanted) ?? -1;
    const isNumbered = /^\d+$/.test(wanted) && named === -1;
    if (isNumbered) return Number(wanted) - 1;
    if (named !== -1) return named;
    const found = table === undefined ? [] : namesOf(numberColumns(table));
    throw missingPlace(`${name} has no column ${wanted}${othersText(wanted, found, 'columns')}`);
  };
  const at = placeOf(column);
  const timeAt = place.time === undefined ? undefined : placeOf(place.time);
  const separator = table === undefined ? place.separator : table.separator;
  const cells = (table?.rows ?? []).map((row) => row[at] ?? '');
  const { titles, headLines = 0 } = table ?? {};
  const format = { column: at + 1, separator, skip: titles === undefined ? (place.skip ?? 0) : headLines };
  const isPlain = cells.every((cell) => isNumber(cell) || numberWithUnit(cell) === undefined);
  const isFast = isPlain && timeAt === undefined;
  const textIn = isFast ? undefined : (line: string) => cellsOf(line, separator)[at];
  const timeIn = timeAt === undefined ? undefined : (line: string) => cellsOf(line, separator)[timeAt];
  return { format, textIn, timeIn, unit: unitOf(cells), step: finestStep(cells) };
}

function othersText(asked: string, found: readonly string[], what: string): string {
  if (found.length === 0) return `: it has no ${what} with numbers`;
  return `${suggestion(asked, found)}; the ${what} with numbers are ${listNames(found, MOST_NAMES)}`;
}

const MOST_NAMES = 12;

function missingPlace(message: string): HdrscopeError {
  return new HdrscopeError('ERR_INVALID_OPTION', message);
}

/** The places of a text that have numbers: fields of JSON, or columns of a table. */
export interface NumberPlaces {
  /** Fields of JSON, or columns of a table. */
  readonly kind: 'field' | 'column';
  /** At least one. */
  readonly names: readonly string[];
  /**
   * Those that most probably have measured values, by their names and numbers: durations and values, never moments, statuses, identities
   * and shares. Several are equally probable. It is empty when no place is probable, when a row stands for several values, and when a
   * place that has other texts too is as probable.
   */
  readonly likely: readonly LikelyPlace[];
}

/**
 * Lists the places of a text that have numbers, by its beginning; `undefined` when it has none, and for numbers alone.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the argument is not a text.
 * @example
 * ```ts
 * import { listNumberPlaces } from '@hdrscope/inputs';
 *
 * const places = listNumberPlaces('{"status":200,"latency":{"ms":1.5}}\n');
 * places?.names; //=> ['status', 'latency.ms']
 * places?.likely; //=> [{ name: 'latency.ms', unit: 'ms' }]
 * listNumberPlaces('route,ms\n/a,1\n')?.kind; //=> 'column'
 * listNumberPlaces('Dear all,\n'); //=> undefined
 * ```
 */
export function listNumberPlaces(beginning: string): NumberPlaces | undefined {
  assertText('the beginning', beginning);
  const documents = lineDocuments(beginning);
  const fields = fieldsWithNumbers(documents.length > 0 ? documents : firstDocuments(beginning));
  if (fields.length > 0) {
    // Fields are read line by line, so those of a document of several lines cannot be counted.
    const likely =
      documents.length > 0 ? likelyPlaces(fields, withoutPlaces(fieldsWithStrings(documents), fields)) : [];
    return { kind: 'field', names: namesOf(fields), likely };
  }
  const table = readTable(wholeLines(beginning).join('\n'));
  if (table === undefined) return undefined;
  const columns = tableColumns(table);
  const names = namesOf(columns.filter(hasNumbers));
  if (names.length === 0) return undefined;
  const unknown = table.titles === undefined ? withoutKnown(columns, table.rows) : columns;
  const values = unknown.filter(hasNumbers);
  return { kind: 'column', names, likely: likelyPlaces(values, withoutPlaces(unknown, values)) };
}

function withoutPlaces(places: readonly Place[], left: readonly Place[]): Place[] {
  const names = new Set(namesOf(left));
  return places.filter(({ name }) => !names.has(name));
}

function namesOf(places: readonly Place[]): string[] {
  return places.map(({ name }) => name);
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

// Above it, ticks of a nanosecond would need more than 53 bits.
const MOST_DECIMALS = 9;
const MOST_TICKS = 2 ** 50;

/**
 * The step that keeps the decimals of numbers apart: 0.0001 for 0.0058, within what a histogram can count. Texts with a unit are skipped.
 */
function finestStep(values: readonly string[]): number {
  let [decimals, largest] = [0, 0];
  for (const value of values) {
    if (!isNumber(value)) continue;
    const [mantissa = '', exponent = '0'] = value.toLowerCase().split('e');
    const [, fraction = ''] = mantissa.split('.');
    let own = fraction.length;
    while (own > 0 && fraction[own - 1] === '0') own--;
    decimals = Math.max(decimals, own - Number(exponent));
    largest = Math.max(largest, Number(value));
  }
  decimals = Math.min(decimals, MOST_DECIMALS);
  while (decimals > 0 && largest * 10 ** decimals > MOST_TICKS) decimals--;
  return Number(`1e-${decimals}`);
}

// Units.

/** The unit of numbers. */
export interface FoundUnit {
  /** `'none'` when no number has a unit. */
  readonly unit: CountedUnit;
  /** Whether numbers without a unit are in it. */
  readonly takesBare: boolean;
  /**
   * The step that keeps the decimals of numbers without a unit apart: a `resolution`, of 0.001 or finer. It is there when none has a unit.
   */
  readonly step?: number;
}

/**
 * Finds the unit of texts of numbers: that of the first number with a unit, else none.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a text has no such field or column.
 * @example
 * ```ts
 * import { findNumberUnit } from '@hdrscope/inputs';
 *
 * findNumberUnit([{ name: 'waits.txt', beginning: '12ms\n1.5s\n' }]); //=> { unit: 'ms', takesBare: false }
 * findNumberUnit([{ name: 'sizes.txt', beginning: '12\n' }]); //=> { unit: 'none', takesBare: true, step: 0.001 }
 * findNumberUnit([{ name: 'waits.txt', beginning: '0.0058\n' }]); //=> { unit: 'none', takesBare: true, step: 0.0001 }
 * ```
 */
export function findNumberUnit(texts: readonly BegunText[], place: NumberPlace = {}): FoundUnit {
  assertOptions(place, FIND_NUMBER_UNIT);
  assertFollows('the texts', numberTexts, texts);
  let step = stepOf('none');
  for (const text of texts) {
    const { unit, step: own } = planNumbers(text, place);
    if (unit !== undefined) return { unit, takesBare: false };
    step = Math.min(step, own);
  }
  return { unit: 'none', takesBare: true, step };
}
