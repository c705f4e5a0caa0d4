import { HdrscopeError } from '@hdrscope/core';
import { assertFollows } from '@hdrscope/core/internal';
import { Budget } from '@hdrscope/kit';
import { byteArray } from '../bytes.ts';
import { countDdsketch, type DdsketchContent } from './ddsketch.ts';
import { type DdsketchMapping, INTERPOLATIONS } from './ddsketch-mapping.ts';
import { assertSketchCount, type Sketch } from './sketch.ts';

// Blocks, each after a flag: the lower two bits are a type, and the upper six say what of it.
// Source: https://github.com/DataDog/sketches-go/blob/v1.4.8/ddsketch/encoding/flag.go
const FEATURE = 0;
const POSITIVE = 1;
const MAPPING = 2;
const NEGATIVE = 3;
const ZERO_COUNT = 0x01;
const COUNT = 0x28;
const SUM = 0x21;
const MIN = 0x22;
const MAX = 0x23;
const DELTAS_AND_COUNTS = 1;
const DELTAS = 2;
const CONTIGUOUS = 3;

/**
 * Reads the binary encoding of sketches-go and sketches-java, which is what their `encode` writes: with its mapping, and with exact
 * statistics or without. Blocks of several sketches in a row add up.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `bytes` are no bytes; `ERR_DECODE` when the bytes are not such an encoding, its mapping is left out, a count is no integer from 0 to
 *   2^53 − 1, or slots lie beyond the doubles; `ERR_TOO_LARGE` when there are more than 800,000 bins.
 */
export function readDdsketchBinary(bytes: Uint8Array): Sketch {
  assertFollows('the bytes', byteArray, bytes);
  const reader = new BlockReader(bytes);
  const [positive, negative] = [new Map<number, number>(), new Map<number, number>()];
  let mapping: DdsketchMapping | undefined;
  let [zeroCount, count, sum, min, max] = [0, Number.NaN, Number.NaN, Number.NaN, Number.NaN];
  while (reader.at < bytes.length) {
    const flag = reader.byte();
    const [type, what] = [flag & 3, flag >>> 2];
    if (type === MAPPING) {
      const found = readMapping(reader, what);
      if (mapping !== undefined && !areEqual(mapping, found)) throw reader.damaged('it has two mappings');
      mapping = found;
    } else if (type !== FEATURE) readBins(reader, what, type === POSITIVE ? positive : negative);
    else if (what === ZERO_COUNT) zeroCount += reader.varfloat();
    else if (what === COUNT) count = reader.varfloat() + (count || 0);
    else if (what === SUM) sum = reader.double() + (sum || 0);
    else if (what === MIN)
      min = Math.min(reader.double(), Number.isNaN(min) ? Number.POSITIVE_INFINITY : min);
    else if (what === MAX)
      max = Math.max(reader.double(), Number.isNaN(max) ? Number.NEGATIVE_INFINITY : max);
    else throw reader.damaged(`there is no feature ${what}`);
  }
  if (mapping === undefined) throw reader.damaged('its mapping is left out');
  const writer = mapping.interpolation === 'QUADRATIC' ? 'sketches-java' : 'sketches-go';
  const { counted } = countDdsketch({ mapping, positive, negative, zeroCount }, writer, max);
  const { total } = counted.counts;
  if (!Number.isNaN(count)) assertSketchCount(count, 'the count');
  if (!Number.isNaN(count) && count !== total) {
    throw reader.damaged(`it has ${total} values in its bins, and its count is ${count}`);
  }
  return { counted, ...known({ sum, min, max }) };
}

/**
 * Writes the binary encoding of sketches-go and sketches-java, without exact statistics.
 * Source: https://github.com/DataDog/sketches-go/blob/v1.4.8/ddsketch/encoding/encoding.go
 */
export function encodeDdsketchBinary({
  mapping,
  positive,
  negative,
  zeroCount,
}: DdsketchContent): Uint8Array {
  const bytes: number[] = [];
  const flag = (type: number, what: number): number => bytes.push((what << 2) | type);
  flag(MAPPING, INTERPOLATIONS.indexOf(mapping.interpolation));
  pushDouble(bytes, mapping.gamma);
  pushDouble(bytes, mapping.indexOffset);
  if (zeroCount > 0) {
    flag(FEATURE, ZERO_COUNT);
    pushVarfloat(bytes, zeroCount);
  }
  for (const [type, bins] of [[POSITIVE, positive] as const, [NEGATIVE, negative] as const]) {
    if (bins.size === 0) continue;
    flag(type, DELTAS_AND_COUNTS);
    pushBits(bytes, BigInt(bins.size));
    let before = 0;
    for (const [index, count] of [...bins].sort(([a], [b]) => a - b)) {
      const delta = BigInt(index - before);
      // Zigzag order: small integers of both signs are short.
      pushBits(bytes, BigInt.asUintN(64, (delta << 1n) ^ (delta >> 63n)));
      pushVarfloat(bytes, count);
      before = index;
    }
  }
  return Uint8Array.from(bytes);
}

function pushDouble(bytes: number[], value: number): void {
  SCRATCH.setFloat64(0, value, true);
  for (let at = 0; at < 8; at++) bytes.push(SCRATCH.getUint8(at));
}

/** As `uvarint` reads. */
function pushBits(bytes: number[], value: bigint): void {
  let rest = value;
  for (let length = 1; length < LONGEST && rest >= 0x80n; length++, rest >>= LOW_BITS) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
  }
  bytes.push(Number(rest));
}

/** As `varfloat` reads. */
function pushVarfloat(bytes: number[], value: number): void {
  SCRATCH.setFloat64(0, value + 1);
  const bits = BigInt.asUintN(64, SCRATCH.getBigUint64(0) - ONE_AS_BITS);
  let rest = BigInt.asUintN(64, (bits << ROTATION) | (bits >> (64n - ROTATION)));
  for (let length = 1; length < LONGEST; length++) {
    const byte = Number(rest >> 57n);
    rest = BigInt.asUintN(64, rest << LOW_BITS);
    if (rest === 0n) {
      bytes.push(byte);
      return;
    }
    bytes.push(byte | 0x80);
  }
  bytes.push(Number(rest >> 56n));
}

function known(facts: Pick<Sketch, 'sum' | 'min' | 'max'>): Pick<Sketch, 'sum' | 'min' | 'max'> {
  return Object.fromEntries(Object.entries(facts).filter(([, fact]) => Number.isFinite(fact)));
}

function areEqual(a: DdsketchMapping, b: DdsketchMapping): boolean {
  return a.gamma === b.gamma && a.indexOffset === b.indexOffset && a.interpolation === b.interpolation;
}

function readMapping(reader: BlockReader, what: number): DdsketchMapping {
  const interpolation = INTERPOLATIONS[what];
  if (interpolation === undefined) throw reader.damaged(`there is no mapping ${what}`);
  return { gamma: reader.double(), indexOffset: reader.double(), interpolation };
}

function readBins(reader: BlockReader, what: number, counts: Map<number, number>): void {
  const bins = reader.uvarint();
  reader.budget.takeElements(bins);
  const add = (index: number, count: number): void => {
    if (!(index >= -(2 ** 31) && index < 2 ** 31)) throw reader.damaged(`an index is ${index}`);
    counts.set(index, (counts.get(index) ?? 0) + count);
  };
  let index = 0;
  if (what === CONTIGUOUS) {
    index = reader.varint();
    const step = reader.varint();
    for (let at = 0; at < bins; at++, index += step) add(index, reader.varfloat());
  } else if (what === DELTAS || what === DELTAS_AND_COUNTS) {
    for (let at = 0; at < bins; at++) {
      index += reader.varint();
      add(index, what === DELTAS ? 1 : reader.varfloat());
    }
  } else throw reader.damaged(`there are no bins of kind ${what}`);
}

const LONGEST = 9;
const LOW_BITS = 7n;
const ONE_AS_BITS = 0x3ff0_0000_0000_0000n;
const ROTATION = 6n;

/** As many bins as a message of protobuf may have. */
const LIMITS = { elements: 800_000 };

/** A position in an encoding. */
class BlockReader {
  readonly #bytes: Uint8Array;
  readonly #view: DataView;
  at = 0;
  /** How many bins may be read. */
  readonly budget: Budget = new Budget('the bytes', LIMITS);

  constructor(bytes: Uint8Array) {
    this.#bytes = bytes;
    this.#view = new DataView(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  }

  byte(): number {
    const byte = this.#bytes[this.at];
    if (byte === undefined) throw this.damaged('it ends within a block');
    this.at++;
    return byte;
  }

  double(): number {
    if (this.at + 8 > this.#bytes.length) throw this.damaged('it ends within a block');
    this.at += 8;
    return this.#view.getFloat64(this.at - 8, true);
  }

  /** Reads an unsigned integer: 7 bits a byte, the lowest first, and 8 bits of a ninth byte. Above 2^53 it is the nearest number. */
  uvarint(): number {
    return Number(this.#bits());
  }

  /** Reads a signed integer in zigzag order. */
  varint(): number {
    const bits = this.#bits();
    return Number(BigInt.asIntN(64, (bits >> 1n) ^ -(bits & 1n)));
  }

  #bits(): bigint {
    let bits = 0n;
    for (let length = 0; ; length++) {
      const byte = this.byte();
      const isLast = length === LONGEST - 1;
      bits |= BigInt(isLast ? byte : byte & 0x7f) << (LOW_BITS * BigInt(length));
      if (byte < 0x80 || isLast) return bits;
    }
  }

  /** Reads a double of which small integers take one byte: the bits of it plus one, less those of one, rotated by 6, the highest first. */
  varfloat(): number {
    let bits = 0n;
    for (let length = 0; ; length++) {
      const byte = this.byte();
      const isLast = length === LONGEST - 1;
      bits |= isLast ? BigInt(byte) : BigInt(byte & 0x7f) << (57n - LOW_BITS * BigInt(length));
      if (byte < 0x80 || isLast) break;
    }
    const rotated = BigInt.asUintN(64, (bits >> ROTATION) | (bits << (64n - ROTATION)));
    SCRATCH.setBigUint64(0, BigInt.asUintN(64, rotated + ONE_AS_BITS));
    return SCRATCH.getFloat64(0) - 1;
  }

  damaged(problem: string): HdrscopeError {
    return new HdrscopeError(
      'ERR_DECODE',
      `the bytes are no encoded DDSketch, at byte ${this.at}: ${problem}`,
    );
  }
}

const SCRATCH = /* @__PURE__ */ new DataView(new ArrayBuffer(8));
