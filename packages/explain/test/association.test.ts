import { growthEvidence, leastEvidence } from '../src/association.ts';

test('evidence is largest for the cause, less for a part of it and for more than it, and 0 for all', () => {
  // Ten parts with 100 slow values each; those of the first four have doubled.
  const evidence = (parts: number) =>
    growthEvidence({
      part: { before: 100 * parts, after: 100 * parts + 100 * Math.min(parts, 4) },
      rest: { before: 100 * (10 - parts), after: 100 * (10 - parts) + 100 * Math.max(0, 4 - parts) },
    });
  const all = Array.from({ length: 10 }, (_, i) => evidence(i + 1));
  expect(all.indexOf(Math.max(...all))).toBe(3);
  expect(all[9]).toBeCloseTo(0, 9);
  // 2 * (10 ln(10 / 15) + 20 ln(20 / 15)) * 2, by hand.
  const even = growthEvidence({ part: { before: 10, after: 20 }, rest: { before: 20, after: 10 } });
  expect(even).toBeCloseTo(4 * (10 * Math.log(10 / 15) + 20 * Math.log(20 / 15)), 9);
  expect(growthEvidence({ part: { before: 20, after: 10 }, rest: { before: 10, after: 20 } })).toBeCloseTo(
    -even,
    9,
  );
  // The quantile 0.999 of a chi-square of one degree of freedom is 10.83.
  expect(leastEvidence(1, 0.001)).toBeGreaterThan(10.83);
});
