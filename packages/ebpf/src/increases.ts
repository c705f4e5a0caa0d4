import { increase } from '@hdrscope/core';
import { type CounterOptions, counterIncrease, usedSlots } from '@hdrscope/core/internal';
import { type KernelTotals, listCpuCounts } from './cpu-counts.ts';
import { byIdentity, type Frame, type KernelHistogram } from './source/source.ts';

/** The counts of a histogram since an earlier frame, on each CPU. */
export interface KernelIncrease extends KernelHistogram {
  /** Whether counters of a CPU began anew since then. */
  readonly isReset: boolean;
}

/** How frames are compared. Entries of a map are deleted one by one, so slots fall one by one. */
export const KERNEL_COUNTERS: Pick<Required<CounterOptions>, 'resets'> = { resets: 'apart' };

/**
 * Compares each frame of a source with the one before. No count is negative, and no event appears twice: counters that began
 * anew, maps that were replaced, and histograms that disappeared and came back count from 0. A registry does the same by
 * itself: see `ingestKernel`.
 *
 * @example
 * ```ts
 * import { type Frame, queueDepthLayout } from '@hdrscope/ebpf';
 * import { KernelIncreases } from '@hdrscope/ebpf/internal';
 *
 * const frame = (counts: number[]): Frame => ({
 *   generation: 'map 7',
 *   cpuCount: 1,
 *   counterBits: 64,
 *   histograms: [
 *     { name: 'depth', attributes: {}, layout: queueDepthLayout(), counts: Float64Array.from(counts), sums: undefined },
 *   ],
 * });
 * const increases = new KernelIncreases();
 * increases.next(frame([5, 2, 0, 0, 0, 0, 0, 0])).map(({ counts }) => [...counts]); //=> [[5, 2, 0, 0, 0, 0, 0, 0]]
 * const [second] = increases.next(frame([6, 1, 0, 0, 0, 0, 0, 0]));
 * [[...second!.counts], second!.isReset]; //=> [[1, 1, 0, 0, 0, 0, 0, 0], true]
 * ```
 */
export class KernelIncreases {
  #before = new Map<string, LastTotals>();

  /**
   * The increases of a frame, without histograms that have not counted. All of the first frame is new.
   *
   * @throws HdrscopeError `ERR_KERNEL` when parts of the frame do not fit each other, or it has a histogram twice. The frame
   *   is not remembered then.
   */
  next(frame: Frame): KernelIncrease[] {
    const histograms = byIdentity(frame);
    const before = this.#before;
    this.#before = new Map();
    const increases: KernelIncrease[] = [];
    for (const [identity, histogram] of histograms) {
      // Copies, because sources may reuse their arrays.
      const now = listCpuCounts(histogram);
      const generation = histogram.generation ?? frame.generation;
      const last = before.get(identity);
      this.#before.set(identity, { generation, totals: now });
      const then = last?.generation === generation ? last.totals : undefined;
      const one = increaseOf(histogram, now, then, frame.counterBits);
      if (one.counts.some(isAboveZero) || one.sums?.some(isAboveZero)) increases.push(one);
    }
    return increases;
  }
}

/** The counters of a histogram in the last frame. */
interface LastTotals {
  readonly generation: string;
  readonly totals: readonly KernelTotals[];
}

function increaseOf(
  histogram: KernelHistogram,
  now: readonly KernelTotals[],
  before: readonly KernelTotals[] | undefined,
  counterBits: 32 | 64,
): KernelIncrease {
  const { slotCount } = histogram.layout.slots;
  const counts = new Float64Array(now.length * slotCount);
  const sums = histogram.sums && new Float64Array(now.length);
  let isReset = false;
  for (const [cpu, totals] of now.entries()) {
    const then = before?.[cpu];
    const step = increase(totals, then, { ...KERNEL_COUNTERS, counterBits });
    for (const [slot, count] of usedSlots(step.counts)) counts[cpu * slotCount + slot] = count;
    // A sum that has passed its largest value would be less than before, and so would one that was set to 0, with its slots.
    if (sums !== undefined) {
      sums[cpu] = counterIncrease(totals.sum!, then?.sum ?? 0, step.isReset ? 64 : counterBits);
    }
    isReset ||= step.isReset;
  }
  return { ...histogram, counts, sums, isReset };
}

function isAboveZero(count: number): boolean {
  return count > 0;
}
