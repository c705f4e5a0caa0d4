import { Slices } from '@hdrscope/kit';
import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import type { KeptPoints, PointKind } from './kept-points.ts';
import type { MetricSettings } from './metric-settings.ts';
import { hrTime, pointOf, shownValue } from './point.ts';
import {
  HISTOGRAM_INSTRUMENT,
  type HistogramMetric,
  type HistogramValue,
  type MetricScope,
  type Point,
  type ScopeMetrics,
  scopeKey,
} from './sdk.ts';

/** The scope of families that no instrument made. */
const REGISTRY_SCOPE: MetricScope = { name: '@hdrscope/registry' };

/** Series of a family: all of them, or those that have changed. */
export interface ShownFamily {
  readonly family: FamilySnapshot;
  readonly series: Iterable<SeriesSnapshot>;
}

/** A kind of histogram. */
export interface KeptKind<Value extends HistogramValue = HistogramValue> {
  readonly kind: PointKind<Value>;
  /** What earlier collections made, where all series of each family are converted; left out when nothing is kept. */
  readonly kept?: KeptPoints<Value>;
}

/** How series become metrics. */
export interface Conversion<Value extends HistogramValue> {
  kindOf(settings: MetricSettings): KeptKind<Value>;
  readonly temporality: number;
  /** The time of the snapshot, in milliseconds since 1970. */
  readonly timeMs: number;
  settingsOf(family: FamilySnapshot): MetricSettings;
}

/** Converts series to OpenTelemetry metrics, grouped by scope. Other work runs in between. */
export async function toScopeMetrics<Value extends HistogramValue>(
  families: Iterable<ShownFamily>,
  conversion: Conversion<Value>,
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
    return { ...one, metrics: mergeMetrics(one.metrics, same.metrics) };
  });
  return [...merged, ...rest.values()];
}

type Metrics = ScopeMetrics['metrics'];

/**
 * Adds histograms behind other metrics, and before histograms of the same name: an instrument that the registry refused is counted by
 * the SDK, and an exporter that keeps the first of two metrics of one name must keep the added one.
 */
function mergeMetrics(into: Metrics, added: Metrics): Metrics {
  const names = new Set(added.map(({ descriptor }) => descriptor.name.toLowerCase()));
  const isRefused = ({ descriptor: { name, type } }: Metrics[number]): boolean =>
    type === HISTOGRAM_INSTRUMENT && names.has(name.toLowerCase());
  return [...into.filter((metric) => !isRefused(metric)), ...added, ...into.filter(isRefused)];
}

async function pointsOf<Value extends HistogramValue>(
  { family, series }: ShownFamily,
  { kindOf, timeMs, settingsOf }: Conversion<Value>,
  slices: Slices,
): Promise<Point<HistogramValue>[]> {
  const settings = settingsOf(family);
  const { kind, kept } = kindOf(settings);
  const endTime = hrTime(timeMs);
  const convert =
    kept?.begin(family, settings, endTime) ??
    ((state: SeriesSnapshot) =>
      pointOf(state, shownValue(kind.valueOf(state, family, settings), settings), endTime));
  const points: Point<HistogramValue>[] = [];
  for (const state of series) {
    const point = convert(state);
    if (point !== undefined) points.push(point);
    if (slices.isOver()) await slices.next();
  }
  return points;
}

function metricOf<Value extends HistogramValue>(
  family: FamilySnapshot,
  dataPoints: Point<HistogramValue>[],
  { kindOf, temporality, settingsOf }: Conversion<Value>,
): HistogramMetric {
  const { name, description, unit } = family;
  const settings = settingsOf(family);
  const { valueType, advice } = settings;
  return {
    descriptor: { name, description, unit, type: HISTOGRAM_INSTRUMENT, valueType, advice },
    aggregationTemporality: temporality,
    dataPointType: kindOf(settings).kind.type,
    dataPoints,
  };
}
