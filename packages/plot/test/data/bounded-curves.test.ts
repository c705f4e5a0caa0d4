import { explicitLayout, Histogram, HistogramSum, LayoutHistogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { caseCount } from '@hdrscope/testing/case-count';
import fc from 'fast-check';
import { timeBandsOf } from '../../src/chart/steps.ts';
import {
  type Curve,
  curveOf,
  curveOfSeries,
  curveOfSum,
  describePlot,
  plotFromJson,
  plotTable,
  plotText,
  plotToJson,
  type TimePlot,
} from '../../src/index.ts';
import { renderSvg } from '../../src/render/index.ts';

function histogramOf(significantDigits: number, values: readonly number[]): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000, significantDigits });
  for (const value of values) histogram.record(value);
  return histogram;
}

function bucketsOf(bounds: readonly number[], values: readonly number[]): LayoutHistogram {
  const histogram = new LayoutHistogram(explicitLayout(bounds));
  histogram.recordValues(values);
  return histogram;
}

/** The bounds that a curve has for the value of a rank. */
function boundsAt({ points, totalCount }: Curve, rank: number, digits: number) {
  const percentile = (100 * rank) / totalCount;
  const {
    value,
    lower = value * (1 - 10 ** -digits),
    upper = value,
  } = points.find((point) => point.percentile >= percentile - 1e-9)!;
  return { lower, upper };
}

const values = fc.array(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 20 });
const bounds = fc
  .uniqueArray(fc.integer({ min: 1, max: 100_000 }), { minLength: 1, maxLength: 5 })
  .map((all) => [0, ...all.sort((a, b) => a - b)]);
const digits = fc.integer({ min: 1, max: 4 });

test('the value of each rank lies within the band of the curve of a sum, for any layouts', () => {
  fc.assert(
    fc.property(
      fc.array(fc.record({ values, digits }), { maxLength: 3 }),
      bounds,
      values,
      (parts, edges, inBuckets) => {
        const sum = new HistogramSum();
        for (const part of parts) sum.add(histogramOf(part.digits, part.values));
        sum.add(bucketsOf(edges, inBuckets));
        const curve = curveOfSum('sum', sum, { columns: 20_000 });
        const truth = [...parts.flatMap((part) => part.values), ...inBuckets].sort((a, b) => a - b);
        const finest = Math.max(1, ...parts.map((part) => part.digits));
        truth.forEach((value, i) => {
          const { lower, upper } = boundsAt(curve, i + 1, finest);
          expect([lower <= value, upper >= value]).toEqual([true, true]);
        });
      },
    ),
  );
});

test('the curve of buckets has a band wherever it is not exact', () => {
  const sum = new HistogramSum();
  sum.add(bucketsOf([25, 50, 100], [30, 30, 60]));
  const bands = curveOfSum('buckets', sum).points.map(({ lower, upper }) => [lower, upper]);
  expect(bands).toEqual([
    [25, 50],
    [50, 100],
  ]);
});

test('the curve of a sum of one layout is that of the histogram', () => {
  fc.assert(
    fc.property(values, digits, (all, significantDigits) => {
      const histogram = histogramOf(significantDigits, all);
      const sum = new HistogramSum();
      sum.add(histogram);
      expect(curveOfSum('a', sum)).toEqual(curveOf('a', histogram));
    }),
  );
});

test('the value of each rank lies within the band of the curve of a series with buckets', () => {
  fc.assert(
    fc.property(values, bounds, values, fc.boolean(), (recorded, edges, inBuckets, isConfident) => {
      const family = createRegistry().histogram({ name: 'x', unit: 'By', significantDigits: 3 });
      const series = family.with({});
      for (const value of recorded) series.record(value);
      series.add(bucketsOf(edges, inBuckets));
      // Few values: each has a column of its own.
      const curve = curveOfSeries(family, series.snapshot(), isConfident ? { confidence: 0.9 } : {});
      [...recorded, ...inBuckets]
        .sort((a, b) => a - b)
        .forEach((value, i) => {
          const { lower, upper } = boundsAt(curve, i + 1, 3);
          expect([lower <= value, upper >= value]).toEqual([true, true]);
        });
    }),
    { numRuns: caseCount(10, 100) },
  );
});

test('the intervals of wide buckets are read at each column, as they change within a bucket', () => {
  const family = createRegistry().histogram({ name: 'x', unit: 'By' });
  family.with({}).add(bucketsOf([0, 100, 200, 400], [...Array(400).fill(50), ...Array(600).fill(150)]));
  const { points } = curveOfSeries(family, family.with({}).snapshot(), { confidence: 0.9 });
  const lowerAt = (percentile: number) => points.find((point) => point.percentile >= percentile)!.lower!;
  expect([lowerAt(40.5), lowerAt(45), lowerAt(90)]).toEqual(
    [0, 100, 100].map((value) => expect.closeTo(value, -1)),
  );
});

test('a terminal shows the bounds of wide buckets as dotted lines', () => {
  const family = createRegistry().histogram({ name: 'x', unit: 's' });
  family.with({}).add(bucketsOf([1, 2.5], Array(10).fill(2)));
  const curve = curveOfSeries(family, family.with({}).snapshot());
  expect(curve.points).toEqual([
    {
      percentile: 100,
      value: expect.closeTo(2.5, 1),
      lower: expect.closeTo(1, 1),
      upper: expect.closeTo(2.5, 1),
    },
  ]);
  const text = plotText({ kind: 'percentiles', unit: 's', curves: [curve] }, { columns: 60 });
  expect(text).toContain('dotted: bounds of slots');
});

test('lines over time have a band where they have lower bounds, in all forms', () => {
  const plot: TimePlot = {
    ...{ kind: 'over-time', unit: 's', timesMs: [1000, 2000, 3000, 4000] },
    lines: [{ name: 'p50', values: [2.5, 2.5, null, 1], lower: [1, 1.2, null, null] }],
  };
  expect(plotFromJson(plotToJson(plot))).toEqual(plot);
  expect(() =>
    plotFromJson(plotToJson({ ...plot, lines: [{ name: 'p50', values: [1, 1, 1, 1], lower: [1] }] })),
  ).toThrow('lower');
  expect(timeBandsOf(plot.timesMs, plot.lines[0]!)).toEqual([
    [
      [1000, 1, 2.5],
      [2000, 1.2, 2.5],
    ],
  ]);
  expect(renderSvg(plot).match(/<polygon[^>]*opacity="0.18"/g)).toHaveLength(1);
  expect(renderSvg({ ...plot, lines: [{ name: 'p50', values: [2.5, 2.5, null, 1] }] })).not.toContain(
    'opacity="0.18"',
  );
  expect(plotText(plot, { columns: 60 })).toContain('dotted: lower bounds');
  expect(plotTable(plot).rows.map(([, value]) => value)).toEqual(['1 s', '-', '1.2 to 2.5 s', '1 to 2.5 s']);
  expect(describePlot(plot)).toContain('p50: from 1 s to 2.5 s, 1 s at the end.');
  const unsure = {
    ...plot,
    lines: [{ name: 'p50', values: [1, 3, 2.5, null], lower: [null, 0.5, 2, null] }],
  };
  expect(describePlot(unsure)).toContain('p50: from 500 ms to 3 s, 2 to 2.5 s at the end.');
});
