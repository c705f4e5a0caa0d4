import { type Counted, countedIn, type IntegerLayout } from '@hdrscope/core';
import { assertFollows, custom, mustBe, object } from '@hdrscope/core/internal';
import type { KernelLayout } from './layout/kernel-layout.ts';

/** Counts over a kernel layout, for each CPU: a `KernelHistogram`, a `KernelIncrease`, or arrays of your own. */
export interface CpuCounts {
  /** The slots that the counts are over. */
  readonly layout: KernelLayout;
  /** Counts of all slots on the first CPU, then on the second CPU, and so on. */
  readonly counts: ArrayLike<number>;
  /** Sum of the values on each CPU. @default no sum is known */
  readonly sums?: ArrayLike<number> | undefined;
}

/** Counts over a kernel layout, for each CPU or for all CPUs together. */
export type KernelCounts = CpuCounts | Counted<IntegerLayout>;

/** Counts over the slots of a kernel layout, with the sum of the values. */
export interface KernelTotals extends Counted<IntegerLayout> {
  /** `undefined` when the program keeps no sum. */
  readonly sum: number | undefined;
}

/**
 * Adds up the counts of all CPUs.
 *
 * @throws HdrscopeError `ERR_INVALID_COUNT` when the number of counts is not a multiple of the number of slots, or a count
 *   or the total is not an integer from 0 to 2^53 − 1.
 * @example
 * ```ts
 * import { explicitKernelLayout, sumCpus } from '@hdrscope/ebpf';
 *
 * const layout = explicitKernelLayout([0, 4]);
 * const { counts, sum } = sumCpus({ layout, counts: [1, 2, 0, 10, 20, 30], sums: [4, 300] });
 * [counts.at(0), counts.at(1), counts.at(2), counts.total, sum]; //=> [11, 22, 30, 63, 304]
 * ```
 */
export function sumCpus(kernel: CpuCounts): KernelTotals {
  assertFollows('the counts', cpuCounts, kernel);
  const { layout, counts, sums } = kernel;
  const { slots } = layout;
  const cpuCount = cpusOf(slots, counts);
  const totals = new Float64Array(slots.slotCount);
  for (let i = 0; i < counts.length; i++) totals[i % slots.slotCount]! += counts[i]!;
  let sum = sums === undefined ? undefined : 0;
  if (sums !== undefined) for (let cpu = 0; cpu < cpuCount; cpu++) sum! += sums[cpu]!;
  return { ...countedIn(slots, totals), sum };
}

/**
 * The counts of each CPU, in the order of the CPUs.
 *
 * @throws HdrscopeError `ERR_INVALID_COUNT` as `sumCpus` does.
 */
export function listCpuCounts(kernel: CpuCounts): KernelTotals[] {
  assertFollows('the counts', cpuCounts, kernel);
  const { layout, counts, sums } = kernel;
  const { slots } = layout;
  const all = Float64Array.from(counts);
  const { slotCount } = slots;
  return Array.from({ length: cpusOf(slots, counts) }, (_, cpu) => ({
    ...countedIn(slots, all.subarray(cpu * slotCount, (cpu + 1) * slotCount)),
    sum: sums?.[cpu],
  }));
}

/** The counts of all CPUs together. */
export function totalsOf(kernel: KernelCounts): Counted<IntegerLayout> {
  assertFollows('the counts', kernelCounts, kernel);
  return isOfCpus(kernel) ? sumCpus(kernel) : kernel;
}

function isOfCpus(kernel: KernelCounts): kernel is CpuCounts {
  return 'slots' in kernel.layout;
}

function cpusOf({ slotCount }: IntegerLayout, { length }: ArrayLike<number>): number {
  if (length > 0 && length % slotCount === 0) return length / slotCount;
  throw mustBe('ERR_INVALID_COUNT', 'counts', `one for each of the ${slotCount} slots of each CPU`, length);
}

const kernelCounts = custom<KernelCounts>('counts over a layout', (value) => {
  const { layout, counts } = value as KernelCounts;
  return object().accepts(layout) && typeof counts === 'object' && counts !== null;
});

const cpuCounts = custom<CpuCounts>(
  'counts over a kernel layout',
  (value) => kernelCounts.accepts(value) && isOfCpus(value) && 'slotCount' in value.layout.slots,
);
