import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { HdrscopeError } from '@hdrscope/core';

// A tag holds the number of a field and its wire type.
export const varint = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => field << 3;
export const fixed64 = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 1;
export const delimited = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 2;

const VARINT = 0;
const LONGEST_VARINT = 10;
const TURN = 2 ** 32;

/**
 * Reads a message that follows its length. Like any protobuf parser, it skips fields that are unknown or have another
 * wire type.
 *
 * @param readField Reads the field of a tag. Returns false, and reads nothing, when it does not know the tag.
 * @throws HdrscopeError `ERR_DECODE` when the message and its last field do not end together.
 */
export function readMessage(reader: BinaryReader, readField: (tag: number) => boolean): void {
  const length = reader.uint32();
  readFields(reader, reader.pos + length, readField);
}

/** Reads fields up to the position `end`, with the rules of `readMessage`. */
export function readFields(reader: BinaryReader, end: number, readField: (tag: number) => boolean): void {
  if (end > reader.len) throw truncated();
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 0)
      throw new HdrscopeError('ERR_DECODE', `the field before byte ${reader.pos} has no number`);
    if (!readField(tag)) reader.skip(tag & 7, tag >>> 3);
  }
  if (reader.pos !== end) throw truncated();
}

/** Reads a `fixed64` as a number. Above 2^53 it is the nearest number. */
export function readFixed64(reader: BinaryReader): number {
  const low = reader.fixed32();
  return low + reader.fixed32() * TURN;
}

/** Reads a `fixed64` exactly. */
export function readNanoseconds(reader: BinaryReader): bigint {
  return BigInt(reader.fixed64());
}

/** Reads a `uint64` as a number. Above 2^53 it is the nearest number. */
export function readVarint64(reader: BinaryReader): number {
  return varintsIn(reader.skip(VARINT))[0]!;
}

/** Reads packed `uint64`s as numbers. `BinaryReader` would make bigints, which takes ten times as long. */
export function varintsIn(bytes: Uint8Array): number[] {
  let end = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! < 0x80) end++;
  const numbers = new Array<number>(end);
  let at = 0;
  for (let i = 0; i < end; i++) {
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
  if (at < bytes.length) throw truncated();
  return numbers;
}

/** Reads packed numbers of 8 bytes. */
export function readPacked64(
  reader: BinaryReader,
  numbers: number[],
  read: (one: BinaryReader) => number,
): void {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len || length % 8 !== 0) throw truncated();
  while (reader.pos < end) numbers.push(read(reader));
}

function truncated(): HdrscopeError {
  return new HdrscopeError('ERR_DECODE', 'a message ends within one of its fields');
}
