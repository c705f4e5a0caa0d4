import fc from 'fast-check';
import { Histogram } from '../../src/histogram/histogram.ts';
import { recorded } from '../support/recorded.ts';
import { LARGEST, type Recording, recordings } from '../support/values.ts';

/** Two samples that overlap, of two values or more each; now and then with enormous counts or of different layouts. */
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

/** The middles of the slots of a histogram, each as often as it was counted, ascending. */
export function valuesOf({ layout, counts }: Histogram): number[] {
  const values: number[] = [];
  for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1)) {
    for (let i = 0; i < counts.at(slot); i++) values.push(layout.midpoint(slot));
  }
  return values;
}

/** The same distribution, of `factor` times as many values. */
export function multiplied(histogram: Histogram, factor: number): Histogram {
  const { layout, counts } = histogram;
  const values: [number, number][] = [];
  for (let slot = counts.next(0); slot < counts.length; slot = counts.next(slot + 1)) {
    values.push([layout.lower(slot), counts.at(slot) * factor]);
  }
  return recorded(values, { layout, storage: 'sparse' });
}

// Looked up once: in a test's own context, the global object is far slower than the arithmetic.
const { cos, exp, imul, log, sqrt, PI } = Math;

/** Samples of lognormal values, as latencies are: e^(median + spread z) for normal z. The same ones for the same seed. */
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
  let state = seed;
  // Mulberry32, in [0, 1): an LCG's successive values are too regular for pairs of them.
  const uniform = (): number => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
  return () => sqrt(-2 * log(1 - uniform())) * cos(2 * PI * uniform());
}
