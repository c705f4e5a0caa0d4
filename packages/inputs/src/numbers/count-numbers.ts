import { HdrscopeError, Histogram } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  callback,
  flag,
  integer,
  number,
  type OptionsOwner,
  oneOf,
} from '@hdrscope/core/internal';
import { badLineText, NumberReader } from '@hdrscope/kit/number-reader';
import type { CountedUnit } from '@hdrscope/registry';
import { type BadLine, chunksOf, isCut, readLines, refuseLine, type TextBytes } from '../bytes.ts';
import {
  type BegunText,
  type NumberPlace,
  type NumberPlan,
  numberTexts,
  PLACE_NAMES,
  planNumbers,
} from './number-plan.ts';
import { isNumber, momentOf } from './number-texts.ts';
import {
  NUMBER_UNITS,
  type NumberUnit,
  type NumberWithUnit,
  numberUnit,
  numberWithUnit,
  quantityIn,
  ticksPerUnit,
} from './number-unit.ts';

/** A text with numbers that is not read yet. */
export interface NumberText extends BegunText {
  /** The whole text, from its beginning. */
  readonly bytes: TextBytes;
}

/** How numbers are counted. */
export interface CountNumbersOptions extends NumberPlace {
  /** The unit of the counted numbers, and of those that have none. @default 'none' */
  readonly unit?: CountedUnit;
  /** The step between two values that are kept apart, in the unit: above 0. @default a nanosecond, a byte, or 0.001 */
  readonly resolution?: number | undefined;
  /** Whether numbers without a unit are in this unit. They are refused otherwise. @default true */
  readonly takesBare?: boolean;
  /** From 0 to 5. @default 3, as in HdrHistogram */
  readonly significantDigits?: number;
  /** The expected interval between values, in the unit, which corrects coordinated omission. @default no correction */
  readonly expectedInterval?: number | undefined;
  /** Gets each number without a unit as the text has it, before it is counted at the nearest tick. */
  readonly onBare?: (value: number) => void;
  /**
   * Gets each counted number in ticks, and its time, where `time` names the place of times: the number that is there, or the seconds of a
   * date since 1970.
   */
  readonly onTimed?: (ticks: number, moment: number) => void;
  /** Takes lines without a number, and the end of a gzip stream that is cut short. @default a bad line ends the counting with an error */
  readonly onBadLine?: (line: BadLine) => void;
}

/** The distribution of numbers. */
export interface CountedNumbers {
  /** In ticks: steps of the resolution. */
  readonly histogram: Histogram;
  /** How many ticks one of the unit has; a fraction when a tick is larger than the unit. */
  readonly ticksPerUnit: number;
  /** How many numbers above 0 were less than half a tick. They are counted as 0. */
  readonly vanished: number;
  /** The smallest number, in ticks: a histogram knows its slot only. A correction may add smaller ones. */
  readonly least: number;
  /** The largest number, in ticks. */
  readonly most: number;
}

// Exclusive upper bound of a histogram's integers.
const MOST_TICKS = 2 ** 63;

/**
 * Counts the numbers of texts in one histogram, each at the nearest tick, as a series of a registry does. A number with a unit
 * is converted. A text has a number per line, or is JSON or a table, of which `field` or `column` names a part.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a text has no such field or column; `ERR_INCOMPATIBLE` when a number has a unit of
 *   something else, or none beside others that have one; `ERR_DECODE` when a line is bad and `onBadLine` is left out. An error of a source
 *   is thrown unchanged.
 * @example
 * ```ts
 * import { countNumbers } from '@hdrscope/inputs';
 *
 * const beginning = 'route,wait\n/a,12ms\n/b,1.5s\n';
 * const bytes = new TextEncoder().encode(beginning);
 * const text = { name: 'waits.csv', beginning, bytes };
 * const { histogram, ticksPerUnit, most } = await countNumbers([text], { unit: 'ms', column: 'wait' });
 * [histogram.totalCount, most / ticksPerUnit]; //=> [2, 1500]
 * ```
 */
export async function countNumbers(
  texts: readonly NumberText[],
  options: CountNumbersOptions = {},
): Promise<CountedNumbers> {
  assertOptions(options, COUNT_NUMBERS);
  assertFollows('the texts', numberTexts, texts);
  const { significantDigits = 3, expectedInterval = 0, takesBare = true, onBare, onTimed } = options;
  const unit = numberUnit(options.unit ?? 'none', options.resolution);
  const histogram = new Histogram({ significantDigits });
  const perUnit = ticksPerUnit(unit);
  const expectedTicks = Math.round(expectedInterval * perUnit);
  let vanished = 0;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const onNumber = (value: number, moment: number | undefined): void => {
    const ticks = Math.round(value * perUnit);
    if (moment !== undefined) onTimed?.(ticks, moment);
    if (ticks === 0 && value > 0) vanished++;
    if (ticks < least) least = ticks;
    if (ticks > most) most = ticks;
    if (expectedTicks > 0) histogram.recordCorrected(ticks, expectedTicks);
    else histogram.record(ticks);
  };
  // The double below 2^63 ticks, so that rounding does not reach it.
  const largest = (MOST_TICKS * (1 - Number.EPSILON)) / perUnit;
  for (const text of texts) {
    const plan = planNumbers(text, options);
    const reading: TextReading = {
      name: text.name,
      largest,
      onBadLine: options.onBadLine ?? refuseLine,
      onBare(values, length, moment) {
        if (!takesBare) throw incompatible(withoutUnit(text.name, unit));
        for (let i = 0; i < length; i++) {
          const value = values[i]!;
          onBare?.(value);
          onNumber(value, moment);
        }
      },
      onQuantity(quantity, shown, moment) {
        const value = quantityIn(quantity, unit.unit);
        if (value === undefined) throw incompatible(otherUnit(text.name, shown, unit));
        if (!(value <= largest)) return false;
        onNumber(value, moment);
        return true;
      },
    };
    const { textIn } = plan;
    if (textIn === undefined) await readPlain(text, plan, reading);
    else await readQuantities(text, { ...plan, textIn }, reading);
  }
  return { histogram, ticksPerUnit: perUnit, vanished, least, most };
}

const COUNT_NUMBERS: OptionsOwner<CountNumbersOptions> = {
  name: 'countNumbers',
  names: {
    ...PLACE_NAMES,
    unit: oneOf(NUMBER_UNITS),
    resolution: number({ above: 0 }),
    takesBare: flag,
    significantDigits: integer({ from: 0, to: 5 }),
    expectedInterval: number({ from: 0 }),
    onBare: callback(),
    onTimed: callback(),
    onBadLine: callback(),
  },
  call: "countNumbers(texts, { unit: 'ms' })",
};

function incompatible(message: string): HdrscopeError {
  return new HdrscopeError('ERR_INCOMPATIBLE', message);
}

function withoutUnit(name: string, { unit }: NumberUnit): string {
  return `${name} has numbers without a unit, and others have one: --unit ${unit} states theirs`;
}

function otherUnit(name: string, shown: string, { unit }: NumberUnit): string {
  const others =
    unit === 'none'
      ? 'others have no unit: --unit states theirs'
      : `others are in ${unit}: count them separately`;
  return `${name} has ${JSON.stringify(shown)}, and ${others}`;
}

/** Takes the numbers of a text. */
interface TextReading {
  readonly name: string;
  readonly largest: number;
  readonly onBadLine: (line: BadLine) => void;
  /** Takes numbers without a unit. All have the time, if there is one. */
  readonly onBare: (values: ArrayLike<number>, length: number, moment?: number) => void;
  /** @returns `false` when the quantity is too large. */
  readonly onQuantity: (quantity: NumberWithUnit, shown: string, moment?: number) => boolean;
}

/** Reads numbers alone, and quantities that are a line each. */
async function readPlain(
  { name, bytes }: NumberText,
  { format }: NumberPlan,
  { largest, onBadLine, onBare, onQuantity }: TextReading,
): Promise<void> {
  const reader = new NumberReader(
    {
      onNumbers: onBare,
      onBadLine(line) {
        const quantity = format.column === undefined ? numberWithUnit(line.text.trim()) : undefined;
        if (quantity !== undefined && onQuantity(quantity, line.text.trim())) return;
        onBadLine({ lineNumber: line.lineNumber, message: `${name}: ${badLineText(line)}` });
      },
    },
    { ...format, largest },
  );
  let isEndless = false;
  try {
    for await (const chunk of chunksOf(bytes)) reader.push(chunk);
  } catch (error) {
    if (!isCut(error)) throw error;
    isEndless = true;
    const lineNumber = reader.lineCount + 1;
    onBadLine({ lineNumber, message: `${name}: line ${lineNumber}: ${error.message}` });
  }
  reader.end(isEndless);
}

/** Reads lines in which numbers have units, quotes or names. */
async function readQuantities(
  text: NumberText,
  { textIn, timeIn, format }: NumberPlan & { textIn: NonNullable<NumberPlan['textIn']> },
  { name, largest, onBadLine, onBare, onQuantity }: TextReading,
): Promise<void> {
  const { skip = 0 } = format;
  await readLines(text.bytes, { name, onBadLine }, (line, lineNumber) => {
    if (lineNumber <= skip || isNoise(line.trim())) return;
    const moment = timeIn && momentOf(timeIn(line));
    const found = moment === undefined || Number.isFinite(moment) ? textIn(line) : undefined;
    if (found !== undefined && isNumber(found) && Number(found) <= largest)
      return onBare([Number(found)], 1, moment);
    const quantity = found === undefined ? undefined : numberWithUnit(found);
    if (quantity !== undefined && onQuantity(quantity, found!, moment)) return;
    const shown = line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
    onBadLine({ lineNumber, message: `${name}: ${badLineText({ lineNumber, text: shown })}` });
  });
}

/** A comment, an empty line, or an end of an array in JSON. */
function isNoise(line: string): boolean {
  return line === '' || line.startsWith('#') || line === '[' || line === ']';
}

const SHOWN = 60;
