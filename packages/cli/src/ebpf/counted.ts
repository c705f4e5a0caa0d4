import { explicitKernelLayout, type KernelLayout } from '@hdrscope/ebpf';
import type { Attributes } from '@hdrscope/registry';

/** What is shown: counts of slots, of one CPU or of all together. */
export interface Counted {
  readonly name: string;
  readonly attributes: Attributes;
  readonly layout: KernelLayout;
  readonly counts: Float64Array;
  readonly sum: number | undefined;
}

interface Histogram {
  readonly name: string;
  readonly attributes: Attributes;
  readonly layout: KernelLayout;
  readonly counts: Float64Array;
  readonly sums: Float64Array | undefined;
}

/** All CPUs together. */
export function together({ name, attributes, layout, counts, sums }: Histogram): Counted {
  const { slotCount } = layout.slots;
  const all = new Float64Array(slotCount);
  for (const [at, count] of counts.entries()) all[at % slotCount]! += count;
  return { name, attributes, layout, counts: all, sum: sums?.reduce((a, b) => a + b, 0) };
}

/** Each CPU for itself: as attribute, the place of the CPU among those that the machine may have. */
export function apart({ name, attributes, layout, counts, sums }: Histogram): Counted[] {
  const { slotCount } = layout.slots;
  return Array.from({ length: counts.length / slotCount }, (_, cpu) => ({
    name,
    attributes: { ...attributes, cpu },
    layout,
    counts: counts.slice(cpu * slotCount, (cpu + 1) * slotCount),
    sum: sums?.[cpu],
  }));
}

export function totalOf({ counts }: Pick<Counted, 'counts'>): number {
  return counts.reduce((a, b) => a + b, 0);
}

const MOST_ROWS = 40;

/** For people: of more slots than fit a screen, those of each power of two together. */
export function shortened({ layout, counts, ...rest }: Counted): Counted {
  const { bounds, slotCount } = layout.slots;
  const first = counts.findIndex((count) => count > 0);
  const last = counts.findLastIndex((count) => count > 0);
  if (last - first < MOST_ROWS) return { layout, counts, ...rest };
  const kept = bounds.filter((bound) => bound < 0 || Number.isInteger(Math.log2(after(bound))));
  if (kept.length === 0 || kept.length === bounds.length) return { layout, counts, ...rest };
  const coarse = explicitKernelLayout(kept, { name: layout.name, lowest: layout.slots.lower(0) });
  const sums = new Float64Array(coarse.slots.slotCount);
  for (let slot = 0; slot < slotCount; slot++) {
    sums[coarse.slots.slotOf(layout.slots.midpoint(slot))]! += counts[slot]!;
  }
  return { layout: coarse, counts: sums, ...rest };
}

/** Where the next slot begins, as far as a double tells. */
function after(bound: number): number {
  return bound < 2 ** 53 ? bound + 1 : 2 ** Math.round(Math.log2(bound));
}
