import { countedIn } from '@hdrscope/core';
import { type CountedBuckets, countTooLarge, malformed, type SeriesProblem, unsupported } from './buckets.ts';
import type { LayoutPool } from './layout-pool.ts';
import type { RawHistogram } from './raw-histogram.ts';

/** Converts classic buckets, which are cumulative, to counts between bounds. */
export function countClassic(
  { bounds, cumulative, count }: RawHistogram,
  layouts: LayoutPool,
): CountedBuckets | SeriesProblem {
  const order = ascendingOrder(bounds);
  if (order === undefined) return malformed('has a bucket without a number as its bound le');
  const edges: number[] = [];
  const counts: number[] = [];
  let before = 0;
  let last = Number.NEGATIVE_INFINITY;
  let total: number | undefined;
  for (let i = 0; i < order.length; i++) {
    const bound = bounds[order[i]!]!;
    const upTo = cumulative[order[i]!]!;
    if (i > 0 && bound === last) return malformed(`has two buckets with the bound ${bound}`);
    last = bound;
    const problem = problemOfCount(upTo, bound);
    if (problem !== undefined) return problem;
    if (upTo < before) {
      return malformed(`has fewer values up to ${bound}, ${upTo}, than up to a smaller bound, ${before}`);
    }
    if (bound === Number.POSITIVE_INFINITY) total = upTo;
    // No value is below this bound, and the next slot is open downwards.
    else if (bound === Number.NEGATIVE_INFINITY) continue;
    else edges.push(bound);
    counts.push(upTo - before);
    before = upTo;
  }
  if (total === undefined) {
    if (count === undefined) return malformed('has no bucket with le="+Inf"');
    const problem = problemOfCount(count, Number.POSITIVE_INFINITY);
    if (problem !== undefined) return problem;
    if (count < before) return malformed(`has buckets of ${before} values, but its count is ${count}`);
    counts.push(count - before);
  } else if (count !== undefined && count !== total) {
    return malformed(`has buckets of ${total} values, but its count is ${count}`);
  }
  if (edges.length === 0) {
    return unsupported(
      'has only the bucket +Inf, so the size of its values is unknown; native buckets need protobuf or OpenMetrics 2.0',
    );
  }
  return { counted: countedIn(layouts.explicit(edges), counts) };
}

/** The places of bounds, the smallest first; `undefined` when a bound is no number. Most writers keep this order themselves. */
function ascendingOrder(bounds: readonly number[]): number[] | undefined {
  const order: number[] = [];
  let isSorted = true;
  for (let i = 0; i < bounds.length; i++) {
    if (Number.isNaN(bounds[i]!)) return undefined;
    if (i > 0 && bounds[i]! < bounds[i - 1]!) isSorted = false;
    order.push(i);
  }
  return isSorted ? order : order.sort((a, b) => bounds[a]! - bounds[b]!);
}

function problemOfCount(count: number, bound: number): SeriesProblem | undefined {
  if (Number.isSafeInteger(count) && count >= 0) return undefined;
  if (count > Number.MAX_SAFE_INTEGER && count < Number.POSITIVE_INFINITY) return countTooLarge();
  if (count >= 0 && count < Number.POSITIVE_INFINITY) {
    return unsupported(`has the count ${count} up to ${bound}: only integers can be counted`);
  }
  return malformed(`has the count ${count} up to ${bound}`);
}
