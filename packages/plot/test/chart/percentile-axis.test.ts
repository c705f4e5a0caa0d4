import fc from 'fast-check';
import {
  ninesOf,
  percentileAt,
  percentileAxis,
  percentileText,
  placesOf,
} from '../../src/chart/percentile-axis.ts';
import { THEMES } from '../../src/chart/theme.ts';

test.each([
  [0, 0],
  [90, 1],
  [99, 2],
  [99.9, 3],
  [99.9999, 6],
])('%f %% is at %i nines', (percentile, nines) => {
  expect(ninesOf(percentile)).toBeCloseTo(nines, 9);
  expect(percentileAt(nines)).toBeCloseTo(percentile, 9);
});

test('labels have enough digits to differ from 100', () => {
  expect([0, 50, 90, 99, 99.9, 99.99, 99.99999, 100].map(percentileText)).toEqual([
    '0 %',
    '50 %',
    '90 %',
    '99 %',
    '99.9 %',
    '99.99 %',
    '99.99999 %',
    'max',
  ]);
});

test('the ticks are 0 %, 50 % and the nines', () => {
  const { axisLabel } = percentileAxis(4.2, { left: 60, right: 40, width: 500 }, THEMES.light) as {
    axisLabel: { customValues: number[]; formatter: (nines: number) => string };
  };
  expect(axisLabel.customValues.map(axisLabel.formatter)).toEqual([
    '0 %',
    '50 %',
    '90 %',
    '99 %',
    '99.9 %',
    '99.99 %',
  ]);
});

test('an axis without room for all nines has them without the sign, which its name says', () => {
  const { axisLabel } = percentileAxis(5, { left: 60, right: 40, width: 190 }, THEMES.light) as {
    axisLabel: { customValues: number[]; formatter: (nines: number) => string };
  };
  const labels = axisLabel.customValues.map(axisLabel.formatter);
  expect(labels.slice(0, 4)).toEqual(['0', '90', '99', '99.9']);
});

test('the maximum is at the number of values', () => {
  const points = [0, 99, 100].map((percentile) => ({ percentile, value: 1 }));
  expect(placesOf({ points, totalCount: 10_000 })).toEqual([0, 2, 4]);
});

test('places ascend and are finite, whatever the percentiles and the count', () => {
  const percentiles = fc.array(fc.double({ min: 0, max: 100, noNaN: true }), { minLength: 1 });
  fc.assert(
    fc.property(percentiles, fc.integer({ min: 0 }), (all, totalCount) => {
      const points = all.sort((a, b) => a - b).map((percentile) => ({ percentile, value: 1 }));
      const places = placesOf({ points, totalCount });
      expect(places).toHaveLength(points.length);
      expect(places.every(Number.isFinite)).toBe(true);
      expect(places).toEqual(places.toSorted((a, b) => a - b));
    }),
  );
});
