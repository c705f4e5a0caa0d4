import {
  type CountedNumbers,
  countNumbers,
  findNumberUnit,
  listNumberPlaces,
  type NumberPlace,
} from '@hdrscope/inputs';
import {
  type CountNumbersOptions,
  figuresStep,
  figuresUnit,
  firstDocuments,
  inUnit,
  type NumberUnit,
  numberUnit,
  stepOf,
  unitsPer,
} from '@hdrscope/inputs/internal';
import { formatCount, isObject, listNames } from '@hdrscope/kit';
import type { Plot } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { Refusal, UsageError } from '../command.ts';
import { defineOptions } from '../define-command.ts';
import { integer } from '../options.ts';
import { bytesOf, explained, explanation, type Input } from './input.ts';

/** `--field`, `--column`, `--separator` and `--skip`: where the numbers of a text are. */
export const NUMBER_PLACE = defineOptions({
  field: {
    value: '<path>',
    help: 'for JSON, an object per line: the field with the numbers, as in latency or request.ms',
  },
  column: {
    value: '<name>',
    help: 'for CSV and other tables: the column with the numbers, by its title or from 1',
    allowed: 'the title of a column, or its number from 1',
    parse: readColumn,
    fallback: 'the line is one number',
  },
  separator: {
    value: '<character>',
    help: 'the character between columns; \\t is a tab',
    allowed: 'one ASCII character that is no part of a number, such as , or \\t',
    parse: readSeparator,
    fallback: 'recognised',
  },
  skip: {
    value: '<lines>',
    help: 'how many lines at the beginning of each file are ignored',
    parse: integer(0),
    fallback: '0, and the titles of columns',
  },
});

/** {@link NUMBER_PLACE} and `--time`: for commands that look at how dependent values are. */
export const TIMED_PLACE = defineOptions({
  ...NUMBER_PLACE,
  time: {
    value: '<name>',
    help: 'the column or field with the time of each value, a number or a date: it shows how dependent values are',
    fallback: 'not known',
  },
});

/** @throws UsageError */
export function assertNumberPlace({ field, column, separator, time }: NumberPlace): void {
  if (field !== undefined && column !== undefined) {
    throw new UsageError('--field and --column exclude each other: JSON has fields, and tables have columns');
  }
  if (time !== undefined && field === undefined && column === undefined) {
    throw new UsageError('--time needs --column or --field, which has the numbers');
  }
  if (separator !== undefined && column === undefined) {
    throw new UsageError('--separator needs --column, the column that has the numbers');
  }
}

function readColumn(text: string): string | undefined {
  return text.trim() === '' || /^(0+|-\d+|\d+\.\d+)$/.test(text) ? undefined : text.trim();
}

function readSeparator(text: string): string | undefined {
  const character = text === '\\t' ? '\t' : text;
  // A digit, a letter or a point could belong to the number.
  return /^[\t !-*,/:-@[-`{-~]$/.test(character) ? character : undefined;
}

// Counting.

/** How a command counts numbers. */
interface CountingOptions extends Omit<CountNumbersOptions, 'unit' | 'resolution' | 'column' | 'time'> {
  readonly unit: NumberUnit;
  readonly numbers: NumberPlace;
  /** Gets the number of bytes of each chunk of the source. An error that it throws ends the reading. */
  readonly onBytes: (bytes: number) => void;
}

/** Counts the numbers of inputs. @throws UsageError, HdrscopeError */
export async function countInputs(
  inputs: readonly Pick<Input, 'name' | 'source' | 'beginning'>[],
  { unit, numbers: { field, column, time, separator, skip }, onBytes, ...options }: CountingOptions,
): Promise<CountedNumbers> {
  const place: NumberPlace = { field, column, time, separator, skip };
  const texts = inputs.map((input) => ({ ...input, bytes: bytesOf(input, onBytes) }));
  return explained(() =>
    countNumbers(texts, { ...options, ...place, unit: unit.unit, resolution: unit.step }),
  );
}

/**
 * A note that numbers above 0 were counted as 0.
 *
 * @param command The command that has `--resolution`, when it is another one.
 */
export function vanishedText(vanished: number, unit: NumberUnit, command = ''): string {
  const numbers = vanished === 1 ? '1 number is' : `${formatCount(vanished)} numbers are`;
  const step = `${inUnit(unit, 1)} ${unit.unit === 'none' ? '' : unit.unit}`.trim();
  return `${numbers} nearer to 0 than to the resolution, ${step}, and counted as 0: ${command}--resolution keeps smaller ones apart`;
}

// Units.

/** The unit in which numbers are counted. */
interface UnitOfNumbers {
  readonly unit: CountedUnit;
  /** Whether numbers without a unit are in it. */
  readonly takesBare: boolean;
  /**
   * The step of the finest recorded figures or of numbers without a unit, in the unit.
   * @default that of the unit, which is at least as fine
   */
  readonly step?: number;
}

/**
 * The unit of texts of numbers and of recorded figures. What the command line states is for numbers; figures have their unit in
 * the file, and their step.
 *
 * @throws UsageError when a text has no such field or column.
 */
export function unitOfInputs(
  inputs: readonly Input[],
  stated: CountedUnit | undefined,
  numbers: NumberPlace,
): UnitOfNumbers {
  const texts = inputs.filter(({ kind }) => kind === 'numbers');
  const found = unitOfNumbers(texts, stated, numbers);
  if (texts.length > 0) return found;
  const recorded = inputs.filter(({ kind }) => kind === 'recorded').map(({ beginning }) => beginning);
  const unit = recorded.map(figuresUnit).find((one) => one !== undefined) ?? found.unit;
  const steps = recorded.map((beginning) => figuresStep(beginning, unit));
  // Bounded: one for each file of the command line.
  const step = Math.min(...steps);
  return { ...found, unit, ...(step < stepOf(unit) && { step }) };
}

function unitOfNumbers(
  texts: readonly Input[],
  stated: CountedUnit | undefined,
  numbers: NumberPlace,
): UnitOfNumbers {
  if (stated !== undefined && stated !== 'none') return { unit: stated, takesBare: true };
  // The options of a command have more than the place.
  const { field, column, time, separator, skip } = numbers;
  try {
    const found = findNumberUnit(texts, { field, column, time, separator, skip });
    return stated === 'none' ? { ...found, unit: stated, takesBare: true } : found;
  } catch (error) {
    throw explanation(error);
  }
}

/** The units of inputs that are shown together. */
export interface SharedUnits {
  /** The unit of the values. */
  readonly unit: CountedUnit;
  /** The unit of numbers and of recorded figures, and their steps. */
  readonly numbers: NumberUnit;
  /** Whether numbers without a unit are in it. */
  readonly takesBare: boolean;
}

/** What a command line states of units. */
interface StatedUnits {
  /** The unit of the values. @default that of the numbers where there is nothing else, else `'ns'` */
  readonly unit: CountedUnit | undefined;
  /** The unit of numbers that have none. */
  readonly numbersIn: CountedUnit | undefined;
  readonly place: NumberPlace;
  /** Whether the inputs are compared with each other, so that numbers are counted in steps of the others. */
  readonly isCompared: boolean;
}

/** Whether the values of an input have a unit of their own, or none. Other values are in that of `--unit`. */
export function hasOwnUnit({ kind }: Pick<Input, 'kind'>): boolean {
  return kind === 'numbers' || kind === 'recorded';
}

/**
 * The units of inputs that are shown together.
 *
 * @throws UsageError, Refusal when they measure different things, or a text has no such field or column.
 */
export function shareUnits(
  inputs: readonly Input[],
  { unit: stated, numbersIn, place, isCompared }: StatedUnits,
): SharedUnits {
  const { unit: found, takesBare, step } = unitOfInputs(inputs, numbersIn, place);
  const own = inputs.find(hasOwnUnit);
  const other = inputs.find((input) => input.kind !== 'json' && !hasOwnUnit(input));
  const unit = stated ?? (own !== undefined && other === undefined ? found : 'ns');
  const perNumber = unitsPer(found, unit);
  if (own !== undefined && perNumber === undefined) {
    if (other !== undefined) throw new UsageError(differentUnits(own.name, found, other.name, unit));
    throw new Refusal(`${own.name} is in ${found}, which is not ${unit}: --unit ${found} draws it`);
  }
  const isInSteps = isCompared && other !== undefined && perNumber !== undefined;
  return { unit, numbers: numberUnit(found, isInSteps ? 1 / perNumber : step), takesBare };
}

/** Why numbers and values of other files cannot be shown together, and what to state. */
function differentUnits(name: string, numbersIn: CountedUnit, other: string, unit: CountedUnit): string {
  return numbersIn === 'none'
    ? `${name} has numbers without a unit, and the values of ${other} are in ${unit}: --text-unit ms says that the numbers are milliseconds`
    : `${name} is in ${numbersIn} and ${other} in ${unit}: --unit states the unit of ${other}`;
}

// Cures.

const MOST_NAMES = 12;

/** How to count the numbers of a text that is JSON or a table; `undefined` when it has none. */
export function cureOf(
  { name, beginning }: Pick<Input, 'name' | 'beginning'>,
  command: string,
): string | undefined {
  // The numbers of a plot, such as its version, are no values.
  const places = firstDocuments(beginning).some(isPlotDocument) ? undefined : listNumberPlaces(beginning);
  if (places === undefined) return undefined;
  const { kind, names, likely } = places;
  const all = `the ${kind}s with numbers are ${listNames(names, MOST_NAMES)}`;
  const [first, ...others] = likely;
  if (first !== undefined && others.length === 0) return `${all}: ${commandFor(command, kind, first, name)}`;
  const anyOf = `${commandFor(command, kind, { name: kind.toUpperCase() }, name)} counts one`;
  if (first === undefined) return `${all}; none of them is surely a measured value: ${anyOf}`;
  const equal = likely.map((one) => one.name);
  const last = equal.length > MOST_NAMES ? `${equal.length - MOST_NAMES} more` : equal.pop();
  return `${all}; measured values may be in ${equal.slice(0, MOST_NAMES).join(', ')} or ${last}: ${anyOf}`;
}

/** The command line that counts the numbers of a place. */
function commandFor(
  command: string,
  kind: 'field' | 'column',
  { name, unit }: { readonly name: string; readonly unit?: CountedUnit },
  input: string,
): string {
  const path = input === 'standard input' ? '-' : quoted(input);
  return `${command} --${kind} ${quoted(name)}${unit === undefined ? '' : ` --unit ${unit}`} ${path}`;
}

/** A word as a shell takes it. */
export function quoted(word: string): string {
  return /^[\w./:=-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`;
}

// Plots.

const PLOT_KINDS: readonly string[] = [
  'percentiles',
  'comparison',
  'over-time',
  'heat-map',
  'bars',
] satisfies Plot['kind'][];

/** Whether a document says that it is a plot, as `hdrscope plot --json` writes it. */
export function isPlotDocument(json: unknown): boolean {
  return isObject(json) && typeof json.kind === 'string' && PLOT_KINDS.includes(json.kind);
}
