import { HdrscopeError } from '@hdrscope/core';
import { assertFollows, mustBe, type OptionRule, oneOf, usedSlots } from '@hdrscope/core/internal';
import { Budget, ProtobufWriter, WireReader } from '@hdrscope/kit';
import { byteArray } from '../bytes.ts';
import type { ValueRange } from './conversion.ts';
import {
  DDSKETCH_WRITERS,
  type DdsketchMapping,
  type DdsketchSlots,
  type DdsketchWriter,
  ddsketchSlots,
  INTERPOLATIONS,
  type Interpolation,
} from './ddsketch-mapping.ts';
import {
  assertSketchCount,
  type CountedRange,
  countRanges,
  type Sketch,
  type SketchTarget,
} from './sketch.ts';

// Source: https://github.com/DataDog/sketches-go/blob/v1.4.8/ddsketch/pb/ddsketch.proto

/** The content of a DDSketch before its indexes become slots. */
export interface DdsketchContent {
  readonly mapping: DdsketchMapping;
  /** Counts by index. */
  readonly positive: ReadonlyMap<number, number>;
  /** Counts of values below 0, by the index of their absolute values. */
  readonly negative: ReadonlyMap<number, number>;
  readonly zeroCount: number;
}

// A collapsing store has 2048 bins, and a bin of a contiguous store costs a quarter of an element.
const LIMITS = { elements: 200_000 };
const WHAT = 'the bytes are no DDSketch';

/** The rule of a writer. */
export const DDSKETCH_WRITER: OptionRule<DdsketchWriter> = /* @__PURE__ */ oneOf(DDSKETCH_WRITERS);

/**
 * Reads the protobuf of a DDSketch, with all mappings and stores.
 *
 * @param writer The library that wrote the bytes, which do not state it.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an argument is of another type; `ERR_DECODE` when the bytes are not such a message, a count is no integer from 0 to 2^53 − 1, or slots lie beyond
 *   the doubles; `ERR_TOO_LARGE` when there are more than 800,000 bins.
 * @example
 * ```ts
 * import { findQuantile } from '@hdrscope/core';
 * import { readDdsketch } from '@hdrscope/inputs/sketches';
 *
 * // Made by sketches-go 1.4.8: 1 once and 2 three times, with a relative accuracy of 5 %.
 * const text = 'CgkJ8xrKayiv8T8SGgoLCAARAAAAAAAA8D8KCwgMEQAAAAAAAAhAGgA=';
 * const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0));
 * const { counted } = readDdsketch(bytes, 'sketches-go');
 * counted.counts.total; //=> 4
 * ```
 */
export function readDdsketch(bytes: Uint8Array, writer: DdsketchWriter): Sketch {
  assertFollows('the bytes', byteArray, bytes);
  assertFollows('the writer', DDSKETCH_WRITER, writer);
  return countDdsketch(readContent(bytes), writer);
}

/**
 * Makes counts over slots of the content of a DDSketch. A store of few bins has one of two ends that takes the values beyond it, and does not
 * state it. Most take those near 0, so the bin next to 0 reaches to 0.
 *
 * @param max The largest value, where it is known. The bin of a store that has taken larger values reaches to it.
 * @throws HdrscopeError `ERR_DECODE`
 */
export function countDdsketch(
  content: DdsketchContent,
  writer: DdsketchWriter,
  max: number = Number.NEGATIVE_INFINITY,
): Sketch {
  const { mapping, positive, negative, zeroCount } = content;
  const slots = ddsketchSlots(mapping, writer);
  assertSketchCount(zeroCount, 'zeroCount');
  const ranges: CountedRange[] = listRanges(negative, slots, 'negativeValues').reverse().map(mirrorRange);
  if (zeroCount > 0) ranges.push({ lower: -slots.zeroBound, upper: slots.zeroBound, count: zeroCount });
  for (const range of listRanges(positive, slots, 'positiveValues', max)) ranges.push(range);
  return { counted: countRanges(ranges, slots.inclusive) };
}

function mirrorRange({ lower, upper, count, nominal }: CountedRange): CountedRange {
  const mirrored = { lower: -upper, upper: -lower, count };
  return nominal === undefined
    ? mirrored
    : { ...mirrored, nominal: { lower: -nominal.upper, upper: -nominal.lower } };
}

/** Bounds are exact up to the rounding of logarithms. */
const ROUNDING = 1e-12;

function listRanges(
  counts: ReadonlyMap<number, number>,
  slots: DdsketchSlots,
  where: string,
  max: number = Number.NEGATIVE_INFINITY,
): CountedRange[] {
  const indexes = [...counts.keys()].sort((a, b) => a - b);
  const ranges: CountedRange[] = [];
  for (const index of indexes) {
    const count = counts.get(index)!;
    // Its place is text only for a count that is refused.
    if (!(Number.isSafeInteger(count) && count >= 0))
      assertSketchCount(count, `${where}: the count of index ${index}`);
    if (count === 0) continue;
    const { lower, upper } = slots.bounds(index);
    // The zero count has what is nearer to 0.
    const from = Math.max(lower, slots.zeroBound);
    if (!(upper > from && from < Number.POSITIVE_INFINITY))
      throw new HdrscopeError('ERR_DECODE', `${where}: index ${index} is beyond the doubles`);
    ranges.push({ lower: from, upper, count });
  }
  const last = ranges.at(-1);
  if (last === undefined) return ranges;
  if (max > last.upper * (1 + ROUNDING)) ranges[ranges.length - 1] = widenRange(last, last.lower, max);
  const first = ranges[0]!;
  if (first.lower > slots.zeroBound) ranges[0] = widenRange(first, slots.zeroBound, first.upper);
  return ranges;
}

function widenRange(range: CountedRange, lower: number, upper: number): CountedRange {
  const { nominal = { lower: range.lower, upper: range.upper }, count } = range;
  return { lower, upper, count, nominal };
}

// Reading.

function readContent(bytes: Uint8Array): DdsketchContent {
  const reader = new WireReader(bytes, new Budget('the bytes', LIMITS), WHAT);
  let mapping: DdsketchMapping | undefined;
  let positive: Map<number, number> | undefined;
  let negative: Map<number, number> | undefined;
  let zeroCount = 0;
  while (reader.at < bytes.length) {
    const tag = reader.tag(bytes.length);
    if (tag === 0x0a && mapping === undefined) mapping = readMapping(reader, reader.message(bytes.length));
    else if (tag === 0x12 && positive === undefined)
      positive = readStore(reader, reader.message(bytes.length));
    else if (tag === 0x1a && negative === undefined)
      negative = readStore(reader, reader.message(bytes.length));
    else if (tag === 0x21) zeroCount = reader.double(bytes.length);
    else skipUnknown(reader, tag, bytes.length, 4);
  }
  if (mapping === undefined) throw reader.damaged('it has no mapping');
  return { mapping, positive: positive ?? new Map(), negative: negative ?? new Map(), zeroCount };
}

function readMapping(reader: WireReader, end: number): DdsketchMapping {
  let [gamma, indexOffset, interpolation] = [0, 0, 0];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x09) gamma = reader.double(end);
    else if (tag === 0x11) indexOffset = reader.double(end);
    else if (tag === 0x18) interpolation = reader.varint(end);
    else skipUnknown(reader, tag, end, 3);
  }
  const name = INTERPOLATIONS[interpolation];
  if (name === undefined) throw reader.damaged(`there is no interpolation ${interpolation}`);
  return { gamma, indexOffset, interpolation: name };
}

function readStore(reader: WireReader, end: number): Map<number, number> {
  const counts = new Map<number, number>();
  const contiguous: number[] = [];
  let offset = 0;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x0a) readBin(reader, reader.message(end), counts);
    else if (tag === 0x12 || tag === 0x11) reader.numbers(tag, end, contiguous, (to) => reader.double(to));
    else if (tag === 0x18) offset = reader.zigzag(end);
    else skipUnknown(reader, tag, end, 3);
  }
  if (contiguous.length > 0 && !isIndex(offset)) throw reader.damaged(`an index is ${offset}`);
  // A store may have both kinds of bins, which add up.
  for (const [at, count] of contiguous.entries()) {
    if (count !== 0) counts.set(offset + at, (counts.get(offset + at) ?? 0) + count);
  }
  return counts;
}

function readBin(reader: WireReader, end: number, counts: Map<number, number>): void {
  let [index, count] = [0, 0];
  reader.takeElements(1);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === 0x08) index = reader.zigzag(end);
    else if (tag === 0x11) count = reader.double(end);
    else skipUnknown(reader, tag, end, 2);
  }
  if (!isIndex(index)) throw reader.damaged(`an index is ${index}`);
  if (counts.has(index)) throw reader.damaged(`the index ${index} has two counts`);
  counts.set(index, count);
}

/** Skips a field of a later version. @param most The number of the last known field. */
function skipUnknown(reader: WireReader, tag: number, end: number, most: number): void {
  if (tag >>> 3 > most) reader.skip(tag, end);
  else throw reader.damaged(`field ${tag >>> 3} has the wire type ${tag & 7}, or comes twice`);
}

function isIndex(index: number): boolean {
  return Number.isInteger(index) && index >= -(2 ** 31) && index < 2 ** 31;
}

// Writing.

/** How a DDSketch is written. */
export interface DdsketchOptions {
  /** The library that shall read the bytes. @default 'sketches-go', which sketches-java agrees with */
  readonly writer?: DdsketchWriter | undefined;
  /** How far a value may be from the one that stands for its slot, as a share of it: above 0 and below 1. @default 0.01 */
  readonly relativeAccuracy?: number | undefined;
}

// Each slot takes 8 bytes, in each library that reads them.
const MOST_SLOTS = 65_536;

/**
 * Prepares a DDSketch with an exact logarithm for values of a range.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the accuracy is outside its range, or needs more than 65,536 slots.
 */
export function planDdsketch(
  range: ValueRange,
  { writer = 'sketches-go', relativeAccuracy = 0.01 }: DdsketchOptions = {},
  encode: (content: DdsketchContent) => Uint8Array = encodeContent,
): SketchTarget {
  if (!(relativeAccuracy > 0 && relativeAccuracy < 1)) {
    throw mustBe('ERR_INVALID_OPTION', 'relativeAccuracy', 'above 0 and below 1', relativeAccuracy);
  }
  const gamma = (1 + relativeAccuracy) / (1 - relativeAccuracy);
  const mapping = { gamma, indexOffset: 0, interpolation: 'NONE' } as const;
  const slots = ddsketchSlots(mapping, writer);
  const [first, last] = [findIndex(slots, gamma, range.least), findIndex(slots, gamma, range.most)];
  if ((last - first + 1) * (range.hasNegative ? 2 : 1) > MOST_SLOTS) {
    const allowed = `so large that at most ${MOST_SLOTS} slots reach from ${range.least} to ${range.most}`;
    throw mustBe('ERR_INVALID_OPTION', 'relativeAccuracy', allowed, relativeAccuracy);
  }
  const indexes = Array.from({ length: last - first + 1 }, (_, at) => first + at);
  const ranges = indexes.map((index) => ({ ...slots.bounds(index), count: 0, index, sign: 1 }));
  const negative = range.hasNegative
    ? ranges
        .map(({ lower, upper, index }) => ({ lower: -upper, upper: -lower, count: 0, index, sign: -1 }))
        .reverse()
    : [];
  const zero = { lower: -slots.zeroBound, upper: slots.zeroBound, count: 0, index: 0, sign: 0 };
  const all = [...negative, zero, ...ranges];
  const { layout } = countRanges(all, slots.inclusive);
  const places = new Map(all.map((one) => [layout.slotOf((one.lower + one.upper) / 2), one]));
  return {
    layout,
    write(counts) {
      const [positive, below] = [new Map<number, number>(), new Map<number, number>()];
      let zeroCount = 0;
      for (const [slot, count] of usedSlots(counts)) {
        const place = places.get(slot)!;
        if (place.sign === 0) zeroCount += count;
        else (place.sign > 0 ? positive : below).set(place.index, count);
      }
      return encode({ mapping, positive, negative: below, zeroCount });
    },
  };
}

/** The index of the slot that has a value. */
function findIndex(slots: DdsketchSlots, gamma: number, value: number): number {
  let index = Math.floor(Math.log(value) / Math.log(gamma));
  while (slots.bounds(index).lower > value) index--;
  while (slots.bounds(index).upper < value) index++;
  return index;
}

function encodeContent({ mapping, positive, negative, zeroCount }: DdsketchContent): Uint8Array {
  const writer = new ProtobufWriter();
  writer.uint32(0x0a).fork();
  writer.uint32(0x09).double(mapping.gamma);
  if (mapping.indexOffset !== 0) writer.uint32(0x11).double(mapping.indexOffset);
  const interpolation = INTERPOLATIONS.indexOf(mapping.interpolation satisfies Interpolation);
  if (interpolation !== 0) writer.uint32(0x18).uint32(interpolation);
  writer.join();
  encodeStore(writer, 0x12, positive);
  encodeStore(writer, 0x1a, negative);
  if (zeroCount !== 0) writer.uint32(0x21).double(zeroCount);
  return writer.finish();
}

/** Contiguous, as all libraries read it: sketches-js and sketches-py read no other bins. */
function encodeStore(writer: ProtobufWriter, tag: number, counts: ReadonlyMap<number, number>): void {
  writer.uint32(tag).fork();
  if (counts.size > 0) {
    const indexes = [...counts.keys()].sort((a, b) => a - b);
    const [first, last] = [indexes[0]!, indexes.at(-1)!];
    writer.uint32(0x12).fork();
    for (let index = first; index <= last; index++) writer.double(counts.get(index) ?? 0);
    writer.join();
    if (first !== 0) writer.uint32(0x18).sint32(first);
  }
  writer.join();
}
