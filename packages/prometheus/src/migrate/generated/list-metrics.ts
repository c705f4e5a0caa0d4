import { renameRecord } from '../migrate-queries.ts';
import type { QueryReading, ReadSelector } from './read-series.ts';

/** A metric of a question, and the selectors that read it. */
export interface AskedMetric {
  /** The name of the series of numbers, or of the native histogram. */
  readonly name: string;
  readonly selectors: readonly ReadSelector[];
  /** The recorded series that have the buckets of a histogram before the rewriting; numbers have none. */
  readonly recordedAs?: readonly string[];
}

export interface AskedMetrics {
  readonly numbers: readonly AskedMetric[];
  readonly histograms: readonly AskedMetric[];
}

const PARTS = /_(bucket|sum|count)$/;

/** Which metrics a query and its rewriting read: what only the rewriting names are native histograms. */
export function listMetrics(before: QueryReading, after: QueryReading): AskedMetrics {
  const names = new Set(before.selectors.map(({ name }) => name));
  const natives = new Set(after.selectors.map(({ name }) => name).filter((name) => !names.has(name)));
  const findNative = (name: string): string | undefined =>
    [name.replace(PARTS, ''), renameRecord(name)].find((native) => natives.has(native));
  const numbers = new Map<string, ReadSelector[]>();
  const histograms = new Map<string, { selectors: ReadSelector[]; recordedAs: Set<string> }>();
  for (const selector of before.selectors) {
    const native = findNative(selector.name);
    if (native === undefined) numbers.set(selector.name, [...(numbers.get(selector.name) ?? []), selector]);
    else {
      const histogram = histograms.get(native) ?? { selectors: [], recordedAs: new Set() };
      histogram.selectors.push(selector);
      if (selector.name.replace(PARTS, '') !== native) histogram.recordedAs.add(selector.name);
      histograms.set(native, histogram);
    }
  }
  return {
    numbers: [...numbers].map(([name, selectors]) => ({ name, selectors })),
    histograms: [...histograms].map(([name, { selectors, recordedAs }]) => ({
      name,
      selectors,
      recordedAs: [...recordedAs],
    })),
  };
}
