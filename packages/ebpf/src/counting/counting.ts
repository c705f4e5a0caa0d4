import { HdrscopeError, mustBe } from '@hdrscope/core';
import type { Frame, KernelHistogram } from '../source/source.ts';
import { type CountersRead, increaseOf, type KernelIncrease } from './increase.ts';

/** How counting starts. */
export interface KernelCountingOptions {
  /**
   * What of the first frame is counted: all that was counted since the program began, or, with `'now'`, nothing, so that
   * only what comes after it is. @default 'beginning'
   */
  readonly since?: 'beginning' | 'now';
}

/** What counting has met with, so far. */
export interface CountingHealth {
  /** How often counters of a histogram were found to have begun anew: once for each histogram and frame. */
  readonly resets: number;
  /** How many generations were seen: 1 as long as nothing replaces what is read. */
  readonly generations: number;
  /** How many histograms have gone from where they were counted: as a rule, out of a map that forgets the least used. */
  readonly evicted: number;
}

/**
 * Tells what is new in each frame of a source. Every event is told once, and never a negative number of them, however
 * often frames are missed: counters that began anew, maps that were replaced, and histograms that went and came back
 * count from 0.
 *
 * What happened between the last frame and such a new beginning was never read, and is lost.
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
 * const told: number[][] = [];
 * const tell = ({ counts }: { counts: Float64Array }) => told.push([...counts]);
 * counting.advance(frame([5, 2, 0, 0, 0, 0, 0, 0]), tell);
 * counting.advance(frame([6, 1, 0, 0, 0, 0, 0, 0]), tell);
 * told; //=> [[5, 2, 0, 0, 0, 0, 0, 0], [1, 1, 0, 0, 0, 0, 0, 0]]
 * counting.health; //=> { resets: 1, generations: 1, evicted: 0 }
 * ```
 */
export class KernelCounting {
  readonly #since: 'beginning' | 'now';
  #generation: string | undefined;
  /** What was last read of each histogram of the generation, by its identity. */
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

  get health(): CountingHealth {
    return { resets: this.#resets, generations: this.#generations, evicted: this.#evicted };
  }

  /**
   * Tells `take` what each histogram of the frame has counted since the frame before; nothing of those that have not.
   * What `take` throws for is told again with the next frame.
   *
   * @throws What `take` threw first, when all others have been told; HdrscopeError `ERR_KERNEL` for a frame whose parts
   *   do not fit each other, or that has a histogram twice.
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
        if (!(isFirst && this.#since === 'now')) this.#tell(identity, histogram, frame, take);
        this.#read.set(identity, copyOf(histogram, frame));
      } catch (failure) {
        failures.push(failure);
      }
    }
    if (failures.length > 0) throw failures[0];
  }

  #tell(
    identity: string,
    histogram: KernelHistogram,
    frame: Frame,
    take: (increase: KernelIncrease) => void,
  ): void {
    const increase = increaseOf(this.#read.get(identity), histogram, frame);
    const isNews = (steps: Float64Array | undefined): boolean => steps?.some((step) => step > 0) ?? false;
    if (isNews(increase.counts) || isNews(increase.sums)) take(increase);
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
      throw new HdrscopeError(
        'ERR_KERNEL',
        `${name} must have each set of attributes once, got ${identity} twice`,
      );
    }
    histograms.set(identity, histogram);
  }
  return histograms;
}

/** Sources may use their arrays again. */
function copyOf(histogram: KernelHistogram, { cpuCount }: Frame): CountersRead {
  return { ...histogram, cpuCount, counts: histogram.counts.slice(), sums: histogram.sums?.slice() };
}
