import { explicitLayout, exponentialLayout, findQuantile, Histogram, LayoutHistogram } from '@hdrscope/core';
import fc from 'fast-check';
import { createRegistry, ingest, type Reading } from '../../src/index.ts';
import { onlySeriesIn, reading } from '../support/readings.ts';

const FAMILY = { name: 'http.size', unit: 'By', significantDigits: 3 };
const DROP_USERS = { dropAttributes: { 'HTTP.*': ['user'], 'other.*': ['route'] } };

const newHistogram = (): Histogram => new Histogram({ significantDigits: 3, highestTrackableValue: 1e6 });

/** Values of streams, in rounds; the life of a stream decides when its counter begins anew. */
const rounds = fc.array(
  fc.array(
    fc.record({
      user: fc.integer({ min: 1, max: 4 }),
      life: fc.integer({ min: 1, max: 2 }),
      values: fc.array(fc.integer({ min: 1, max: 1e6 }), { maxLength: 5 }),
    }),
    { maxLength: 5 },
  ),
  { maxLength: 6 },
);

test('series that become equal have all counts of their streams exactly, also of streams that began anew', () => {
  fc.assert(
    fc.property(rounds, (given) => {
      const registry = createRegistry();
      const ingestion = ingest(registry, { name: 'test' }, DROP_USERS);
      const all = newHistogram();
      const states = new Map<number, { life: number; epoch: number; histogram: Histogram }>();
      let epochs = 0;
      for (const round of given) {
        for (const { user, life, values } of round) {
          const before = states.get(user);
          const state = before?.life === life ? before : { life, epoch: ++epochs, histogram: newHistogram() };
          states.set(user, state);
          for (const value of values) {
            state.histogram.record(value);
            all.record(value);
          }
          const attributes = { route: '/', user };
          const counter = { epoch: String(state.epoch) };
          const problems = ingestion.take([
            { key: `${user}`, family: FAMILY, attributes, counted: state.histogram.copy(), counter },
          ]);
          expect(problems).toEqual([]);
        }
      }
      const family = registry.family(FAMILY);
      if (all.totalCount === 0) return;
      const series = family!.with({ route: '/' }).snapshot();
      expect(family!.listAttributes()).toEqual([{ route: '/' }]);
      expect(series.histogram.totalCount).toBe(all.totalCount);
      const percentiles = [0, 1, 25, 50, 75, 99, 100];
      expect(series.histogram.valuesAtPercentiles(percentiles)).toEqual(all.valuesAtPercentiles(percentiles));
    }),
  );
});

test('series of unlike layouts that become equal have bounds that contain the truth', async () => {
  const values = fc.array(fc.integer({ min: 1, max: 1e6 }), { minLength: 1, maxLength: 40 });
  await fc.assert(
    fc.asyncProperty(values, values, values, async (coarse, middling, fine) => {
      const layouts = [
        new LayoutHistogram(explicitLayout([1, 10, 100, 1000, 1e4, 1e5, 1e6])),
        new LayoutHistogram(exponentialLayout({ scale: 1, minIndex: -2, maxIndex: 60 })),
        newHistogram(),
      ] as const;
      const lists = [coarse, middling, fine];
      for (const [i, list] of lists.entries()) for (const value of list) layouts[i]!.record(value);
      const registry = createRegistry();
      registry.histogram(FAMILY);
      const readings: Reading[] = layouts.map((counted, user) => ({
        key: `${user}`,
        family: { name: FAMILY.name, unit: 'By' },
        attributes: { user },
        counted,
      }));
      expect(ingest(registry, { name: 'test' }, DROP_USERS).take(readings)).toEqual([]);
      const series = await onlySeriesIn(registry);
      const sorted = lists.flat().sort((a, b) => a - b);
      expect([series.attributes, series.histogram.totalCount]).toEqual([{}, sorted.length]);
      for (const quantile of [0.01, 0.5, 0.9, 1]) {
        const truth = sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1]!;
        const { lower, upper } = findQuantile(series, quantile);
        expect([quantile, lower <= truth, truth <= upper]).toEqual([quantile, true, true]);
      }
    }),
  );
});

test('other families keep their attributes, and attributes of the source are dropped, too', () => {
  const registry = createRegistry();
  const options = { dropAttributes: { x: ['host', 'b'], 'y?': ['a'] }, attributes: { host: 'a7' } };
  const ingestion = ingest(registry, { name: 'test' }, options);
  for (const name of ['x', 'y', 'y1']) {
    ingestion.take([
      reading([1, 0, 0, 0], { key: name, family: { name, unit: 'By' }, attributes: { a: 1, b: 2 } }),
    ]);
  }
  const attributesOf = (name: string) => registry.family({ name })!.listAttributes();
  expect(attributesOf('x')).toEqual([{ a: 1 }]);
  expect(attributesOf('y')).toEqual([{ a: 1, b: 2, host: 'a7' }]);
  expect(attributesOf('y1')).toEqual([{ b: 2, host: 'a7' }]);
});

test.each([[['user']], [{ x: 'user' }], [{ x: [7] }]])('%j is refused', (dropAttributes) => {
  expect(() => ingest(createRegistry(), { name: 'test' }, { dropAttributes } as never)).toThrow(
    'dropAttributes must be an object with lists of keys by names of families',
  );
});
