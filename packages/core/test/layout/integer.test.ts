import fc from 'fast-check';
import { hdrFit, integerAfter, integerBefore, integerLayout } from '../../src/internal.ts';

const ascendingIntegers = fc
  .uniqueArray(fc.integer({ min: -1000, max: 100_000 }), { maxLength: 20 })
  .map((bounds) => bounds.sort((a, b) => a - b));

test('every integer is in the one slot whose bounds include it, and slots leave no gap', () => {
  fc.assert(
    fc.property(ascendingIntegers, fc.integer({ min: -2000, max: 200_000 }), (bounds, value) => {
      const layout = integerLayout(bounds, Number.NEGATIVE_INFINITY);
      const slot = layout.slotOf(value);
      expect(layout.lower(slot)).toBeLessThanOrEqual(value);
      expect(layout.upper(slot)).toBeGreaterThanOrEqual(value);
      expect(layout.slotCount).toBe(bounds.length + 1);
      for (const i of bounds.keys()) expect(layout.lower(i + 1)).toBe(layout.upper(i) + 1);
      expect(layout.slotOf(layout.midpoint(slot))).toBe(slot);
    }),
  );
});

test('a value below the lowest integer has no slot', () => {
  expect(integerLayout([4, 8], 2).slotOf(1)).toBe(-1);
  expect(integerLayout([4, 8], 2).slotOf(2)).toBe(0);
});

test('without a bound all integers share a slot, whose middle is 0 or the lowest', () => {
  const all = integerLayout([], Number.NEGATIVE_INFINITY);
  expect([all.slotCount, all.slotOf(-5), all.slotOf(5), all.midpoint(0)]).toEqual([1, 0, 0, 0]);
  expect(integerLayout([], 7).midpoint(0)).toBe(7);
});

test.each([
  [[1, 1], 0, 'bounds[1] must be an integer above 1, got 1'],
  [[0.5], 0, 'bounds[0] must be an integer, got 0.5'],
  [[3], 4, 'lowest must be an integer up to 3, or -Infinity, got 4'],
])('the bounds %j from %d are refused', (bounds, lowest, message) => {
  expect(() => integerLayout(bounds, lowest)).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION', message }),
  );
});

test('above 2^53 the next integer is the next double', () => {
  expect(integerAfter(2 ** 53 - 1)).toBe(2 ** 53);
  expect(integerAfter(2 ** 60)).toBe(2 ** 60 + 256);
  expect(integerBefore(2 ** 60)).toBe(2 ** 60 - 128);
  expect(integerBefore(16)).toBe(15);
});

test.each([
  ['powers of two', Array.from({ length: 30 }, (_, i) => 2 ** (i + 1) - 1), 0, true],
  ['single integers up to 255', Array.from({ length: 255 }, (_, i) => i), 2, true],
  ['single integers about a million', [999_999, 1_000_000, 1_000_001], 5, false],
])('of slots of %s', (_, bounds, significantDigits, isExact) => {
  expect(hdrFit(integerLayout(bounds, 0))).toEqual({ significantDigits, isExact });
});
