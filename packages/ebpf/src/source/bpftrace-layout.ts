import type { HdrscopeError } from '@hdrscope/core';
import { integerBefore } from '@hdrscope/core/internal';
import { kernelError } from '../errors.ts';
import { explicitKernelLayout, type KernelLayout } from '../layout/kernel-layout.ts';
import { bpftraceHistLayout } from '../layout/presets.ts';
import type { PrintedBucket } from './bpftrace-line.ts';

/** `hist(n, k)` divides each power of two into 2^k slots. Source: bpftrace, `docs/language.adoc`. */
const LARGEST_K = 5;
/** Source: bpftrace, `src/ast/passes/semantic_analyser.cpp`: `lhist() too many buckets, must be <= 1000`. */
const MOST_LINEAR_BUCKETS = 1000;

/**
 * Finds the layout of a variable from the buckets that bpftrace has printed so far. bpftrace prints their bounds, and leaves
 * out empty buckets below the first and above the last count. When several layouts fit, the result is the coarsest `hist`,
 * or the longest `lhist`.
 *
 * @throws HdrscopeError `ERR_KERNEL` when no `hist` and no `lhist` has these buckets.
 */
export function learnLayout(variable: string, seen: Iterable<PrintedBucket>): KernelLayout {
  const buckets = [...seen].sort((a, b) => a.min - b.min);
  const k = subBucketsOf(buckets);
  return k === undefined
    ? linear(variable, buckets)
    : logLinear(
        k,
        buckets.some(({ isCapped }) => isCapped),
      );
}

/** The smallest k with which `hist(n, k)` has these buckets; `undefined` when they belong to no `hist`. */
function subBucketsOf(buckets: readonly PrintedBucket[]): number | undefined {
  let least = 0;
  let exact: number | undefined;
  for (const { min, max, isCapped } of buckets) {
    if (isCapped || (min === Number.NEGATIVE_INFINITY && max === -1)) continue;
    if (!Number.isFinite(min) || !Number.isFinite(max)) return undefined;
    if (min === 0 && max === 0) continue;
    if (min < 1) return undefined;
    const octave = Math.floor(Math.log2(min));
    const width = widthOf({ min, max });
    if (width === 1) {
      // Any k from this one on fits, because slots below 2^(k+1) have the width 1.
      least = Math.max(least, octave);
      continue;
    }
    const k = octave - Math.log2(width);
    if (!Number.isInteger(k) || k < 0 || min % width !== 0 || (exact !== undefined && exact !== k))
      return undefined;
    exact = k;
  }
  const k = exact ?? least;
  return k >= least && k <= LARGEST_K ? k : undefined;
}

/** The width of a bucket. An upper bound above 2^53 was rounded to the double after it. */
function widthOf({ min, max }: { readonly min: number; readonly max: number }): number {
  return max < 2 ** 53 ? max - min + 1 : max - min;
}

function logLinear(k: number, isCapped: boolean): KernelLayout {
  const whole = bpftraceHistLayout(k);
  if (!isCapped) return whole;
  const bounds = whole.slots.bounds.filter((bound) => bound < 2 ** 31);
  return explicitKernelLayout(bounds, { name: whole.name });
}

function linear(variable: string, buckets: readonly PrintedBucket[]): KernelLayout {
  const under = buckets.find(({ min }) => min === Number.NEGATIVE_INFINITY);
  const over = buckets.find(({ max }) => max === Number.POSITIVE_INFINITY);
  const closed = buckets.filter((bucket) => bucket !== under && bucket !== over);
  const [first] = closed;
  const last = closed.at(-1);
  if (first === undefined || last === undefined) {
    const edges = [under === undefined ? undefined : under.max + 1, over?.min];
    return lhist(edges.filter((edge) => edge !== undefined));
  }
  const step = widthOf(first);
  const isGrid = closed.every((bucket) => widthOf(bucket) === step && (bucket.min - first.min) % step === 0);
  const span = Math.round((last.min - first.min) / step) + 1;
  if (!isGrid || span > MOST_LINEAR_BUCKETS) {
    throw ofSeveral(variable);
  }
  const others = MOST_LINEAR_BUCKETS - span;
  // An lhist() does not begin below 0, because bpftrace refuses that.
  const lowest = under === undefined ? Math.max(first.min % step, first.min - others * step) : under.max + 1;
  // bpftrace up to 0.17 prints the open bucket from `max` of lhist() on, although it begins after the last whole step.
  const steps =
    over === undefined ? (last.min - lowest) / step + 1 + others : Math.floor((over.min - lowest) / step);
  if (!(steps >= 0 && steps <= 2 * MOST_LINEAR_BUCKETS)) throw ofSeveral(variable);
  return lhist(Array.from({ length: steps + 1 }, (_, i) => lowest + i * step));
}

function ofSeveral(variable: string): HdrscopeError {
  return kernelError(
    `${variable} must have the buckets of one hist() or one lhist(), and has buckets of several: use a variable for each`,
    { variable },
  );
}

/** @param mins The smallest integers of all slots except the first slot, which holds all integers below them. */
function lhist(mins: readonly number[]): KernelLayout {
  return explicitKernelLayout(mins.map(integerBefore), {
    name: 'bpftrace-lhist',
    lowest: Number.NEGATIVE_INFINITY,
  });
}
