import type { ReadonlyHistogram } from '@hdrscope/core';
import { histogramSince as sinceState } from '@hdrscope/core/internal';

/** The values that a histogram has counted since an earlier state of it; all of them without an earlier state. */
export function histogramSince(
  now: ReadonlyHistogram,
  before: ReadonlyHistogram | undefined,
): ReadonlyHistogram {
  return before === undefined || before.totalCount === 0 ? now : sinceState(now, before);
}
