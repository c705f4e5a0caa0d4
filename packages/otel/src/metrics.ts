import { Slices } from '@hdrscope/kit';
import type { FamilySnapshot, SeriesSnapshot } from '@hdrscope/registry';
import type { HrTime } from '@opentelemetry/api';
import type { KeptValues, PointKind } from './kept-values.ts';
import type { MetricSettings } from './metric-settings.ts';
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
  /** The values of earlier collections, where all series of each family are converted; left out when no values are kept. */
  readonly kept?: KeptValues<Value>;
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
    return { ...one, metrics: [...one.metrics, ...same.metrics] };
  });
  return [...merged, ...rest.values()];
}

async function pointsOf<Value extends HistogramValue>(
  { family, series }: ShownFamily,
  { kindOf, timeMs, settingsOf }: Conversion<Value>,
  slices: Slices,
): Promise<Point<HistogramValue>[]> {
  const settings = settingsOf(family);
  const { kind, kept } = kindOf(settings);
  const convert =
    kept?.begin(family, settings) ?? ((state: SeriesSnapshot) => kind.valueOf(state, family, settings));
  const endTime = hrTime(timeMs);
  const points: Point<HistogramValue>[] = [];
  for (const state of series) {
    const whole = convert(state);
    const value = settings.hasMinMax ? whole : withoutMinMax(whole);
    // A series that only rejected values has counted none.
    if (value.count > 0) points.push(pointOf(state, value, endTime));
    if (slices.isOver()) await slices.next();
  }
  return points;
}

function withoutMinMax({ min: _, max: __, ...value }: HistogramValue): HistogramValue {
  return value;
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

// Many series begin in the same millisecond, and a time takes more memory than a point.
let lastMs = Number.NaN;
let lastTime: HrTime = [0, 0];

function hrTime(unixMs: number): HrTime {
  if (unixMs !== lastMs) {
    lastMs = unixMs;
    lastTime = newTime(unixMs);
  }
  return lastTime;
}

function newTime(unixMs: number): HrTime {
  const seconds = Math.floor(unixMs / 1000);
  return [seconds, Math.round((unixMs - seconds * 1000) * 1e6)];
}
