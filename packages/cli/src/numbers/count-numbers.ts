import { createReadStream } from 'node:fs';
import { Histogram } from '@hdrscope/core';
import { Refusal } from '../command.ts';
import { type BadLine, type NumberFormat, NumberReader } from './number-reader.ts';
import { type NumberUnit, ticksPerUnit } from './number-unit.ts';

/** How numbers are counted. */
export interface CountingOptions {
  readonly unit: NumberUnit;
  /** From 0 to 5. */
  readonly significantDigits: number;
  /** In the unit: coordinated omission is corrected with it. @default none */
  readonly expectedInterval?: number | undefined;
  readonly format?: NumberFormat;
  /** Told of every chunk; what it throws ends the reading. */
  readonly onBytes?: (bytes: number) => void;
  readonly onBadLine: (line: BadLine, path: string) => void;
}

/** What is made of numbers. */
export interface CountedNumbers {
  /** In ticks of the unit's resolution. */
  readonly histogram: Histogram;
  /** How many numbers above 0 were less than half a tick, and are counted as 0. */
  readonly vanished: number;
}

/** A text with numbers. */
export interface NumberText {
  /** What messages call it. */
  readonly name: string;
  readonly chunks: AsyncIterable<Uint8Array>;
}

const CHUNK_BYTES = 2 ** 18;
// The largest integer of a histogram is below that.
const MOST_TICKS = 2 ** 63;

/** The bytes of a file, or of a stream that is open already. */
export function chunksOf(
  source: string | AsyncIterable<Uint8Array>,
  signal: AbortSignal,
): AsyncIterable<Uint8Array> {
  return typeof source === 'string'
    ? createReadStream(source, { highWaterMark: CHUNK_BYTES, signal })
    : source;
}

/** Counts the numbers of texts in one histogram, each at the nearest tick, as a series of a registry does. */
export async function countNumbers(
  texts: readonly NumberText[],
  { unit, significantDigits, expectedInterval = 0, format = {}, onBytes, onBadLine }: CountingOptions,
): Promise<CountedNumbers> {
  const histogram = new Histogram({ significantDigits });
  const perUnit = ticksPerUnit(unit);
  const expectedTicks = Math.round(expectedInterval * perUnit);
  let vanished = 0;
  const onNumbers = (values: Float64Array, length: number): void => {
    for (let i = 0; i < length; i++) {
      const value = values[i]!;
      const ticks = Math.round(value * perUnit);
      if (ticks === 0 && value > 0) vanished++;
      if (expectedTicks > 0) histogram.recordCorrected(ticks, expectedTicks);
      else histogram.record(ticks);
    }
  };
  // The double below 2^63 ticks, so that rounding does not reach it.
  const largest = (MOST_TICKS * (1 - Number.EPSILON)) / perUnit;
  for (const { name, chunks } of texts) {
    const sink = { onNumbers, onBadLine: (line: BadLine) => onBadLine(line, name) };
    const reader = new NumberReader(sink, { ...format, largest });
    let isFirst = true;
    for await (const chunk of chunks) {
      if (isFirst && chunk[0] === 0x1f && chunk[1] === 0x8b) {
        throw new Refusal(`${name} is compressed: gzip -dc FILE | hdrscope … - reads what is in it`);
      }
      isFirst = false;
      onBytes?.(chunk.length);
      reader.push(chunk);
    }
    reader.end();
  }
  return { histogram, vanished };
}
