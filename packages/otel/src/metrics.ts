import type { Steps } from '@hdrscope/kit';
import {
  type CurrentState,
  countInexact,
  countsWithin,
  type FamilyFacts,
  INEXACT_VALUES,
  isLive,
  readState,
  type Shown,
} from '@hdrscope/registry/internal';
import type { KeptPoints, PointKind, Showing } from './kept-points.ts';
import type { MetricSettings } from './metric-settings.ts';
import { hrTime, pointOf, shownValue } from './point.ts';
import {
  DOUBLE_VALUES,
  GAUGE_INSTRUMENT,
  type GaugeMetric,
  HISTOGRAM_INSTRUMENT,
  type HistogramMetric,
  type HistogramValue,
  type MetricScope,
  type Point,
  PointType,
  type ScopeMetrics,
  type SumMetric,
  scopeKey,
} from './sdk.ts';
import { withinMetric, withinPoints } from './within.ts';

/** The scope of families that no instrument made. */
const REGISTRY_SCOPE: MetricScope = { name: '@hdrscope/registry' };

/** Series of a family. */
export interface FamilySeries {
  readonly family: FamilyFacts;
  /** All of them, or those that have changed. */
  readonly series: Iterable<Shown>;
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
  settingsOf(family: FamilyFacts): MetricSettings;
}

type AnyMetric = HistogramMetric | GaugeMetric | SumMetric;

/**
 * Converts series to OpenTelemetry metrics, grouped by scope. A family that states thresholds has a counter beside its histogram: see
 * `withinMetric`. If values came in wide buckets, a gauge states for each family how many of those in its points may be in a wrong bucket,
 * since points have no widths.
 */
export function* toScopeMetrics<Value extends HistogramValue>(
  families: Iterable<FamilySeries>,
  conversion: Conversion<Value>,
): Steps<ScopeMetrics[]> {
  const byScope = new Map<string, { scope: MetricScope; metrics: AnyMetric[] }>();
  const add = (scope: MetricScope, metric: AnyMetric): void => {
    const entry = byScope.get(scopeKey(scope)) ?? { scope, metrics: [] };
    byScope.set(scopeKey(scope), entry);
    entry.metrics.push(metric);
  };
  const inexact = new Map<string, number>();
  for (const shown of families) {
    const { points, within, inexactCount } = yield* pointsOf(shown, conversion);
    if (points.length === 0) continue;
    const { family } = shown;
    const scope = family.scope ?? REGISTRY_SCOPE;
    add(scope, metricOf(family, points, conversion));
    if (within.length > 0) add(scope, withinMetric(family, within, conversion.temporality));
    if (inexactCount > 0) inexact.set(family.name, (inexact.get(family.name) ?? 0) + inexactCount);
  }
  if (inexact.size > 0) add(REGISTRY_SCOPE, gaugeOf(inexact, conversion));
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

function* pointsOf<Value extends HistogramValue>(
  { family, series }: FamilySeries,
  { kindOf, timeMs, settingsOf }: Conversion<Value>,
): Steps<{
  readonly points: Point<HistogramValue>[];
  readonly within: Point<number>[];
  readonly inexactCount: number;
}> {
  const settings = settingsOf(family);
  const { kind, kept } = kindOf(settings);
  const endTime = hrTime(timeMs);
  const showing = kept?.begin(family, settings) ?? converting(kind, family, settings);
  const hasThresholds = family.statedThresholds.length > 0;
  const points: Point<HistogramValue>[] = [];
  const within: Point<number>[] = [];
  let inexactCount = 0;
  let place = 0;
  for (const shown of series) {
    // Since the list of them was made.
    const hasEnded = isLive(shown) && shown.hasEnded;
    if (!hasEnded) {
      const point = showing.pointAt(place, shown, endTime);
      if (point !== undefined) {
        points.push(point);
        if (hasThresholds) {
          for (const one of withinPoints(family, point, showing.withinAt(place))) within.push(one);
        }
      }
      inexactCount += showing.inexactAt(place);
    }
    place++;
    yield;
  }
  showing.end(place);
  return { points, within, inexactCount };
}

/** Converts each series anew. */
function converting<Value extends HistogramValue>(
  kind: PointKind<Value>,
  family: FamilyFacts,
  settings: MetricSettings,
): Showing<Value> {
  let state: CurrentState;
  return {
    pointAt(_, shown, endTime) {
      state = readState(shown);
      return pointOf(state, shownValue(kind.valueOf(state, family, settings), settings), endTime);
    },
    withinAt: () => countsWithin(family, state),
    inexactAt: () => countInexact(state),
    end() {},
  };
}

/** @param counts By family. */
function gaugeOf<Value extends HistogramValue>(
  counts: ReadonlyMap<string, number>,
  { temporality, timeMs }: Conversion<Value>,
): GaugeMetric {
  const { name, description } = INEXACT_VALUES;
  const time = hrTime(timeMs);
  const type = GAUGE_INSTRUMENT;
  return {
    descriptor: { name, description, unit: '', type, valueType: DOUBLE_VALUES, advice: {} },
    aggregationTemporality: temporality,
    dataPointType: PointType.GAUGE,
    dataPoints: [...counts].map(([family, value]) => ({
      startTime: time,
      endTime: time,
      attributes: { family },
      value,
    })),
  };
}

function metricOf<Value extends HistogramValue>(
  family: FamilyFacts,
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
