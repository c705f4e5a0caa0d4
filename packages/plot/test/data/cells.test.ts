import { explicitLayout, type Layout } from '@hdrscope/core';
import fc from 'fast-check';
import type { CellCounts } from '../../src/data/cells.ts';
import { axesToDraw, heatMapOfCells, informativeAxes } from '../../src/index.ts';

const layoutOf = (slotCount: number): Layout =>
  explicitLayout(Array.from({ length: slotCount - 1 }, (_, i) => i + 1));

function cellsOf(slotCounts: readonly number[], cells: readonly bigint[]): CellCounts {
  return {
    axes: slotCounts.map((_, at) => ({ name: `axis ${at}` })),
    layouts: slotCounts.map(layoutOf),
    cells: BigUint64Array.from(cells),
  };
}

/** The sum of each slot of an axis, cell by cell. */
function marginal({ layouts, cells }: CellCounts, axis: number): number[] {
  const sums = new Array<number>(layouts[axis]!.slotCount).fill(0);
  for (const [cell, count] of cells.entries()) {
    let rest = cell;
    const slots = layouts.map(() => 0);
    for (let at = layouts.length - 1; at >= 0; at--) {
      slots[at] = rest % layouts[at]!.slotCount;
      rest = (rest - slots[at]!) / layouts[at]!.slotCount;
    }
    sums[slots[axis]!]! += Number(count);
  }
  return sums;
}

const total = (counts: readonly number[]): number => counts.reduce((sum, count) => sum + count, 0);

const someCells: fc.Arbitrary<CellCounts> = fc
  .array(fc.integer({ min: 1, max: 5 }), { minLength: 2, maxLength: 4 })
  .chain((slotCounts) => {
    const length = slotCounts.reduce((a, b) => a * b, 1);
    return fc
      .array(fc.bigInt({ min: 0n, max: 1000n }), { minLength: length, maxLength: length })
      .map((cells) => cellsOf(slotCounts, cells));
  });

test('rows and columns add up to the marginals of their axes', () => {
  fc.assert(
    fc.property(someCells, fc.nat(), fc.nat(), (histogram, some, other) => {
      const length = histogram.layouts.length;
      const x = some % length;
      const y = (x + 1 + (other % (length - 1))) % length;
      const plot = heatMapOfCells(histogram, { x, y });
      expect(plot.counts.map(total)).toEqual(marginal(histogram, y));
      expect(plot.x.slots.map((_, at) => total(plot.counts.map((row) => row[at]!)))).toEqual(
        marginal(histogram, x),
      );
    }),
  );
});

test('each cell has the count of its two slots, and each axis its name, unit and bounds', () => {
  const plot = heatMapOfCells(
    {
      axes: [{ name: 'latency', unit: 'ns' }, { name: 'size' }],
      layouts: [layoutOf(3), layoutOf(2)],
      cells: BigUint64Array.of(1n, 2n, 3n, 4n, 5n, 6n),
    },
    { x: 0, y: 1, title: 'T', subtitle: 'S', countName: 'writes' },
  );
  expect(plot).toEqual({
    kind: 'heat-map',
    title: 'T',
    subtitle: 'S',
    countName: 'writes',
    x: {
      name: 'latency',
      unit: 'ns',
      slots: [
        { lower: Number.NEGATIVE_INFINITY, upper: 1 },
        { lower: 1, upper: 2 },
        { lower: 2, upper: Number.POSITIVE_INFINITY },
      ],
    },
    y: {
      name: 'size',
      unit: 'none',
      slots: [
        { lower: Number.NEGATIVE_INFINITY, upper: 1 },
        { lower: 1, upper: Number.POSITIVE_INFINITY },
      ],
    },
    counts: [
      [1, 3, 5],
      [2, 4, 6],
    ],
  });
});

test('counts are summed over a third axis, exactly even beyond 64 bits', () => {
  const most = 2n ** 64n - 1n;
  const histogram = cellsOf([2, 1, 2], [1n, 2n, most, most]);
  expect(heatMapOfCells(histogram, { x: 1, y: 0 }).counts).toEqual([[3], [2 ** 65]]);
});

test.each([
  [{ x: 0, y: 0 }, 'x and y must be two different integers from 0 to 1, got "0 and 0"'],
  [{ x: 2, y: 0 }, 'x and y must be two different integers from 0 to 1, got "2 and 0"'],
  [{ x: 0, y: -1 }, 'x and y must be two different integers from 0 to 1, got "0 and -1"'],
])('axes %j are refused', (places, message) => {
  expect(() => heatMapOfCells(cellsOf([2, 1], [0n, 1n]), places)).toThrow(message);
});

test('a number of counts that differs from the number of cells is refused', () => {
  expect(() => heatMapOfCells(cellsOf([2, 3], [0n, 1n]), { x: 1, y: 0 })).toThrow(
    'cells must be one for each of the 6 cells, got 2',
  );
});

test.each([
  [[2, 3], {}, { x: 1, y: 0 }],
  [[1, 3, 2], {}, { x: 2, y: 1 }],
  [[2, 3], { y: 1 }, { x: 0, y: 1 }],
  [[2, 3, 4], { x: 0 }, { x: 0, y: 1 }],
  [[1, 3], {}, { x: undefined, y: 1 }],
  // An axis that is asked for is drawn, even with a single slot.
  [[1, 3], { x: 1 }, { x: 1, y: 0 }],
  [[4], {}, { x: undefined, y: 0 }],
])('of %j slots, asked for %j: %j', (slotCounts, asked, drawn) => {
  expect(axesToDraw(slotCounts.map(layoutOf), asked)).toEqual(drawn);
});

test('axes of one slot are informative only when there are no others', () => {
  expect(informativeAxes([1, 2, 1, 3].map(layoutOf))).toEqual([1, 3]);
  expect(informativeAxes([1, 1].map(layoutOf))).toEqual([0, 1]);
});
