import { EMPTY_SNAPSHOT, type FamilySnapshot, type Registry } from '@hdrscope/registry';
import type { MetricSettings } from './metric-settings.ts';
import { type Format, toScopeMetrics } from './metrics.ts';
import {
  type Collection,
  type CollectionOptions,
  type Producer,
  type ScopeMetrics,
  Temporality,
} from './sdk.ts';

/** Where HDR histograms come from. */
export interface HdrStore {
  readonly registry: Registry;
  settingsOf(family: FamilySnapshot): MetricSettings;
}

/** What a reader is given of a store. */
export interface HdrCollection {
  readonly scopeMetrics: readonly ScopeMetrics[];
  readonly errors: readonly unknown[];
}

/** Collects for one reader: all that differs from reader to reader is what a delta reader has seen. */
export type HdrCollector = (
  temporality: number,
  format: Format,
  options: CollectionOptions | undefined,
) => Promise<HdrCollection>;

/** A collector for a reader of its own. */
export function hdrCollector({ registry, settingsOf }: HdrStore): HdrCollector {
  let seen = EMPTY_SNAPSHOT;
  return async (temporality, format, { timeoutMillis } = {}) => {
    // No source takes longer than the collection may.
    const snapshot = await registry.gather(timeoutMillis === undefined ? {} : { timeoutMs: timeoutMillis });
    let shown = snapshot;
    if (temporality === Temporality.DELTA) {
      // Nothing is awaited since the snapshot was taken: collections that overlap come here in the order of their
      // snapshots, and share out the counts among them.
      shown = snapshot.since(seen);
      seen = snapshot;
    }
    return {
      scopeMetrics: toScopeMetrics(shown, format, temporality, settingsOf),
      errors: snapshot.errors.map(
        ({ source, error }) => new Error(`source ${source}: ${String(error)}`, { cause: error }),
      ),
    };
  };
}

/** How a producer shows its histograms, which no reader tells it. */
export interface ProducerOptions {
  /** As the reader wants it. @default 'cumulative' */
  readonly temporality?: 'cumulative' | 'delta';
  /** @default 'exponential' */
  readonly format?: Format;
}

/** For `metricProducers` of a reader: see `Hdr.producer`. */
export function hdrProducer(
  store: HdrStore,
  { temporality = 'cumulative', format = 'exponential' }: ProducerOptions,
): Producer {
  const collect = hdrCollector(store);
  const wanted = temporality === 'delta' ? Temporality.DELTA : Temporality.CUMULATIVE;
  return {
    async collect(options): Promise<Collection> {
      const { scopeMetrics, errors } = await collect(wanted, format, options);
      // Of producers, readers take the scopes: the resource is the provider's.
      return { resourceMetrics: { resource: { attributes: {} }, scopeMetrics }, errors };
    },
  };
}
