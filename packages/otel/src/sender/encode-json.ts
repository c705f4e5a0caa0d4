import type { Exemplar } from '@hdrscope/registry';
import type { HrTime } from '@opentelemetry/api';
import { hrTime } from '../point.ts';
import {
  type ExplicitHistogramValue,
  type ExponentialHistogramValue,
  type Point,
  PointType,
  Temporality,
} from '../sdk.ts';
import { traceLinkOf } from '../trace-link.ts';
import { type Encoding, type Frame, type Item, isInt64, type MetricFacts, nanoseconds } from './encoding.ts';

/**
 * JSON, as https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding has it: names in lower camel case, integers of 64 bits as
 * text, ids in hexadecimal digits.
 */
export const JSON_ENCODING: Encoding = {
  contentType: 'application/json',
  resource: (attributes) =>
    frame(
      `{"resourceMetrics":[{"resource":${JSON.stringify({ attributes: attributesOf(attributes) })},"scopeMetrics":[`,
      ']}]}',
    ),
  scope: ({ name, version, schemaUrl }) =>
    frame(
      `{"scope":${JSON.stringify({ name, version: version || undefined })},"metrics":[`,
      `]${schemaUrl ? `,"schemaUrl":${JSON.stringify(schemaUrl)}` : ''}}`,
    ),
  metric({ descriptor: { name, description, unit }, ...metric }) {
    const facts = { name, description: description || undefined, unit: unit || undefined };
    const kind = KINDS[metric.dataPointType as keyof typeof KINDS];
    return frame(`${JSON.stringify(facts).slice(0, -1)},"${kind}":{"dataPoints":[`, `]${kindOf(metric)}}}`);
  },
  points(items, from, to) {
    let text = '';
    for (let i = from; i < to; i++) text += `${i === from ? '' : ','}${JSON.stringify(pointOf(items[i]!))}`;
    return Buffer.from(text);
  },
};

function frame(headText: string, tailText: string): Frame {
  const head = Buffer.from(headText);
  const tail = Buffer.from(tailText);
  return {
    mostBytes: head.length + tail.length,
    close(list) {
      const pieces: Uint8Array[] = [head];
      for (const [i, item] of list.entries()) pieces.push(...(i === 0 ? [item] : [COMMA, item]));
      return Buffer.concat([...pieces, tail]);
    },
  };
}

const COMMA = Buffer.from(',');

/** The field of a metric that holds the points of a type. */
const KINDS = {
  [PointType.GAUGE]: 'gauge',
  [PointType.SUM]: 'sum',
  [PointType.HISTOGRAM]: 'histogram',
  [PointType.EXPONENTIAL_HISTOGRAM]: 'exponentialHistogram',
} as const;

function kindOf(metric: Omit<MetricFacts, 'descriptor'>): string {
  if (metric.dataPointType === PointType.GAUGE) return '';
  const temporality = metric.aggregationTemporality === Temporality.DELTA ? 1 : 2;
  const monotonic = 'isMonotonic' in metric && metric.isMonotonic ? ',"isMonotonic":true' : '';
  return `,"aggregationTemporality":${temporality}${monotonic}`;
}

function pointOf({ metric: { dataPointType }, point }: Item): object {
  const { startTime, endTime, attributes, exemplars = [] } = point as Point<unknown>;
  return {
    attributes: attributesOf(attributes),
    startTimeUnixNano: nanosecondsText(startTime),
    timeUnixNano: nanosecondsText(endTime),
    ...(dataPointType === PointType.EXPONENTIAL_HISTOGRAM
      ? exponentialFields(point.value as ExponentialHistogramValue)
      : dataPointType === PointType.HISTOGRAM
        ? explicitFields(point.value as ExplicitHistogramValue)
        : { asDouble: double(point.value as number) }),
    ...(exemplars.length > 0 && { exemplars: exemplars.map(exemplarOf) }),
  };
}

function explicitFields({ count, sum, min, max, buckets }: ExplicitHistogramValue): object {
  return {
    count: String(count),
    sum: double(sum),
    bucketCounts: buckets.counts.map(String),
    explicitBounds: buckets.boundaries.map(double),
    min: double(min),
    max: double(max),
  };
}

function exponentialFields({
  count,
  sum,
  min,
  max,
  scale,
  zeroCount,
  positive,
  negative,
}: ExponentialHistogramValue): object {
  return {
    count: String(count),
    sum: double(sum),
    scale,
    zeroCount: String(zeroCount),
    positive: { offset: positive.offset, bucketCounts: Array.from(positive.bucketCounts, String) },
    negative: { offset: negative.offset, bucketCounts: Array.from(negative.bucketCounts, String) },
    min: double(min),
    max: double(max),
  };
}

function exemplarOf({ value, timeMs, attributes }: Exemplar): object {
  const { traceId, spanId, rest } = traceLinkOf(attributes);
  return {
    timeUnixNano: nanosecondsText(hrTime(timeMs)),
    asDouble: double(value),
    filteredAttributes: attributesOf(rest),
    spanId,
    traceId,
  };
}

function nanosecondsText(time: HrTime): string {
  return String(nanoseconds(time));
}

/** JSON has no infinities and no NaN; protobuf's JSON writes them as text. */
function double<Value extends number | undefined>(value: Value): Value | string {
  return value === undefined || Number.isFinite(value) ? value : String(value);
}

function attributesOf(attributes: Readonly<Record<string, unknown>>): object[] {
  return Object.entries(attributes).map(([key, value]) => ({ key, value: anyValue(value) }));
}

/** An `AnyValue`: empty for a value that attributes cannot have. */
function anyValue(value: unknown): object {
  if (typeof value === 'string') return { stringValue: value };
  if (typeof value === 'boolean') return { boolValue: value };
  if (typeof value === 'number')
    return isInt64(value) ? { intValue: String(BigInt(value)) } : { doubleValue: double(value) };
  return Array.isArray(value) ? { arrayValue: { values: value.map(anyValue) } } : {};
}
