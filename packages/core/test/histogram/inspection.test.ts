import { inspect } from 'node:util';
import { BasicHistogram } from '../../src/histogram/basic-histogram.ts';
import { DoubleHistogram } from '../../src/histogram/double-histogram.ts';
import { Histogram } from '../../src/histogram/histogram.ts';
import { LayoutHistogram } from '../../src/histogram/layout-histogram.ts';
import { explicitLayout } from '../../src/layout/edges.ts';
import { formatPercentiles } from '../../src/text/percentile-text.ts';

describe('console.log shows the total, bounds and percentiles of', () => {
  test('a histogram of integers', () => {
    const histogram = new Histogram({ highestTrackableValue: 10_000 });
    for (let value = 1; value <= 1000; value++) histogram.record(value);
    expect(inspect(histogram)).toBe(
      'Histogram { totalCount: 1000, min: 1, p50: 500, p90: 900, p99: 990, p99.9: 999, max: 1000 }',
    );
  });

  test('a histogram of doubles', () => {
    const histogram = new DoubleHistogram({ significantDigits: 1 });
    histogram.record(0.5);
    expect(inspect(histogram)).toMatch(/^DoubleHistogram \{ totalCount: 1, min: 0\.5, p50: 0\.5\d*, .* \}$/);
  });

  test('a histogram of any layout', () => {
    const histogram = new LayoutHistogram(explicitLayout([1, 2]));
    histogram.record(1.5, 2);
    expect(inspect(histogram)).toBe(
      'LayoutHistogram { totalCount: 2, min: 1, p50: 1.5, p90: 1.5, p99: 1.5, p99.9: 1.5, max: 2 }',
    );
  });

  test('an empty histogram, which has only its total', () => {
    expect(inspect(new BasicHistogram())).toBe('BasicHistogram { totalCount: 0 }');
  });
});

describe('as text', () => {
  test('a histogram is its percentile distribution', () => {
    const integers = new Histogram({ highestTrackableValue: 1000 });
    const doubles = new DoubleHistogram();
    for (const histogram of [integers, doubles]) {
      histogram.record(7, 2);
      expect(`${histogram}`).toBe(formatPercentiles(histogram));
    }
  });

  test('a histogram of any layout is its used slots', () => {
    const histogram = new LayoutHistogram(explicitLayout([1, 2]));
    histogram.recordValues([1.5, 7]);
    expect(`${histogram}`).toBe('lower\tupper\tcount\n1\t2\t1\n2\tInfinity\t1\n');
  });

  test('a basic histogram and a reading in bigints are one line', () => {
    const histogram = new BasicHistogram();
    const { exact } = new Histogram();
    histogram.record(7, 2);
    expect(`${histogram}`).toBe(inspect(histogram));
    expect(`${exact}`).toBe(inspect(exact));
  });
});
