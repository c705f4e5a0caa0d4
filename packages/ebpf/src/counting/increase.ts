import type { Attributes } from '@hdrscope/registry';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { Frame, KernelHistogram } from '../source/source.ts';
import { counterSteps } from './counter-steps.ts';

/** What a histogram has counted since it was last read, on each CPU. */
export interface KernelIncrease {
  readonly name: string;
  readonly attributes: Attributes;
  readonly layout: KernelLayout;
  readonly cpuCount: number;
  /** As in a `KernelHistogram`: the slots of the first CPU, then those of the second, and so on. */
  readonly counts: Float64Array;
  /** The sum of the new values on each CPU, where the program keeps one. */
  readonly sums: Float64Array | undefined;
  /** Whether any counter began anew since then. */
  readonly isReset: boolean;
}

/** What was read of a histogram, with the slots that its counters belong to. */
export interface CountersRead extends KernelHistogram {
  readonly cpuCount: number;
}

/** The increase from one reading of a histogram to the next one, or from nothing to the first. */
export function increaseOf(
  before: CountersRead | undefined,
  histogram: KernelHistogram,
  { cpuCount, counterBits }: Pick<Frame, 'cpuCount' | 'counterBits'>,
): KernelIncrease {
  const { name, attributes, layout } = histogram;
  const { slotCount } = layout.slots;
  const counts = new Float64Array(slotCount * cpuCount);
  const sums = histogram.sums && new Float64Array(cpuCount);
  let isReset = false;
  for (let cpu = 0; cpu < cpuCount; cpu++) {
    const now = histogram.counts.subarray(cpu * slotCount, (cpu + 1) * slotCount);
    const slots = counterSteps(countersOf(before, cpu, layout), now, counterBits);
    counts.set(slots.steps, cpu * slotCount);
    isReset ||= slots.isReset;
    if (sums === undefined) continue;
    // A sum that has turned would be less than before, and so would one that was set to 0, with its slots.
    const sumBefore = before?.sums?.[cpu] ?? 0;
    const sum = counterSteps(
      Float64Array.of(sumBefore),
      Float64Array.of(histogram.sums![cpu]!),
      sumBefore < 2 ** 32 && !slots.isReset ? counterBits : 64,
    );
    sums[cpu] = sum.steps[0]!;
    isReset ||= sum.isReset;
  }
  return { name, attributes, layout, cpuCount, counts, sums, isReset };
}

/** The counters of a CPU as they were, by the slots that the layout has now. */
function countersOf(before: CountersRead | undefined, cpu: number, { slots }: KernelLayout): Float64Array {
  const counters = new Float64Array(slots.slotCount);
  if (before === undefined || cpu >= before.cpuCount) return counters;
  const then = before.layout.slots;
  const from = cpu * then.slotCount;
  for (let slot = 0; slot < then.slotCount; slot++) {
    const counter = before.counts[from + slot]!;
    if (counter === 0) continue;
    const same = slots === then ? slot : slots.slotOf(then.midpoint(slot));
    if (same >= 0 && same < slots.slotCount) counters[same]! += counter;
  }
  return counters;
}
