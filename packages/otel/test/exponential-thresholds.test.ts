import { createRegistry } from '@hdrscope/registry';
import fc from 'fast-check';
import { EXPONENTIAL, toExponential } from '../src/exponential.ts';
import { metricSettings } from '../src/metric-settings.ts';

const THRESHOLDS = [0.1, 0.25, 0.3, 0.5, 1, 2];

/** Values on, just below and just above a threshold, and others nearby. */
const value = fc
  .tuple(
    fc.constantFrom(...THRESHOLDS),
    fc.constantFrom(-1e-2, -1e-3, -1e-4, -2e-9, 0, 2e-9, 1e-4, 1e-3, 1e-2, 5),
  )
  .map(([threshold, part]) => threshold * (1 + part));

const values = fc.array(fc.tuple(value, fc.constantFrom(1, 3, 1000)), { minLength: 1, maxLength: 20 });

test('at a declared threshold that is the end of a bucket, the buckets below it hold the values that are at most the threshold', () => {
  let ends = 0;
  fc.assert(
    fc.property(
      values,
      fc.constantFrom(1, 2, 3),
      fc.uniqueArray(fc.constantFrom(...THRESHOLDS)),
      fc.constantFrom(4, 20, 160, 2000),
      (recorded, significantDigits, thresholds, maxSize) => {
        const family = createRegistry().histogram({ name: 'x', unit: 's', significantDigits, thresholds });
        const series = family.with({});
        for (const [one, times] of recorded) for (let i = 0; i < times; i++) series.record(one);
        const snapshot = family.snapshot();
        const { scale, count, positive } = toExponential(snapshot.series[0]!, snapshot, maxSize);
        const { offset, bucketCounts } = positive;
        expect(bucketCounts.reduce((sum, each) => sum + each, 0)).toBe(count);
        expect(bucketCounts.length).toBeLessThanOrEqual(maxSize);
        expect([bucketCounts[0], bucketCounts.at(-1)]).not.toContain(0);
        expect(bucketCounts.every((each) => each >= 0)).toBe(true);
        for (const threshold of thresholds) {
          const end = Math.log2(threshold) * 2 ** scale;
          if (!Number.isInteger(end)) continue;
          ends++;
          const within = bucketCounts
            .slice(0, Math.max(0, end - offset))
            .reduce((sum, each) => sum + each, 0);
          const expected = recorded.reduce((sum, [one, times]) => sum + (one <= threshold ? times : 0), 0);
          expect([threshold, within]).toEqual([threshold, expected]);
        }
      },
    ),
    { numRuns: 500 },
  );
  expect(ends).toBeGreaterThan(500);
});

test('buckets that are brought up to date at the slots that have changed are those of all counts', () => {
  let updates = 0;
  const many = fc.array(fc.tuple(value, fc.constantFrom(1, 3, 300, 70_000)), { minLength: 1, maxLength: 8 });
  fc.assert(
    fc.property(
      fc.array(many, { minLength: 2, maxLength: 6 }),
      fc.constantFrom(1, 2, 3),
      fc.uniqueArray(fc.constantFrom(...THRESHOLDS)),
      fc.constantFrom(4, 20, 160, 2000),
      fc.constantFrom(undefined, 0, 20),
      (rounds, significantDigits, thresholds, maxSize, maxScale) => {
        const family = createRegistry().histogram({ name: 'x', unit: 's', significantDigits, thresholds });
        const settings = { ...metricSettings('s'), maxSize, maxScale };
        const series = family.with({});
        let kept: ReturnType<typeof toExponential> | undefined;
        for (const round of rounds) {
          const { version } = series;
          for (const [one, times] of round) for (let i = 0; i < times; i++) series.record(one);
          const state = series.current();
          const changed = series.changedSince(version);
          const updated = kept && changed && EXPONENTIAL.updated!(kept, state, changed, family, settings);
          const fresh = EXPONENTIAL.packed!(toExponential(state, family, maxSize, maxScale));
          if (updated !== undefined) {
            updates++;
            expect(updated).toEqual(fresh);
          }
          kept = updated ?? fresh;
          series.markRead();
        }
      },
    ),
    { numRuns: 300 },
  );
  expect(updates).toBeGreaterThan(100);
});

test('1000 values on a threshold are all within it, and 1000 above it are not', () => {
  for (const significantDigits of [1, 2, 3]) {
    for (const [one, bucket] of [
      [0.25, -1],
      [0.2499, -1],
      [0.2501, 0],
    ] as const) {
      const family = createRegistry().histogram({
        name: 'x',
        unit: 's',
        significantDigits,
        boundaries: [0.25],
      });
      for (let i = 0; i < 1000; i++) family.with({}).record(one);
      const snapshot = family.snapshot();
      const { scale, positive } = toExponential(snapshot.series[0]!, snapshot, 160);
      expect([one, { ...positive }]).toEqual([
        one,
        { offset: -2 * 2 ** scale + bucket, bucketCounts: [1000] },
      ]);
    }
  }
});
