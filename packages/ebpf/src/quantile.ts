import { type IntegerLayout, LayoutHistogram, mustBe, type Quantile, quantilesOf } from '@hdrscope/core';
import type { KernelLayout } from './layout/kernel-layout.ts';

/** Counts over a kernel's layout: a `KernelHistogram` is that, or an array of one's own. */
export interface KernelCounts {
  readonly layout: KernelLayout;
  /** Of the slots; where there are several CPUs, of those of the first one, then of the second, and so on. */
  readonly counts: ArrayLike<number>;
}

/** Which value of its slot a quantile is reported as. */
export interface KernelQuantileOptions {
  /**
   * `'inclusive'` takes the values of a slot as evenly spread over its integers, so it is never outside of it.
   *
   * `'exclusive'` is what Part 12, "Queue Depth Histograms", of a well-known eBPF tutorial computes, for those who compare
   * with it. Its rank is `floor(q * n)`, so one value of 70 has a p99 of 0; it spreads the values up to where the next slot
   * begins, so it can be up to 1 above all integers of the slot, and between 0 and 1 where all are 0; it takes the open
   * slot for one that is 1 wide; and of nothing it makes 0.
   * @default 'inclusive'
   */
  readonly interpolation?: 'inclusive' | 'exclusive';
}

/**
 * Where a quantile of a kernel's histogram lies: the value of rank `max(1, ceil(q * n))`, and the smallest and largest
 * integer of its slot, between which it is for certain. Where that slot is open, `open` is true and the value the bound
 * that it is beyond.
 *
 * @param q From 0 to 1.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when `q` is outside its range, `ERR_INVALID_OPTION`, `ERR_INVALID_COUNT`.
 * @example
 * ```ts
 * import { kernelQuantile, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const depths = { layout: queueDepthLayout(), counts: [1200, 980, 1400, 800, 400, 30, 10, 1] };
 * kernelQuantile(depths, 0.5); //=> { value: 2.33, lower: 2, upper: 4, open: false }
 * kernelQuantile(depths, 1); //=> { value: 65, lower: 65, upper: Infinity, open: true }
 * kernelQuantile(depths, 0.99, { interpolation: 'exclusive' }).value; //=> 16.84
 * ```
 */
export function kernelQuantile(counts: KernelCounts, q: number, options?: KernelQuantileOptions): Quantile {
  return kernelQuantiles(counts, [q], options)[0]!;
}

/** `kernelQuantile` for several quantiles, in the order given. */
export function kernelQuantiles(
  counted: KernelCounts,
  quantiles: readonly number[],
  { interpolation = 'inclusive' }: KernelQuantileOptions = {},
): Quantile[] {
  if (interpolation !== 'inclusive' && interpolation !== 'exclusive') {
    throw mustBe('ERR_INVALID_OPTION', 'interpolation', "'inclusive' or 'exclusive'", interpolation);
  }
  const { slots } = counted.layout;
  const counts = countsOfSlots(counted);
  const histogram = new LayoutHistogram(slots);
  for (const [slot, count] of counts.entries()) histogram.record(slots.midpoint(slot), count);
  // The bounds of these layouts are integers, both within the slot.
  const inclusive = quantilesOf(histogram, quantiles, { interpolation: 'linear' });
  return interpolation === 'inclusive'
    ? inclusive
    : quantiles.map((q) => exclusiveQuantile(slots, counts, q));
}

/** The counts of each slot, of all CPUs together. */
export function countsOfSlots({ layout: { slots }, counts }: KernelCounts): number[] {
  const { slotCount } = slots;
  if (counts.length === 0 || counts.length % slotCount !== 0) {
    throw mustBe(
      'ERR_INVALID_COUNT',
      'counts',
      `one for each of the ${slotCount} slots of each CPU`,
      counts.length,
    );
  }
  const sums = new Array<number>(slotCount).fill(0);
  for (let i = 0; i < counts.length; i++) sums[i % slotCount]! += counts[i]!;
  return sums;
}

function exclusiveQuantile(slots: IntegerLayout, counts: readonly number[], q: number): Quantile {
  const total = counts.reduce((sum, count) => sum + count, 0);
  if (total === 0) return { value: 0, lower: Number.NaN, upper: Number.NaN, open: false };
  const rank = Math.floor(total * q);
  let below = 0;
  let slot = 0;
  while (below + counts[slot]! < rank) below += counts[slot++]!;
  const [lower, upper] = [slots.lower(slot), slots.upper(slot)];
  const open = !Number.isFinite(upper - lower);
  const share = counts[slot] === 0 ? 0 : (rank - below) / counts[slot]!;
  const from = Number.isFinite(lower) ? lower : upper;
  return { value: from + share * (open ? 1 : upper + 1 - lower), lower, upper, open };
}
