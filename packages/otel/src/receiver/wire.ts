import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { HdrscopeError } from '@hdrscope/core';

// Tags: the number of a field and how it is written.
export const varint = (field: number): number => field << 3;
export const fixed64 = (field: number): number => (field << 3) | 1;
export const delimited = (field: number): number => (field << 3) | 2;

const VARINT = 0;
const LONGEST_VARINT = 10;
const TURN = 2 ** 32;

/**
 * Reads a message with its length before it. A field that is not known, or not written as it should be, is left out, as
 * by any protobuf parser.
 *
 * @param readField Reads the field of a tag, and returns whether it knows it.
 * @throws HdrscopeError `ERR_DECODE` where the message and its fields do not end together.
 */
export function readMessage(reader: BinaryReader, readField: (tag: number) => boolean): void {
  const length = reader.uint32();
  readFields(reader, reader.pos + length, readField);
}

/** Reads the fields up to a position, likewise. */
export function readFields(reader: BinaryReader, end: number, readField: (tag: number) => boolean): void {
  if (end > reader.len) throw brokenOff();
  while (reader.pos < end) {
    const tag = reader.uint32();
    if (tag >>> 3 === 0)
      throw new HdrscopeError('ERR_DECODE', `the field before byte ${reader.pos} has no number`);
    if (!readField(tag)) reader.skip(tag & 7, tag >>> 3);
  }
  if (reader.pos !== end) throw brokenOff();
}

/** A `fixed64` as a number: above 2^53 the nearest one. */
export function readFixed64(reader: BinaryReader): number {
  const low = reader.fixed32();
  return low + reader.fixed32() * TURN;
}

/** A `fixed64` to the last digit. */
export function readNanoseconds(reader: BinaryReader): bigint {
  return BigInt(reader.fixed64());
}

/** A `uint64` as a number: above 2^53 the nearest one. */
export function readVarint64(reader: BinaryReader): number {
  return varintsIn(reader.skip(VARINT))[0]!;
}

/** Packed `uint64`s as numbers. `BinaryReader` makes bigints of them, which takes ten times as long. */
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
  if (at < bytes.length) throw brokenOff();
  return numbers;
}

/** Packed numbers of 8 bytes. */
export function readPacked64(
  reader: BinaryReader,
  numbers: number[],
  read: (one: BinaryReader) => number,
): void {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len || length % 8 !== 0) throw brokenOff();
  while (reader.pos < end) numbers.push(read(reader));
}

function brokenOff(): HdrscopeError {
  return new HdrscopeError('ERR_DECODE', 'a message ends within one of its fields');
}
