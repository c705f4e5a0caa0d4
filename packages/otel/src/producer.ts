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

/** A registry, and how its families look to readers. */
export interface HdrStore {
  readonly registry: Registry;
  settingsOf(family: FamilySnapshot): MetricSettings;
}

/** The result of one collection. */
export interface HdrCollection {
  readonly scopeMetrics: readonly ScopeMetrics[];
  readonly errors: readonly unknown[];
}

/** Collects for one reader. Its only state is the last snapshot that a delta reader saw. */
export type HdrCollector = (
  temporality: number,
  format: Format,
  options: CollectionOptions | undefined,
) => Promise<HdrCollection>;

/** Makes a collector. Each reader needs its own. */
export function hdrCollector({ registry, settingsOf }: HdrStore): HdrCollector {
  let seen = EMPTY_SNAPSHOT;
  return async (temporality, format, { timeoutMillis } = {}) => {
    // The registry waits for its sources no longer than the collection may take.
    const snapshot = await registry.gather(timeoutMillis === undefined ? {} : { timeoutMs: timeoutMillis });
    let shown = snapshot;
    if (temporality === Temporality.DELTA) {
      // No `await` comes between the snapshot and this line: overlapping collections arrive in the order of their
      // snapshots, so each count goes to exactly one of them.
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

/** How a producer shows its histograms. A reader does not pass its own choice on to a producer. */
export interface ProducerOptions {
  /** The temporality of the reader. @default 'cumulative' */
  readonly temporality?: 'cumulative' | 'delta';
  /** The kind of histogram. @default 'exponential' */
  readonly format?: Format;
}

/** Makes a producer for a reader's `metricProducers`: see `Hdr.producer`. */
export function hdrProducer(
  store: HdrStore,
  { temporality = 'cumulative', format = 'exponential' }: ProducerOptions,
): Producer {
  const collect = hdrCollector(store);
  const wanted = temporality === 'delta' ? Temporality.DELTA : Temporality.CUMULATIVE;
  return {
    async collect(options): Promise<Collection> {
      const { scopeMetrics, errors } = await collect(wanted, format, options);
      // Readers use only the scopes of a producer; the resource comes from the provider.
      return { resourceMetrics: { resource: { attributes: {} }, scopeMetrics }, errors };
    },
  };
}
