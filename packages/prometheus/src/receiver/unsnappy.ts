import { Buffer } from 'node:buffer';
import { HdrscopeError } from '@hdrscope/core';

const LITERAL = 0;
const COPY_OF_1 = 1;
const COPY_OF_2 = 2;
/** A length of 32 bits has at most so many bytes of seven bits. */
const LONGEST_LENGTH = 5;
/** From this number on, the length of a literal follows its tag in one to four bytes. */
const LONG_LITERAL = 60;

/**
 * Decompresses Snappy's block format. The block states its length first, so a block that would become too large is refused before
 * anything is decompressed.
 * Source: https://github.com/google/snappy/blob/main/format_description.txt
 *
 * @param maxBytes The most bytes that the block may have when it is decompressed.
 * @throws HdrscopeError `ERR_TOO_LARGE` when the block states more than `maxBytes`, with the detail `limit`; `ERR_DECODE` when the bytes
 *   are no such block, or end within one.
 */
export function unsnappy(bytes: Uint8Array, maxBytes: number): Uint8Array {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  const { length, end } = readLength(input);
  if (length > maxBytes) {
    const message = `the body must have at most ${maxBytes} bytes, decompressed, and states ${length}`;
    throw new HdrscopeError('ERR_TOO_LARGE', message, { details: { limit: 'bytes', most: maxBytes } });
  }
  // A copy of 64 bytes takes 3, and nothing else makes more of less.
  if (length > (64 / 3) * input.length) throw notSnappy(`${input.length} bytes cannot become ${length}`);
  const output = Buffer.allocUnsafe(length);
  let at = end;
  let written = 0;
  while (at < input.length) {
    const tag = input[at++]!;
    const kind = tag & 3;
    let size: number;
    let distance: number;
    if (kind === LITERAL) {
      const short = tag >>> 2;
      const more = short < LONG_LITERAL ? 0 : short - LONG_LITERAL + 1;
      size = 1 + (more === 0 ? short : readLittle(input, at, more));
      at += more;
      if (size > input.length - at) throw notSnappy('it ends within a literal');
      if (size > length - written) throw notSnappy(`it has more than the ${length} bytes that it states`);
      input.copy(output, written, at, at + size);
      at += size;
      written += size;
      continue;
    }
    if (kind === COPY_OF_1) {
      size = 4 + ((tag >>> 2) & 7);
      distance = ((tag >>> 5) << 8) | readLittle(input, at, 1);
      at += 1;
    } else {
      size = 1 + (tag >>> 2);
      const width = kind === COPY_OF_2 ? 2 : 4;
      distance = readLittle(input, at, width);
      at += width;
    }
    if (distance === 0 || distance > written) {
      throw notSnappy(`a copy goes ${distance} bytes back after ${written} bytes`);
    }
    if (size > length - written) throw notSnappy(`it has more than the ${length} bytes that it states`);
    const from = written - distance;
    // A copy may reach into what it writes, which repeats the bytes before it.
    if (distance >= size) output.copyWithin(written, from, from + size);
    else for (let i = 0; i < size; i++) output[written + i] = output[from + i]!;
    written += size;
  }
  if (written !== length) throw notSnappy(`it has ${written} bytes and states ${length}`);
  return output;
}

function readLength(input: Buffer): { readonly length: number; readonly end: number } {
  let length = 0;
  for (let i = 0; i < LONGEST_LENGTH; i++) {
    if (i >= input.length) throw notSnappy('it ends within its length');
    length += (input[i]! & 0x7f) * 128 ** i;
    if (input[i]! < 0x80) return { length, end: i + 1 };
  }
  throw notSnappy('its length has more than 5 bytes');
}

function readLittle(input: Buffer, at: number, width: number): number {
  if (width > input.length - at) throw notSnappy('it ends within a tag');
  return input.readUIntLE(at, width);
}

function notSnappy(problem: string): HdrscopeError<'ERR_DECODE'> {
  return new HdrscopeError('ERR_DECODE', `the body is no block of Snappy: ${problem}`);
}
