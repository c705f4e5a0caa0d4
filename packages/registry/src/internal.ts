// Entry `@hdrscope/registry/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { canonicalText } from './attributes.ts';
export { hasAnswered, keepReading, latestEpoch } from './ingest/remembered.ts';
export { SHARED_GATHER_MS } from './registry.ts';
