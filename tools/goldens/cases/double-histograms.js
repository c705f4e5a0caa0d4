import { describe, iterate, iterateAll, make } from '../ask.js';
import { takeSteps } from '../steps.js';
import { each, stall } from './recordings.js';

export const name = 'double-histograms';

export const header = {
  about: 'Histograms of floating-point values, whose range moves with what is recorded.',
  options: 'with autoResize the ratio is where it starts',
  steps: 'they and their answers are those of the operations',
  percentiles: '[percentile, value]',
  atValues: '[value, countAtValue, percentileAtOrBelow]',
  equivalence: '[value, size, lowest, highest, median, next]',
  iterations: 'they, their arguments and rows are those of the iterators',
  difference:
    'max is what 2.1.11 says: the integer maximum times integerToDoubleRatio. Later versions take the highest equivalent value of that.',
};

const ratio = (highestToLowestValueRatio, significantDigits) => ({
  highestToLowestValueRatio,
  significantDigits,
  autoResize: false,
});
const growing = (significantDigits) => ({ ...ratio(2, significantDigits), autoResize: true });
const thousandths = (recorded) => recorded.map(([value, ...rest]) => [value / 1000, ...rest]);
const latencies = (n, seed) => ({ kind: 'lognormal', seed, n, min: 1, shift: 4, scale: 2 ** -20 });

/** Steps of equal and of growing width; not all of them are multiples of the conversion ratio. */
const walks = (width, first, base) => [
  ['linear', width],
  ['logarithmic', first, base],
];
const allAnd = (...args) => [['all'], ...walks(...args)];

const FEW = [[0.25], [1.5, 2], [3.75], [1000]];

export const cases = [
  { name: 'empty', options: ratio(1e8, 3), recorded: [], iterations: walks(1e250, 1e250, 2) },
  { name: 'empty, growing', options: growing(2), recorded: [], iterations: allAnd(1e250, 1e250, 2) },
  { name: 'zero', options: ratio(1e8, 3), recorded: each(0), iterations: walks(1e250, 1e250, 2) },
  { name: 'one', options: ratio(1e8, 3), recorded: each(1), iterations: allAnd(0.125, 0.01, 2) },
  {
    name: 'descending integers and zero',
    options: ratio(1e8, 3),
    recorded: each(6, 1, 0),
    iterations: walks(1, 1, 2),
  },
  {
    name: 'a few values',
    options: ratio(1e6, 3),
    recorded: FEW,
    iterations: [...walks(0.5, 0.25, 2), ['linear', 0.3], ['linear', 2000], ['logarithmic', 0.1, 1.5]],
  },
  { name: 'a few values, growing', options: growing(3), recorded: FEW, iterations: allAnd(7.7, 1, 10) },
  ...[0, 1, 2, 4, 5].map((digits) => ({
    name: `decimals, ${digits} digits`,
    options: ratio(1e6, digits),
    recorded: each(0.1, 0.2, 0.3, 0.123456, 1.005, 99.99),
    // With more digits there are too many slots to ask for each of them.
    iterations: digits > 3 ? walks(0.1, 0.1, 2) : allAnd(0.1, 0.1, 2),
  })),
  {
    name: 'range moves down',
    options: ratio(1e6, 3),
    recorded: each(1000, 100, 10, 1, 0.1, 0.01),
    iterations: allAnd(1.5, 0.01, 10),
  },
  {
    name: 'range moves up',
    options: ratio(1e6, 3),
    recorded: each(0.01, 0.1, 1, 10, 100, 1000),
    iterations: walks(1.5, 0.01, 10),
  },
  {
    name: 'tiny values',
    options: ratio(1e3, 2),
    recorded: each(1e-300, 5e-300),
    iterations: allAnd(1e-301, 1e-301, 2),
  },
  {
    name: 'huge values',
    options: ratio(1e3, 2),
    recorded: each(5e300, 1e300),
    iterations: allAnd(1e299, 1e299, 2),
  },
  {
    name: 'grows both ways',
    options: growing(2),
    recorded: each(1, 1e-6, 1e6, 0, 3.5),
    iterations: allAnd(1000, 1e-6, 3),
  },
  {
    name: 'powers of two',
    options: growing(3),
    recorded: each(2 ** -20, 2 ** -10, 0.5, 1, 2, 2 ** 10, 2 ** 20),
    iterations: walks(1024, 2 ** -20, 2),
  },
  {
    name: 'large counts',
    options: ratio(1e6, 2),
    recorded: [
      [0.5, 2 ** 32 + 3],
      [0, 2 ** 31],
      [7.25, 2 ** 40 + 5],
    ],
    iterations: allAnd(0.25, 0.25, 2),
  },
  {
    name: 'stall in milliseconds, raw',
    options: ratio(3_600_000, 3),
    recorded: thousandths(stall()),
    iterations: walks(100, 10, 2),
  },
  {
    name: 'stall in milliseconds, corrected',
    options: ratio(3_600_000, 3),
    recorded: thousandths(stall()).map(([value, count]) => [value, count, 10]),
    iterations: walks(10, 10, 1.5),
  },
  {
    name: 'latencies in seconds',
    options: ratio(1e7, 2),
    generator: latencies(10_000, 80),
    iterations: allAnd(0.25, 0.001, 2),
  },
  {
    name: 'latencies in seconds, growing',
    options: growing(2),
    generator: latencies(10_000, 81),
    iterations: allAnd(0.25, 0.001, 2),
  },

  { name: 'beyond the ratio', options: ratio(1000, 2), recorded: each(1), steps: [recordStep([1e9])] },
  { name: 'below the ratio', options: ratio(1000, 2), recorded: each(1), steps: [recordStep([1e-9])] },
  { name: 'below zero', options: ratio(1000, 2), recorded: each(1), steps: [recordStep([-0.5])] },
  {
    name: 'add',
    options: ratio(1e6, 3),
    recorded: FEW,
    steps: [other('add', ratio(1e6, 3), [[0], [0.25, 3], [77.7]])],
  },
  {
    name: 'add, another range',
    options: ratio(1e6, 3),
    recorded: FEW,
    steps: [other('add', ratio(1e3, 2), each(0.001, 0.01))],
    iterations: walks(10, 0.001, 2),
  },
  { name: 'add to empty', options: ratio(1e6, 3), recorded: [], steps: [other('add', ratio(1e6, 3), FEW)] },
  {
    name: 'add, grows',
    options: growing(2),
    recorded: FEW,
    steps: [other('add', growing(2), each(1e-4, 1e4))],
    iterations: allAnd(100, 1e-4, 2),
  },
  {
    name: 'subtract',
    options: ratio(1e6, 3),
    recorded: FEW,
    steps: [other('subtract', ratio(1e6, 3), [[1.5], [1000]])],
  },
  {
    name: 'subtract, more than there is',
    options: ratio(1e6, 3),
    recorded: FEW,
    steps: [other('subtract', ratio(1e6, 3), [[1.5, 3]])],
  },
  {
    name: 'copy corrected',
    options: ratio(3_600_000, 3),
    recorded: thousandths(stall()),
    steps: [{ do: 'copyCorrected', expectedInterval: 10 }],
    iterations: walks(100, 10, 2),
  },
];

function recordStep(...recorded) {
  return { do: 'record', recorded };
}

function other(what, options, recorded) {
  return { do: what, other: { options, recorded } };
}

export async function answer(oracle, { steps = [], iterations = [], ...each }) {
  await make(oracle, 'h', each);
  const taken = await takeSteps(oracle, steps);
  const iterated = await iterateAll(oracle, 'h', iterations);
  const answered = {
    ...(steps.length > 0 && { steps: taken.steps }),
    ...(iterations.length > 0 && { iterations: iterated }),
  };
  if (taken.rejected) return answered;
  return {
    ...answered,
    result: await describe(oracle, 'h'),
    atValues: await oracle.ask('atValues', 'h', 0, 0.25, 1, 1.5, 10, 999.9),
    equivalence: await oracle.ask('equivalence', 'h', 0.25, 1, 1.5, 10, 999.9),
    recordedValues: await iterate(oracle, 'h', 'recorded'),
    percentileRows: await iterate(oracle, 'h', 'percentiles', 2),
    text: await oracle.ask('text', 'h', 2, 1, false),
    compressed: await oracle.ask('compress', 'h'),
  };
}
