import type { Counted } from '../counted.ts';
import type { HdrLayout } from '../layout/hdr.ts';

/** The mean of the slots' middles, each as often as it was counted; 0 when there is none. */
export function meanOf({ layout, counts }: Counted<HdrLayout>): number {
  return counts.total === 0 ? 0 : sumOverSlots({ layout, counts }, 0, 1) / counts.total;
}

/** The standard deviation of a population, of the slots' middles; 0 when there is none. */
export function standardDeviationOf({ layout, counts }: Counted<HdrLayout>): number {
  if (counts.total === 0) return 0;
  const mean = meanOf({ layout, counts });
  return Math.sqrt(sumOverSlots({ layout, counts }, mean, 2) / counts.total);
}

const RUN_SLOTS = 1024;
// Known to V8, as it belongs to this module and is not exported: a loop over it takes half the time.
const run = /* @__PURE__ */ new Float64Array(RUN_SLOTS);

/**
 * The sum of `(middle - centre) ** power` over all values, in the order of slots, as the last digits depend on it.
 *
 * Slots are read in runs of one width, so that the middle is stepped and not computed; empty slots add nothing, and
 * asking for them would take longer than adding it.
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
