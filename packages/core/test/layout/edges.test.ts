import fc from 'fast-check';
import { explicitLayout, type InclusiveBound } from '../../src/layout/edges.ts';
import { expectSlotsInOrder, isIn } from '../support/layout-laws.ts';
import { expectRefused, refusalOf } from '../support/refused.ts';

const finite = fc.double({ noNaN: true, noDefaultInfinity: true });
const bounds = fc
  .uniqueArray(finite, { maxLength: 20, comparator: (a, b) => a === b })
  .map((edges) => edges.sort((a, b) => a - b));
const inclusive = fc.constantFrom<InclusiveBound>('lower', 'upper');

/** The slot of a value, found by looking at one edge after the other. */
function slotByCounting(edges: readonly number[], value: number, bound: InclusiveBound): number {
  return edges.filter((edge) => (bound === 'lower' ? edge <= value : edge < value)).length;
}

describe('a layout with bounds of one’s own', () => {
  test.each<[InclusiveBound, number[]]>([
    ['upper', [0, 0, 0, 1, 1, 2, 3, 3]],
    ['lower', [0, 0, 1, 1, 2, 3, 3, 3]],
  ])('puts a value on a bound where the %s one is included', (bound, slots) => {
    const layout = explicitLayout([0.1, 0.5, 1], bound);
    const values = [-5, 0.05, 0.1, 0.11, 0.5, 1, 1.01, 7];
    expect(values.map((value) => layout.slotOf(value))).toEqual(slots);
    expect([layout.lowerInclusive, layout.upperInclusive]).toEqual([bound === 'lower', bound === 'upper']);
  });

  test('includes the upper bound by default', () => {
    expect(explicitLayout([1]).upperInclusive).toBe(true);
  });

  test('is open at both ends', () => {
    const layout = explicitLayout([1, 2]);
    expect([layout.lower(0), layout.upper(2)]).toEqual([Number.NEGATIVE_INFINITY, Number.POSITIVE_INFINITY]);
    expect(layout.slotOf(Number.NEGATIVE_INFINITY)).toBe(0);
    expect(layout.slotOf(Number.POSITIVE_INFINITY)).toBe(2);
  });

  test('stands for an open slot by its finite bound, for another by its middle', () => {
    const layout = explicitLayout([1, 2]);
    expect([0, 1, 2].map((slot) => layout.midpoint(slot))).toEqual([1, 1.5, 2]);
  });

  test('of no bounds is one slot for everything', () => {
    const layout = explicitLayout([]);
    expect(layout.slotCount).toBe(1);
    expect([-1e300, 0, 1e300].map((value) => layout.slotOf(value))).toEqual([0, 0, 0]);
    expect([layout.lower(0), layout.midpoint(0), layout.upper(0)]).toEqual([
      Number.NEGATIVE_INFINITY,
      0,
      Number.POSITIVE_INFINITY,
    ]);
  });

  test('finds the slot that counting edges finds, and that holds the value', () => {
    fc.assert(
      fc.property(bounds, inclusive, finite, fc.nat(), (edges, bound, value, pick) => {
        const layout = explicitLayout(edges, bound);
        const tried = edges.length > 0 ? [value, edges[pick % edges.length]!] : [value];
        for (const v of tried) {
          const slot = layout.slotOf(v);
          expect(slot).toBe(slotByCounting(edges, v, bound));
          expect(isIn(layout, slot, v)).toBe(true);
        }
      }),
    );
  });

  test('has slots in order, each standing for a value within its bounds', () => {
    fc.assert(
      fc.property(bounds, inclusive, (edges, bound) => {
        expectSlotsInOrder(explicitLayout(edges, bound));
      }),
    );
  });

  test('stands for a slot wider than the largest double by a finite value', () => {
    const middle = explicitLayout([-1.7e308, 1.7e308]).midpoint(1);
    expect(middle).toBe(0);
  });

  test('keeps its bounds when the given array changes', () => {
    const given = [1, 2, 3];
    const layout = explicitLayout(given);
    given[0] = 100;
    expect(layout.edges).toEqual([1, 2, 3]);
    expect(layout.slotOf(1.5)).toBe(1);
  });

  test.each<[string, number[]]>([
    ['NaN', [1, Number.NaN]],
    ['Infinity, which is always there', [1, Number.POSITIVE_INFINITY]],
    ['a bound twice', [1, 1]],
    ['0 and -0, which are equal', [-0, 0]],
    ['a bound below the one before', [1, 3, 2]],
    ['text', ['1' as unknown as number]],
  ])('refuses %s', (_what, edges) => {
    expectRefused(() => explicitLayout(edges), 'ERR_INVALID_OPTION');
  });

  test('names the wrong bound', () => {
    expect(refusalOf(() => explicitLayout([1, 3, 2])).message).toBe(
      'bounds[2] must be finite and above the bound before it, got 2',
    );
  });
});

test('an edge layout refuses a bound that is neither lower nor upper', () => {
  expectRefused(() => explicitLayout([1], 'both' as never), 'ERR_INVALID_OPTION');
});
