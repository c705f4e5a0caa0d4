import fc from 'fast-check';
import { Histogram } from '../../src/histogram/histogram.ts';
import { randomIntegers } from '../support/random.ts';
import { recorded, slotsOf } from '../support/recorded.ts';
import { LARGEST, type Recording, recordings } from '../support/values.ts';

/** Two samples that overlap, of two values or more each. Some have enormous counts or different layouts. */
export const pairs: fc.Arbitrary<[Histogram, Histogram]> = fc.oneof(
  { weight: 3, arbitrary: pairOf(fc.constant(recordings(20, 12)), fc.constant(3)) },
  {
    weight: 2,
    arbitrary: pairOf(fc.constantFrom(recordings(500), recordings(LARGEST)), fc.integer({ min: 0, max: 5 })),
  },
);

function pairOf(
  recording: fc.Arbitrary<fc.Arbitrary<Recording>>,
  digits: fc.Arbitrary<number>,
): fc.Arbitrary<[Histogram, Histogram]> {
  const sample = fc
    .tuple(
      recording.chain((one) => one),
      digits,
    )
    .map(([values, significantDigits]) =>
      recorded([...values, [7, 2]], { significantDigits, highestTrackableValue: LARGEST, storage: 'sparse' }),
    );
  return fc.tuple(sample, sample);
}

/** The same distribution with `factor` times as many values. */
export function multiplied(histogram: Histogram, factor: number): Histogram {
  const { layout } = histogram;
  return recorded(
    slotsOf(histogram).map(([slot, count]) => [layout.lower(slot), count * factor]),
    { layout, storage: 'sparse' },
  );
}

const { cos, exp, log, sqrt, PI } = Math;

/** Samples of lognormal values, like latencies: e^(median + spread z) for normal z. Equal seeds give equal samples. */
export function lognormals(seed: number): (n: number, median: number, spread: number) => Histogram {
  const next = gaussians(seed);
  return (n, median, spread) => {
    const histogram = new Histogram({ highestTrackableValue: 1e9, storage: 'sparse' });
    for (let i = 0; i < n; i++) histogram.record(exp(median + spread * next()));
    return histogram;
  };
}

/** Standard normal variables. */
function gaussians(seed: number): () => number {
  // Successive values of an LCG are too regular to be used in pairs.
  const next = randomIntegers(seed);
  const uniform = (): number => next() / 2 ** 32;
  return () => sqrt(-2 * log(1 - uniform())) * cos(2 * PI * uniform());
}
