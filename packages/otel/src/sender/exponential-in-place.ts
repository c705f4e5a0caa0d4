import { EXPONENTIAL, recount } from '../exponential.ts';
import type { PointKind } from '../kept-points.ts';
import { changeBuckets } from '../packed-buckets.ts';
import type { ExponentialHistogramValue } from '../sdk.ts';

/**
 * As `EXPONENTIAL`, for a reader whose values nobody reads any more when it collects again: a value that is brought up to date stays the same
 * object. Values are as old as their reader, so V8 frees those that are replaced only when it collects the whole heap.
 */
export const EXPONENTIAL_IN_PLACE: PointKind<ExponentialHistogramValue> = {
  ...EXPONENTIAL,
  updated(earlier, ...changes) {
    // Without values there is no extreme to bring up to date, and some metrics show none.
    if (earlier.min === undefined) return EXPONENTIAL.updated!(earlier, ...changes);
    const found = recount(earlier, ...changes);
    if (found === undefined) return undefined;
    const { state, zeroCount, positive, recounted } = found;
    changeBuckets(positive, recounted);
    const value: Writable<ExponentialHistogramValue> = earlier;
    value.count = state.counts.total;
    value.sum = state.sum;
    value.zeroCount = zeroCount;
    value.min = state.min;
    value.max = state.max;
    return earlier;
  },
};

type Writable<Value> = { -readonly [Key in keyof Value]: Value[Key] };
