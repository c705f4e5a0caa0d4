import fc from 'fast-check';
import { roundEdges } from '../../src/data/round-edges.ts';

test('takes equal steps for a compact distribution', () => {
  expect(roundEdges({ smallest: 1, median: 50, largest: 100 }, false)).toEqual([
    0, 10, 20, 30, 40, 50, 60, 70, 80, 90, 100, 110,
  ]);
  expect(roundEdges({ smallest: 0.31, median: 0.35, largest: 0.41 }, false)).toEqual([
    0.31, 0.32, 0.33, 0.34, 0.35, 0.36, 0.37, 0.38, 0.39, 0.4, 0.41, 0.42,
  ]);
});

test('takes factors for a distribution with a long tail', () => {
  expect(roundEdges({ smallest: 0.2, median: 0.95, largest: 60 }, false)).toEqual([
    0.2, 0.3, 0.5, 1, 2, 3, 5, 10, 20, 30, 50, 100,
  ]);
  expect(roundEdges({ smallest: 3, median: 30, largest: 1e9 }, true)).toEqual([
    0, 1, 10, 100, 1000, 10_000, 100_000, 1e6, 1e7, 1e8, 1e9, 1e10,
  ]);
});

test('covers all values with few slots of positive width', () => {
  const positive = fc.double({ min: 1e-9, max: 9e9, noNaN: true });
  fc.assert(
    fc.property(positive, positive, positive, fc.boolean(), (a, b, c, hasZeros) => {
      const [smallest, median, largest] = [a, b, c].sort((x, y) => x - y) as [number, number, number];
      const edges = roundEdges({ smallest, median, largest }, hasZeros);
      expect(edges[0]).toBeLessThanOrEqual(hasZeros ? 0 : smallest);
      expect(edges.at(-1)).toBeGreaterThan(largest);
      expect(edges.slice(1).every((edge, at) => edge > edges[at]!)).toBe(true);
      expect(edges.length).toBeLessThanOrEqual(24);
    }),
    { numRuns: 500 },
  );
});

test('has one slot when all values are 0', () => {
  expect(roundEdges({ smallest: Number.POSITIVE_INFINITY, median: 0, largest: 0 }, true)).toEqual([0, 1]);
});
