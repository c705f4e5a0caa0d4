// Entry `@hdrscope/registry/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { timeout } from './asked-source.ts';
export { canonicalText } from './attributes.ts';
export { countsWithin, toThresholdCounts } from './bucket-counts.ts';
export { clock } from './clock.ts';
export type { ShownUnit } from './counted-unit.ts';
export {
  boundsAtPercentiles,
  boundsOfSlots,
  countsAcross,
  type EndCounts,
  endCounts,
} from './ends.ts';
export { countSeries, findSeries, OVERFLOW_ATTRIBUTES } from './family.ts';
export { defaultResolution, scope } from './family-options.ts';
export { countInexact, INEXACT_VALUES } from './inexact-values.ts';
export type { ReadingRefusal } from './ingest/health.ts';
export type { CounterState } from './ingest/reading.ts';
export {
  findUnknownUntil,
  hasAnswered,
  keepReading,
  latestEpoch,
  latestState,
} from './ingest/remembered.ts';
export { dropAttributes, INTAKE_RULES, ingestMemory } from './ingest/source.ts';
export { joinReaches, type SlotReach, type SlotReaches } from './reach.ts';
export {
  assertRegistry,
  type GatherOptions,
  readShown,
  registry,
  SHARED_GATHER_MS,
  snapshotNow,
  watchSeriesLimit,
} from './registry.ts';
export { isRegistryReader, type RegistryReader, type RegistrySource } from './registry-reader.ts';
export { addRemote, resumeCollecting, takenStates } from './remote/collect-from.ts';
export type { ClusterLike, ClusterWorker } from './remote/collect-from-cluster.ts';
export { familyFromJson, familyToJson, type WireFamily } from './remote/definitions.ts';
export { assumeTaken, lastChanges } from './remote/serve-registry.ts';
export { attributesFromJson, attributesToJson, type WireAttributes } from './remote/wire-attributes.ts';
export { type LiveSeries, recordSample } from './series.ts';
export { describeReachedLimit } from './series-limit.ts';
export type { CurrentState } from './series-snapshot.ts';
export {
  type FamilyFacts,
  findChangedSlots,
  isLive,
  readState,
  readVersion,
  type Shown,
  type ShownFamily,
  type ShownRegistry,
  showSnapshot,
} from './shown.ts';
export { assertFamily, assertSnapshot, snapshot, snapshotAt } from './snapshot.ts';
export { addedUnitWords, BETWEEN_WORDS, readUnitWords, unitOfName, unitSuffixes } from './unit-words.ts';
