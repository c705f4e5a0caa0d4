import fc from 'fast-check';
import { decimalLayout } from '../../src/layout/decimal.ts';
import { expectSlotsInOrder, isIn } from '../support/layout-laws.ts';
import { expectRefused } from '../support/refused.ts';

describe('a decimal layout', () => {
  test('cuts decades at round numbers, which are the doubles that people type', () => {
    const layout = decimalLayout({ digits: 1, lowestPower: -2, decades: 3 });
    expect(layout.edges).toEqual([
      ...[0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.07, 0.08, 0.09],
      ...[0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9],
      ...[1, 2, 3, 4, 5, 6, 7, 8, 9, 10],
    ]);
    expect([layout.kind, layout.slotCount]).toEqual(['decimal', 29]);
  });

  test('has 90 slots in a decade with two digits, which are the default', () => {
    const layout = decimalLayout({ lowestPower: 0, decades: 2 });
    expect(layout.edges.length).toBe(181);
    expect(layout.edges.slice(0, 3)).toEqual([1, 1.1, 1.2]);
    expect(layout.edges.slice(89, 92)).toEqual([9.9, 10, 11]);
  });

  test('takes a value at an edge up, or down where the upper bound is inclusive', () => {
    const options = { digits: 1, lowestPower: 0, decades: 1 };
    const [floor, ceil] = [decimalLayout(options), decimalLayout({ ...options, inclusive: 'upper' })];
    expect([1, 2, 10].map((value) => floor.slotOf(value))).toEqual([1, 2, 10]);
    expect([1, 2, 10].map((value) => ceil.slotOf(value))).toEqual([0, 1, 9]);
  });

  test('has a slot for every number, in order, as wide as its digits say', () => {
    const options = fc.record({
      digits: fc.integer({ min: 1, max: 3 }),
      lowestPower: fc.integer({ min: -300, max: 200 }),
      decades: fc.integer({ min: 1, max: 12 }),
      inclusive: fc.constantFrom('lower' as const, 'upper' as const),
    });
    fc.assert(
      fc.property(options, fc.double({ noNaN: true, noDefaultInfinity: true }), (given, value) => {
        const layout = decimalLayout(given);
        expectSlotsInOrder(layout);
        expect(isIn(layout, layout.slotOf(value), value)).toBe(true);
        for (let slot = 1; slot < layout.slotCount - 1; slot++) {
          const relative = (layout.upper(slot) - layout.lower(slot)) / layout.lower(slot);
          if (relative > 10 ** (1 - given.digits) * (1 + 1e-12)) expect({ slot, relative }).toBe('narrower');
        }
      }),
    );
  });

  test.each([
    [{ lowestPower: 0, decades: 0 }, 'decades'],
    [{ lowestPower: 300, decades: 9 }, 'decades must be an integer from 1 to 8'],
    [{ lowestPower: 0.5, decades: 1 }, 'lowestPower'],
    [{ digits: 5, lowestPower: 0, decades: 1 }, 'digits must be an integer from 1 to 4'],
  ])('refuses %j', (options, message) => {
    expectRefused(() => decimalLayout(options), 'ERR_INVALID_OPTION');
    expect(() => decimalLayout(options)).toThrow(message);
  });
});
