import { Histogram, type ReadonlyHistogram } from '../../src/histogram/histogram.ts';

test('a readonly histogram has no member that changes it', () => {
  const histogram: ReadonlyHistogram = new Histogram();
  // @ts-expect-error: only who records sets the tag
  histogram.tag = 'reads';
  // @ts-expect-error: and the times
  histogram.startTimeMs = 5;
  // @ts-expect-error: and the outliers
  histogram.outliers = { thrown: 0, clamped: 0, discarded: 0 };
  // @ts-expect-error: and the values
  histogram.record(5);
  // @ts-expect-error: counts cannot be cleared
  histogram.counts.clear();
  expect(histogram.totalCount).toBe(0);
});
