import { describe, make } from '../ask.js';
import {
  aroundPowersOfTwo,
  each,
  growing,
  HOUR_NS,
  HOUR_US,
  hdr,
  LARGEST,
  LARGEST_SAFE,
  latenciesNs,
  latenciesUs,
  stall,
} from './recordings.js';

export const name = 'histograms';

export const header = {
  about: 'Recorded values, and all that is said about them.',
  percentiles: '[percentile, value]',
  atValues: '[value, countAtValue, percentileAtOrBelow]',
  between: '[from, to, count]',
};

const SPREAD = each(
  1,
  2,
  3,
  9,
  10,
  11,
  99,
  100,
  101,
  999,
  1000,
  1001,
  12_345,
  99_999,
  100_000,
  123_456,
  1_000_000,
);

export const cases = [
  { name: 'empty, growing', options: growing(3), recorded: [] },
  { name: 'empty', options: hdr(1, HOUR_US, 3), recorded: [] },
  { name: 'empty, unit of 512', options: hdr(1000, HOUR_NS, 3), recorded: [] },

  ...[0, 1, 42, 2047, 2048, 2049, 100_000_000, HOUR_US].map((value) => ({
    name: `one value, ${value}`,
    options: hdr(1, HOUR_US, 3),
    recorded: each(value),
  })),
  { name: 'zeros only', options: hdr(1, HOUR_US, 3), recorded: [[0, 3]] },
  { name: 'zeros and more', options: hdr(1, HOUR_US, 3), recorded: [[0], [1], [100_000, 3], [HOUR_US]] },
  { name: 'above the highest, still covered', options: hdr(1, 1000, 3), recorded: each(1000, 1001, 2047) },
  { name: 'two values', options: growing(3), recorded: each(1, 2) },
  { name: 'one value and four equal ones', options: growing(3), recorded: [[1], [2, 4]] },
  { name: 'three values, thirds', options: growing(3), recorded: each(10, 20, 30) },
  { name: 'grown once', options: growing(3), recorded: each(1, 100_001) },

  ...[0, 1, 2, 3, 4, 5].map((digits) => ({
    name: `spread, ${digits} digits`,
    options: hdr(1, 1_000_000, digits),
    recorded: SPREAD,
  })),
  { name: 'one to ten, 0 digits', options: hdr(1, 1000, 0), recorded: each(1, 2, 3, 4, 5, 6, 7, 8, 9, 10) },

  {
    name: 'unit of 512',
    options: hdr(1000, HOUR_NS, 3),
    recorded: [[0, 2], [1], [511], [512], [1000], [1023], [1024], [123_456_789]],
  },
  { name: 'unit of 512, all below the unit', options: hdr(1000, HOUR_NS, 3), recorded: each(1, 511) },
  {
    name: 'unit of 16384',
    options: hdr(20_000, HOUR_NS, 2),
    recorded: [[16_383], [16_384, 5], [20_000, 7], [1_000_000], [40_000_000_000]],
  },
  {
    name: 'unit of 2^30',
    options: hdr(2 ** 30, 2 ** 50, 2),
    recorded: each(2 ** 30 - 1, 2 ** 30, 3 * 2 ** 30, 2 ** 40, 2 ** 50),
  },
  {
    // Beyond this unit HdrHistogram's 32-bit mask of the lower bits is wrong.
    name: 'unit of 2^31',
    options: hdr(2 ** 31, LARGEST, 3),
    recorded: each(5, 2 ** 31, 2 ** 31 + 5, 2 ** 50, 2n ** 60n + 1n),
  },

  { name: 'stall, raw', options: hdr(1, HOUR_US, 3), recorded: stall() },
  { name: 'stall, corrected', options: hdr(1, HOUR_US, 3), recorded: stall(1, 10_000) },
  { name: 'stall, raw, scaled by 512', options: hdr(1000, HOUR_US * 512, 3), recorded: stall(512) },
  {
    name: 'stall, corrected, scaled by 512',
    options: hdr(1000, HOUR_US * 512, 3),
    recorded: stall(512, 10_000),
  },
  { name: 'correction, interval of the value', options: growing(3), recorded: [[1000, 2, 1000]] },
  { name: 'correction, interval just below half', options: growing(3), recorded: [[1000, 2, 499]] },

  {
    name: 'powers of two to 2^52',
    options: hdr(1, LARGEST_SAFE, 3),
    recorded: [...aroundPowersOfTwo(0, 52), [LARGEST_SAFE]],
  },
  { name: 'powers of two to 2^52, growing', options: growing(2), recorded: aroundPowersOfTwo(0, 52) },
  {
    name: 'powers of two to 2^53, 5 digits',
    options: hdr(1, LARGEST, 5),
    recorded: aroundPowersOfTwo(45, 53),
  },
  {
    name: 'powers of two to 2^63',
    options: hdr(1, LARGEST, 3),
    recorded: [...aroundPowersOfTwo(50, 62), [LARGEST]],
  },
  {
    name: 'beyond 2^53, growing',
    options: growing(2),
    recorded: each(2n ** 53n + 1n, 2n ** 62n - 1n, LARGEST),
  },
  {
    name: 'beyond 2^53, unit of 2^20',
    options: hdr(2 ** 20, LARGEST, 3),
    recorded: each(2n ** 61n + 2n ** 20n, LARGEST),
  },

  ...[2 ** 31, 2 ** 32 + 3, 2 ** 40 + 5, 2 ** 52].map((count) => ({
    name: `one count of ${count}`,
    options: hdr(1, HOUR_US, 2),
    recorded: [[1000, count]],
  })),
  {
    name: 'large counts together',
    options: hdr(1, HOUR_US, 3),
    recorded: [
      [0, 2 ** 31],
      [7, 2 ** 32 + 3],
      [1000, 2 ** 40 + 5],
      [2_000_000, 2 ** 52],
      [HOUR_US, 1],
    ],
  },
  {
    name: 'all there is to count',
    options: hdr(1, HOUR_US, 3),
    recorded: [
      [5, LARGEST_SAFE - 1],
      [9, 1],
    ],
  },
  {
    name: 'counts at each length of a varint',
    options: hdr(1, 1000, 2),
    recorded: [6, 13, 20, 27, 34, 41, 48].flatMap((bits, i) => [
      [2 * i + 1, 2 ** bits - 1],
      [2 * i + 2, 2 ** bits],
    ]),
  },

  {
    name: 'uniform, growing',
    options: growing(3),
    generator: { kind: 'uniform', seed: 1, n: 500, min: 1, shift: 8, scale: 1 },
  },
  { name: 'latencies, 2 digits', options: hdr(1, HOUR_US, 2), generator: latenciesUs(10_000, 20) },
  { name: 'latencies, 3 digits', options: hdr(1, HOUR_US, 3), generator: latenciesUs(100_000, 30) },
  { name: 'latencies, growing', options: growing(2), generator: latenciesUs(100_000, 40) },
  {
    name: 'latencies, unit of 512, 2 digits',
    options: hdr(1000, HOUR_NS, 2),
    generator: latenciesNs(50_000, 50),
  },
];

/** The first recorded values, their neighbours, and some small values. */
function probes({ options, recorded, generator }) {
  const values = generator ? [1000, 24_000, 24_000_000] : recorded.slice(0, 6).map(([value]) => value);
  const beside = values.map((value) => (value < LARGEST_SAFE ? Number(value) + 1 : value));
  const ends = [0, 1, options.lowestDiscernibleValue, 10_000];
  return [...new Set([...ends, ...values, ...beside])];
}

export async function answer(oracle, each) {
  await make(oracle, 'h', each);
  const values = probes(each);
  return {
    ...(await describe(oracle, 'h')),
    atValues: await oracle.ask('atValues', 'h', ...values),
    between: [
      await oracle.ask('between', 'h', 0, 1000),
      await oracle.ask('between', 'h', 1001, 100_000),
      await oracle.ask('between', 'h', 0, each.options.highestTrackableValue),
    ],
    compressed: await oracle.ask('compress', 'h'),
  };
}
