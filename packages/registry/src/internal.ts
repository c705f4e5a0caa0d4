// Entry `@hdrscope/registry/internal`: for the other packages of hdrscope only. Names here may change in any release.

export { timeout } from './asked-source.ts';
export { canonicalText } from './attributes.ts';
export { clock } from './clock.ts';
export {
  boundsAtPercentiles,
  boundsOfSlots,
  countsAcross,
  type EndCounts,
  endCounts,
  unsureCount,
} from './ends.ts';
export { hasAnswered, keepReading, latestEpoch } from './ingest/remembered.ts';
export { INTAKE_RULES, ingestMemory } from './ingest/source.ts';
export { registry, SHARED_GATHER_MS } from './registry.ts';
export { snapshot } from './snapshot.ts';
