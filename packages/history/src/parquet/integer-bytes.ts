import type { Encoding } from 'hyparquet';
import { ByteWriter } from 'hyparquet-writer';
import { differencesOf, writeDeltas } from './delta.ts';

/** Integers as a page of a column has them. */
export interface EncodedIntegers {
  readonly encoding: Encoding;
  readonly bytes: Uint8Array;
}

/** Integers of 64 bits by their differences, as far as doubles hold these exactly. @throws Error when a value is no safe integer. */
export function encodedIntegers(values: ArrayLike<number>): EncodedIntegers {
  assertIntegers(values, Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER);
  const { least, most } = differencesOf(values);
  return least > -(2 ** 52) && most < 2 ** 52
    ? { encoding: 'DELTA_BINARY_PACKED', bytes: differencesFrom(least, values) }
    : { encoding: 'PLAIN', bytes: plainIntegers(values) };
}

/** @throws Error */
export function assertIntegers(values: ArrayLike<number>, least: number, most: number): void {
  for (let i = 0; i < values.length; i++) {
    const value = values[i]!;
    if (Number.isInteger(value) && value >= least && value <= most) continue;
    throw new Error(`its rows must have integers from ${least} to ${most}, got ${value}`);
  }
}

/** Integers of 32 bits by their differences from a base. */
export function differencesFrom(base: number, values: ArrayLike<number>): Uint8Array {
  const writer = new ByteWriter(2 * values.length + 1024);
  writeDeltas(writer, values, base);
  return writer.getBytes();
}

/** Integers of 64 bits as they are. */
export function plainIntegers(values: ArrayLike<number>): Uint8Array {
  return new Uint8Array(BigInt64Array.from(values, BigInt).buffer);
}
