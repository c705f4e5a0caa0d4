import { bandsOf, crossingOf, outlineOf, pointAt } from '../../src/chart/steps.ts';
import { curve } from '../support/plots.ts';

test('percentiles between two points have the value of the second', () => {
  const at = (percentile: number) => pointAt(curve, percentile)?.value;
  expect([0, 1, 50, 50.1, 99.95, 100].map(at)).toEqual([100, 1000, 1000, 4000, 250_000, 250_000]);
  expect(pointAt({ ...curve, points: [] }, 50)).toBeUndefined();
});

test('a curve crosses a value at the last percentile that does not exceed it', () => {
  const at = (value: number) => crossingOf(curve, value);
  expect([99, 100, 3999, 4000, 30_000, 249_999, 250_000].map(at)).toEqual([0, 0, 50, 90, 99, 99.9, 100]);
});

test('a band begins at the point before it, and ends with the last point that has bounds', () => {
  const points = [
    { percentile: 0, value: 1 },
    { percentile: 50, value: 2, lower: 1, upper: 3 },
    { percentile: 90, value: 4, lower: 3, upper: 6 },
    { percentile: 99, value: 5 },
    { percentile: 100, value: 7, lower: 6, upper: 8 },
  ];
  expect(bandsOf({ points }, [0, 0.3, 1, 2, 3])).toEqual([
    {
      from: 0,
      points: [
        [0.3, 1, 3],
        [1, 3, 6],
      ],
    },
    { from: 2, points: [[3, 6, 8]] },
  ]);
});

test('the outline of a band goes along its upper bounds and back along the lower ones', () => {
  const outline = outlineOf(0, [
    [1, 10, 20],
    [2, 15, 30],
  ]);
  expect(outline).toEqual([
    [0, 20],
    [1, 20],
    [1, 30],
    [2, 30],
    [2, 15],
    [1, 15],
    [1, 10],
    [0, 10],
  ]);
});
