/**
 * Encodings that HdrHistogram 2.1.11 reads and does not write: versions 0 and 1, and version 2 with any payload.
 * All numbers are big-endian. Counts are given by slot, as `[slot, count]` in ascending order.
 */
import { deflateSync } from 'node:zlib';

const V0 = 0x1c849308;
const V1 = 0x1c849301;
const V2 = 0x1c849303;

/** Version 0: no payload length; the counts of all slots follow. */
export function encodeV0({ significantDigits, lowest, highest, wordSize, counts, slotCount }) {
  const header = Buffer.alloc(32);
  header.writeInt32BE(V0 | (wordSize << 4), 0);
  header.writeInt32BE(significantDigits, 4);
  header.writeBigInt64BE(BigInt(lowest), 8);
  header.writeBigInt64BE(BigInt(highest), 16);
  header.writeBigInt64BE(BigInt(counts.reduce((sum, [, count]) => sum + count, 0)), 24);
  return Buffer.concat([header, words(counts, wordSize, slotCount)]);
}

/** Version 1: counts of fixed width, up to the last that is not zero. */
export function encodeV1({ wordSize, counts, ...options }) {
  return withHeader(V1 | (wordSize << 4), options, words(counts, wordSize, counts.at(-1)[0] + 1));
}

/** Version 2 with a given payload: each number is a count, or a negative number of zeros. */
export function encodeV2({ numbers, ...options }) {
  return withHeader(V2 | 0x10, options, Buffer.concat(numbers.map(zigZag)));
}

/** The compressed form: its own cookie, a length, and a zlib stream of the whole raw encoding. */
export function compress(raw, level = 6) {
  const deflated = deflateSync(raw, { level });
  const header = Buffer.alloc(8);
  header.writeInt32BE(raw.readInt32BE(0) + 1, 0); // the compressed cookie of each version is the raw one plus one
  header.writeInt32BE(deflated.length, 4);
  return Buffer.concat([header, deflated]);
}

function withHeader(cookie, { significantDigits, lowest, highest, offset = 0, ratio = 1, length }, payload) {
  const header = Buffer.alloc(40);
  header.writeInt32BE(cookie, 0);
  header.writeInt32BE(length ?? payload.length, 4);
  header.writeInt32BE(offset, 8);
  header.writeInt32BE(significantDigits, 12);
  header.writeBigInt64BE(BigInt(lowest), 16);
  header.writeBigInt64BE(BigInt(highest), 24);
  header.writeDoubleBE(ratio, 32);
  return Buffer.concat([header, payload]);
}

function words(counts, wordSize, slotCount) {
  const payload = Buffer.alloc(slotCount * wordSize);
  for (const [slot, count] of counts) {
    const at = slot * wordSize;
    if (wordSize === 2) payload.writeInt16BE(count, at);
    else if (wordSize === 4) payload.writeInt32BE(count, at);
    else payload.writeBigInt64BE(BigInt(count), at);
  }
  return payload;
}

/** ZigZag LEB128 of 64 bits in at most nine bytes: the ninth has eight bits of its own. */
function zigZag(number) {
  const signed = BigInt(number);
  let rest = BigInt.asUintN(64, (signed << 1n) ^ (signed >> 63n));
  const bytes = [];
  while (rest > 0x7fn && bytes.length < 8) {
    bytes.push(Number(rest & 0x7fn) | 0x80);
    rest >>= 7n;
  }
  bytes.push(Number(rest));
  return Buffer.from(bytes);
}
