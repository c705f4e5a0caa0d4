import type { Bounds } from '../bounds.ts';
import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';
import { intervalsOf } from '../sum/intervals.ts';

/** The mean of the middles of the slots, each as often as it was counted; 0 when empty. */
export function computeMean({ layout, counts }: Counted<HdrLayout>): number {
  return counts.total === 0 ? 0 : sumOverSlots({ layout, counts }, 0, 1) / counts.total;
}

/** The standard deviation of a population, from the middles of the slots; 0 when empty. */
export function standardDeviationOf({ layout, counts }: Counted<HdrLayout>): number {
  if (counts.total === 0) return 0;
  const mean = computeMean({ layout, counts });
  return Math.sqrt(sumOverSlots({ layout, counts }, mean, 2) / counts.total);
}

/**
 * The bounds of the mean: if all values were at the lower bounds of their slots, and at the upper ones. Infinite when a used slot
 * is open; NaN when empty.
 */
export function meanBounds(counted: Counted): Bounds {
  const { total } = counted.counts;
  if (total === 0) return { lower: Number.NaN, upper: Number.NaN };
  let [lower, upper] = [0, 0];
  for (const interval of intervalsOf(counted)) {
    // Each value by its share, since a sum could exceed the largest double.
    const share = interval.count / total;
    lower += interval.lower * share;
    upper += interval.upper * share;
  }
  return { lower, upper };
}

/**
 * How many values are at most a limit: `lower` are certainly, by the upper bounds of their slots, and `upper` possibly, by the lower
 * ones. The bounds differ when values share a slot with the limit.
 */
export function countWithin(counted: Counted, limit: number): Bounds {
  let [lower, upper] = [0, 0];
  for (const interval of intervalsOf(counted)) {
    if (interval.lower > limit) break;
    if (interval.upper <= limit) lower += interval.count;
    if (interval.lower < limit || interval.lowerInclusive) upper += interval.count;
  }
  return { lower, upper };
}

const RUN_SLOTS = 1024;
// V8 treats an array that a module does not export as a constant, which halves the time of a loop over it.
const run = /* @__PURE__ */ new Float64Array(RUN_SLOTS);

/**
 * The sum of `(middle - centre) ** power` over all values. The last digits depend on the order, which is that of the slots.
 *
 * Slots are read in runs of one width, so that the next middle is one addition away. Empty slots are added too, which takes less
 * time than skipping them.
 */
function sumOverSlots({ layout, counts }: Counted<HdrLayout>, centre: number, power: 1 | 2): number {
  const length = Math.min(layout.subBucketCount / 2, RUN_SLOTS);
  const into = run.subarray(0, length);
  let sum = 0;
  for (let slot = counts.first - (counts.first % length); slot <= counts.last; slot += length) {
    if (!counts.read(slot, into)) continue;
    const size = layout.size(slot);
    const middle = layout.midpoint(slot);
    for (let i = 0; i < length; i++) {
      const deviation = middle + i * size - centre;
      sum += (power === 1 ? deviation : deviation * deviation) * run[i]!;
    }
  }
  return sum;
}
