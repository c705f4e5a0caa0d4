import { make } from '../ask.js';
import { each, growing, HOUR_NS, HOUR_US, hdr, latenciesNs, latenciesUs, stall } from './recordings.js';

export const name = 'percentile-text';

export const header = {
  about:
    'The percentile distribution as text (.hgrm) and as CSV. Decimals are rounded half up from the shortest decimal that names the double: 1.005 becomes 1.01.',
};

const TEXT = (ticks, ratio) => ({ ticksPerHalfDistance: ticks, scalingRatio: ratio, csv: false });
const CSV = (ticks, ratio) => ({ ticksPerHalfDistance: ticks, scalingRatio: ratio, csv: true });

export const cases = [
  { name: 'empty', options: growing(3), recorded: [], texts: [TEXT(5, 1), CSV(5, 1)] },
  { name: 'zero', options: growing(3), recorded: each(0), texts: [TEXT(5, 1), CSV(5, 1000)] },
  {
    name: 'one value',
    options: growing(3),
    recorded: each(42),
    texts: [TEXT(5, 1), TEXT(1, 1000), CSV(5, 1)],
  },
  { name: 'two values', options: hdr(1, HOUR_US, 2), recorded: each(1, 2), texts: [TEXT(5, 1), CSV(1, 3)] },

  // Each value divided by its ratio is a decimal that ends in 5 behind the printed digits, and its double lies just below
  // or above it: rounding the double and rounding the decimal differ.
  {
    name: 'ties, 0 digits',
    options: growing(0),
    recorded: each(1, 3, 7, 15),
    texts: [TEXT(1, 2), CSV(1, 2)],
  },
  {
    name: 'ties, 1 digit',
    options: growing(1),
    recorded: each(1, 3, 5, 7, 9, 11, 13, 15, 17, 19, 21, 23, 25, 27, 29, 31),
    texts: [TEXT(10, 20), CSV(10, 4)],
  },
  {
    name: 'ties, 2 digits',
    options: growing(2),
    recorded: each(1, 3, 27, 29, 67, 107, 201, 203, 207, 227, 241, 251),
    texts: [TEXT(10, 200), CSV(10, 40), CSV(10, 8)],
  },
  {
    name: 'ties, 3 digits',
    options: growing(3),
    recorded: each(1, 21, 129, 189, 501, 709, 1001, 1005, 1381, 1999, 2001, 2009, 2047),
    texts: [TEXT(10, 2000), CSV(10, 400), CSV(10, 16)],
  },
  {
    name: 'ties, 4 digits',
    options: growing(4),
    recorded: each(1, 3, 101, 20_001, 20_003, 20_101, 26_755, 32_767),
    texts: [TEXT(5, 20_000), CSV(5, 20_000)],
  },
  {
    name: 'ties, 5 digits',
    options: growing(5),
    recorded: each(1, 3, 101, 200_001, 200_003, 200_101, 262_143),
    texts: [TEXT(5, 200_000), CSV(5, 200_000)],
  },
  {
    name: 'ties in mean and deviation',
    options: growing(2),
    recorded: [
      [1, 199],
      [2, 1],
    ],
    texts: [TEXT(1, 1), TEXT(1, 0.5)],
  },

  {
    name: 'stall, raw',
    options: hdr(1, HOUR_US, 3),
    recorded: stall(),
    texts: [TEXT(5, 1), TEXT(5, 1000), CSV(5, 1000)],
  },
  {
    name: 'stall, corrected',
    options: hdr(1, HOUR_US, 3),
    recorded: stall(1, 10_000),
    texts: [TEXT(1, 1000), TEXT(5, 1_000_000), TEXT(10, 1000), CSV(1, 1), CSV(5, 1000)],
  },
  {
    name: 'wider than the columns',
    options: hdr(1, 2n ** 63n - 1n, 5),
    recorded: [
      [0, 2 ** 40 + 5],
      [10_000_000, 2 ** 31],
      [2 ** 52, 3],
      [2n ** 62n, 1],
    ],
    texts: [TEXT(1, 1), TEXT(1, 1e-6), TEXT(1, 1e9), CSV(1, 1)],
  },
  {
    name: 'many counts',
    options: hdr(1, HOUR_US, 2),
    recorded: [
      [7, 2 ** 52],
      [1000, 2 ** 32 + 3],
      [2000, 1],
    ],
    texts: [TEXT(1, 1), CSV(1, 1000)],
  },
  {
    name: 'latencies, 2 digits',
    options: hdr(1, HOUR_US, 2),
    generator: latenciesUs(10_000, 20),
    texts: [TEXT(5, 1000), CSV(5, 1000)],
  },
  {
    name: 'latencies, 3 digits',
    options: hdr(1, HOUR_US, 3),
    generator: latenciesUs(100_000, 30),
    texts: [TEXT(1, 1), TEXT(5, 1000), CSV(10, 1e6)],
  },
  {
    name: 'latencies, unit of 512',
    options: hdr(1000, HOUR_NS, 2),
    generator: latenciesNs(50_000, 50),
    texts: [TEXT(5, 1e6), TEXT(2, 1e9)],
  },
];

export async function answer(oracle, { texts: prints, ...each }) {
  await make(oracle, 'h', each);
  const texts = [];
  for (const { ticksPerHalfDistance, scalingRatio, csv } of prints) {
    const text = await oracle.ask('text', 'h', ticksPerHalfDistance, scalingRatio, csv);
    texts.push({ ticksPerHalfDistance, scalingRatio, csv, text });
  }
  return { texts };
}
