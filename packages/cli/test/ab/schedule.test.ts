import fc from 'fast-check';
import { orderOfPair, planLooks } from '../../src/commands/ab/schedule.ts';

test('each pair has both sides, and the next one mirrors it', () => {
  fc.assert(
    fc.property(fc.nat(), fc.nat(500), (seed, twoPairs) => {
      const [one, other] = [orderOfPair(2 * twoPairs, seed), orderOfPair(2 * twoPairs + 1, seed)];
      expect([...one].sort()).toEqual(['after', 'before']);
      expect(other).toEqual([...one].reverse());
    }),
  );
});

test('the seed decides which side is first', () => {
  const firsts = Array.from({ length: 200 }, (_, seed) => orderOfPair(0, seed)[0]);
  const before = firsts.filter((side) => side === 'before').length;
  expect(before).toBeGreaterThan(70);
  expect(before).toBeLessThan(130);
});

test('all looks together have the error of the confidence', () => {
  const confidences = fc.double({ min: 0.5, max: 0.9999, noNaN: true });
  fc.assert(
    fc.property(
      fc.integer({ min: 2, max: 200 }),
      fc.integer({ min: 2, max: 200 }),
      confidences,
      (runs, least, confidence) => {
        const looks = planLooks(runs, least, confidence);
        const error = looks.reduce((sum, look) => sum + (1 - look.confidence), 0);
        expect(error).toBeCloseTo(1 - confidence, 12);
        expect(looks.at(-1)!.runs).toBe(runs);
        const stops = looks.map((look) => look.runs);
        expect(stops).toEqual([...new Set(stops)].sort((a, b) => a - b));
        expect(stops.slice(0, -1).every((stop) => stop >= least)).toBe(true);
      },
    ),
  );
});
