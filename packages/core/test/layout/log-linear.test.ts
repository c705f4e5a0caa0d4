import fc from 'fast-check';
import { type LogLinearLayoutOptions, logLinearLayout } from '../../src/layout/log-linear.ts';
import { log2Layout } from '../../src/layout/log2.ts';
import { expectSlotsInOrder, isIn } from '../support/layout-laws.ts';
import { expectRefused } from '../support/refused.ts';

describe('a log-linear layout', () => {
  test('cuts each octave into equal parts, after slots of one quantum', () => {
    const layout = logLinearLayout({ min: 100, quantum: 10, subBucketsPerOctave: 2, octaves: 3 });
    expect(layout.edges).toEqual([100, 110, 120, 130, 140, 160, 180, 220, 260]);
    expect([layout.kind, layout.slotCount]).toEqual(['log-linear', 10]);
    expect([99, 100, 129, 130, 259, 260, 1e9].map((value) => layout.slotOf(value))).toEqual([
      0, 1, 3, 4, 8, 9, 9,
    ]);
  });

  test('with eight parts holds all integers up to 2^64 in 496 slots, besides the open ones', () => {
    const layout = logLinearLayout({ subBucketsPerOctave: 8, octaves: 61 });
    expect(layout.slotCount).toBe(496 + 2);
    expect([layout.lower(1), layout.upper(496)]).toEqual([0, 2 ** 64]);
  });

  test('takes a value at an edge up, or down where the upper bound is inclusive', () => {
    const options = { subBucketsPerOctave: 4, octaves: 2 };
    const [floor, ceil] = [logLinearLayout(options), logLinearLayout({ ...options, inclusive: 'upper' })];
    expect([0, 1, 8, 16].map((value) => floor.slotOf(value))).toEqual([1, 2, 9, 13]);
    expect([0, 1, 8, 16].map((value) => ceil.slotOf(value))).toEqual([0, 1, 8, 12]);
  });

  test('with one part an octave is a log2 layout', () => {
    expect(logLinearLayout({ min: 3, quantum: 5, subBucketsPerOctave: 1, octaves: 9 }).edges).toEqual(
      log2Layout({ min: 3, quantum: 5, slots: 10 }).edges,
    );
  });

  test('has slots that are at most that part of their lower bound wide', () => {
    fc.assert(
      fc.property(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 50 }), (parts, octaves) => {
        const layout = logLinearLayout({ subBucketsPerOctave: parts, octaves });
        for (let slot = parts + 1; slot < layout.slotCount - 1; slot++) {
          const width = layout.upper(slot) - layout.lower(slot);
          if (width * parts > layout.lower(slot)) expect({ slot, width }).toBe('narrower');
        }
      }),
    );
  });

  test('has a slot for every number, in order', () => {
    const options = fc.record({
      min: fc.integer({ min: -1e6, max: 1e6 }),
      quantum: fc.double({ min: 1e-3, max: 1e6, noNaN: true }),
      subBucketsPerOctave: fc.integer({ min: 1, max: 20 }),
      octaves: fc.nat(40),
      inclusive: fc.constantFrom('lower' as const, 'upper' as const),
    });
    fc.assert(
      fc.property(options, fc.double({ noNaN: true, noDefaultInfinity: true }), (given, value) => {
        const layout = logLinearLayout(given);
        expectSlotsInOrder(layout);
        expect(isIn(layout, layout.slotOf(value), value)).toBe(true);
      }),
    );
  });

  test.each<[string, object]>([
    ['no parts', { subBucketsPerOctave: 0 }],
    ['half a part', { subBucketsPerOctave: 1.5 }],
    ['more than a million slots', { subBucketsPerOctave: 2 ** 20, octaves: 1 }],
    ['a negative number of octaves', { octaves: -1 }],
    ['half an octave', { octaves: 0.5 }],
    ['an end beyond the largest double', { octaves: 1023 }],
    ['a quantum of 0', { quantum: 0 }],
    ['NaN as quantum', { quantum: Number.NaN }],
    ['a quantum that vanishes beside the minimum', { min: 2 ** 60 }],
    ['NaN as minimum', { min: Number.NaN }],
    ['a bound that is neither lower nor upper', { inclusive: 'both' }],
  ])('refuses %s', (_what, options) => {
    const given = { subBucketsPerOctave: 8, octaves: 4, ...options } as LogLinearLayoutOptions;
    expectRefused(() => logLinearLayout(given), 'ERR_INVALID_OPTION');
  });
});
