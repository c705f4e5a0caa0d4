import { type Counted, findQuantile } from '@hdrscope/core';
import { readDdsketch } from '../../src/sketches/ddsketch.ts';
import { readDdsketchBinary } from '../../src/sketches/ddsketch-binary.ts';
import type { DdsketchWriter } from '../../src/sketches/ddsketch-mapping.ts';
import { listNominalSlots, listSlots, readVectors, type Vector } from './support/vectors.ts';

// Made by the libraries themselves: the vectors name their versions.
const VECTORS = readVectors('ddsketch.json');

/** Bounds are exact up to the rounding of logarithms. */
const ROUNDING = 1e-12;

function read({ form, input, writer }: Vector): Counted {
  const bytes = Buffer.from(input, 'base64');
  const sketch =
    form === 'ddsketch' ? readDdsketch(bytes, writer as DdsketchWriter) : readDdsketchBinary(bytes);
  return sketch.counted;
}

function expectSameSlots(
  actual: readonly (readonly number[])[],
  expected: readonly (readonly number[])[],
): void {
  expect(actual.map(([, , count]) => count)).toEqual(expected.map(([, , count]) => count));
  for (const [at, [lower, upper]] of expected.entries()) {
    const [ours, theirs] = [actual[at]!, [lower!, upper!]];
    for (const [i, bound] of theirs.entries()) {
      expect(Math.abs(ours[i]! - bound)).toBeLessThanOrEqual(ROUNDING * Math.abs(bound));
    }
  }
}

describe.each(
  VECTORS.map((vector) => [`${vector.form} of ${vector.madeBy}: ${vector.name}`, vector] as const),
)('%s', (_, vector) => {
  test('has the slots and counts that its library says', () => {
    expectSameSlots(listNominalSlots(read(vector)), vector.slots);
  });

  test('has the quantiles of its library within our bounds', () => {
    for (const [quantile, value] of vector.quantiles!) {
      const { lower, upper } = findQuantile(read(vector), quantile);
      // sketches-go and -java take the value of rank q (n - 1) of n, from 0: the next one where that is no integer, or the one before.
      const total = read(vector).counts.total;
      const nearby = [Math.floor(quantile * (total - 1)), Math.ceil(quantile * (total - 1))].map(
        (rank) => (rank + 0.5) / total,
      );
      const bounds = nearby.map((one) => findQuantile(read(vector), one));
      expect(Math.min(lower, ...bounds.map((one) => one.lower))).toBeLessThanOrEqual(
        value * (1 + Math.sign(value) * ROUNDING),
      );
      expect(Math.max(upper, ...bounds.map((one) => one.upper))).toBeGreaterThanOrEqual(
        value * (1 - Math.sign(value) * ROUNDING),
      );
    }
  });

  test('counts each recorded value in a slot that contains it', () => {
    const left = listSlots(read(vector)).map((slot) => [...slot]);
    for (const [value, count] of vector.values) {
      const margin = ROUNDING * Math.abs(value);
      const slot = left.find(
        ([lower, upper, rest]) => rest! >= count && lower! <= value + margin && upper! >= value - margin,
      );
      expect(slot).toBeDefined();
      slot![2]! -= count;
    }
    expect(left.every(([, , rest]) => rest === 0)).toBe(true);
  });
});
