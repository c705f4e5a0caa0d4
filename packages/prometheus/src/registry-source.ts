import { justifiedScale } from '@hdrscope/core/internal';
import type { Scope } from '@hdrscope/registry';
import {
  type FamilyFacts,
  isLive,
  type RegistrySource,
  type Shown,
  type ShownRegistry,
} from '@hdrscope/registry/internal';
import { boundariesFor } from './boundaries.ts';
import type { Labels } from './families.ts';
import {
  constantLabels,
  type ExposedMetricsOptions,
  extraLabels,
  type FamiliesByScope,
  scopeKey,
} from './from-otel.ts';
import { histogramName, problemFamilies } from './from-registry.ts';
import type { LazyFamily } from './lazy-family.ts';
import { type HistogramLook, lazyHistograms, withinFamilies } from './lazy-histograms.ts';
import { keepsCharacters } from './names.ts';
import { LEAST_ZERO_THRESHOLD, MAX_SCHEMA, MIN_SCHEMA } from './native.ts';
import type { ResourceMetricsLike } from './resource-metrics.ts';

type SettingsOf = RegistrySource<unknown>['settingsOf'];

/** The scope that points of families without a scope have. */
const REGISTRY_SCOPE: Scope = { name: '@hdrscope/registry' };

/** The histograms of a registry by scope, as the points of the same families look. */
export function histogramsByScope(
  registry: ShownRegistry,
  settingsOf: SettingsOf,
  resource: ResourceMetricsLike['resource'],
  options: ExposedMetricsOptions,
): FamiliesByScope {
  const { warn = () => {} } = options;
  const timestampMs = timestampOf(registry, options);
  const byScope = new Map<string, LazyFamily[]>();
  for (const { family, series: all } of registry.families) {
    const { scope = REGISTRY_SCOPE, description: help, unit } = family;
    // A series that only rejected values has counted none.
    const series = all.some(isEmpty) ? all.filter((one) => !isEmpty(one)) : all;
    if (series.length === 0) continue;
    const name = histogramName(family, options, warn);
    if (name === undefined) continue;
    const look = lookOf(family, settingsOf(family), extraLabels(scope, resource, options), options);
    const parts = [lazyHistograms(family, series, look, timestampMs)];
    const inScope = byScope.get(scopeKey(scope)) ?? [];
    byScope.set(scopeKey(scope), inScope);
    inScope.push({ name, help, unit, type: 'histogram', parts });
    // Bounded: one, or none.
    inScope.push(...withinFamilies(name, family, series, look, timestampMs));
  }
  return byScope;
}

function isEmpty(shown: Shown): boolean {
  return (isLive(shown) ? shown.totalCount : shown.counts.total) === 0;
}

/** The problems of a registry, with the labels of the resource. */
export function problemsOf(
  registry: ShownRegistry,
  resource: ResourceMetricsLike['resource'],
  options: ExposedMetricsOptions,
): LazyFamily[] {
  return problemFamilies(
    registry,
    options,
    timestampOf(registry, options),
    constantLabels(resource, options),
  );
}

function timestampOf(
  { timeMs }: ShownRegistry,
  { appendTimestamp }: ExposedMetricsOptions,
): number | undefined {
  return appendTimestamp ? Math.round(timeMs) : undefined;
}

function lookOf(
  family: FamilyFacts,
  { maxSize, maxScale = justifiedScale(family.layout), boundaries }: ReturnType<SettingsOf>,
  extra: Labels,
  options: ExposedMetricsOptions,
): HistogramLook {
  const { buckets = 'native', classicBoundaries } = options;
  return {
    keepsCharacters: keepsCharacters(options),
    extra,
    buckets,
    vmrange: false,
    boundaries: buckets === 'classic' ? boundaries : boundariesFor(classicBoundaries, family),
    maxSize,
    maxScale: Math.max(MIN_SCHEMA, Math.min(MAX_SCHEMA, maxScale)),
    zeroThreshold: LEAST_ZERO_THRESHOLD,
  };
}
