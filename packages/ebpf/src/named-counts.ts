import type { Attributes, CountedUnit } from '@hdrscope/registry';
import { type CpuCounts, type KernelTotals, listCpuCounts, sumCpus } from './cpu-counts.ts';
import type { HistogramMetric } from './source/source.ts';

/** The counts of one CPU, or of all CPUs together, with their name. */
export interface NamedCounts extends KernelTotals {
  readonly name: string;
  readonly attributes: Attributes;
  readonly layoutName: string;
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
export function sumNamed({ name, attributes, metric, ...counts }: SourceHistogram): NamedCounts {
  return { name, attributes, layoutName: counts.layout.name, unit: metric?.kernelUnit, ...sumCpus(counts) };
}

/** The histogram of each CPU. Its position among the possible CPUs of the machine is the attribute `cpu`. */
export function listNamed({ name, attributes, metric, ...counts }: SourceHistogram): NamedCounts[] {
  const layoutName = counts.layout.name;
  return listCpuCounts(counts).map((totals, cpu) => ({
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
export function mergeNamed<Histogram extends PartHistogram>(histograms: readonly Histogram[]): Histogram[] {
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
