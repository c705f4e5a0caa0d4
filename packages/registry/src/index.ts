export type { RemotePort } from '@hdrscope/kit';
export type { Attributes } from './attributes.ts';
export { bucketCounts } from './bucket-counts.ts';
export { type Clock, systemClock } from './clock.ts';
export { type CountedUnit, SHOWN_UNITS } from './counted-unit.ts';
export type { RegistryErrorCode } from './errors.ts';
export type { EstimatedCounts } from './estimated.ts';
export type { Exemplar } from './exemplars.ts';
export type { Family, FamilySnapshot } from './family.ts';
export type { FamilyOptions, Scope } from './family-options.ts';
export type { IngestHealth } from './ingest/health.ts';
export { ingest } from './ingest/ingest.ts';
export { ingestJoint } from './ingest/joint.ts';
export { IngestMemory } from './ingest/memory.ts';
export type { Reading } from './ingest/reading.ts';
export type {
  Ingestion,
  IngestOptions,
  IntakeOptions,
  ReadableSource,
  SourceObserver,
} from './ingest/source.ts';
export { valuesAtPercentiles } from './percentiles.ts';
export { createRegistry, type Registry, type RegistryOptions, type Source } from './registry.ts';
export type { RejectedCounts } from './rejected.ts';
export { collectFrom } from './remote/collect-from.ts';
export { collectFromCluster } from './remote/collect-from-cluster.ts';
export { serveRegistry } from './remote/serve-registry.ts';
export type { Series } from './series.ts';
export type { SeriesSnapshot } from './series-snapshot.ts';
export { EMPTY_SNAPSHOT, type Snapshot, type SourceFailure } from './snapshot.ts';
