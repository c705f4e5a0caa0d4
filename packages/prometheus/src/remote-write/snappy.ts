import { Buffer } from 'node:buffer';

// Each block is compressed by itself, so that a distance fits in 16 bits.
const BLOCK_BYTES = 65_536;
const TABLE_BITS = 14;
const LEAST_MATCH = 4;
const LONGEST_COPY = 64;
// After so many bytes without a match, the search begins to skip.
const SKIP_BITS = 5;

const LITERAL = 0;
const COPY_OF_2 = 2;

/**
 * Compresses bytes in Snappy's block format, which remote write asks for. It uses literals and copies with a distance of two bytes,
 * which every decoder knows.
 * Source: https://github.com/google/snappy/blob/main/format_description.txt
 */
export function snappy(bytes: Uint8Array): Uint8Array {
  const input = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength);
  // A literal of a block costs three bytes more than its own.
  const output = Buffer.allocUnsafe(
    16 + input.length + 4 * Math.ceil(input.length / BLOCK_BYTES) + (input.length >>> 3),
  );
  const table = new Uint16Array(2 ** TABLE_BITS);
  let at = writeVarint(output, input.length);
  for (let start = 0; start < input.length; start += BLOCK_BYTES) {
    table.fill(0);
    at = writeBlock(input, start, Math.min(input.length, start + BLOCK_BYTES), output, at, table);
  }
  return output.subarray(0, at);
}

function writeVarint(output: Buffer, value: number): number {
  let at = 0;
  let rest = value;
  while (rest >= 0x80) {
    output[at++] = (rest % 0x80) | 0x80;
    rest = Math.floor(rest / 0x80);
  }
  output[at++] = rest;
  return at;
}

/** Writes a block, and returns where it ends. The table has the last place of each hash, from the start of the block. */
function writeBlock(
  input: Buffer,
  start: number,
  end: number,
  output: Buffer,
  begin: number,
  table: Uint16Array,
): number {
  const last = end - LEAST_MATCH;
  let at = begin;
  let literal = start;
  let i = start + 1;
  let misses = 0;
  while (i <= last) {
    const word = input.readUInt32LE(i);
    const hash = Math.imul(word, 0x1e35a7bd) >>> (32 - TABLE_BITS);
    const match = start + table[hash]!;
    table[hash] = i - start;
    if (match >= i || input.readUInt32LE(match) !== word) {
      i += 1 + (misses++ >>> SKIP_BITS);
      continue;
    }
    let length = LEAST_MATCH;
    while (i + length < end && input[match + length] === input[i + length]) length++;
    at = writeLiteral(input, literal, i, output, at);
    at = writeCopy(i - match, length, output, at);
    i += length;
    literal = i;
    misses = 0;
  }
  return writeLiteral(input, literal, end, output, at);
}

function writeLiteral(input: Buffer, start: number, end: number, output: Buffer, begin: number): number {
  const length = end - start;
  if (length === 0) return begin;
  let at = begin;
  const rest = length - 1;
  if (rest < 60) {
    output[at++] = LITERAL | (rest << 2);
  } else if (rest < 0x100) {
    output[at++] = LITERAL | (60 << 2);
    output[at++] = rest;
  } else {
    output[at++] = LITERAL | (61 << 2);
    output[at++] = rest & 0xff;
    output[at++] = rest >>> 8;
  }
  return at + input.copy(output, at, start, end);
}

function writeCopy(distance: number, length: number, output: Buffer, begin: number): number {
  let at = begin;
  for (let left = length; left > 0; ) {
    const part = Math.min(left, LONGEST_COPY);
    output[at++] = COPY_OF_2 | ((part - 1) << 2);
    output[at++] = distance & 0xff;
    output[at++] = distance >>> 8;
    left -= part;
  }
  return at;
}
