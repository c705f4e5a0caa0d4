import type { Attributes } from '@hdrscope/registry';
import type { KernelLayout } from '../layout/kernel-layout.ts';
import type { Frame, KernelHistogram } from '../source/source.ts';
import { counterSteps } from './counter-steps.ts';

/** The counts of a histogram since it was last read, for each CPU. */
export interface KernelIncrease {
  readonly name: string;
  readonly attributes: Attributes;
  readonly layout: KernelLayout;
  readonly cpuCount: number;
  /** Counts of all slots on the first CPU, then on the second CPU, and so on, as in a `KernelHistogram`. */
  readonly counts: Float64Array;
  /** Sum of the new values on each CPU; `undefined` when the program keeps no sum. */
  readonly sums: Float64Array | undefined;
  /** Whether a counter started again at 0 since then. */
  readonly isReset: boolean;
}

/** The state of a histogram when it was read. */
export interface CountersRead extends KernelHistogram {
  readonly cpuCount: number;
}

/** The increase between two states of a histogram. Without an earlier state, all counts are new. */
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
    // A sum falls when it passes its largest value, or when it is set to 0 together with its slots.
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

/** The earlier counters of a CPU, in the slots of the current layout. */
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
