import { cpus } from 'node:os';
import { HdrscopeError, increase } from '@hdrscope/core';
import { type CounterOptions, counterIncrease, usedSlots } from '@hdrscope/core/internal';
import { type KernelTotals, listCpuCounts } from './cpu-counts.ts';
import { kernelError } from './errors.ts';
import { byIdentity, type Frame, type KernelHistogram } from './source/source.ts';

/** The counts of a histogram since an earlier frame, on each CPU. */
export interface KernelIncrease extends KernelHistogram {
  /** Whether counters of a CPU began anew since then. */
  readonly isReset: boolean;
  /**
   * Number of counters of 32 bits that have fallen, and either passed their largest value or were set to 0. What they have counted
   * since then is not included.
   */
  readonly uncertain: number;
}

/**
 * The most events that one CPU counts in a second. A chosen limit: an empty program takes more than 5 ns, since a call of it and
 * an addition in memory do.
 */
const MOST_PER_SECOND = 2e8;

/** Some clocks advance in steps, so two readings may seem to be of one moment. */
const CLOCK_STEP_MS = 1;

/**
 * The most that one counter of a frame counts in a second. All CPUs count in a counter that they share.
 *
 * @returns `undefined` when nobody knows how much time there was between two frames.
 */
export function mostPerSecond({
  cpuCount,
  isPrinted = false,
}: Pick<Frame, 'cpuCount' | 'isPrinted'>): number | undefined {
  if (isPrinted) return undefined;
  if (cpuCount > 1) return MOST_PER_SECOND;
  // The list of CPUs takes milliseconds on a large machine.
  allCpus ??= cpus().length;
  return MOST_PER_SECOND * allCpus;
}

let allCpus: number | undefined;

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
  #beganMs: number | undefined;

  /**
   * The increases of a frame, without histograms that have not counted. All of the first frame is new.
   *
   * @param time When the read of the frame began and ended, by a clock that only goes forward. With it, a counter counts no more than
   *   the time since the frame before permits. @default not known
   * @throws HdrscopeError `ERR_KERNEL` when parts of the frame do not fit each other, or it has a histogram twice: then the frame is
   *   not remembered. `ERR_KERNEL` when a histogram has counted more than the time permits: the next frame is compared with this one.
   */
  next(frame: Frame, time?: { readonly beganMs: number; readonly endedMs: number }): KernelIncrease[] {
    const histograms = byIdentity(frame);
    const before = this.#before;
    this.#before = new Map();
    const counters = { ...KERNEL_COUNTERS, counterBits: frame.counterBits, ...this.#limit(frame, time) };
    this.#beganMs = time?.beganMs;
    const increases: KernelIncrease[] = [];
    let broken: HdrscopeError | undefined;
    for (const [identity, histogram] of histograms) {
      // Copies, because sources may reuse their arrays.
      const now = listCpuCounts(histogram);
      const generation = histogram.generation ?? frame.generation;
      const last = before.get(identity);
      this.#before.set(identity, { generation, totals: now });
      const then = last?.generation === generation ? last.totals : undefined;
      try {
        const one = increaseOf(histogram, now, then, counters);
        const hasCounted = one.counts.some(isAboveZero) || one.sums?.some(isAboveZero);
        if (hasCounted || one.uncertain > 0) increases.push(one);
      } catch (error) {
        if (!(error instanceof HdrscopeError)) throw error;
        const { name } = histogram;
        broken ??= kernelError(`${name}: ${error.message}: do its values hold counts?`, { name });
      }
    }
    if (broken !== undefined) throw broken;
    return increases;
  }

  #limit(frame: Frame, time: { readonly endedMs: number } | undefined): Pick<CounterOptions, 'most'> {
    const perSecond = mostPerSecond(frame);
    if (perSecond === undefined || time === undefined || this.#beganMs === undefined) return {};
    return { most: (perSecond * Math.max(time.endedMs - this.#beganMs, CLOCK_STEP_MS)) / 1000 };
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
  counters: CounterOptions,
): KernelIncrease {
  const { slotCount } = histogram.layout.slots;
  const counts = new Float64Array(now.length * slotCount);
  const sums = histogram.sums && new Float64Array(now.length);
  let isReset = false;
  let uncertain = 0;
  for (const [cpu, totals] of now.entries()) {
    const then = before?.[cpu];
    const step = increase(totals, then, counters);
    uncertain += step.uncertain ?? 0;
    for (const [slot, count] of usedSlots(step.counts)) counts[cpu * slotCount + slot] = count;
    // A sum that has passed its largest value would be less than before, and so would one that was set to 0, with its slots.
    if (sums !== undefined) {
      sums[cpu] = counterIncrease(totals.sum!, then?.sum ?? 0, step.isReset ? 64 : counters.counterBits);
    }
    isReset ||= step.isReset;
  }
  return { ...histogram, counts, sums: uncertain > 0 ? undefined : sums, isReset, uncertain };
}

function isAboveZero(count: number): boolean {
  return count > 0;
}
