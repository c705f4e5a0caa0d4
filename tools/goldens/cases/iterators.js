import { iterateAll, make } from '../ask.js';
import { aroundPowersOfTwo, each, growing, HOUR_NS, HOUR_US, hdr, latenciesUs, stall } from './recordings.js';

export const name = 'iterators';

export const header = {
  about: 'Every way through the values of a histogram.',
  arguments: {
    percentiles: '[ticksPerHalfDistance]',
    linear: '[step]',
    logarithmic: '[first, base]',
  },
  rows: [
    'valueIteratedTo',
    'valueIteratedFrom',
    'countAtValue',
    'countAddedInStep',
    'totalCountToValue',
    'totalValueToValue',
    'percentile',
    'percentileLevelIteratedTo',
  ],
  digest:
    'A long iteration shows its first and last rows; sha256 is of all its rows, JSON.stringify of each, joined by a line feed.',
};

const PERCENTILES = [
  ['percentiles', 1],
  ['percentiles', 2],
  ['percentiles', 5],
];

export const cases = [
  {
    name: 'empty',
    options: hdr(1, 1000, 1),
    recorded: [],
    iterations: [['recorded'], ['all'], ...PERCENTILES, ['linear', 100], ['logarithmic', 10, 2]],
  },
  {
    name: 'empty, growing',
    options: growing(2),
    recorded: [],
    iterations: [['recorded'], ['all'], ['percentiles', 5], ['linear', 1], ['logarithmic', 1, 2]],
  },
  {
    name: 'zero',
    options: growing(3),
    recorded: each(0),
    iterations: [['recorded'], ...PERCENTILES, ['linear', 1], ['linear', 100], ['logarithmic', 1, 2]],
  },
  {
    name: 'a few values',
    options: hdr(1, 10_000, 2),
    recorded: [[1], [5], [300, 2], [301], [5000]],
    iterations: [
      ['recorded'],
      ['all'],
      ...PERCENTILES,
      ['percentiles', 100],
      ['linear', 1000],
      ['linear', 7],
      ['linear', 10_000],
      ['logarithmic', 10, 2],
      ['logarithmic', 1, 10],
      ['logarithmic', 3, 1.5],
    ],
  },
  {
    name: 'smallest layout, 0 digits',
    options: hdr(1, 2, 0),
    recorded: [[0], [1, 2], [2, 3], [3, 4]],
    iterations: [['recorded'], ['all'], ['percentiles', 1], ['linear', 1], ['logarithmic', 1, 2]],
  },
  {
    name: 'small layout, 1 digit',
    options: hdr(1, 100, 1),
    recorded: [[0], [31], [32, 2], [33], [64, 3], [100]],
    iterations: [['recorded'], ['all'], ['percentiles', 2], ['linear', 10], ['logarithmic', 1, 1.3]],
  },
  {
    name: 'small layout, unit of 8',
    options: hdr(10, 1000, 1),
    recorded: [[0], [7], [8, 2], [100, 3], [255], [256], [999]],
    iterations: [
      ['recorded'],
      ['all'],
      ['percentiles', 2],
      ['linear', 3],
      ['linear', 8],
      ['linear', 100],
      ['logarithmic', 8, 2],
    ],
  },
  {
    name: 'linear steps meet slot edges',
    options: hdr(1, 255, 2),
    recorded: each(193, 0, 1, 64, 128),
    iterations: [['linear', 64], ['recorded']],
  },
  {
    name: 'linear steps inside a slot',
    options: growing(3),
    recorded: each(1, 2047, 2048, 2049, 4095, 4096, 4097, 4098, 4099, 4100),
    iterations: [['linear', 1], ['linear', 3], ['recorded'], ['all'], ['logarithmic', 1, 1.1]],
  },
  {
    name: 'stall, raw',
    options: hdr(1, HOUR_US, 3),
    recorded: stall(),
    iterations: [['recorded'], ['all'], ...PERCENTILES, ['linear', 100_000], ['logarithmic', 10_000, 2]],
  },
  {
    name: 'stall, corrected',
    options: hdr(1, HOUR_US, 3),
    recorded: stall(1, 10_000),
    iterations: [
      ['recorded'],
      ...PERCENTILES,
      ['linear', 10_000],
      ['linear', 1000],
      ['logarithmic', 10_000, 2],
      ['logarithmic', 1000, 1.25],
    ],
  },
  {
    name: 'stall, corrected, scaled by 512',
    options: hdr(1000, HOUR_US * 512, 3),
    recorded: stall(512, 10_000),
    iterations: [
      ['recorded'],
      ['percentiles', 5],
      ['linear', 10_000 * 512],
      ['logarithmic', 10_000 * 512, 2],
    ],
  },
  {
    name: 'powers of two to 2^52',
    options: hdr(1, Number.MAX_SAFE_INTEGER, 2),
    recorded: aroundPowersOfTwo(0, 52),
    iterations: [
      ['recorded'],
      ['all'],
      ...PERCENTILES,
      ['linear', 2 ** 46],
      ['logarithmic', 1, 2],
      ['logarithmic', 1, 10],
    ],
  },
  {
    name: 'large counts',
    options: hdr(1, HOUR_US, 3),
    recorded: [
      [0, 2 ** 31],
      [7, 2 ** 32 + 3],
      [1000, 2 ** 40 + 5],
    ],
    iterations: [['recorded'], ...PERCENTILES, ['linear', 100]],
  },
  {
    name: 'latencies, 2 digits',
    options: hdr(1, HOUR_US, 2),
    generator: latenciesUs(10_000, 20),
    iterations: [['recorded'], ['all'], ...PERCENTILES, ['linear', 1000], ['logarithmic', 1000, 2]],
  },
  {
    name: 'latencies, 3 digits',
    options: hdr(1, HOUR_US, 3),
    generator: latenciesUs(100_000, 30),
    iterations: [['recorded'], ...PERCENTILES, ['linear', 5000], ['logarithmic', 100, 1.5]],
  },
  {
    name: 'latencies, unit of 512',
    options: hdr(1000, HOUR_NS, 2),
    generator: { kind: 'lognormal', seed: 60, n: 2000, min: 50, shift: 4, scale: 1000 },
    iterations: [['recorded'], ['percentiles', 5], ['linear', 1_000_000], ['logarithmic', 1_000_000, 2]],
  },
];

export async function answer(oracle, { iterations: walks, ...each }) {
  await make(oracle, 'h', each);
  return { iterations: await iterateAll(oracle, 'h', walks) };
}
