import fc from 'fast-check';
import { orderOfPair } from '../../src/commands/ab/measure.ts';

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
