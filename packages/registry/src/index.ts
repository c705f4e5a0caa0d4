export type { Attributes } from './attributes.ts';
export { type Clock, systemClock } from './clock.ts';
export { explicitCounts } from './conversion/explicit.ts';
export {
  type ExponentialBuckets,
  type ExponentialOptions,
  exponentialBuckets,
  type FamilyLayouts,
  justifiedScale,
} from './conversion/exponential.ts';
export type { Exemplar } from './exemplars.ts';
export {
  defaultResolution,
  type Family,
  type FamilyOptions,
  type FamilySnapshot,
  OVERFLOW_ATTRIBUTES,
  type Scope,
} from './family.ts';
export { valuesAtPercentiles } from './percentiles.ts';
export { createRegistry, type Registry, type Source } from './registry.ts';
export type { Rejected, Series, SeriesSnapshot } from './series.ts';
export { EMPTY_SNAPSHOT, type Snapshot, type SourceFailure } from './snapshot.ts';
