import { mustBe } from '@hdrscope/core';
import { kernelError } from '../errors.ts';
import type { Frame, KernelHistogram } from '../source/source.ts';
import { type CountersRead, increaseOf, type KernelIncrease } from './increase.ts';

/** How counting starts. */
export interface KernelCountingOptions {
  /**
   * `'beginning'` counts the first frame in full, since the start of the program. `'now'` counts only what comes after the
   * first frame. @default 'beginning'
   */
  readonly since?: 'beginning' | 'now';
}

/** Counts of unusual events while counting, so far. */
export interface CountingHealth {
  /** How often counters of a histogram had started again at 0: once for each histogram and frame. */
  readonly resets: number;
  /** Number of generations: 1 as long as nothing replaces the source. */
  readonly generations: number;
  /** Number of histograms that have disappeared from their map, as a rule from a map of the type LRU. */
  readonly evicted: number;
}

/**
 * Finds the new counts in each frame of a source. It reports every event once, and never a negative count, even when frames
 * are missed. Counters that started again, maps that were replaced, and histograms that disappeared and came back count
 * from 0.
 *
 * Events between the last frame and such a start were never read, and are lost.
 *
 * @example
 * ```ts
 * import { type Frame, KernelCounting, queueDepthLayout } from '@hdrscope/ebpf';
 *
 * const frame = (counts: number[]): Frame => ({
 *   generation: 'map 7',
 *   cpuCount: 1,
 *   counterBits: 64,
 *   histograms: [
 *     { name: 'depth', attributes: {}, layout: queueDepthLayout(), counts: Float64Array.from(counts), sums: undefined },
 *   ],
 * });
 * const counting = new KernelCounting();
 * const increases: number[][] = [];
 * const add = ({ counts }: { counts: Float64Array }) => increases.push([...counts]);
 * counting.advance(frame([5, 2, 0, 0, 0, 0, 0, 0]), add);
 * counting.advance(frame([6, 1, 0, 0, 0, 0, 0, 0]), add);
 * increases; //=> [[5, 2, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0]]
 * counting.health; //=> { resets: 1, generations: 1, evicted: 0 }
 * ```
 */
export class KernelCounting {
  readonly #since: 'beginning' | 'now';
  #generation: string | undefined;
  /** The last state of each histogram of the generation, by its identity. */
  #read = new Map<string, CountersRead>();
  #resets = 0;
  #generations = 0;
  #evicted = 0;

  /** @throws HdrscopeError `ERR_INVALID_OPTION` */
  constructor({ since = 'beginning' }: KernelCountingOptions = {}) {
    if (since !== 'beginning' && since !== 'now') {
      throw mustBe('ERR_INVALID_OPTION', 'since', "'beginning' or 'now'", since);
    }
    this.#since = since;
  }

  /** Counts of unusual events while counting, so far. */
  get health(): CountingHealth {
    return { resets: this.#resets, generations: this.#generations, evicted: this.#evicted };
  }

  /**
   * Calls `take` with the increase of each histogram since the frame before, unless its increase is 0. When `take` throws,
   * the next frame reports that increase again.
   *
   * @throws The first error of `take`, after all other histograms were reported; HdrscopeError `ERR_KERNEL` when parts of
   *   the frame do not fit each other, or it has a histogram twice.
   */
  advance(frame: Frame, take: (increase: KernelIncrease) => void): void {
    const now = byIdentity(frame);
    const isFirst = this.#generation === undefined;
    if (frame.generation !== this.#generation) {
      this.#generation = frame.generation;
      this.#generations++;
      this.#read = new Map();
    }
    for (const identity of this.#read.keys()) {
      if (now.has(identity)) continue;
      this.#read.delete(identity);
      this.#evicted++;
    }
    const failures: unknown[] = [];
    for (const [identity, histogram] of now) {
      try {
        if (!(isFirst && this.#since === 'now')) this.#report(identity, histogram, frame, take);
        this.#read.set(identity, copyOf(histogram, frame));
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #report(
    identity: string,
    histogram: KernelHistogram,
    frame: Frame,
    take: (increase: KernelIncrease) => void,
  ): void {
    const increase = increaseOf(this.#read.get(identity), histogram, frame);
    const hasGrown = (steps: Float64Array | undefined): boolean => steps?.some((step) => step > 0) ?? false;
    if (hasGrown(increase.counts) || hasGrown(increase.sums)) take(increase);
    if (increase.isReset) this.#resets++;
  }
}

function byIdentity(frame: Frame): Map<string, KernelHistogram> {
  const { cpuCount } = frame;
  const histograms = new Map<string, KernelHistogram>();
  for (const histogram of frame.histograms) {
    const { name, attributes, layout, counts, sums } = histogram;
    const expected = cpuCount * layout.slots.slotCount;
    if (counts.length !== expected) {
      throw mustBe('ERR_KERNEL', `the counts of ${name}`, `${expected}, ${cpuCount} CPUs`, counts.length);
    }
    if (sums !== undefined && sums.length !== cpuCount) {
      throw mustBe('ERR_KERNEL', `the sums of ${name}`, `${cpuCount}, one for each CPU`, sums.length);
    }
    const identity = JSON.stringify([name, Object.entries(attributes).sort(([a], [b]) => (a < b ? -1 : 1))]);
    if (histograms.has(identity)) {
      throw kernelError(`${name} must have each set of attributes once, got ${identity} twice`, { name });
    }
    histograms.set(identity, histogram);
  }
  return histograms;
}

/** A copy, because sources may reuse their arrays. */
function copyOf(histogram: KernelHistogram, { cpuCount }: Frame): CountersRead {
  return { ...histogram, cpuCount, counts: histogram.counts.slice(), sums: histogram.sums?.slice() };
}
