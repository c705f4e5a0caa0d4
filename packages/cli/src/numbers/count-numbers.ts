import { HdrscopeError, Histogram } from '@hdrscope/core';
import { readUtf8 } from '@hdrscope/interval-log/internal';
import { Slices } from '@hdrscope/kit';
import { badLineText, NumberReader } from '@hdrscope/kit/number-reader';
import { Refusal } from '../command.ts';
import { formatCount } from '../format.ts';
import type { LineTally } from '../inputs/line-tally.ts';
import { readLines } from '../inputs/load-tools/load.ts';
import type { Input } from '../inputs/open-inputs.ts';
import { type NumberOptions, type NumberPlan, planOf } from './number-plan.ts';
import { isNumber } from './number-texts.ts';
import {
  inUnit,
  type NumberUnit,
  type NumberWithUnit,
  numberWithUnit,
  quantityIn,
  ticksPerUnit,
} from './number-unit.ts';

/** How numbers are counted. */
interface CountingOptions {
  readonly unit: NumberUnit;
  /** Whether numbers without a unit are in this unit. They are refused otherwise. @default true */
  readonly takesBare?: boolean;
  /** From 0 to 5. @default 3, as in HdrHistogram */
  readonly significantDigits?: number;
  /** The expected interval between values, in the unit, which corrects coordinated omission. @default no correction */
  readonly expectedInterval?: number | undefined;
  /** Where the numbers are. */
  readonly numbers?: NumberOptions;
  /** Gets the number of bytes of each chunk of the source. An error that it throws ends the reading. */
  readonly onBytes?: (bytes: number) => void;
  /** Gets each number without a unit as the text has it, before it is counted at the nearest tick. */
  readonly onBare?: (value: number) => void;
  /** Takes lines without a number, and the end of a gzip stream that is cut short. */
  readonly badLines: LineTally;
}

/** The distribution of numbers. */
interface CountedNumbers {
  /** In ticks of the unit's resolution. */
  readonly histogram: Histogram;
  /** How many numbers above 0 were less than half a tick. They are counted as 0. */
  readonly vanished: number;
  /** The smallest and the largest number, in ticks: a histogram knows their slots only. A correction may add smaller ones. */
  readonly least: number;
  readonly most: number;
}

/** A text with numbers. */
type NumberText = Pick<Input, 'name' | 'source' | 'beginning'>;

// Exclusive upper bound of a histogram's integers.
const MOST_TICKS = 2 ** 63;

/**
 * Counts the numbers of texts in one histogram, each at the nearest tick, as a series of a registry does. A number with a unit
 * is converted.
 *
 * @throws UsageError; Refusal when a number has a unit of something else, or none beside others that have one.
 */
export async function countNumbers(
  texts: readonly NumberText[],
  options: CountingOptions,
): Promise<CountedNumbers> {
  const { unit, significantDigits = 3, expectedInterval = 0, takesBare = true, onBytes, onBare } = options;
  const histogram = new Histogram({ significantDigits });
  const perUnit = ticksPerUnit(unit);
  const expectedTicks = Math.round(expectedInterval * perUnit);
  let vanished = 0;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const onNumber = (value: number): void => {
    const ticks = Math.round(value * perUnit);
    if (ticks === 0 && value > 0) vanished++;
    if (ticks < least) least = ticks;
    if (ticks > most) most = ticks;
    if (expectedTicks > 0) histogram.recordCorrected(ticks, expectedTicks);
    else histogram.record(ticks);
  };
  // The double below 2^63 ticks, so that rounding does not reach it.
  const largest = (MOST_TICKS * (1 - Number.EPSILON)) / perUnit;
  for (const text of texts) {
    const plan = planOf(text, options.numbers ?? {});
    const reading: TextReading = {
      name: text.name,
      largest,
      badLines: options.badLines,
      onBare(values, length) {
        if (!takesBare) throw new Refusal(withoutUnit(text.name, unit));
        for (let i = 0; i < length; i++) {
          const value = values[i]!;
          onBare?.(value);
          onNumber(value);
        }
      },
      onQuantity(quantity, shown) {
        const value = quantityIn(quantity, unit.unit);
        if (value === undefined) throw new Refusal(otherUnit(text.name, shown, unit));
        if (!(value <= largest)) return false;
        onNumber(value);
        return true;
      },
      ...(onBytes && { onBytes }),
    };
    const { textIn } = plan;
    if (textIn === undefined) await readPlain(text, plan, reading);
    else await readQuantities(text, { ...plan, textIn }, reading);
  }
  return { histogram, vanished, least, most };
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
  readonly badLines: LineTally;
  /** Takes numbers without a unit. */
  readonly onBare: (values: ArrayLike<number>, length: number) => void;
  /** @returns `false` when the quantity is too large. */
  readonly onQuantity: (quantity: NumberWithUnit, shown: string) => boolean;
  readonly onBytes?: (bytes: number) => void;
}

/** Reads numbers alone, and quantities that are a line each. */
async function readPlain(
  { name, source }: NumberText,
  { format }: NumberPlan,
  { largest, badLines, onBare, onQuantity, onBytes }: TextReading,
): Promise<void> {
  const reader = new NumberReader(
    {
      onNumbers: onBare,
      onBadLine(line) {
        const quantity = format.column === undefined ? numberWithUnit(line.text.trim()) : undefined;
        if (quantity !== undefined && onQuantity(quantity, line.text.trim())) return;
        badLines.add(line.lineNumber, () => `${name}: ${badLineText(line)}`);
      },
    },
    { ...format, largest },
  );
  const slices = new Slices();
  let isCut = false;
  try {
    for await (const chunk of readUtf8(source, onBytes)) {
      reader.push(chunk);
      if (!slices.isOver()) continue;
      await slices.next();
      // Ends the work when the command has to end.
      onBytes?.(0);
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
    isCut = true;
    badLines.add(reader.lineCount + 1, () => `${name}: line ${reader.lineCount + 1}: ${error.message}`);
  }
  reader.end(isCut);
}

/** Reads lines in which numbers have units, quotes or names. */
async function readQuantities(
  text: NumberText,
  { textIn, format }: NumberPlan & { textIn: NonNullable<NumberPlan['textIn']> },
  { name, largest, badLines, onBare, onQuantity, onBytes }: TextReading,
): Promise<void> {
  const { skip = 0 } = format;
  await readLines(text, { onBytes, badLines }, (line, lineNumber) => {
    if (lineNumber <= skip || isNoise(line.trim())) return;
    const found = textIn(line);
    if (found !== undefined && isNumber(found) && Number(found) <= largest) return onBare([Number(found)], 1);
    const quantity = found === undefined ? undefined : numberWithUnit(found);
    if (quantity !== undefined && onQuantity(quantity, found!)) return;
    const shown = line.length > SHOWN ? `${line.slice(0, SHOWN)}…` : line;
    badLines.add(lineNumber, () => `${name}: ${badLineText({ lineNumber, text: shown })}`);
  });
}

/** A comment, an empty line, or an end of an array in JSON. */
function isNoise(line: string): boolean {
  return line === '' || line.startsWith('#') || line === '[' || line === ']';
}

const SHOWN = 60;

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
