import { Histogram, type ReadonlyHistogram } from '../../src/histogram/histogram.ts';

test('a readonly histogram has no member that changes it', () => {
  const histogram: ReadonlyHistogram = new Histogram();
  // @ts-expect-error: a reader cannot set the tag
  histogram.tag = 'reads';
  // @ts-expect-error: a reader cannot set times
  histogram.startTimeMs = 5;
  // @ts-expect-error: a reader cannot set outliers
  histogram.outliers = { thrown: 0, clamped: 0, discarded: 0 };
  // @ts-expect-error: a reader cannot record
  histogram.record(5);
  // @ts-expect-error: a reader cannot clear counts
  histogram.counts.clear();
  expect(histogram.totalCount).toBe(0);
});
