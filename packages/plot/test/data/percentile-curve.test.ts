import {
  DoubleHistogram,
  formatPercentiles,
  Histogram,
  parsePercentiles,
  percentileInterval,
} from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { recordSample } from '@hdrscope/registry/internal';
import { pointAt } from '../../src/chart/steps.ts';
import {
  countedUnitOf,
  curveOf,
  curveOfPercentiles,
  curveOfSeries,
  curveOfSlots,
  percentileCurve,
} from '../../src/index.ts';

function evenly(count: number, factor = 1): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 3_600_000_000 });
  for (let value = 1; value <= count; value++) histogram.record(value * factor);
  return histogram;
}

describe('a percentile curve', () => {
  test('has the value of each row of percentile text at its percentile, or that of the next slot that a column shows', () => {
    const histogram = evenly(10_000);
    const rows = formatPercentiles(histogram)
      .split('\n')
      .slice(2)
      .filter((line) => line !== '' && !line.startsWith('#'))
      .map((line) => line.trim().split(/\s+/).map(Number));
    const curve = percentileCurve('all', histogram, { columns: 20_000 });
    expect(curve.totalCount).toBe(10_000);
    for (const [value, level] of rows) {
      const found = pointAt(curve, level! * 100)!.value;
      expect(found).toBeGreaterThanOrEqual(value!);
      expect(found).toBeLessThanOrEqual(value! * 1.003 + 4);
    }
  });

  test.each([25, 50, 75, 90, 95, 99, 99.5, 99.9])(
    'has the slot of %d %%, however few columns there are',
    (percentile) => {
      const histogram = evenly(100_000, 977);
      const curve = percentileCurve('all', histogram, { valueScale: 1000, columns: 2 });
      expect(pointAt(curve, percentile)?.value).toBe(histogram.valueAtPercentile(percentile) / 1000);
    },
  );

  test('ascends and ends with the maximum', () => {
    const { points } = percentileCurve('all', evenly(1000, 977));
    for (const [at, point] of points.entries()) {
      expect(point.percentile).toBeGreaterThan(points[at - 1]?.percentile ?? -1);
      expect(point.value).toBeGreaterThanOrEqual(points[at - 1]?.value ?? 0);
    }
    expect(points.at(-1)).toEqual({ percentile: 100, value: evenly(1000, 977).max });
  });

  test('has no points without values', () => {
    const empty = new Histogram({ highestTrackableValue: 1000 });
    expect(percentileCurve('none', empty, { confidence: 0.95 })).toEqual({
      name: 'none',
      points: [],
      totalCount: 0,
      confidence: 0.95,
    });
  });

  test('has the bounds of percentileInterval, unless they are below the confidence that is asked for', () => {
    const histogram = evenly(1000);
    const { points, confidence } = percentileCurve('all', histogram, { confidence: 0.9, valueScale: 10 });
    expect(confidence).toBe(0.9);
    const bounded = points.filter(({ lower }) => lower !== undefined);
    expect(bounded.length).toBeGreaterThan(10);
    for (const { percentile, lower, upper } of bounded) {
      const interval = percentileInterval(histogram, percentile, { confidence: 0.9 });
      expect([lower, upper]).toEqual([interval.lower / 10, interval.upper / 10]);
    }
    // A thousand values say next to nothing about the maximum.
    expect(points.at(-1)).not.toHaveProperty('lower');
  });

  test('divides values by the scale', () => {
    const points = percentileCurve('ms', evenly(100, 1000), { valueScale: 1000 }).points;
    expect(points.at(-1)!.value).toBeCloseTo(100, 0);
    expect(() => percentileCurve('ms', evenly(1), { valueScale: 0 })).toThrow(
      'valueScale must be a finite number above 0, got 0',
    );
  });

  test('can be made of doubles', () => {
    const seconds = new DoubleHistogram({ significantDigits: 2 });
    for (const value of [0.25, 0.5, 1, 2]) seconds.record(value);
    const { points } = curveOf('seconds', seconds);
    expect(points.at(-1)!.value).toBe(seconds.max);
    expect(points[0]!.value).toBeCloseTo(0.25, 2);
  });
});

test('a curve of percentile text has the values that are printed', () => {
  const histogram = evenly(10_000);
  const curve = curveOfPercentiles('x', parsePercentiles(formatPercentiles(histogram)));
  expect(curve.totalCount).toBe(10_000);
  expect(curve.points.at(-1)).toMatchObject({ percentile: 100, value: histogram.max });
  expect(pointAt(curve, 50)?.value).toBe(histogram.valueAtPercentile(50));
});

describe('a curve of a series', () => {
  test('is in the unit of its family, and its name is the attributes', async () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'request.duration', unit: 's', significantDigits: 3 });
    for (let ms = 1; ms <= 1000; ms++) family.with({ method: 'get' }).record(ms / 1000);
    const [snapshot] = (await registry.gather()).families;
    const curve = curveOfSeries(snapshot!, snapshot!.series[0]!, { confidence: 0.95 });
    const { name, points } = curve;
    expect(name).toBe('method=get');
    const median = pointAt(curve, 50)!;
    expect(median.value).toBeCloseTo(0.5, 2);
    expect(median.lower).toBeGreaterThan(0.45);
    expect(median.upper).toBeLessThan(0.55);
    expect(points.at(-1)!.value).toBeCloseTo(1, 2);
  });

  test('has the name of its family when there are no attributes', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'depth' }).with({}).record(3);
    const [snapshot] = (await registry.gather()).families;
    expect(curveOfSeries(snapshot!, snapshot!.series[0]!).name).toBe('depth');
    expect(curveOfSeries(snapshot!, snapshot!.series[0]!, { name: 'mine' }).name).toBe('mine');
  });

  test('has the bounds of the values that came, where each counts for several', async () => {
    const registry = createRegistry();
    const family = registry.histogram({ name: 'lat', unit: 's' });
    for (let ms = 1; ms <= 1000; ms++) {
      recordSample(family.with({ of: 'sample' }), ms / 1000, 10);
      family.with({ of: 'all' }).record(ms / 1000);
    }
    const [snapshot] = (await registry.gather()).families;
    const [sampled, whole] = snapshot!.series.map((series) => {
      // Other counts for the two ends are those of wide buckets.
      const wide = { lower: series.counts, upper: series.histogram.copy().counts };
      return [undefined, wide].map((ends) =>
        curveOfSeries(snapshot!, series, { name: 'x', confidence: 0.9, ...(ends && { ends }) }).points.filter(
          ({ percentile }) => [50, 90, 95].includes(percentile),
        ),
      );
    });
    expect(sampled![0]).toHaveLength(3);
    expect(sampled).toEqual(whole);
  });

  test.each([
    ['s', 's'],
    ['ms', 'ms'],
    ['By', 'bytes'],
    ['KiBy', 'KiB'],
    ['1', 'none'],
    ['toString', 'none'],
  ])('the unit %s is shown as %s', (unit, counted) => {
    expect(countedUnitOf({ unit })).toBe(counted);
  });
});

test.each([Number.NaN, -1, Number.POSITIVE_INFINITY])('a curve of slots refuses the count %d', (count) => {
  const slots = [
    { lower: 0, upper: 1 },
    { lower: 1, upper: 2 },
  ];
  const message = `counts[1] must be a finite number of at least 0, got ${count}`;
  expect(() => curveOfSlots('a', slots, [1, count])).toThrow(message);
});
