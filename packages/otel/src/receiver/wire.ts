import { HdrscopeError } from '@hdrscope/core';
import { BinaryReader, WireType } from '#protobuf';

// A tag holds the number of a field and its wire type.
export const varint = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => field << 3;
export const fixed64 = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 1;
export const delimited = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 2;

const LONGEST_VARINT = 10;
const TURN = 2 ** 32;
/** A power of two. */
const KNOWN_NUMBERS = 16;

/** Reads protobuf. */
export class MessageReader extends BinaryReader {
  readonly bytesRead: Uint8Array;

  // The points of a request share their times, and a bigint is an object: each is made once, at a place of its lower bits.
  readonly #lows = new Uint32Array(KNOWN_NUMBERS);
  readonly #highs = new Uint32Array(KNOWN_NUMBERS);
  readonly #numbers: bigint[] = new Array(KNOWN_NUMBERS).fill(0n);

  constructor(bytes: Uint8Array) {
    super(bytes);
    this.bytesRead = bytes;
  }

  /** Reads a `fixed64`. */
  exact64(): bigint {
    const low = this.fixed32();
    const high = this.fixed32();
    const place = (low ^ (low >>> 8)) & (KNOWN_NUMBERS - 1);
    if (this.#lows[place] !== low || this.#highs[place] !== high) {
      this.#lows[place] = low;
      this.#highs[place] = high;
      this.#numbers[place] = (BigInt(high) << 32n) | BigInt(low);
    }
    return this.#numbers[place]!;
  }

  /** Skips a field. Unlike `skip`, which returns its bytes, it makes no object. */
  skipField(type: WireType, field: number): void {
    if (type === WireType.Varint) {
      while (this.bytesRead[this.pos++]! >= 0x80);
    } else if (type === WireType.Bit64) this.pos += 8;
    else if (type === WireType.Bit32) this.pos += 4;
    else if (type === WireType.LengthDelimited) {
      const length = this.uint32();
      this.pos += length;
    } else this.skip(type, field);
    if (this.pos > this.len) throw truncated();
  }
}

/** Work that pauses after each part, so that other work can run between. */
export type Pausing<Result = void> = Generator<void, Result, void>;

/**
 * Reads a message that follows its length. Like any protobuf parser, it skips fields that are unknown or have another wire type.
 *
 * @param readField Reads the field of a tag. Returns false, and reads nothing, when it does not know the tag.
 * @throws HdrscopeError `ERR_DECODE` when the message and its last field do not end together.
 */
export function readMessage(reader: MessageReader, readField: (tag: number) => boolean): void {
  readFields(reader, endOfMessage(reader), readField);
}

/** Reads fields up to the position `end`, with the rules of `readMessage`. */
export function readFields(reader: MessageReader, end: number, readField: (tag: number) => boolean): void {
  while (reader.pos < end) {
    const tag = readTag(reader);
    if (!readField(tag)) reader.skipField(tag & 7, tag >>> 3);
  }
  if (reader.pos !== end) throw truncated();
}

/** Reads a message as `readMessage` does, and pauses after each field. A field may pause too. */
export function* readLongMessage(
  reader: MessageReader,
  readField: (tag: number) => boolean | Pausing,
): Pausing {
  yield* readLongFields(reader, endOfMessage(reader), readField);
}

/** Reads fields up to the position `end`, with the rules of `readLongMessage`. */
export function* readLongFields(
  reader: MessageReader,
  end: number,
  readField: (tag: number) => boolean | Pausing,
): Pausing {
  while (reader.pos < end) {
    const tag = readTag(reader);
    const field = readField(tag);
    if (field === false) reader.skipField(tag & 7, tag >>> 3);
    else if (field !== true) yield* field;
    yield;
  }
  if (reader.pos !== end) throw truncated();
}

/** Reads the length of a message, and returns the position where it must end. */
export function endOfMessage(reader: BinaryReader): number {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw truncated();
  return end;
}

/** Reads the tag of a field. */
export function readTag(reader: BinaryReader): number {
  const tag = reader.uint32();
  if (tag >>> 3 === 0)
    throw new HdrscopeError('ERR_DECODE', `the field before byte ${reader.pos} has no number`);
  return tag;
}

/** Reads a `fixed64` as a number. Above 2^53 it is the nearest number. */
export function readFixed64(reader: BinaryReader): number {
  const low = reader.fixed32();
  return low + reader.fixed32() * TURN;
}

/** Reads an `sfixed64` as a number. Beyond 2^53 it is the nearest number. */
export function readSigned64(reader: BinaryReader): number {
  const low = reader.fixed32();
  return low + reader.sfixed32() * TURN;
}

/** Reads a `fixed64` exactly. */
export function readNanoseconds(reader: MessageReader): bigint {
  return reader.exact64();
}

/** Reads a `uint64` as a number. Above 2^53 it is the nearest number. */
export function readVarint64(reader: MessageReader): number {
  const from = reader.pos;
  reader.skipField(WireType.Varint, 0);
  return varintsIn(reader.bytesRead, from, reader.pos)[0]!;
}

/** Reads packed `uint64`s as numbers. `BinaryReader` would make bigints, which takes ten times as long. */
export function readPackedVarints(reader: MessageReader): number[] {
  const end = endOfMessage(reader);
  const numbers = varintsIn(reader.bytesRead, reader.pos, end);
  reader.pos = end;
  return numbers;
}

/** How many varints end in a part of the bytes. */
export function countVarints(bytes: Uint8Array, from: number, to: number): number {
  let count = 0;
  for (let i = from; i < to; i++) if (bytes[i]! < 0x80) count++;
  return count;
}

function varintsIn(bytes: Uint8Array, start: number, end: number): number[] {
  const count = countVarints(bytes, start, end);
  const numbers = new Array<number>(count);
  let at = start;
  for (let i = 0; i < count; i++) {
    const from = at;
    let value = 0;
    let factor = 1;
    while (bytes[at]! >= 0x80) {
      value += (bytes[at++]! & 0x7f) * factor;
      factor *= 128;
    }
    numbers[i] = value + bytes[at++]! * factor;
    if (at - from > LONGEST_VARINT) throw new HdrscopeError('ERR_DECODE', 'a varint is longer than 10 bytes');
  }
  if (at < end) throw truncated();
  return numbers;
}

/** Reads packed numbers of 8 bytes. */
export function readPacked64(
  reader: BinaryReader,
  numbers: number[],
  read: (one: BinaryReader) => number,
): void {
  const end = endOfMessage(reader);
  if ((end - reader.pos) % 8 !== 0) throw truncated();
  while (reader.pos < end) numbers.push(read(reader));
}

export function truncated(): HdrscopeError {
  return new HdrscopeError('ERR_DECODE', 'a message ends within one of its fields');
}
