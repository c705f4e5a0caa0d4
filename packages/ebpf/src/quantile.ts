import { type Counted, findQuantiles, type IntegerLayout, type Quantile } from '@hdrscope/core';
import {
  type OptionalRule,
  type OptionTable,
  oneOf,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import { type KernelCounts, totalsOf } from './cpu-counts.ts';

/** Which value of its slot a quantile is reported as. */
export interface KernelQuantileOptions {
  /**
   * `'inclusive'` spreads the values of a slot evenly over its integers, so the result is always within the slot.
   *
   * `'exclusive'` is the algorithm of Part 12, "Queue Depth Histograms", of a well-known eBPF tutorial, for comparisons with
   * it. Its rank is `floor(q * n)`, so a single value of 70 has a p99 of 0. It spreads the values up to the start of the
   * next slot, so the result can be up to 1 above all integers of the slot, and between 0 and 1 when all values are 0. It
   * treats an open slot as 1 wide, and the result without values is 0.
   * @default 'inclusive'
   */
  readonly interpolation?: 'inclusive' | 'exclusive';
}

/**
 * A quantile of a kernel histogram: the value of rank `max(1, ceil(q * n))`. `lower` and `upper` are the smallest and the
 * largest integer of its slot, and the value lies between them for certain. When the slot is open, `open` is true and
 * `value` is the finite bound of the slot.
 *
 * @param counts Counts of each CPU, or of all CPUs together.
 * @param q A number from 0 to 1.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when `q` is outside its range, `ERR_INVALID_OPTION` when the interpolation is
 *   unknown, `ERR_INVALID_COUNT` as `sumCpus` does.
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

/**
 * Several quantiles, in the order given: see `kernelQuantile`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist.
 */
export function kernelQuantiles(
  counts: KernelCounts,
  quantiles: readonly number[],
  options: KernelQuantileOptions = {},
): Quantile[] {
  const { interpolation } = readOptions(options, KERNEL_QUANTILES);
  const counted = totalsOf(counts);
  // The bounds of these slots are integers that belong to them, so linear interpolation is inclusive.
  const inclusive = findQuantiles(counted, quantiles, { interpolation: 'linear' });
  return interpolation === 'inclusive' ? inclusive : quantiles.map((q) => exclusiveQuantile(counted, q));
}

type Interpolation = NonNullable<KernelQuantileOptions['interpolation']>;

export const KERNEL_QUANTILES: OptionTable<{
  readonly interpolation: OptionalRule<Interpolation, Interpolation>;
}> = {
  name: 'kernelQuantiles',
  rules: {
    interpolation: withDefault(oneOf(['inclusive', 'exclusive']), 'inclusive'),
  },
  call: "kernelQuantiles(counts, [0.5, 0.99], { interpolation: 'exclusive' })",
};

function exclusiveQuantile({ layout, counts }: Counted<IntegerLayout>, q: number): Quantile {
  if (counts.total === 0) return { value: 0, lower: Number.NaN, upper: Number.NaN, open: false };
  const rank = Math.floor(counts.total * q);
  let below = 0;
  let slot = 0;
  while (below + counts.at(slot) < rank) below += counts.at(slot++);
  const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
  const open = !Number.isFinite(upper - lower);
  const share = counts.at(slot) === 0 ? 0 : (rank - below) / counts.at(slot);
  const from = Number.isFinite(lower) ? lower : upper;
  return { value: from + share * (open ? 1 : upper + 1 - lower), lower, upper, open };
}
