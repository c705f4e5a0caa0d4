import { constants, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks';
import type { Family } from '@hdrscope/registry';

/** `v8js.gc.type`, by `detail.kind` of an entry: https://opentelemetry.io/docs/specs/semconv/runtime/v8js-metrics/ */
const TYPES: ReadonlyMap<unknown, string> = new Map([
  [constants.NODE_PERFORMANCE_GC_MINOR, 'minor'],
  [constants.NODE_PERFORMANCE_GC_MAJOR, 'major'],
  [constants.NODE_PERFORMANCE_GC_INCREMENTAL, 'incremental'],
  [constants.NODE_PERFORMANCE_GC_WEAKCB, 'weakcb'],
]);

/**
 * Records the pauses of the garbage collector, in seconds and by kind. Does not keep the process alive.
 *
 * @returns A function that stops the recording.
 */
export function watchGcPauses(family: Family): () => void {
  const observer = new PerformanceObserver((list) => {
    // Entries of type 'gc' have a kind in `detail`, which the declared type lacks.
    const entries: readonly (PerformanceEntry & { readonly detail?: { readonly kind?: unknown } })[] =
      list.getEntries();
    for (const { duration, detail } of entries) {
      const type = TYPES.get(detail?.kind) ?? 'unknown';
      family.with({ 'v8js.gc.type': type }).record(duration / 1000);
    }
  });
  observer.observe({ entryTypes: ['gc'] });
  return () => observer.disconnect();
}
