import { HdrscopeError } from '@hdrscope/core';
import type { MapInfo } from '../bpf/maps.ts';
import { LITTLE_ENDIAN, viewOf } from '../bpf/memory.ts';

/** Where the words of a counter of 64 bits are. */
const LOW = LITTLE_ENDIAN ? 0 : 1;
const HIGH = LITTLE_ENDIAN ? 1 : 0;

/** The counters in the values of a map, as doubles: a BigInt for each would take most of the time. */
export interface Counters {
  /** The counter at a byte. */
  at(byte: number): number;
  /** Adds a run of counters to as many places from `to` on. */
  addRun(byte: number, length: number, counts: Float64Array, to: number): void;
}

/** @throws HdrscopeError, by its functions: `ERR_KERNEL` at what is more than can have been counted. */
export function countersIn(values: Uint8Array, type: 'u32' | 'u64', info: MapInfo): Counters {
  // Values that the CPUs share may lie anywhere; those of each CPU are aligned.
  const isAligned = values.byteOffset % 4 === 0 && info.valueSize % 4 === 0;
  if (!isAligned) return unaligned(viewOf(values), type, info);
  const words = new Uint32Array(values.buffer, values.byteOffset, values.length >>> 2);
  return type === 'u32' ? narrow(words) : wide(words, info);
}

function narrow(words: Uint32Array): Counters {
  return {
    at: (byte) => words[byte >>> 2]!,
    addRun(byte, length, counts, to) {
      const from = byte >>> 2;
      for (let i = 0; i < length; i++) counts[to + i]! += words[from + i]!;
    },
  };
}

function wide(words: Uint32Array, info: MapInfo): Counters {
  return {
    at(byte) {
      const word = byte >>> 2;
      return exactly(words[word + LOW]! + words[word + HIGH]! * 2 ** 32, info);
    },
    addRun(byte, length, counts, to) {
      const high = addWide(words, byte >>> 2, length, counts, to);
      // Some bit from the 53rd on was met.
      if (high >>> 21 !== 0) throw tooLarge(info);
    },
  };
}

/** A function of its own, of constants and arguments only, takes half the time. @returns all high words, or-ed. */
function addWide(words: Uint32Array, from: number, length: number, counts: Float64Array, to: number): number {
  let all = 0;
  for (let i = 0; i < length; i++) {
    const high = words[from + 2 * i + HIGH]!;
    all |= high;
    counts[to + i]! += words[from + 2 * i + LOW]! + high * 2 ** 32;
  }
  return all;
}

function unaligned(view: DataView, type: 'u32' | 'u64', info: MapInfo): Counters {
  const width = type === 'u64' ? 8 : 4;
  const at =
    type === 'u64'
      ? (byte: number) => exactly(Number(view.getBigUint64(byte, LITTLE_ENDIAN)), info)
      : (byte: number) => view.getUint32(byte, LITTLE_ENDIAN);
  return {
    at,
    addRun(byte, length, counts, to) {
      for (let i = 0; i < length; i++) counts[to + i]! += at(byte + i * width);
    },
  };
}

function exactly(counter: number, info: MapInfo): number {
  if (counter > Number.MAX_SAFE_INTEGER) throw tooLarge(info);
  return counter;
}

/** At a thousand million events a second, 2^53 takes a hundred days: what is above was never counted. */
function tooLarge({ id, name }: MapInfo): HdrscopeError {
  return new HdrscopeError(
    'ERR_KERNEL',
    `map ${id} (${name}) holds what is no count: it must be at most 2^53 − 1; is its \`shape\` the right one?`,
  );
}
