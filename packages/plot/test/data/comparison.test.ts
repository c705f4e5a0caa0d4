import { Histogram, percentileDifference } from '@hdrscope/core';
import { comparisonPlot } from '../../src/index.ts';

function uniform(count: number, offset: number): Histogram {
  const histogram = new Histogram({ highestTrackableValue: 1_000_000 });
  for (let value = 1; value <= count; value++) histogram.record(value + offset);
  return histogram;
}

const before = { name: 'before', histogram: uniform(2000, 0) };
const after = { name: 'after', histogram: uniform(2000, 300) };

test('a comparison has both curves and the differences of percentileDifference', () => {
  const plot = comparisonPlot(before, after, {
    unit: 'us',
    percentiles: [50, 90],
    confidence: 0.95,
    title: 'T',
  });
  expect(plot).toMatchObject({ kind: 'comparison', unit: 'us', title: 'T', confidence: 0.95 });
  expect([plot.before.name, plot.after.name]).toEqual(['before', 'after']);
  for (const change of plot.changes) {
    const { difference, lower, upper } = percentileDifference(
      after.histogram,
      before.histogram,
      change.percentile,
      { confidence: 0.95 },
    );
    expect(change.after - change.before).toBe(difference);
    expect([change.lower, change.upper]).toEqual([lower, upper]);
  }
});

test('an interval below the confidence that is asked for is left out', () => {
  const { changes } = comparisonPlot(before, after, { percentiles: [50, 99.99] });
  expect(changes.map((change) => 'lower' in change)).toEqual([true, false]);
});

test('an empty histogram is refused', () => {
  const empty = { name: 'empty', histogram: new Histogram({ highestTrackableValue: 10 }) };
  expect(() => comparisonPlot(before, empty)).toThrow(expect.objectContaining({ code: 'ERR_INCOMPATIBLE' }));
});
