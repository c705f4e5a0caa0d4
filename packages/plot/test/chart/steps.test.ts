import { bandsOf, cornersOf, crossingOf, outlineOf, pointAt } from '../../src/chart/steps.ts';
import { curve } from '../support/plots.ts';

test('percentiles between two points have the value of the second', () => {
  const at = (percentile: number) => pointAt(curve, percentile)?.value;
  expect([0, 1, 50, 50.1, 99.95, 100].map(at)).toEqual([100, 1000, 1000, 4000, 250_000, 250_000]);
  expect(pointAt({ ...curve, points: [] }, 50)).toBeUndefined();
});

test('a curve crosses a value after its last point that does not exceed it', () => {
  const at = (value: number) => {
    const point = crossingOf(curve, value);
    return point === undefined ? undefined : curve.points[point]!.percentile;
  };
  const expected = [undefined, 0, 50, 90, 99, 99.9, undefined];
  expect([99, 100, 3999, 4000, 30_000, 249_999, 250_000].map(at)).toEqual(expected);
});

test('a line has both ends of each step, and is straight over values that the curve does not have', () => {
  const points = [
    { percentile: 50, value: 10 },
    { percentile: 90, from: 68.377_223_398_316_2, value: 30 },
    { percentile: 99, value: 40 },
    { percentile: 100, value: 90 },
  ];
  const corners = cornersOf({ name: 'x', points, totalCount: 100 });
  expect(corners.map(([place, value]) => [Number(place.toFixed(3)), value])).toEqual([
    [0, 10],
    [0.301, 10],
    // A straight line to the step at 30, and an upright one from there.
    [0.5, 30],
    [1, 30],
    [1, 40],
    [2, 40],
    [2, 90],
  ]);
});

const banded = [
  { percentile: 0.1, value: 1 },
  { percentile: 50, value: 2, lower: 1, upper: 3 },
  { percentile: 90, value: 4, lower: 3, upper: 6 },
  { percentile: 99, value: 5 },
  { percentile: 100, value: 7, lower: 6, upper: Number.POSITIVE_INFINITY },
];

test('the band of slots has their bounds over the whole of each step', () => {
  const [band, ...others] = bandsOf({ name: 'x', totalCount: 1000, points: banded });
  // A slot without an end has a band to the end of the axis.
  expect(others).toEqual([
    [
      [2, 6, Number.POSITIVE_INFINITY],
      [3, 6, Number.POSITIVE_INFINITY],
    ],
  ]);
  expect(band!.map(([place, ...bounds]) => [Number(place.toFixed(2)), ...bounds])).toEqual([
    [0, 1, 3],
    [0.3, 1, 3],
    [0.3, 3, 6],
    [1, 3, 6],
  ]);
});

test('the band of a confidence goes from point to point', () => {
  const [band] = bandsOf({ name: 'x', totalCount: 1000, points: banded, confidence: 0.95 });
  expect(band!.map(([place, ...bounds]) => [Number(place.toFixed(2)), ...bounds])).toEqual([
    [0, 1, 3],
    [0.3, 1, 3],
    [1, 3, 6],
  ]);
});

test('the outline of a band goes along its upper bounds and back along the lower ones', () => {
  const outline = outlineOf([
    [1, 10, 20],
    [2, 15, 30],
  ]);
  expect(outline).toEqual([
    [1, 20],
    [2, 30],
    [2, 15],
    [1, 10],
  ]);
});
