import { createHash } from 'node:crypto';
import type { Attributes, Exemplar, FamilyOptions, Reading } from '@hdrscope/registry';
import { type CounterState, canonicalText } from '@hdrscope/registry/internal';
import { countedPoint } from './counted-point.ts';
import type { ReadingSettings } from './options.ts';
import { type PointRefusal, refusalOf } from './point-refusal.ts';
import type {
  ExplicitPoint,
  ExponentialPoint,
  ReceivedMetric,
  ReceivedPoint,
  ReceivedScope,
  Temporality,
} from './received.ts';

/** Takes note that points of a metric are refused. */
type Refuse = (metricName: string, refusal: PointRefusal, pointCount?: number) => void;

// One text of a request can belong to all of its points. Without limits, each point would cost as much as the whole request.
const LONGEST_NAME = 1024;
const LONGEST_TEXT = 16_384;

/**
 * Makes readings of the points of a request, and `undefined` for each point and each metric without a reading. Points that are refused
 * go to `refuse`.
 */
export function* readingsOf(
  metrics: readonly ReceivedMetric[],
  settings: ReadingSettings,
  refuse: Refuse,
): Generator<Reading | undefined, void, undefined> {
  const nowMs = settings.clock.nowMs();
  let resource: Resource | undefined;
  let scope: ScopeOfMetrics | undefined;
  for (const metric of metrics) {
    yield;
    const { data, name, unit } = metric;
    if (resource?.attributes !== metric.resource) resource = resourceOf(metric.resource, settings);
    if (scope?.scope !== metric.scope) scope = scopeOf(metric.scope);
    if (data.kind === 'other') {
      const refusal = settings.numbers === undefined ? NO_HISTOGRAM : SUMMARY;
      if (data.pointCount > 0) refuse(name, refusal, data.pointCount);
      continue;
    }
    if (data.kind === 'number') {
      yield* keepNumbers(metric, data, resource, scope, settings, refuse);
      continue;
    }
    const { kind, temporality } = data;
    const family = resource.refusal ?? scope.refusal ?? familyOf(metric, temporality, settings);
    const names = 'reason' in family ? [] : [name.toLowerCase(), unit, kind, temporality];
    const identity = `${scope.identity}${JSON.stringify(names)}${resource.identity}`;
    for (const point of data.points) {
      if (point.isEmpty) {
        yield;
        continue;
      }
      if ('reason' in family) {
        refuse(name, family);
        yield;
        continue;
      }
      const refusal = refusalOf(point);
      if (refusal !== undefined) {
        refuse(name, refusal);
        yield;
        continue;
      }
      const text = canonicalText(point.attributes);
      if (text.length > LONGEST_TEXT) {
        refuse(name, LONG_ATTRIBUTES);
        yield;
        continue;
      }
      const key = `${identity}${text}`;
      const attributes = { ...resource.identifying, ...point.attributes };
      yield readingOf(point, { key, family, attributes }, temporality, nowMs);
    }
  }
}

/** Hands the points of a sum or a gauge to the states of the receiver, if it has some. Yields after each. */
function* keepNumbers(
  metric: ReceivedMetric,
  data: Extract<ReceivedMetric['data'], { kind: 'number' }>,
  resource: Resource,
  scope: ScopeOfMetrics,
  { numbers }: ReadingSettings,
  refuse: Refuse,
): Generator<undefined, void, undefined> {
  if (numbers === undefined) {
    const { length } = data.points;
    if (length > 0) refuse(metric.name, NO_HISTOGRAM, length);
    return;
  }
  const refused = resource.refusal ?? scope.refusal ?? refusalOfNames(metric);
  for (const point of data.points) {
    yield;
    if (point.isEmpty) continue;
    const isLong = canonicalText(point.attributes).length > LONGEST_TEXT;
    const refusal =
      refused ??
      (isLong ? LONG_ATTRIBUTES : undefined) ??
      numbers.take({
        metric,
        data,
        attributes: { ...resource.identifying, ...point.attributes },
        sender: resource.identity,
        point,
      });
    if (refusal !== undefined) refuse(metric.name, refusal);
  }
}

/** The part of a metric's context that its resource determines. */
interface Resource {
  readonly attributes: Attributes;
  /** The attributes of the resource that its series have too. */
  readonly identifying: Attributes;
  /** Made of all attributes: the streams of two processes must not be mistaken for one. */
  readonly identity: string;
  /** Why all points of the resource are refused. */
  readonly refusal: PointRefusal | undefined;
}

function resourceOf(attributes: Attributes, { resourceAttributes }: ReadingSettings): Resource {
  const keys = resourceAttributes.filter((key) => Object.hasOwn(attributes, key));
  const identifying = Object.fromEntries(keys.map((key) => [key, attributes[key]]));
  const isLong = canonicalText(identifying).length > LONGEST_TEXT;
  const refusal = isLong ? LONG_ATTRIBUTES : undefined;
  return { attributes, identifying, identity: digestOf(canonicalText(attributes)), refusal };
}

/** The part of a metric's context that its scope determines. */
interface ScopeOfMetrics {
  readonly scope: ReceivedScope;
  readonly identity: string;
  /** Why all points of the scope are refused. */
  readonly refusal: PointRefusal | undefined;
}

function scopeOf(scope: ReceivedScope): ScopeOfMetrics {
  const { name, version } = scope;
  if (name.length > LONGEST_NAME || version.length > LONGEST_NAME) {
    return { scope, identity: '', refusal: LONG_NAME };
  }
  return { scope, identity: JSON.stringify([name, version]), refusal: undefined };
}

/** A long text as one of 64 characters, because the key of each stream of the resource contains it. */
function digestOf(text: string): string {
  return text.length <= LONGEST_KEPT ? text : createHash('sha256').update(text).digest('hex');
}

const LONGEST_KEPT = 64;

const NO_HISTOGRAM: PointRefusal = {
  reason: 'notHistogram',
  message: 'is not a histogram: only histograms are accepted',
};
const SUMMARY: PointRefusal = {
  reason: 'notHistogram',
  message: 'is a summary: only histograms, sums and gauges are accepted',
};
const LONG_NAME: PointRefusal = {
  reason: 'malformed',
  message: `has a name, a unit or a scope of more than ${LONGEST_NAME} characters`,
};
const LONG_DESCRIPTION: PointRefusal = {
  reason: 'malformed',
  message: `has a description of more than ${LONGEST_TEXT} characters`,
};
const LONG_ATTRIBUTES: PointRefusal = {
  reason: 'malformed',
  message: `has attributes of more than ${LONGEST_TEXT} characters`,
};
const NO_NAME: PointRefusal = { reason: 'malformed', message: 'has no name' };
const NO_TEMPORALITY: PointRefusal = { reason: 'malformed', message: 'is neither delta nor cumulative' };

function refusalOfNames({
  name,
  unit,
  description,
}: Pick<ReceivedMetric, 'name' | 'unit' | 'description'>): PointRefusal | undefined {
  if (name === '') return NO_NAME;
  if (name.length > LONGEST_NAME || unit.length > LONGEST_NAME) return LONG_NAME;
  return description.length > LONGEST_TEXT ? LONG_DESCRIPTION : undefined;
}

/** Returns the family of a metric, or the reason to refuse its points. */
function familyOf(
  { name, unit, description, scope }: ReceivedMetric,
  temporality: Temporality,
  { familyOptions }: ReadingSettings,
): FamilyOptions | PointRefusal {
  const refusal = refusalOfNames({ name, unit, description });
  if (refusal !== undefined) return refusal;
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

/** The reading of a checked point: its counts, and the sender's statements about its values. */
function readingOf(
  point: ExplicitPoint | ExponentialPoint,
  { key, family, attributes }: Pick<Reading, 'key' | 'family' | 'attributes'>,
  temporality: Temporality,
  nowMs: number,
): Reading {
  const counted = countedPoint(point);
  const exemplars = exemplarsOf(point, nowMs);
  const counter = counterOf(point, temporality, nowMs);
  const { count, sum, min, max } = point;
  // The extremes of a point without values are not checked.
  if (count === 0) return { key, family, attributes, counted, exemplars, counter };
  // The lowest bucket is open downwards. Without a minimum it has no negative values, unless all of its values are negative.
  const least = 'bounds' in point && point.bounds[0]! >= 0 ? 0 : undefined;
  const within = { min: min ?? least, max };
  return { key, family, attributes, counted, sum, min, max, within, exemplars, counter };
}

/** The exemplars that a series can have. */
function exemplarsOf({ exemplars, timeNs }: ReceivedPoint, nowMs: number): readonly Exemplar[] | undefined {
  if (exemplars.length === 0) return undefined;
  return exemplars
    .filter(
      ({ value, attributes }) =>
        value >= 0 && Number.isFinite(value) && canonicalText(attributes).length <= LONGEST_TEXT,
    )
    .map(({ value, attributes, ...own }) => {
      const unixNs = own.timeNs === 0n ? timeNs : own.timeNs;
      const unixMs = Number(unixNs / 1_000_000n) + Number(unixNs % 1_000_000n) / 1e6;
      // A series keeps the latest ones, so a clock that is ahead must not make one stay.
      return { value, attributes, timeMs: Math.min(unixMs, nowMs) };
    });
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
