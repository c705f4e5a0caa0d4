import type { MeterProvider } from '@opentelemetry/api';
import type { Hdr } from '../create-hdr.ts';
import { delegate } from '../delegate.ts';
import { HISTOGRAM_INSTRUMENT, type Producer, type Reader } from '../sdk.ts';

/** `MetricCollector` of the SDK: what a provider gives to a reader. */
interface Collector extends Producer {
  collect: Producer['collect'];
  forceFlush: Reader['forceFlush'];
  shutdown: Reader['shutdown'];
  readonly _metricReader: Reader;
}

/**
 * Adds the HDR histograms to the readers of a provider that exists already. They are bound to it, so what it gives to them is
 * changed instead. Besides `sdk-views.ts`, this is the one place that reads private members of the SDK, equal in 2.0.1 to 3.1.1: a
 * program that sets its SDK up by itself has no public way in.
 *
 * @returns Whether it has readers and all of them were reached. Otherwise nothing has changed.
 */
export function attachToReaders(provider: MeterProvider, hdr: Hdr): boolean {
  const collectors = collectorsOf(provider);
  if (collectors === undefined) return false;
  for (const collector of collectors) {
    const sdk: Producer = { collect: collector.collect.bind(collector) };
    let producer = sdk;
    const reader = hdr.wrapReader(
      delegate<Reader>(collector._metricReader, {
        setMetricProducer: (composite: Producer) => {
          producer = composite;
        },
      }),
    );
    reader.setMetricProducer(sdk);
    collector.collect = (options) => producer.collect(options);
    collector.forceFlush = (options) => reader.forceFlush(options);
    collector.shutdown = (options) => reader.shutdown(options);
  }
  return true;
}

function collectorsOf(provider: MeterProvider): Collector[] | undefined {
  const { _sharedState: state } = provider as {
    readonly _sharedState?: { readonly metricCollectors?: unknown };
  };
  const found = state?.metricCollectors;
  return Array.isArray(found) && found.length > 0 && found.every(isCollector) ? found : undefined;
}

function isCollector(value: Partial<Collector> | undefined): value is Collector {
  return (
    typeof value?.collect === 'function' &&
    typeof value.forceFlush === 'function' &&
    typeof value.shutdown === 'function' &&
    typeof value._metricReader?.selectAggregation === 'function' &&
    typeof value._metricReader.selectAggregationTemporality === 'function' &&
    typeof value._metricReader.forceFlush === 'function' &&
    typeof value._metricReader.shutdown === 'function'
  );
}

/** The names of histograms that a provider of the SDK has made already, as far as they can be found. */
export function histogramsOf(provider: MeterProvider): string[] {
  const { _sharedState: state } = provider as {
    readonly _sharedState?: { readonly meterSharedStates?: ReadonlyMap<string, MeterState> };
  };
  const collectors = collectorsOf(provider) ?? [];
  const found = new Set<string>();
  for (const { metricStorageRegistry: storages } of state?.meterSharedStates?.values() ?? []) {
    for (const collector of collectors) {
      for (const storage of storages?.getStorages?.(collector) ?? []) {
        const { name, type } = storage.getInstrumentDescriptor();
        if (type === HISTOGRAM_INSTRUMENT) found.add(name);
      }
    }
  }
  return [...found];
}

/** `MeterSharedState` of the SDK. */
interface MeterState {
  readonly metricStorageRegistry?: {
    getStorages?(collector: Collector): readonly {
      getInstrumentDescriptor(): { readonly name: string; readonly type: string };
    }[];
  };
}
