import { integer, number, type OptionRules, readOptions, withDefault } from '@hdrscope/core/internal';
import { splitMs } from '@hdrscope/kit';
import { type Attributes, type Clock, systemClock } from '@hdrscope/registry';
import { canonicalText, clock as clockRule } from '@hdrscope/registry/internal';
import type { PointRefusal } from './point-refusal.ts';
import type { MetricIdentity, NumberPoint, ReceivedData } from './received.ts';

/** Options of `numberStates`. */
export interface NumberStatesOptions {
  /** How many streams are kept: an integer of at least 1. Points of further streams are refused. @default 10000 */
  readonly maxStreams?: number | undefined;
  /** How long the state of a stream stays without new points, in milliseconds: above 0. @default 300000, five minutes */
  readonly expireAfterMs?: number | undefined;
  /** Reads the time. @default the clock of the runtime */
  readonly clock?: Clock | undefined;
}

/** The last states of sums and gauges that receivers got. */
export interface NumberStates {
  /** The states as metrics of an OpenTelemetry SDK, for example for `convertResourceMetrics` of `@hdrscope/prometheus`. */
  metrics(): NumberMetrics;
  /** How many streams there are. */
  readonly streams: number;
  /** @internal Takes a point. */
  take(point: StatePoint): PointRefusal | undefined;
}

/** The part of `ResourceMetrics` of the SDK that sums and gauges need. Sums are cumulative. The resource has no attributes. */
export interface NumberMetrics {
  /** Present because exporters read it. Its attributes are empty. */
  readonly resource: { readonly attributes: Attributes };
  /** The metrics by the library that made them. */
  readonly scopeMetrics: readonly {
    readonly scope: { readonly name: string; readonly version?: string };
    readonly metrics: readonly NumberMetric[];
  }[];
}

/** A sum or a gauge. */
export interface NumberMetric {
  /** Name, UCUM unit and description, as received; `''` where the sender states no unit or description. */
  readonly descriptor: { readonly name: string; readonly unit: string; readonly description: string };
  /** `CUMULATIVE` of the SDK. */
  readonly aggregationTemporality: 1;
  /** `GAUGE` or `SUM` of the SDK. */
  readonly dataPointType: 2 | 3;
  /** Whether the sum only rises. `false` for gauges. */
  readonly isMonotonic: boolean;
  /** The latest state of each series. Times are seconds since 1970 and the nanoseconds of the last second. */
  readonly dataPoints: readonly {
    readonly startTime: readonly [seconds: number, nanoseconds: number];
    readonly endTime: readonly [seconds: number, nanoseconds: number];
    readonly attributes: Attributes;
    readonly value: number;
  }[];
}

/** A point with all that identifies its series and its stream. */
export interface StatePoint {
  readonly metric: MetricIdentity;
  readonly data: Pick<Extract<ReceivedData, { kind: 'number' }>, 'isSum' | 'isMonotonic' | 'temporality'>;
  readonly attributes: Attributes;
  /** Names the sender, so that two that share a series are not mistaken for one. */
  readonly sender: string;
  readonly point: NumberPoint;
}

const NUMBER_STATES = {
  name: 'numberStates',
  rules: {
    maxStreams: withDefault(integer({ from: 1 }), 10_000),
    expireAfterMs: withDefault(number({ above: 0, to: Number.POSITIVE_INFINITY }), 300_000),
    clock: withDefault(clockRule, systemClock),
  } satisfies OptionRules<NumberStatesOptions>,
  call: 'numberStates({ maxStreams: 1000 })',
};

/** The last state of a series that one sender has reported. */
interface Stream {
  timeNs: bigint;
  value: number;
  seenMs: number;
}

interface Series {
  readonly attributes: Attributes;
  readonly streams: Map<string, Stream>;
  /** The sum of all lives of counters that have ended. */
  ended: number;
  /** When the first of its streams began, in milliseconds since 1970. It stays when that stream ends, as its counts do. */
  startMs: number;
}

interface Metric extends Pick<StatePoint, 'data'> {
  readonly identity: MetricIdentity;
  readonly series: Map<string, Series>;
}

/**
 * Makes a place where receivers keep the last states of sums and gauges: the option `numbers` of a receiver. Several receivers may
 * share it, also one after the other.
 *
 * The series of several senders with equal attributes are one: sums are added up, and the latest value of a gauge counts. A counter that
 * falls, or starts again, goes on from where it was. Deltas are added to what came before. A stream without points for `expireAfterMs`
 * goes; what it counted stays in its series while another stream goes on with it, so a sender must report more often than that.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { numberStates, serveOtlp } from '@hdrscope/otel/receiver';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const numbers = numberStates();
 * const otlp = await serveOtlp(createRegistry(), { port: 0, numbers });
 * const dataPoints = [{ timeUnixNano: '1', asInt: '3' }];
 * const metrics = [{ name: 'orders', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints } }];
 * await fetch(`http://localhost:${otlp.port}/v1/metrics`, {
 *   method: 'POST',
 *   headers: { 'content-type': 'application/json' },
 *   body: JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] }),
 * });
 * const [scope] = numbers.metrics().scopeMetrics;
 * scope!.metrics[0]!.dataPoints[0]!.value; //=> 3
 * await otlp.close();
 * ```
 */
export function numberStates(options: NumberStatesOptions = {}): NumberStates {
  const { maxStreams, expireAfterMs, clock } = readOptions(options, NUMBER_STATES);
  const metrics = new Map<string, Metric>();
  let streams = 0;
  let expiredMs = Number.NEGATIVE_INFINITY;

  function expire(nowMs: number): void {
    expiredMs = nowMs;
    for (const [key, metric] of metrics) {
      for (const [text, series] of metric.series) {
        streams -= expireStreams(series, metric.data, nowMs - expireAfterMs);
        if (series.streams.size === 0) metric.series.delete(text);
      }
      if (metric.series.size === 0) metrics.delete(key);
    }
  }

  return {
    get streams() {
      return streams;
    },
    take({ metric: identity, data, attributes, sender, point }) {
      const refusal = refusalOf(point.value, data);
      if (refusal !== undefined) return refusal;
      const nowMs = clock.nowMs();
      // At most once in a tenth of the time: each look goes through all streams.
      if (streams >= maxStreams && nowMs - expiredMs > expireAfterMs / 10) expire(nowMs);
      const key = keyOf(identity, data);
      const text = canonicalText(attributes);
      const stream = streamOf(sender, data, point);
      const known = metrics.get(key)?.series.get(text);
      const before = known?.streams.get(stream);
      if (known !== undefined && before !== undefined) {
        update(known, before, point, data, nowMs);
        return undefined;
      }
      if (streams >= maxStreams) return TOO_MANY_STREAMS;
      const metric = metrics.get(key) ?? newMetric(identity, data);
      metrics.set(key, metric);
      const { startNs, timeNs, value = 0 } = point;
      const startMs = startNs === 0n ? nowMs : Number(startNs / 1_000_000n);
      const series = known ?? {
        attributes: withValues(attributes),
        streams: new Map<string, Stream>(),
        ended: 0,
        startMs,
      };
      series.startMs = Math.min(series.startMs, startMs);
      metric.series.set(text, series);
      series.streams.set(stream, { timeNs, value, seenMs: nowMs });
      streams++;
      return undefined;
    },
    metrics() {
      const nowMs = clock.nowMs();
      expire(nowMs);
      const byScope = new Map<string, { scope: MetricIdentity['scope']; metrics: NumberMetric[] }>();
      for (const metric of metrics.values()) {
        const { scope } = metric.identity;
        const text = JSON.stringify([scope.name, scope.version]);
        const entry = byScope.get(text) ?? { scope, metrics: [] };
        byScope.set(text, entry);
        entry.metrics.push(shown(metric, nowMs));
      }
      return { resource: { attributes: {} }, scopeMetrics: [...byScope.values()] };
    },
  };
}

function withValues(attributes: Attributes): Attributes {
  return Object.fromEntries(Object.entries(attributes).filter(([, value]) => value !== undefined));
}

/** Copies what it keeps: the metric of a request has all of its points. */
function newMetric({ name, unit, description, scope }: MetricIdentity, data: StatePoint['data']): Metric {
  const { isSum, isMonotonic, temporality } = data;
  return {
    identity: { name, unit, description, scope: { name: scope.name, version: scope.version } },
    data: { isSum, isMonotonic, temporality },
    series: new Map(),
  };
}

/** Each life of a counter is a stream, because two processes may have equal resources, and report in turns. */
function streamOf(
  sender: string,
  { isMonotonic, temporality }: StatePoint['data'],
  { startNs }: NumberPoint,
): string {
  return isMonotonic && temporality === 'cumulative' ? `${sender} ${startNs}` : sender;
}

/** Metrics that differ in their kind or unit stay apart, as those of other names do. */
function keyOf({ scope, name, unit }: MetricIdentity, { isSum, isMonotonic }: StatePoint['data']): string {
  return JSON.stringify([scope.name, scope.version, name.toLowerCase(), unit, isSum, isMonotonic]);
}

function update(
  series: Series,
  stream: Stream,
  { timeNs, value = 0 }: NumberPoint,
  { isSum, isMonotonic, temporality }: StatePoint['data'],
  nowMs: number,
): void {
  stream.seenMs = nowMs;
  // Points without a time count in the order in which they come.
  if (timeNs !== 0n && timeNs <= stream.timeNs) return;
  if (isSum && temporality === 'delta') stream.value += value;
  else {
    // A counter that begins again without another start time.
    if (isMonotonic && value < stream.value) series.ended += stream.value;
    stream.value = value;
  }
  stream.timeNs = timeNs;
}

/** Removes the streams that were seen last before a time, and returns how many. */
function expireStreams(series: Series, { isMonotonic }: StatePoint['data'], beforeMs: number): number {
  let removed = 0;
  for (const [sender, { seenMs, value }] of series.streams) {
    if (seenMs >= beforeMs) continue;
    if (isMonotonic) series.ended += value;
    series.streams.delete(sender);
    removed++;
  }
  return removed;
}

function shown({ identity, data, series }: Metric, nowMs: number): NumberMetric {
  const { name, unit, description } = identity;
  return {
    descriptor: { name, unit, description },
    aggregationTemporality: 1,
    dataPointType: data.isSum ? 3 : 2,
    isMonotonic: data.isMonotonic,
    dataPoints: [...series.values()].map(({ attributes, streams, ended, startMs }) => {
      const all = [...streams.values()];
      const latest = all.reduce((one, other) => (isLater(other, one) ? other : one));
      const value = data.isSum ? all.reduce((sum, one) => sum + one.value, ended) : latest.value;
      return {
        startTime: splitMs(Math.min(startMs, nowMs)),
        endTime: splitMs(nowMs),
        attributes,
        value,
      };
    }),
  };
}

/** Points of one time, and those without a time, count in the order in which they came. */
function isLater(one: Stream, other: Stream): boolean {
  return one.timeNs === other.timeNs ? one.seenMs > other.seenMs : one.timeNs > other.timeNs;
}

function refusalOf(
  value: number | undefined,
  { isSum, isMonotonic, temporality }: StatePoint['data'],
): PointRefusal | undefined {
  if (value === undefined) return { reason: 'malformed', message: 'has no value' };
  if (!isSum) return undefined;
  if (temporality === undefined) {
    return { reason: 'malformed', message: 'is neither delta nor cumulative' };
  }
  if (!Number.isFinite(value)) return { reason: 'malformed', message: `is a sum of ${value}` };
  if (isMonotonic && value < 0) return { reason: 'malformed', message: `only grows, and has ${value}` };
  return undefined;
}

const TOO_MANY_STREAMS: PointRefusal = {
  reason: 'tooManyStreams',
  message: 'has a new series, and there are as many as maxStreams of the states allows',
};
