import type { HdrscopeError } from '@hdrscope/core';
import { type MapInfo, mapDetails, titleOfMap } from '../bpf/maps.ts';
import { LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';
import { kernelError } from '../errors.ts';
import type { CounterType } from './map-shape.ts';

/** Positions of the two words in a counter of 64 bits. */
const LOW = LITTLE_ENDIAN ? 0 : 1;
const HIGH = LITTLE_ENDIAN ? 1 : 0;

/** The counters in the values of a map, as doubles. A BigInt for each of them would take most of the time. */
export interface Counters {
  /** The counter at a byte offset. */
  at(byte: number): number;
  /** The sum at a byte offset. It may be above 2^53, where it is rounded. */
  sumAt(byte: number): number;
  /** Adds `length` adjacent counters to the elements of `counts` from `to` on. */
  addRun(byte: number, length: number, counts: Float64Array, to: number): void;
}

/** Whether a counter has 64 bits. */
export function is64(type: CounterType): boolean {
  return type.endsWith('64');
}

/**
 * Reads counters from values. `at` and `addRun` throw `ERR_KERNEL` at a counter that is negative or above 2^53 − 1, which cannot
 * be a count.
 */
export function countersIn(values: Uint8Array, type: CounterType, info: MapInfo): Counters {
  // Per-CPU values are aligned. Values that the CPUs share may begin at any byte.
  const isAligned = values.byteOffset % 4 === 0 && info.valueSize % 4 === 0;
  if (!isAligned) return unaligned(viewOf(values), type, info);
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length >>> 2);
  return is64(type) ? wide(words, type, info) : narrow(words, type, info);
}

function narrow(words: Uint32Array, type: CounterType, info: MapInfo): Counters {
  const sumAt = (byte: number) => words[byte >>> 2]!;
  const signedAt = type === 's32' ? (byte: number) => words[byte >>> 2]! | 0 : sumAt;
  return {
    at: (byte) => exactly(signedAt(byte), info),
    sumAt,
    addRun(byte, length, counts, to) {
      const from = byte >>> 2;
      let all = 0;
      for (let i = 0; i < length; i++) {
        const word = words[from + i]!;
        all |= word;
        counts[to + i]! += word;
      }
      // The highest bit is set in one of the counters, which is the sign of a type with one.
      if (all < 0) for (let i = 0; i < length; i++) exactly(signedAt(byte + 4 * i), info);
    },
  };
}

function wide(words: Uint32Array, type: CounterType, info: MapInfo): Counters {
  const sumAt = (byte: number): number => {
    const word = byte >>> 2;
    return words[word + LOW]! + words[word + HIGH]! * 2 ** 32;
  };
  const signedAt =
    type === 's64'
      ? (byte: number) => words[(byte >>> 2) + LOW]! + (words[(byte >>> 2) + HIGH]! | 0) * 2 ** 32
      : sumAt;
  return {
    at: (byte) => exactly(signedAt(byte), info),
    sumAt,
    addRun(byte, length, counts, to) {
      const high = addWide(words, byte >>> 2, length, counts, to);
      // A bit from the 53rd on is set in one of the counters.
      if (high >>> 21 !== 0) for (let i = 0; i < length; i++) exactly(signedAt(byte + 8 * i), info);
    },
  };
}

/** The loop as a function of its arguments takes half the time of a closure. @returns the bitwise or of all high words */
function addWide(words: Uint32Array, from: number, length: number, counts: Float64Array, to: number): number {
  let all = 0;
  for (let i = 0; i < length; i++) {
    const high = words[from + 2 * i + HIGH]!;
    all |= high;
    counts[to + i]! += words[from + 2 * i + LOW]! + high * 2 ** 32;
  }
  return all;
}

function unaligned(view: DataView, type: CounterType, info: MapInfo): Counters {
  const width = is64(type) ? 8 : 4;
  const sumAt = is64(type)
    ? (byte: number) => Number(view.getBigUint64(byte, LITTLE_ENDIAN))
    : (byte: number) => view.getUint32(byte, LITTLE_ENDIAN);
  const signedAt = (byte: number): number => {
    if (type === 's64') return Number(view.getBigInt64(byte, LITTLE_ENDIAN));
    return type === 's32' ? view.getInt32(byte, LITTLE_ENDIAN) : sumAt(byte);
  };
  const at = (byte: number): number => exactly(signedAt(byte), info);
  return {
    at,
    sumAt,
    addRun(byte, length, counts, to) {
      for (let i = 0; i < length; i++) counts[to + i]! += at(byte + i * width);
    },
  };
}

function exactly(counter: number, info: MapInfo): number {
  if (counter < 0) {
    throw kernelError(
      `counts of ${titleOfMap(info)} must not be negative, got ${counter}: do its values hold counts?`,
      mapDetails(info),
    );
  }
  if (counter > Number.MAX_SAFE_INTEGER) throw tooLarge(info);
  return counter;
}

/** At 10^9 events a second, a counter reaches 2^53 after a hundred days. A larger one is not a counter. */
function tooLarge({ id, name }: MapInfo): HdrscopeError {
  const title = titleOfMap({ id, name });
  return kernelError(`counts of ${title} must be at most 2^53 − 1, and one is larger: is \`shape\` right?`, {
    id,
    name,
  });
}
