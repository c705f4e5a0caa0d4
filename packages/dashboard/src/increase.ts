import { Histogram, type ReadonlyHistogram } from '@hdrscope/core';

const PAGE = 64;
const nowPage = new Float64Array(PAGE);
const beforePage = new Float64Array(PAGE);

/**
 * What a histogram has counted since an earlier copy of it. Faster by far than taking a copy and subtracting from it, as few
 * slots change from one second to the next.
 */
export function increaseOf(now: ReadonlyHistogram, before: ReadonlyHistogram | undefined): ReadonlyHistogram {
  if (before === undefined || before.totalCount === 0) return now;
  const increase = new Histogram({ layout: now.layout, storage: 'sparse' });
  if (now.totalCount === before.totalCount) return increase;
  const { first, last } = now.counts;
  for (let from = first - (first % PAGE); from <= last; from += PAGE) {
    if (!now.counts.read(from, nowPage)) continue;
    before.counts.read(from, beforePage);
    for (let i = 0; i < PAGE; i++) {
      const count = nowPage[i]! - beforePage[i]!;
      // A series only ever grows.
      if (count > 0) increase.record(now.layout.lower(from + i), count);
    }
  }
  return increase;
}
