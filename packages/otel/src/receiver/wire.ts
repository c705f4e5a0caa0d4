import { BinaryReader, WireType } from '@bufbuild/protobuf/wire';
import { HdrscopeError } from '@hdrscope/core';
import type { Budget } from '@hdrscope/kit';
import { FIELD_COST, NUMBER_COST } from './limits.ts';

// A tag holds the number of a field and its wire type.
export const varint = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => field << 3;
export const fixed64 = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 1;
export const delimited = /* @__NO_SIDE_EFFECTS__ */ (field: number): number => (field << 3) | 2;

const LONGEST_VARINT = 10;
const TURN = 2 ** 32;

/** Reads protobuf, and counts what it reads. */
export class MessageReader extends BinaryReader {
  readonly budget: Budget;

  constructor(bytes: Uint8Array, budget: Budget) {
    super(bytes);
    this.budget = budget;
  }
}

/** Work that pauses after each part, so that other work can run between. */
export type Pausing<Result = void> = Generator<void, Result, void>;

/**
 * Reads a message that follows its length. It is an element of the budget, and its fields have a small cost each. Like
 * any protobuf parser, it skips fields that are unknown or have another wire type.
 *
 * @param readField Reads the field of a tag. Returns false, and reads nothing, when it does not know the tag.
 * @throws HdrscopeError `ERR_DECODE` when the message and its last field do not end together.
 */
export function readMessage(reader: MessageReader, readField: (tag: number) => boolean): void {
  readFields(reader, beginMessage(reader), readField);
  reader.budget.leave();
}

/** Reads fields up to the position `end`, with the rules of `readMessage`. */
export function readFields(reader: MessageReader, end: number, readField: (tag: number) => boolean): void {
  while (reader.pos < end) {
    const tag = readTag(reader);
    if (!readField(tag)) skipField(reader, tag & 7, tag >>> 3);
  }
  if (reader.pos !== end) throw truncated();
}

/** Reads a message as `readMessage` does, and pauses after each field. A field may pause too. */
export function* readLongMessage(
  reader: MessageReader,
  readField: (tag: number) => boolean | Pausing,
): Pausing {
  const end = beginMessage(reader);
  yield* readLongFields(reader, end, readField);
  reader.budget.leave();
}

/** Reads fields up to the position `end`, with the rules of `readLongMessage`. A pause takes time, so each field is an element. */
export function* readLongFields(
  reader: MessageReader,
  end: number,
  readField: (tag: number) => boolean | Pausing,
): Pausing {
  while (reader.pos < end) {
    const tag = readTag(reader);
    reader.budget.takeElements();
    const field = readField(tag);
    if (field === false) skipField(reader, tag & 7, tag >>> 3);
    else if (field !== true) yield* field;
    yield;
  }
  if (reader.pos !== end) throw truncated();
}

/** Returns the position where the message must end. */
function beginMessage(reader: MessageReader): number {
  reader.budget.takeElements();
  reader.budget.enter();
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len) throw truncated();
  return end;
}

function readTag(reader: MessageReader): number {
  const tag = reader.uint32();
  if (tag >>> 3 === 0)
    throw new HdrscopeError('ERR_DECODE', `the field before byte ${reader.pos} has no number`);
  reader.budget.takeElements(FIELD_COST);
  return tag;
}

/** Skips a field. The fields of a group, which `BinaryReader` skips as one, cost as others do. */
function skipField(reader: MessageReader, type: WireType, field: number): void {
  if (type !== WireType.StartGroup) {
    reader.skip(type, field);
    return;
  }
  const { budget } = reader;
  budget.enter();
  for (;;) {
    const [inner, innerType] = reader.tag();
    budget.takeElements(FIELD_COST);
    if (innerType === WireType.EndGroup) {
      if (inner !== field) throw new HdrscopeError('ERR_DECODE', `the group ${field} ends as group ${inner}`);
      break;
    }
    skipField(reader, innerType, inner);
  }
  budget.leave();
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
  return varintsIn(reader.skip(WireType.Varint), 1)[0]!;
}

/** Reads packed `uint64`s as numbers. `BinaryReader` would make bigints, which takes ten times as long. */
export function readPackedVarints(reader: MessageReader): number[] {
  const bytes = reader.bytes();
  let end = 0;
  for (let i = 0; i < bytes.length; i++) if (bytes[i]! < 0x80) end++;
  reader.budget.takeElements(1 + end * NUMBER_COST);
  return varintsIn(bytes, end);
}

/** @param end The number of varints. */
function varintsIn(bytes: Uint8Array, end: number): number[] {
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
  reader: MessageReader,
  numbers: number[],
  read: (one: BinaryReader) => number,
): void {
  const length = reader.uint32();
  const end = reader.pos + length;
  if (end > reader.len || length % 8 !== 0) throw truncated();
  reader.budget.takeElements(1 + (length / 8) * NUMBER_COST);
  while (reader.pos < end) numbers.push(read(reader));
}

function truncated(): HdrscopeError {
  return new HdrscopeError('ERR_DECODE', 'a message ends within one of its fields');
}
