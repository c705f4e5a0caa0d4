import { Histogram, increase, type ReadonlyHistogram } from '@hdrscope/core';

/** The values that a histogram has counted since an earlier state of it; all of them without an earlier state. */
export function histogramSince(
  now: ReadonlyHistogram,
  before: ReadonlyHistogram | undefined,
): ReadonlyHistogram {
  if (before === undefined || before.totalCount === 0) return now;
  const { layout } = now;
  const histogram = new Histogram({ layout, storage: 'sparse' });
  // Most series have counted nothing since.
  if (now.totalCount > before.totalCount) histogram.add({ layout, counts: increase(now, before).counts });
  return histogram;
}
