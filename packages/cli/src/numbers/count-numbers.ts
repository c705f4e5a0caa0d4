import { HdrscopeError, Histogram } from '@hdrscope/core';
import { textOf } from '@hdrscope/interval-log';
import { Slices } from '@hdrscope/kit';
import { badLineText, type NumberFormat, NumberReader } from '@hdrscope/kit/number-reader';
import type { LineTally } from '../inputs/line-tally.ts';
import type { Input } from '../inputs/open-inputs.ts';
import { inUnit, type NumberUnit, ticksPerUnit } from './number-unit.ts';

/** How numbers are counted. */
interface CountingOptions {
  readonly unit: NumberUnit;
  /** From 0 to 5. @default 3, as in HdrHistogram */
  readonly significantDigits?: number;
  /** The expected interval between values, in the unit, which corrects coordinated omission. @default no correction */
  readonly expectedInterval?: number | undefined;
  readonly format?: NumberFormat;
  /** Gets the number of bytes of each chunk of the source. An error that it throws ends the reading. */
  readonly onBytes?: (bytes: number) => void;
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
type NumberText = Pick<Input, 'name' | 'source'>;

// Exclusive upper bound of a histogram's integers.
const MOST_TICKS = 2 ** 63;

/** Counts the numbers of texts in one histogram, each at the nearest tick, as a series of a registry does. */
export async function countNumbers(
  texts: readonly NumberText[],
  { unit, significantDigits = 3, expectedInterval = 0, format = {}, onBytes, badLines }: CountingOptions,
): Promise<CountedNumbers> {
  const histogram = new Histogram({ significantDigits });
  const perUnit = ticksPerUnit(unit);
  const expectedTicks = Math.round(expectedInterval * perUnit);
  let vanished = 0;
  let [least, most] = [Number.POSITIVE_INFINITY, Number.NEGATIVE_INFINITY];
  const onNumbers = (values: Float64Array, length: number): void => {
    for (let i = 0; i < length; i++) {
      const value = values[i]!;
      const ticks = Math.round(value * perUnit);
      if (ticks === 0 && value > 0) vanished++;
      if (ticks < least) least = ticks;
      if (ticks > most) most = ticks;
      if (expectedTicks > 0) histogram.recordCorrected(ticks, expectedTicks);
      else histogram.record(ticks);
    }
  };
  // The double below 2^63 ticks, so that rounding does not reach it.
  const largest = (MOST_TICKS * (1 - Number.EPSILON)) / perUnit;
  const slices = new Slices();
  for (const { name, source } of texts) {
    const reader = new NumberReader(
      {
        onNumbers,
        onBadLine: (line) => badLines.add(line.lineNumber, () => `${name}: ${badLineText(line)}`),
      },
      { ...format, largest },
    );
    let isCut = false;
    try {
      for await (const chunk of textOf(source, onBytes)) {
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
  return { histogram, vanished, least, most };
}

/**
 * A note that numbers above 0 were counted as 0.
 *
 * @param command The command that has `--resolution`, when it is another one.
 */
export function vanishedText(vanished: number, unit: NumberUnit, command = ''): string {
  const numbers = vanished === 1 ? '1 number is' : `${vanished} numbers are`;
  const step = `${inUnit(unit, 1)} ${unit.unit === 'none' ? '' : unit.unit}`.trim();
  return `${numbers} nearer to 0 than to the resolution, ${step}, and counted as 0: ${command}--resolution keeps smaller ones apart`;
}
