import { type Counted, countedIn, type IntegerLayout, rebucket } from '@hdrscope/core';
import { integerAfter, integerLayout } from '@hdrscope/core/internal';
import { type CpuCounts, countsOfCpus, sumOfCpus } from '@hdrscope/ebpf';
import type { HistogramMetric } from '@hdrscope/ebpf/internal';
import type { Attributes, CountedUnit } from '@hdrscope/registry';

/** The counts of one CPU, or of all CPUs together, as commands show them. */
export interface ShownHistogram extends Counted<IntegerLayout> {
  readonly name: string;
  readonly attributes: Attributes;
  readonly layoutName: string;
  /** Sum of the values; `undefined` when the program keeps no sum. */
  readonly sum: number | undefined;
  /** Unit of the values, when the source knows it. */
  readonly unit: CountedUnit | undefined;
}

/** A histogram of a source, or its increase. */
interface SourceHistogram extends CpuCounts {
  readonly name: string;
  readonly attributes: Attributes;
  readonly metric?: HistogramMetric;
}

/** The histogram of all CPUs together. */
export function acrossCpus({ name, attributes, metric, ...counts }: SourceHistogram): ShownHistogram {
  return { name, attributes, layoutName: counts.layout.name, unit: metric?.kernelUnit, ...sumOfCpus(counts) };
}

/** The histogram of each CPU. Its position among the possible CPUs of the machine is the attribute `cpu`. */
export function perCpu({ name, attributes, metric, ...counts }: SourceHistogram): ShownHistogram[] {
  const layoutName = counts.layout.name;
  return countsOfCpus(counts).map((totals, cpu) => ({
    name,
    attributes: { ...attributes, cpu },
    layoutName,
    unit: metric?.kernelUnit,
    ...totals,
  }));
}

/** A part of a frame or of its increases. */
interface PartHistogram extends SourceHistogram {
  readonly counts: Float64Array;
  readonly sums: Float64Array | undefined;
}

/** Adds up histograms of the same name and attributes, which several keys of a map may have. */
export function merged<Histogram extends PartHistogram>(histograms: readonly Histogram[]): Histogram[] {
  const byTitle = new Map<string, Histogram>();
  for (const histogram of histograms) {
    const title = JSON.stringify([histogram.name, histogram.attributes]);
    const known = byTitle.get(title);
    byTitle.set(title, known === undefined ? histogram : sumOf(known, histogram));
  }
  return [...byTitle.values()];
}

function sumOf<Histogram extends PartHistogram>(a: Histogram, b: Histogram): Histogram {
  const added = (one: Float64Array, other: Float64Array) => one.map((value, i) => value + other[i]!);
  return { ...a, counts: added(a.counts, b.counts), sums: a.sums && b.sums && added(a.sums, b.sums) };
}

const MOST_ROWS = 40;

/** Merges the slots of each power of two when the used slots do not fit a screen. */
export function fittedToScreen({ layout, counts }: Counted<IntegerLayout>): Counted<IntegerLayout> {
  const { bounds } = layout;
  if (counts.last - counts.first < MOST_ROWS) return { layout, counts };
  const kept = bounds.filter((bound) => bound < 0 || Number.isInteger(Math.log2(integerAfter(bound))));
  if (kept.length === 0 || kept.length === bounds.length) return { layout, counts };
  const coarse = integerLayout(kept, layout.lower(0));
  return countedIn(coarse, rebucket(layout, coarse).apply(counts).counts);
}
