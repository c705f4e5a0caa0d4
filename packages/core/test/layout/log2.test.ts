import fc from 'fast-check';
import { type Log2LayoutOptions, log2Layout } from '../../src/layout/log2.ts';
import { expectSlotsInOrder, isIn } from '../support/layout-laws.ts';
import { expectRefused } from '../support/refused.ts';

describe('a log2 layout', () => {
  test('has slots that end at the quantum, twice, four times that much', () => {
    const layout = log2Layout({ min: 100, quantum: 10, slots: 3 });
    expect(layout.edges).toEqual([100, 110, 120, 140]);
    expect(layout.kind).toBe('log2');
    expect([99, 100, 109, 110, 120, 139, 140, 1e6].map((value) => layout.slotOf(value))).toEqual([
      0, 1, 1, 2, 3, 3, 4, 4,
    ]);
  });

  test('rounds the logarithm down or up, as the kernel’s tools do', () => {
    const values = [0, 1, 2, 3, 4, 5, 7, 8];
    const floor = log2Layout({ slots: 4 });
    const ceil = log2Layout({ slots: 4, inclusive: 'upper' });
    expect(values.map((value) => floor.slotOf(value))).toEqual([1, 2, 3, 3, 4, 4, 4, 5]);
    expect(values.map((value) => ceil.slotOf(value))).toEqual([0, 1, 2, 3, 3, 4, 4, 4]);
  });

  test('has a slot for every number, in order', () => {
    const options = fc.record({
      min: fc.integer({ min: -1e6, max: 1e6 }),
      quantum: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      slots: fc.integer({ min: 1, max: 64 }),
      inclusive: fc.constantFrom('lower' as const, 'upper' as const),
    });
    fc.assert(
      fc.property(options, fc.double({ noNaN: true, noDefaultInfinity: true }), (given, value) => {
        const layout = log2Layout(given);
        expect(layout.slotCount).toBe(given.slots + 2);
        expectSlotsInOrder(layout);
        expect(isIn(layout, layout.slotOf(value), value)).toBe(true);
      }),
    );
  });

  test('reaches over all powers of two that a double holds', () => {
    const layout = log2Layout({ slots: 1024 });
    expect(layout.edges[1024]).toBe(2 ** 1023);
    expect(layout.slotOf(2 ** 1022)).toBe(1024);
  });

  test.each<[string, object]>([
    ['a quantum of 0', { quantum: 0, slots: 2 }],
    ['NaN as quantum', { quantum: Number.NaN, slots: 2 }],
    ['a quantum that vanishes beside the minimum', { min: 2 ** 60, quantum: 1, slots: 2 }],
    ['a quantum and its double that end at the same number', { min: 2 ** 53, quantum: 1.2, slots: 2 }],
    ['an end beyond the largest double', { quantum: 4, slots: 1024 }],
    ['NaN as minimum', { min: Number.NaN, slots: 2 }],
    ['no slots', { slots: 0 }],
    ['too many slots', { slots: 1025 }],
    ['half a slot', { slots: 2.5 }],
  ])('refuses %s', (_what, options) => {
    expectRefused(() => log2Layout(options as Log2LayoutOptions), 'ERR_INVALID_OPTION');
  });
});
