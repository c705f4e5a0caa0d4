import type { FamilySnapshot, SeriesSnapshot, Snapshot } from '@hdrscope/registry';
import type { HrTime } from '@opentelemetry/api';
import { toExplicit } from './explicit.ts';
import { toExponential } from './exponential.ts';
import type { MetricSettings } from './metric-settings.ts';
import {
  type ExplicitHistogramValue,
  type ExponentialHistogramValue,
  HISTOGRAM_INSTRUMENT,
  type HistogramMetric,
  type MetricScope,
  PointType,
  type ScopeMetrics,
  scopeKey,
} from './sdk.ts';

/** The kind of histogram that a reader collects. */
export type Format = 'exponential' | 'explicit';

/** The scope of families that no instrument made. */
const REGISTRY_SCOPE: MetricScope = { name: '@hdrscope/registry' };

/** Converts a snapshot to OpenTelemetry metrics, grouped by scope. */
export function toScopeMetrics(
  snapshot: Snapshot,
  format: Format,
  temporality: number,
  settingsOf: (family: FamilySnapshot) => MetricSettings,
): ScopeMetrics[] {
  const byScope = new Map<string, { scope: MetricScope; metrics: HistogramMetric[] }>();
  for (const family of snapshot.families) {
    // A series that only rejected values has counted none.
    const series = family.series.filter(({ histogram }) => histogram.totalCount > 0);
    if (series.length === 0) continue;
    const scope = family.scope ?? REGISTRY_SCOPE;
    const entry = byScope.get(scopeKey(scope)) ?? { scope, metrics: [] };
    byScope.set(scopeKey(scope), entry);
    entry.metrics.push(
      toMetric({ ...family, series }, format, temporality, settingsOf(family), hrTime(snapshot.timeMs)),
    );
  }
  return [...byScope.values()];
}

/** Adds scopes to those of another producer. Equal scopes become one. */
export function mergeScopes(into: readonly ScopeMetrics[], added: readonly ScopeMetrics[]): ScopeMetrics[] {
  const rest = new Map(added.map((one) => [scopeKey(one.scope), one]));
  const merged = into.map((one) => {
    const same = rest.get(scopeKey(one.scope));
    if (same === undefined) return one;
    rest.delete(scopeKey(one.scope));
    return { ...one, metrics: [...one.metrics, ...same.metrics] };
  });
  return [...merged, ...rest.values()];
}

function toMetric(
  family: FamilySnapshot,
  format: Format,
  temporality: number,
  settings: MetricSettings,
  endTime: HrTime,
): HistogramMetric {
  const { name, description, unit } = family;
  const shown = (series: SeriesSnapshot): ExplicitHistogramValue | ExponentialHistogramValue =>
    format === 'exponential'
      ? toExponential(series, family, settings.maxSize, settings.maxScale)
      : toExplicit(series, family, settings.boundaries);
  return {
    descriptor: {
      name,
      description,
      unit,
      type: HISTOGRAM_INSTRUMENT,
      valueType: settings.valueType,
      advice: {},
    },
    aggregationTemporality: temporality,
    dataPointType: format === 'exponential' ? PointType.EXPONENTIAL_HISTOGRAM : PointType.HISTOGRAM,
    dataPoints: family.series.map((series) => ({
      startTime: hrTime(series.startTimeMs),
      endTime,
      attributes: { ...series.attributes } as never,
      value: shown(series),
      ...(series.exemplars.length > 0 && { exemplars: series.exemplars }),
    })),
  };
}

function hrTime(unixMs: number): HrTime {
  const seconds = Math.floor(unixMs / 1000);
  return [seconds, Math.round((unixMs - seconds * 1000) * 1e6)];
}
