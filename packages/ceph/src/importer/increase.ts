import { HdrscopeError } from '@hdrscope/core';
import { assertFollows, listOf, object } from '@hdrscope/core/internal';
import type { PerfHistogram, PerfIncrease } from '../histogram/perf-histogram.ts';
import { commonRange, minus, type SumRange } from '../histogram/sum-of-slots.ts';
import { pathOf } from './fields.ts';
import type { ImportedHistogram, SumBounds } from './read-histogram.ts';

/** The increase of a histogram between two dumps. */
export interface ImportedIncrease extends ImportedHistogram {
  /** Whether the counters began anew in between, by `perf reset` or a restart. All counts of the later dump are new then. */
  readonly isReset: boolean;
}

/** The identity of a histogram among dumps. */
export function histogramKey({ daemon, logger, labels, counter }: ImportedHistogram): string {
  const sorted = labels && Object.entries(labels).sort(([a], [b]) => (a < b ? -1 : 1));
  return JSON.stringify([daemon, logger, counter, ...(sorted === undefined ? [] : [sorted])]);
}

/** @throws HdrscopeError `ERR_DECODE` when two histograms have one name, so that each would be compared with the other. */
export function assertDistinct(histograms: readonly ImportedHistogram[]): void {
  const keys = new Set<string>();
  for (const one of histograms) {
    const key = histogramKey(one);
    if (keys.has(key)) {
      const name = pathOf(one.daemon, one.logger, one.counter);
      const cure = 'dumps of several daemons must name them, as in osd.0: {…}';
      throw new HdrscopeError('ERR_DECODE', `two histograms are ${name}: ${cure}`);
    }
    keys.add(key);
  }
}

/**
 * The counts between two dumps. A histogram is new as a whole when the earlier dump does not have it, when one of its cells
 * has fallen, when its axes have changed, or when it is known to be of another life of the daemon. A reset after which no cell is lower
 * than before is not seen otherwise.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when a dump is not an array of histograms; `ERR_DECODE` when two histograms of a dump have one
 *   daemon, logger and counter.
 * @example
 * ```ts
 * import { dumpIncrease, parseHistogramDump } from '@hdrscope/ceph';
 *
 * const dump = (...values: number[]) => parseHistogramDump(JSON.stringify({
 *   osd: { op_r: { axes: [{ name: 'x', min: 0, quant_size: 8, buckets: 3, scale_type: 'linear' }], values } },
 * }));
 * const [before, after, reset] = [dump(0, 5, 1), dump(0, 9, 1), dump(0, 2, 0)];
 * dumpIncrease(before, after).map(({ histogram, isReset }) => [histogram.totalCount, isReset]); //=> [[4, false]]
 * dumpIncrease(after, reset).map(({ histogram, isReset }) => [histogram.totalCount, isReset]); //=> [[2, true]]
 * ```
 */
export function dumpIncrease(
  earlier: readonly ImportedHistogram[],
  later: readonly ImportedHistogram[],
): ImportedIncrease[] {
  for (const [name, dump] of Object.entries({ earlier, later })) {
    assertFollows(name, listOf<ImportedHistogram>(object(), 'imported histograms'), dump);
    assertDistinct(dump);
  }
  const before = new Map(earlier.map((histogram) => [histogramKey(histogram), histogram]));
  return later.map((now) => increaseOf(before.get(histogramKey(now)), now));
}

/** Takes the increases of histograms, from each reading to the next. */
export class HistogramFollower {
  readonly #last = new Map<string, ImportedHistogram>();

  /** @param histograms The first reading. @default none: the first count of each histogram is new as a whole */
  constructor(histograms: readonly ImportedHistogram[] = []) {
    for (const one of histograms) this.#last.set(histogramKey(one), one);
  }

  /** What a histogram has counted since its reading before, even when it was missing in between. */
  advance(now: ImportedHistogram): ImportedIncrease {
    const key = histogramKey(now);
    const then = this.#last.get(key);
    this.#last.set(key, now);
    return increaseOf(then, now);
  }
}

/** @param then The histogram in the earlier dump. @default the histogram is new */
function increaseOf(then: ImportedHistogram | undefined, now: ImportedHistogram): ImportedIncrease {
  if (then === undefined) return { ...now, isReset: false };
  const isOtherLife = then.life !== undefined && now.life !== undefined && then.life !== now.life;
  if (isOtherLife) return { ...now, isReset: true };
  const { increase, isReset } = differenceOf(then.histogram, now.histogram);
  if (isReset) return { ...now, histogram: increase, isReset };
  const { measured: _, ...rest } = now;
  const measured = sumsBetween(then.measured, now.measured);
  const sums = sumsSince(then.sums, now.sums);
  return { ...rest, histogram: increase, sums, ...(measured && { measured }), isReset };
}

function differenceOf(then: PerfHistogram, now: PerfHistogram): PerfIncrease {
  try {
    return now.subtract(then);
  } catch (error) {
    // The daemon came back with other axes.
    if (error instanceof HdrscopeError && error.code === 'ERR_INCOMPATIBLE')
      return { increase: now, isReset: true };
    throw error;
  }
}

function sumsSince(
  then: readonly bigint[] | undefined,
  now: readonly bigint[] | undefined,
): bigint[] | undefined {
  if (then === undefined || now === undefined) return undefined;
  return now.map((sum, i) => sum - then[i]!);
}

/** The sums of an increase. */
function sumsBetween(
  then: readonly SumBounds[] | undefined,
  now: readonly SumBounds[] | undefined,
): SumBounds[] | undefined {
  if (then === undefined || now === undefined) return undefined;
  return now.map(({ lower, upper, value }, i) => {
    const { lower: least, upper: most, value: before } = then[i]!;
    const range = commonRange({ lower: minus(lower, most), upper: minus(upper, least) }, NOT_NEGATIVE);
    return { ...(range ?? { lower: 0, upper: 0 }), value: minus(value, before) };
  });
}

/** Latencies and sizes are not negative. */
const NOT_NEGATIVE: SumRange = { lower: 0, upper: Number.POSITIVE_INFINITY };
