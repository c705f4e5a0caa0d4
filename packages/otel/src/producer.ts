import type { Settings } from '@hdrscope/core/internal';
import { atOnce, inSlices, Slices, type Steps } from '@hdrscope/kit';
import { EMPTY_SNAPSHOT, type Registry, type Snapshot } from '@hdrscope/registry';
import {
  type FamilyFacts,
  type GatherOptions,
  readShown,
  SHARED_GATHER_MS,
  type ShownRegistry,
  showSnapshot,
  snapshotNow,
} from '@hdrscope/registry/internal';
import { EXPLICIT } from './explicit.ts';
import { EXPONENTIAL } from './exponential.ts';
import { KeptPoints } from './kept-points.ts';
import type { HistogramFormat, MetricSettings } from './metric-settings.ts';
import { type KeptKind, toScopeMetrics } from './metrics.ts';
import {
  type MetricCollection,
  type MetricCollectionOptions,
  type Producer,
  type ScopeMetrics,
  Temporality,
} from './sdk.ts';

/** A registry, and how its families look to readers. */
export interface HdrStore {
  readonly registry: Registry;
  settingsOf(family: FamilyFacts): MetricSettings;
}

/** The result of one collection. */
export interface HdrCollection {
  readonly scopeMetrics: readonly ScopeMetrics[];
  readonly errors: readonly unknown[];
}

/** The kind of histogram of a metric, for which a view of the SDK may state one. */
export type FormatOf = (stated: HistogramFormat | undefined) => HistogramFormat;

/** Collects for one reader. */
export interface HdrCollector {
  collect(
    temporality: number,
    formatOf: FormatOf,
    options: (MetricCollectionOptions & Pick<GatherOptions, 'maxAgeMs'>) | undefined,
  ): Promise<HdrCollection>;
  /** What is in the registry, at once: no source is asked, because the process ends. */
  collectNow(temporality: number, formatOf: FormatOf): ScopeMetrics[];
}

/**
 * Makes a collector. Each reader needs its own: it keeps what the reader has seen.
 *
 * @param expected The temporality that the reader will collect with.
 */
export function hdrCollector({ registry, settingsOf }: HdrStore, expected: number): HdrCollector {
  // A delta reader collects what was counted after the snapshot that it saw last; a cumulative one keeps its last values. For a
  // reader that does not collect, an empty snapshot would keep the last states of ended series in memory.
  let seen = expected === Temporality.DELTA ? registry.emptySnapshot() : EMPTY_SNAPSHOT;
  const formats = {
    exponential: { kind: EXPONENTIAL, kept: new KeptPoints(EXPONENTIAL) },
    explicit: { kind: EXPLICIT, kept: new KeptPoints(EXPLICIT) },
  };
  const changesOf = (snapshot: Snapshot, formatOf: FormatOf): Steps<ScopeMetrics[]> => {
    // No `await` comes between the snapshot and these lines: overlapping collections arrive in the order of their
    // snapshots, so each count goes to exactly one of them.
    const kindOf = ({ format }: MetricSettings): KeptKind => ({
      kind: formats[formatOf(format)].kind as KeptKind['kind'],
    });
    const changes = snapshot.changesSince(seen);
    seen = snapshot;
    const temporality = Temporality.DELTA;
    return toScopeMetrics(changes, { kindOf, temporality, timeMs: snapshot.timeMs, settingsOf });
  };
  const totalsOf = ({ timeMs, families }: ShownRegistry, formatOf: FormatOf): Steps<ScopeMetrics[]> => {
    seen = EMPTY_SNAPSHOT;
    const kindOf = ({ format }: MetricSettings): KeptKind => formats[formatOf(format)] as KeptKind;
    return toScopeMetrics(families, { kindOf, temporality: Temporality.CUMULATIVE, timeMs, settingsOf });
  };
  return {
    async collect(temporality, formatOf, options = {}) {
      const { timeoutMillis: timeoutMs, maxAgeMs = SHARED_GATHER_MS } = options;
      // The registry waits for its sources as long as the collection may take.
      const limits = { ...(timeoutMs !== undefined && { timeoutMs }), maxAgeMs };
      let metrics: Steps<ScopeMetrics[]>;
      let read: Pick<Snapshot, 'errors'>;
      if (temporality === Temporality.DELTA) {
        const snapshot = await registry.gather(limits);
        metrics = changesOf(snapshot, formatOf);
        read = snapshot;
      } else {
        const shown = await readShown(registry, limits);
        metrics = totalsOf(shown, formatOf);
        read = shown;
      }
      return {
        scopeMetrics: await inSlices(metrics, new Slices()),
        errors: read.errors.map(
          ({ source, error }) => new Error(`source ${source}: ${String(error)}`, { cause: error }),
        ),
      };
    },
    collectNow(temporality, formatOf) {
      const snapshot = snapshotNow(registry);
      if (temporality === Temporality.DELTA) return atOnce(changesOf(snapshot, formatOf));
      return atOnce(totalsOf(showSnapshot(snapshot), formatOf));
    },
  };
}

/** How a producer shows its histograms. A reader does not pass its own choice on to a producer. */
export interface ProducerOptions {
  /** The temporality of the reader. @default 'cumulative' */
  readonly temporality?: 'cumulative' | 'delta';
  /** The kind of histogram. @default the one that a view of the SDK states, else 'exponential' */
  readonly format?: HistogramFormat;
}

/** Makes a producer for a reader's `metricProducers`: see `Hdr.producer`. */
export function hdrProducer(
  store: HdrStore,
  { temporality, format }: Settings<ProducerOptions, 'format'>,
): Producer {
  const wanted = temporality === 'delta' ? Temporality.DELTA : Temporality.CUMULATIVE;
  const collector = hdrCollector(store, wanted);
  return {
    async collect(options): Promise<MetricCollection> {
      const { scopeMetrics, errors } = await collector.collect(
        wanted,
        (stated) => format ?? stated ?? 'exponential',
        options,
      );
      // Readers use only the scopes of a producer; the resource comes from the provider.
      return { resourceMetrics: { resource: { attributes: {} }, scopeMetrics }, errors };
    },
  };
}
