import fc from 'fast-check';
import { type LinearLayoutOptions, linearLayout } from '../../src/layout/linear.ts';
import { expectSlotsInOrder, isIn } from '../support/layout-laws.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';

describe('a linear layout', () => {
  test('has slots of equal width between an open one below and one above', () => {
    const layout = linearLayout({ min: 100, width: 50, slots: 2 });
    expect(layout.edges).toEqual([100, 150, 200]);
    expect([99, 100, 149.9, 150, 199, 200, 1000].map((value) => layout.slotOf(value))).toEqual([
      0, 1, 1, 2, 2, 3, 3,
    ]);
    expect(layout.kind).toBe('linear');
  });

  test('begins at 0 and includes lower bounds by default', () => {
    const layout = linearLayout({ width: 10, slots: 3 });
    expect([layout.edges[0], layout.lowerInclusive, layout.upperInclusive]).toEqual([0, true, false]);
    expect(linearLayout({ width: 10, slots: 3, inclusive: 'upper' }).slotOf(10)).toBe(1);
  });

  test('does not add up rounding errors from slot to slot', () => {
    expect(linearLayout({ width: 0.1, slots: 10 }).edges[10]).toBe(1);
  });

  test('has a slot for every number, in order', () => {
    const options = fc.record({
      min: fc.integer({ min: -1e6, max: 1e6 }),
      width: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      slots: fc.integer({ min: 1, max: 60 }),
      inclusive: fc.constantFrom('lower' as const, 'upper' as const),
    });
    fc.assert(
      fc.property(options, fc.double({ min: -1e8, max: 1e8, noNaN: true }), (given, value) => {
        const layout = linearLayout(given);
        expect(layout.slotCount).toBe(given.slots + 2);
        expectSlotsInOrder(layout);
        expect(isIn(layout, layout.slotOf(value), value)).toBe(true);
      }),
    );
  });

  test.each<[string, object]>([
    ['a width of 0', { width: 0, slots: 2 }],
    ['a negative width', { width: -1, slots: 2 }],
    ['NaN as width', { width: Number.NaN, slots: 2 }],
    ['a width that vanishes beside the minimum', { min: 2 ** 60, width: 1, slots: 2 }],
    ['a width that vanishes at the far end', { min: 2 ** 53 - 2, width: 1, slots: 6 }],
    ['an end beyond the largest double', { width: 1e308, slots: 2 }],
    ['Infinity as minimum', { min: Number.NEGATIVE_INFINITY, width: 1, slots: 2 }],
    ['no slots', { width: 1, slots: 0 }],
    ['half a slot', { width: 1, slots: 1.5 }],
    ['too many slots', { width: 1, slots: 2 ** 20 + 1 }],
    ['text as slots', { width: 1, slots: '5' }],
  ])('refuses %s', (_what, options) => {
    expectRefused(() => linearLayout(options as LinearLayoutOptions), 'ERR_INVALID_OPTION');
  });

  test('blames the option that is wrong', () => {
    expect(refusalOf(() => linearLayout({ width: 1, slots: Number.NaN })).message).toBe(
      'slots must be an integer from 1 to 1048576, got NaN',
    );
  });
});
