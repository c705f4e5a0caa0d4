import { exponentialBound, exponentialIndex } from '@hdrscope/core/internal';
import fc from 'fast-check';
import { CUMULATIVE, explicitPoint, exponentialPoint, Receiving } from './support/receiving.ts';
import type { ExplicitJson, ExponentialJson } from './support/request.ts';

const BOUNDS = [0.1, 0.5, 2];

/** The values that a process counts, by epoch and interval. Each epoch starts from zero at its own start time. */
const epochs = fc.array(
  fc.array(fc.array(fc.double({ min: 1e-6, max: 1e3, noNaN: true }), { maxLength: 20 }), {
    minLength: 1,
    maxLength: 5,
  }),
  { minLength: 1, maxLength: 4 },
);

/** Sends a cumulative point after each interval: some twice, and some after later ones. */
async function received(
  reported: readonly (readonly (readonly number[])[])[],
  noise: () => number,
  send: (receiving: Receiving, values: readonly number[], startNs: number, timeNs: number) => void,
): Promise<Receiving> {
  const receiving = new Receiving();
  let timeNs = 1;
  for (const intervals of reported) {
    const startNs = timeNs++;
    const values: number[] = [];
    const sent: (() => void)[] = [];
    for (const interval of intervals) {
      values.push(...interval);
      const [all, at] = [[...values], timeNs++];
      sent.push(() => send(receiving, all, startNs, at));
      sent.at(-1)!();
      if (noise() === 0) sent[noise() % sent.length]!();
    }
  }
  return receiving;
}

function explicitOf(values: readonly number[]): ExplicitJson {
  const counts = [0, 0, 0, 0];
  for (const value of values) counts[BOUNDS.filter((bound) => bound < value).length]! += 1;
  return explicitPoint(counts, { explicitBounds: BOUNDS });
}

/** A point as an SDK makes it: at the finest scale that 20 buckets allow, so the scale falls as values come. */
function exponentialOf(values: readonly number[]): ExponentialJson {
  if (values.length === 0) return exponentialPoint(20, 0, []);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  let scale = 20;
  while (exponentialIndex(scale, max) - exponentialIndex(scale, min) >= 20) scale--;
  const offset = exponentialIndex(scale, min);
  const counts = new Array<number>(exponentialIndex(scale, max) - offset + 1).fill(0);
  for (const value of values) counts[exponentialIndex(scale, value) - offset]! += 1;
  return exponentialPoint(scale, offset, counts, { min, max });
}

test.each([
  ['explicit', explicitOf],
  ['exponential', exponentialOf],
] as const)('increases of %s points add up to the last counts of every epoch', async (kind, pointOf) => {
  await fc.assert(
    fc.asyncProperty(epochs, fc.infiniteStream(fc.nat({ max: 5 })), async (reported, noise) => {
      const receiving = await received(
        reported,
        () => noise.next().value,
        (into, values, startTimeUnixNano, timeUnixNano) => {
          const point = { ...pointOf(values), startTimeUnixNano, timeUnixNano, sum: sumOf(values) };
          const { pointCount } =
            kind === 'explicit' ? into.explicit(CUMULATIVE, point) : into.exponential(CUMULATIVE, point);
          expect(pointCount).toBe(0);
        },
      );
      const all = reported.flat(2);
      const [series] = await receiving.series();
      expect(series?.histogram.totalCount ?? 0).toBe(all.length);
      expect(series?.sum ?? 0).toBeCloseTo(sumOf(all), 6);
      expect(series?.rejected.tooLarge ?? 0).toBe(0);
      expect(receiving.health.resets).toBe(reported.length - 1);
    }),
    { numRuns: 60 },
  );
});

test('every value counts within its bucket, or a tick beside it', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { minLength: 1, maxLength: 30 }),
      async (values) => {
        const receiving = new Receiving();
        for (let i = 1; i <= values.length; i++) {
          const point = exponentialOf(values.slice(0, i));
          receiving.exponential(CUMULATIVE, { ...point, startTimeUnixNano: 1, timeUnixNano: i + 1 });
        }
        const scale = Number(exponentialOf(values).scale);
        const base = Math.max(exponentialBound(scale, 1), 1.001);
        const [series] = await receiving.series();
        const sorted = [...values].sort((left, right) => left - right);
        for (const [i, value] of sorted.entries()) {
          const shown = series!.histogram.valueAtPercentile((100 * (i + 1)) / sorted.length) / 1e9;
          expect(shown / value).toBeLessThanOrEqual(base * 1.001);
          expect(value / shown).toBeLessThanOrEqual(base * 1.001);
        }
      },
    ),
    { numRuns: 40 },
  );
});

function sumOf(values: readonly number[]): number {
  return values.reduce((left, right) => left + right, 0);
}
