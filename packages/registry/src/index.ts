export type { ProcessPort, RemotePort, ThreadPort } from '@hdrscope/kit';
export type { Attributes } from './attributes.ts';
export { bucketCounts } from './bucket-counts.ts';
export { type Clock, systemClock } from './clock.ts';
export type { AddedCounts, CountedFacts } from './counted-facts.ts';
export { type CountedUnit, SHOWN_UNITS, type ShownUnit } from './counted-unit.ts';
export type { RegistryErrorCode } from './errors.ts';
export type { EstimatedCounts } from './estimated.ts';
export type { Exemplar } from './exemplars.ts';
export type { Family, FamilySnapshot } from './family.ts';
export { defaultResolution, type FamilyOptions, type FamilySettings, type Scope } from './family-options.ts';
export type { IngestHealth, ReadingRefusal } from './ingest/health.ts';
export { ingest } from './ingest/ingest.ts';
export {
  type IngestJointOptions,
  ingestJoint,
  type JointClasses,
  type JointCounts,
} from './ingest/joint.ts';
export { IngestMemory, type StreamLimits } from './ingest/memory.ts';
export type { CounterState, Reading } from './ingest/reading.ts';
export type {
  Ingestion,
  IngestOptions,
  IntakeOptions,
  ReadableSource,
  SourceObserver,
} from './ingest/source.ts';
export { valuesAtPercentiles } from './percentiles.ts';
export type { SlotReach, SlotReaches } from './reach.ts';
export {
  createRegistry,
  type GatherOptions,
  type Registry,
  type RegistryOptions,
  type Source,
  type SourceOptions,
} from './registry.ts';
export type { Rejected } from './rejected.ts';
export { type CollectOptions, collectFrom } from './remote/collect-from.ts';
export {
  type ClusterLike,
  type ClusterOptions,
  type ClusterWorker,
  collectFromCluster,
} from './remote/collect-from-cluster.ts';
export { serveRegistry } from './remote/serve-registry.ts';
export type { Series } from './series.ts';
export type { SeriesSnapshot } from './series-snapshot.ts';
export {
  EMPTY_SNAPSHOT,
  type FamilyChanges,
  type FamilyIdentity,
  type Snapshot,
  type SourceFailure,
} from './snapshot.ts';
