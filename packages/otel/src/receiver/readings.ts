import {
  type Attributes,
  type CounterState,
  canonicalText,
  type FamilyOptions,
  type Reading,
} from '@hdrscope/registry';
import { countedPoint } from './counted-point.ts';
import type { ReceiverSettings } from './options.ts';
import { type PointRefusal, refusalOf } from './point-refusal.ts';
import type {
  ExplicitPoint,
  ExponentialPoint,
  ReceivedMetric,
  ReceivedPoint,
  Temporality,
} from './received.ts';

/** Takes note that points of a metric are refused. */
type Refuse = (metricName: string, refusal: PointRefusal, pointCount?: number) => void;

/** Makes readings of the points of a request. Points that are refused go to `refuse`. */
export function* readingsOf(
  metrics: readonly ReceivedMetric[],
  settings: ReceiverSettings,
  refuse: Refuse,
): Generator<Reading, void, undefined> {
  const nowMs = settings.clock.nowMs();
  let resource: Resource | undefined;
  for (const metric of metrics) {
    const { data, name, scope, unit } = metric;
    if (resource?.attributes !== metric.resource) resource = resourceOf(metric.resource, settings);
    if (data.kind === 'other') {
      if (data.pointCount > 0) refuse(name, NO_HISTOGRAM, data.pointCount);
      continue;
    }
    const { kind, temporality } = data;
    const family = familyOf(metric, temporality, settings);
    const identity = JSON.stringify([scope.name, scope.version, name.toLowerCase(), unit, kind, temporality]);
    for (const point of data.points) {
      if (point.isEmpty) continue;
      if ('reason' in family) {
        refuse(name, family);
        continue;
      }
      const refusal = refusalOf(point);
      if (refusal !== undefined) {
        refuse(name, refusal);
        continue;
      }
      const key = `${identity}${resource.identity}${canonicalText(point.attributes)}`;
      const attributes = { ...resource.identifying, ...point.attributes };
      const counter = counterOf(point, temporality, nowMs);
      yield { key, family, attributes, ...factsOf(point), counter };
    }
  }
}

/** The part of a metric's context that its resource determines. */
interface Resource {
  readonly attributes: Attributes;
  /** The attributes of the resource that its series have too. */
  readonly identifying: Attributes;
  /** Made of all attributes: the streams of two processes must not be mistaken for one. */
  readonly identity: string;
}

function resourceOf(attributes: Attributes, { resourceAttributes }: ReceiverSettings): Resource {
  const keys = resourceAttributes.filter((key) => Object.hasOwn(attributes, key));
  const identifying = Object.fromEntries(keys.map((key) => [key, attributes[key]]));
  return { attributes, identifying, identity: canonicalText(attributes) };
}

const NO_HISTOGRAM: PointRefusal = {
  reason: 'notHistogram',
  message: 'is not a histogram: only histograms are accepted',
};
const NO_NAME: PointRefusal = { reason: 'malformed', message: 'has no name' };
const NO_TEMPORALITY: PointRefusal = { reason: 'malformed', message: 'is neither delta nor cumulative' };

/** Returns the family of a metric, or the reason to refuse its points. */
function familyOf(
  { name, unit, description, scope }: ReceivedMetric,
  temporality: Temporality,
  { familyOptions }: ReceiverSettings,
): FamilyOptions | PointRefusal {
  if (name === '') return NO_NAME;
  if (temporality === undefined) return NO_TEMPORALITY;
  const hasScope = scope.name !== '' || scope.version !== '';
  try {
    return {
      name,
      unit,
      description,
      ...(hasScope && { scope: scope.version === '' ? { name: scope.name } : scope }),
      ...familyOptions({ name, unit, description, scope }),
    };
  } catch (error) {
    return { reason: 'conflicting', message: `has no family, because familyOptions failed: ${error}` };
  }
}

/** The counts of a checked point, and the sender's statements about its values. */
function factsOf(
  point: ExplicitPoint | ExponentialPoint,
): Pick<Reading, 'counted' | 'sum' | 'min' | 'max' | 'within'> {
  const { count, sum, min, max } = point;
  const counted = countedPoint(point);
  // The extremes of a point without values are not checked.
  if (count === 0) return { counted };
  // The lowest bucket is open downwards. Without a minimum it has no negative values, unless all of its values are negative.
  const least = 'bounds' in point && point.bounds[0]! >= 0 ? 0 : undefined;
  return { counted, sum, min, max, within: { min: min ?? least, max } };
}

function counterOf(
  { startNs, timeNs }: ReceivedPoint,
  temporality: Temporality,
  nowMs: number,
): CounterState {
  // A sender's clock may be ahead.
  const startTimeMs = startNs === 0n ? undefined : Math.min(Number(startNs / 1_000_000n), nowMs);
  const isTimed = timeNs !== 0n;
  if (temporality === 'delta') {
    // Both times together identify a point of a delta stream.
    return { temporality, startTimeMs, sequence: isTimed ? (startNs << 64n) | timeNs : undefined };
  }
  return { epoch: `${startNs}`, startTimeMs, sequence: isTimed ? timeNs : undefined };
}
