import { compress, encodeV0, encodeV1, encodeV2 } from '../encodings.js';
import { Rejected } from '../oracle.js';
import { HOUR_NS, LARGEST } from './recordings.js';

export const name = 'decoding';

export const header = {
  about:
    'Encodings that HdrHistogram reads and does not write, put together here. `compressed` is base64, `bytes` is hex; `rejected` names the exception of those that it refuses.',
  recorded: '[highestEquivalentValue, count]',
  decodedInto:
    'bytes a count of the histogram that decodes, 8 if not given: HdrHistogram has no wider one for narrow counts of version 0',
};

// 1 digit from 1 to 100: 32 sub-buckets and 5 buckets, a table that is short enough to write whole.
const small = { significantDigits: 1, lowest: 1, highest: 100 };
const SMALL_SLOTS = 64;
const COUNTS = [
  [0, 3],
  [1, 1],
  [17, 2],
  [40, 32_767],
];
const WIDE = [...COUNTS, [41, 2 ** 31 - 1]];
const WIDEST = [...WIDE, [42, 2 ** 40 + 5]];
const unit = { significantDigits: 2, lowest: 20_000, highest: HOUR_NS };

const fixed = [
  ['2 bytes a count', 2, COUNTS],
  ['4 bytes a count', 4, WIDE],
  ['8 bytes a count', 8, WIDEST],
];

const v2 = (numbers, more) => encodeV2({ ...small, numbers, ...more });
const plain = v2([3, 1, -15, 2]);
const stored = compress(plain, 0); // the same bytes from every zlib: what is broken cannot be inflated to be compared

export const cases = [
  ...fixed.map(([what, wordSize, counts]) => ({
    name: `version 0, ${what}`,
    decodedInto: wordSize,
    bytes: encodeV0({ ...small, wordSize, counts, slotCount: SMALL_SLOTS }),
  })),
  ...fixed.map(([what, wordSize, counts]) => ({
    name: `version 0, ${what}, compressed`,
    decodedInto: wordSize,
    compressed: compress(encodeV0({ ...small, wordSize, counts, slotCount: SMALL_SLOTS })),
  })),
  {
    name: 'version 0, ends after its last count, compressed',
    compressed: compress(encodeV0({ ...small, wordSize: 8, counts: WIDEST, slotCount: 43 })),
  },
  {
    name: 'version 0, total in the header is ignored',
    bytes: withTotal(encodeV0({ ...small, wordSize: 8, counts: COUNTS, slotCount: SMALL_SLOTS }), 999n),
  },
  ...fixed.map(([what, wordSize, counts]) => ({
    name: `version 1, ${what}`,
    bytes: encodeV1({ ...small, wordSize, counts }),
  })),
  ...fixed.map(([what, wordSize, counts]) => ({
    name: `version 1, ${what}, compressed`,
    compressed: compress(encodeV1({ ...small, wordSize, counts })),
  })),
  { name: 'version 1, unit of 16384', bytes: encodeV1({ ...unit, wordSize: 8, counts: WIDEST }) },
  { name: 'version 1, empty', bytes: encodeV1({ ...small, wordSize: 8, counts: [[0, 0]] }) },

  { name: 'version 2', bytes: plain },
  { name: 'version 2, compressed', compressed: compress(plain) },
  { name: 'version 2, runs of one zero', bytes: v2([3, 1, -1, -1, 0, -12, 2]) },
  { name: 'version 2, no payload', bytes: v2([]) },
  { name: 'version 2, zeros to the last slot', bytes: v2([3, 1 - SMALL_SLOTS]) },
  { name: 'version 2, a count in the last slot', bytes: v2([3, 2 - SMALL_SLOTS, 7]) },
  { name: 'version 2, more bytes than the payload', bytes: Buffer.concat([plain, Buffer.from([2, 2])]) },
  { name: 'version 2, unit of 16384', bytes: encodeV2({ ...unit, numbers: [1, -200, 5, 0, 7] }) },
  { name: 'version 2, shifted by one bucket', bytes: v2([3, -31, 2, 1], { offset: 16 }) },
  { name: 'version 2, ratio of a double histogram', bytes: v2([3, 1, -15, 2], { ratio: 0.5 }) },
  {
    name: 'version 2, largest range',
    bytes: encodeV2({ significantDigits: 2, lowest: 1, highest: LARGEST, numbers: [0, -7294, 1] }),
  },
  { name: 'version 2, counts beyond 2^53', bytes: v2([1, 2n ** 53n + 1n, 2n ** 61n]) },

  { name: 'no bytes', bytes: Buffer.alloc(0) },
  { name: 'cookie of nothing', bytes: Buffer.concat([Buffer.from('deadbeef', 'hex'), plain.subarray(4)]) },
  {
    name: 'cookie of the compressed form',
    bytes: Buffer.concat([Buffer.from('1c849314', 'hex'), plain.subarray(4)]),
  },
  {
    name: 'cookie of version 1 with words of 6 bytes',
    bytes: Buffer.concat([Buffer.from('1c849361', 'hex'), plain.subarray(4)]),
  },
  { name: 'header cut short', bytes: plain.subarray(0, 39) },
  { name: 'payload cut short', bytes: plain.subarray(0, -1) },
  { name: 'a count cut short', bytes: Buffer.concat([v2([], { length: 1 }), Buffer.from([0x80])]) },
  { name: 'zeros beyond the last slot', bytes: v2([3, -SMALL_SLOTS, 1]) },
  { name: 'a count beyond the last slot', bytes: v2(Array.from({ length: SMALL_SLOTS + 1 }, () => 1)) },
  { name: 'zeros beyond 2^31', bytes: v2([3, -(2 ** 31), 1]) },
  { name: 'lowest of 0', bytes: encodeV2({ ...small, lowest: 0, numbers: [3] }) },
  { name: 'highest below twice the lowest', bytes: encodeV2({ ...small, lowest: 60, numbers: [3] }) },
  { name: '6 digits', bytes: encodeV2({ ...small, significantDigits: 6, numbers: [3] }) },
  {
    name: 'version 1, payload cut short',
    bytes: encodeV1({ ...small, wordSize: 8, counts: COUNTS }).subarray(0, -1),
  },
  {
    name: 'version 0, payload cut short',
    bytes: encodeV0({ ...small, wordSize: 8, counts: COUNTS, slotCount: SMALL_SLOTS - 1 }),
  },
  { name: 'compressed, cookie of the raw form', compressed: withCookie(compress(plain), '1c849313') },
  { name: 'compressed, raw cookie of nothing', compressed: compress(withCookie(plain, '00000010')) },
  { name: 'compressed, stream cut short', compressed: stored.subarray(0, -12) },
  {
    name: 'compressed, no zlib stream',
    compressed: Buffer.concat([stored.subarray(0, 8), Buffer.alloc(24, 0x55)]),
  },
];

function withTotal(v0, total) {
  const changed = Buffer.from(v0);
  changed.writeBigInt64BE(total, 24);
  return changed;
}

function withCookie(encoding, hex) {
  return Buffer.concat([Buffer.from(hex, 'hex'), encoding.subarray(4)]);
}

export async function answer(oracle, { bytes, compressed, decodedInto = 8 }) {
  const input = bytes ? { bytes: bytes.toString('hex') } : { compressed: compressed.toString('base64') };
  try {
    if (bytes) await oracle.ask('decode', 'h', input.bytes, decodedInto);
    else await oracle.ask('decompress', 'h', input.compressed, decodedInto);
  } catch (error) {
    if (!(error instanceof Rejected)) throw error;
    return { ...input, rejected: error.message };
  }
  const rows = await oracle.ask('iterate', 'h', 'recorded');
  return {
    ...input,
    result: await oracle.ask('summary', 'h'),
    recorded: rows.map(([value, , count]) => [value, count]),
    v2: await oracle.ask('encode', 'h'),
  };
}
