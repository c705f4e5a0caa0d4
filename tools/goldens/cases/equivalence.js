import { make } from '../ask.js';
import { aroundPowersOfTwo, growing, HOUR_NS, HOUR_US, hdr, LARGEST, LARGEST_SAFE } from './recordings.js';

export const name = 'equivalence';

export const header = {
  about:
    'Which values share a slot, also where the range has no slot for them. At 2^63 - 1 the next value wraps to -2^63.',
  values: '[value, slot, size, lowest, highest, median, next]',
};

const SMALL = [0, 1, 2, 3, 10, 99, 100, 255, 256, 257, 511, 512, 1000, 1023, 1024, 1025];
const USUAL = [...SMALL, 2047, 2048, 2049, 2500, 8191, 8192, 10_000, 10_007, 123_456_789, HOUR_US];
const BEYOND = [
  2n ** 53n - 1n,
  2n ** 53n,
  2n ** 53n + 1n,
  2n ** 61n + 12_345n,
  2n ** 62n - 1n,
  2n ** 62n,
  LARGEST,
];
const POWERS = aroundPowersOfTwo(4, 52).map(([value]) => value);

export const cases = [
  { name: 'an hour in microseconds', options: hdr(1, HOUR_US, 3), values: USUAL },
  ...[0, 1, 2, 4, 5].map((digits) => ({
    name: `an hour in microseconds, ${digits} digits`,
    options: hdr(1, HOUR_US, digits),
    values: USUAL,
  })),
  { name: 'smallest range', options: growing(3), values: SMALL },
  { name: 'all safe integers', options: hdr(1, LARGEST_SAFE, 3), values: [...POWERS, LARGEST_SAFE] },
  {
    name: 'all safe integers, 5 digits',
    options: hdr(1, LARGEST_SAFE, 5),
    values: [2 ** 31 - 1, 2 ** 32 + 1, 2 ** 48, LARGEST_SAFE],
  },
  { name: 'all values', options: hdr(1, LARGEST, 2), values: [...USUAL, ...BEYOND] },
  {
    name: 'unit of 512',
    options: hdr(1000, HOUR_NS, 3),
    values: [...USUAL, 524_287, 524_288, 1_048_575, 1_048_576, 1_048_577, HOUR_NS],
  },
  {
    name: 'unit of 2, configured 3',
    options: hdr(3, 10_000, 1),
    values: [0, 1, 2, 3, 4, 5, 31, 32, 62, 63, 64, 65, 127, 128, 9999],
  },
  {
    name: 'unit of 16384',
    options: hdr(20_000, HOUR_NS, 2),
    values: [...USUAL, 16_383, 16_384, 20_000, 4_194_303, 4_194_304, HOUR_NS],
  },
  {
    name: 'unit of 2^40',
    options: hdr(2 ** 40, LARGEST, 3),
    values: [2 ** 40 - 1, 2 ** 40, 2 ** 51, ...BEYOND],
  },
  {
    name: 'unit as large as 3 digits allow',
    options: hdr(2n ** 51n, LARGEST, 3),
    values: [0, 2 ** 51, ...BEYOND],
  },
  { name: 'unit as large as 0 digits allow', options: hdr(2n ** 61n, LARGEST, 0), values: [0, ...BEYOND] },
];

export async function answer(oracle, { options, values }) {
  await make(oracle, 'h', { options, recorded: [] });
  const { bucketCount, subBucketCount, countsArrayLength } = await oracle.ask('summary', 'h');
  return {
    bucketCount,
    subBucketCount,
    countsArrayLength,
    values: await oracle.ask('equivalence', 'h', ...new Set(values)),
  };
}
