import type { Producer, ScopeMetrics } from './sdk.ts';

/** `MetricCollector` of the SDK, and what it asks: private members, equal in 2.0.1 to 3.1.1. */
interface Collector {
  readonly _sharedState: {
    readonly meterSharedStates: ReadonlyMap<
      string,
      {
        readonly _instrumentationScope: ScopeMetrics['scope'];
        readonly metricStorageRegistry: { getStorages(collector: unknown): readonly Storage[] };
      }
    >;
  };
}

interface Storage {
  collect(
    collector: unknown,
    time: readonly [seconds: number, nanoseconds: number],
  ): ScopeMetrics['metrics'][number] | undefined;
}

/**
 * What the SDK has counted, at once: the process ends, and nothing asynchronous runs any more. Callbacks of observable instruments are
 * not called.
 *
 * @returns `undefined` when the producer is not one of these SDKs.
 */
export function collectNow(producer: Producer): ScopeMetrics[] | undefined {
  try {
    const ms = Date.now();
    const time = [Math.floor(ms / 1000), (ms % 1000) * 1e6] as const;
    const { meterSharedStates } = (producer as unknown as Collector)._sharedState;
    return [...meterSharedStates.values()].map((state) => ({
      scope: state._instrumentationScope,
      metrics: state.metricStorageRegistry
        .getStorages(producer)
        .map((storage) => storage.collect(producer, time))
        .filter((metric) => metric != null),
    }));
  } catch {
    return undefined;
  }
}
