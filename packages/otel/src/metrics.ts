import { Slices } from '@hdrscope/kit';
import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import type { HrTime } from '@opentelemetry/api';
import { toExplicit } from './explicit.ts';
import { toExponential } from './exponential.ts';
import type { KeptValues } from './kept-values.ts';
import type { MetricSettings } from './metric-settings.ts';
import {
  HISTOGRAM_INSTRUMENT,
  type HistogramMetric,
  type HistogramValue,
  type MetricScope,
  type Point,
  PointType,
  type ScopeMetrics,
  scopeKey,
} from './sdk.ts';

/** The kind of histogram that a reader collects. */
export type Format = 'exponential' | 'explicit';

/** The scope of families that no instrument made. */
const REGISTRY_SCOPE: MetricScope = { name: '@hdrscope/registry' };

/** Series of a family: all of them, or those that have changed. */
export interface ShownFamily {
  readonly family: FamilySnapshot;
  readonly series: Iterable<SeriesSnapshot>;
}

/** How series become metrics. */
export interface Conversion {
  readonly format: Format;
  readonly temporality: number;
  /** The time of the snapshot, in milliseconds since 1970. */
  readonly timeMs: number;
  settingsOf(family: FamilySnapshot): MetricSettings;
  /** The values of earlier collections, for series that have not changed since; `undefined` when none is kept. */
  readonly kept?: KeptValues | undefined;
}

/** Converts series to OpenTelemetry metrics, grouped by scope. Other work runs in between. */
export async function toScopeMetrics(
  families: Iterable<ShownFamily>,
  conversion: Conversion,
): Promise<ScopeMetrics[]> {
  const slices = new Slices();
  const byScope = new Map<string, { scope: MetricScope; metrics: HistogramMetric[] }>();
  for (const shown of families) {
    const dataPoints = await pointsOf(shown, conversion, slices);
    if (dataPoints.length === 0) continue;
    const scope = shown.family.scope ?? REGISTRY_SCOPE;
    const entry = byScope.get(scopeKey(scope)) ?? { scope, metrics: [] };
    byScope.set(scopeKey(scope), entry);
    entry.metrics.push(metricOf(shown.family, dataPoints, conversion));
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

async function pointsOf(
  { family, series }: ShownFamily,
  conversion: Conversion,
  slices: Slices,
): Promise<Point<HistogramValue>[]> {
  const settings = conversion.settingsOf(family);
  const convert = (one: SeriesSnapshot): HistogramValue =>
    conversion.format === 'exponential'
      ? toExponential(one, family, settings.maxSize, settings.maxScale)
      : toExplicit(one, family, settings.boundaries);
  const kept = conversion.kept?.of(family);
  const endTime = hrTime(conversion.timeMs);
  const points: Point<HistogramValue>[] = [];
  let place = 0;
  for (const one of series) {
    const value = kept === undefined ? convert(one) : kept.valueAt(place++, one, convert);
    // A series that only rejected values has counted none.
    if (value.count > 0) points.push(pointOf(one, value, endTime));
    if (slices.isOver()) await slices.next();
  }
  return points;
}

function pointOf(
  { startTimeMs, attributes, exemplars }: SeriesSnapshot,
  value: HistogramValue,
  endTime: HrTime,
): Point<HistogramValue> {
  const startTime = hrTime(startTimeMs);
  // The attributes of a series are frozen, so readers may share them.
  const point = { startTime, endTime, attributes: attributes as Point<HistogramValue>['attributes'], value };
  return exemplars.length === 0 ? point : { ...point, exemplars };
}

function metricOf(
  family: FamilySnapshot,
  dataPoints: Point<HistogramValue>[],
  { format, temporality, settingsOf }: Conversion,
): HistogramMetric {
  const { name, description, unit } = family;
  const { valueType } = settingsOf(family);
  return {
    descriptor: { name, description, unit, type: HISTOGRAM_INSTRUMENT, valueType, advice: {} },
    aggregationTemporality: temporality,
    dataPointType: format === 'exponential' ? PointType.EXPONENTIAL_HISTOGRAM : PointType.HISTOGRAM,
    dataPoints,
  };
}

function hrTime(unixMs: number): HrTime {
  const seconds = Math.floor(unixMs / 1000);
  return [seconds, Math.round((unixMs - seconds * 1000) * 1e6)];
}
