import { BinaryReader } from '@bufbuild/protobuf/wire';
import { HdrscopeError } from '@hdrscope/core';
import type { BucketRun } from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';
import {
  type ExplicitPoint,
  type ExponentialPoint,
  isNoRecordedValue,
  NO_BUCKETS,
  type ReceivedData,
  type ReceivedMetric,
  type ReceivedScope,
  temporalityOf,
} from './received.ts';
import {
  delimited,
  fixed64,
  readFields,
  readFixed64,
  readMessage,
  readNanoseconds,
  readPacked64,
  readVarint64,
  varint,
  varintsIn,
} from './wire.ts';
import { type Entry, readEntry } from './wire-attributes.ts';

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/collector/metrics/v1/metrics_service.proto
const REQUEST_RESOURCE_METRICS = delimited(1);

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto
const RESOURCE = delimited(1);
const SCOPE_METRICS = delimited(2);
const RESOURCE_ATTRIBUTE = delimited(1);

const SCOPE = delimited(1);
const METRIC = delimited(2);
const SCOPE_NAME = delimited(1);
const SCOPE_VERSION = delimited(2);

const METRIC_NAME = delimited(1);
const METRIC_DESCRIPTION = delimited(2);
const METRIC_UNIT = delimited(3);
const METRIC_GAUGE = delimited(5);
const METRIC_SUM = delimited(7);
const METRIC_HISTOGRAM = delimited(9);
const METRIC_EXPONENTIAL = delimited(10);
const METRIC_SUMMARY = delimited(11);

const DATA_POINT = delimited(1);
const DATA_TEMPORALITY = varint(2);

const EXPLICIT_ATTRIBUTE = delimited(9);
const EXPLICIT_COUNTS = delimited(6);
const EXPLICIT_COUNT_ALONE = fixed64(6);
const EXPLICIT_BOUNDS = delimited(7);
const EXPLICIT_BOUND_ALONE = fixed64(7);
const EXPLICIT_MIN = fixed64(11);
const EXPLICIT_MAX = fixed64(12);

const EXPONENTIAL_ATTRIBUTE = delimited(1);
const EXPONENTIAL_SCALE = varint(6);
const EXPONENTIAL_ZERO_COUNT = fixed64(7);
const EXPONENTIAL_POSITIVE = delimited(8);
const EXPONENTIAL_NEGATIVE = delimited(9);
const EXPONENTIAL_MIN = fixed64(12);
const EXPONENTIAL_MAX = fixed64(13);
const EXPONENTIAL_ZERO_THRESHOLD = fixed64(14);

// Fields that both kinds of points share.
const POINT_START = fixed64(2);
const POINT_TIME = fixed64(3);
const POINT_COUNT = fixed64(4);
const POINT_SUM = fixed64(5);
const POINT_FLAGS = varint(10);

const BUCKETS_OFFSET = varint(1);
const BUCKETS_COUNTS = delimited(2);
const BUCKETS_COUNT_ALONE = varint(2);

/**
 * Reads an `ExportMetricsServiceRequest`.
 * Source: https://opentelemetry.io/docs/specs/otlp/#binary-protobuf-encoding
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are not such a request.
 */
export function decodeProtobuf(bytes: Uint8Array): ReceivedMetric[] {
  const reader = new BinaryReader(bytes);
  const metrics: ReceivedMetric[] = [];
  try {
    readFields(reader, reader.len, (tag) => {
      if (tag !== REQUEST_RESOURCE_METRICS) return false;
      readResourceMetrics(reader, metrics);
      return true;
    });
  } catch (cause) {
    // `BinaryReader` throws errors of its own.
    if (cause instanceof HdrscopeError) throw cause;
    throw new HdrscopeError('ERR_DECODE', `the body is not protobuf: ${(cause as Error).message}`, { cause });
  }
  return metrics;
}

type MetricOfScope = Omit<ReceivedMetric, 'resource' | 'scope'>;
type MutableMetric = { -readonly [Key in keyof MetricOfScope]: MetricOfScope[Key] };

/** Reads a `ResourceMetrics`. Fields may come in any order, so the resource may follow the metrics that belong to it. */
function readResourceMetrics(reader: BinaryReader, metrics: ReceivedMetric[]): void {
  let resource: Attributes = {};
  const read: Omit<ReceivedMetric, 'resource'>[] = [];
  readMessage(reader, (tag) => {
    if (tag === RESOURCE) resource = readAttributes(reader, RESOURCE_ATTRIBUTE);
    else if (tag === SCOPE_METRICS) readScopeMetrics(reader, read);
    else return false;
    return true;
  });
  for (const metric of read) metrics.push({ ...metric, resource });
}

function readAttributes(reader: BinaryReader, attributeTag: number): Attributes {
  const entries: Entry[] = [];
  readMessage(reader, (tag) => {
    if (tag !== attributeTag) return false;
    entries.push(readEntry(reader));
    return true;
  });
  return Object.fromEntries(entries);
}

function readScopeMetrics(reader: BinaryReader, metrics: Omit<ReceivedMetric, 'resource'>[]): void {
  let scope: ReceivedScope = { name: '', version: '' };
  const read: MetricOfScope[] = [];
  readMessage(reader, (tag) => {
    if (tag === SCOPE) scope = readScope(reader);
    else if (tag === METRIC) read.push(readMetric(reader));
    else return false;
    return true;
  });
  for (const metric of read) metrics.push({ ...metric, scope });
}

function readScope(reader: BinaryReader): ReceivedScope {
  const scope = { name: '', version: '' };
  readMessage(reader, (tag) => {
    if (tag === SCOPE_NAME) scope.name = reader.string();
    else if (tag === SCOPE_VERSION) scope.version = reader.string();
    else return false;
    return true;
  });
  return scope;
}

function readMetric(reader: BinaryReader): MetricOfScope {
  const metric: MutableMetric = {
    name: '',
    unit: '',
    description: '',
    data: { kind: 'other', pointCount: 0 },
  };
  readMessage(reader, (tag) => {
    if (tag === METRIC_NAME) metric.name = reader.string();
    else if (tag === METRIC_UNIT) metric.unit = reader.string();
    else if (tag === METRIC_DESCRIPTION) metric.description = reader.string();
    else if (tag === METRIC_HISTOGRAM) metric.data = readExplicit(reader);
    else if (tag === METRIC_EXPONENTIAL) metric.data = readExponential(reader);
    else if (tag === METRIC_GAUGE || tag === METRIC_SUM || tag === METRIC_SUMMARY)
      metric.data = readOther(reader);
    else return false;
    return true;
  });
  return metric;
}

function readExplicit(reader: BinaryReader): ReceivedData {
  const points: ExplicitPoint[] = [];
  const temporality = readData(reader, () => points.push(readExplicitPoint(reader)));
  return { kind: 'explicit', temporality: temporalityOf(temporality), points };
}

function readExponential(reader: BinaryReader): ReceivedData {
  const points: ExponentialPoint[] = [];
  const temporality = readData(reader, () => points.push(readExponentialPoint(reader)));
  return { kind: 'exponential', temporality: temporalityOf(temporality), points };
}

function readOther(reader: BinaryReader): ReceivedData {
  let pointCount = 0;
  readMessage(reader, (tag) => {
    if (tag === DATA_POINT) pointCount++;
    return false;
  });
  return { kind: 'other', pointCount };
}

function readData(reader: BinaryReader, readPoint: () => void): number {
  let temporality = 0;
  readMessage(reader, (tag) => {
    if (tag === DATA_POINT) readPoint();
    else if (tag === DATA_TEMPORALITY) temporality = reader.int32();
    else return false;
    return true;
  });
  return temporality;
}

// The fields of a point go into variables: an object that is filled field by field took three times as long.

function readExplicitPoint(reader: BinaryReader): ExplicitPoint {
  const entries: Entry[] = [];
  const bounds: number[] = [];
  const counts: number[] = [];
  let startNs = 0n;
  let timeNs = 0n;
  let isEmpty = false;
  let count = 0;
  let sum: number | undefined;
  let min: number | undefined;
  let max: number | undefined;
  readMessage(reader, (tag) => {
    if (tag === EXPLICIT_COUNTS) readPacked64(reader, counts, readFixed64);
    else if (tag === EXPLICIT_BOUNDS) readPacked64(reader, bounds, readDouble);
    else if (tag === EXPLICIT_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === POINT_START) startNs = readNanoseconds(reader);
    else if (tag === POINT_TIME) timeNs = readNanoseconds(reader);
    else if (tag === POINT_COUNT) count = readFixed64(reader);
    else if (tag === POINT_SUM) sum = reader.double();
    else if (tag === EXPLICIT_MIN) min = reader.double();
    else if (tag === EXPLICIT_MAX) max = reader.double();
    else if (tag === POINT_FLAGS) isEmpty = isNoRecordedValue(reader.uint32());
    else if (tag === EXPLICIT_COUNT_ALONE) counts.push(readFixed64(reader));
    else if (tag === EXPLICIT_BOUND_ALONE) bounds.push(reader.double());
    else return false;
    return true;
  });
  const attributes = Object.fromEntries(entries);
  return { attributes, startNs, timeNs, isEmpty, count, sum, min, max, bounds, counts };
}

function readExponentialPoint(reader: BinaryReader): ExponentialPoint {
  const entries: Entry[] = [];
  let startNs = 0n;
  let timeNs = 0n;
  let isEmpty = false;
  let count = 0;
  let sum: number | undefined;
  let min: number | undefined;
  let max: number | undefined;
  let scale = 0;
  let zeroCount = 0;
  let zeroThreshold = 0;
  let positive = NO_BUCKETS;
  let negative = NO_BUCKETS;
  readMessage(reader, (tag) => {
    if (tag === EXPONENTIAL_POSITIVE) positive = readBuckets(reader);
    else if (tag === EXPONENTIAL_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === POINT_START) startNs = readNanoseconds(reader);
    else if (tag === POINT_TIME) timeNs = readNanoseconds(reader);
    else if (tag === POINT_COUNT) count = readFixed64(reader);
    else if (tag === POINT_SUM) sum = reader.double();
    else if (tag === EXPONENTIAL_SCALE) scale = reader.sint32();
    else if (tag === EXPONENTIAL_ZERO_COUNT) zeroCount = readFixed64(reader);
    else if (tag === EXPONENTIAL_NEGATIVE) negative = readBuckets(reader);
    else if (tag === EXPONENTIAL_MIN) min = reader.double();
    else if (tag === EXPONENTIAL_MAX) max = reader.double();
    else if (tag === POINT_FLAGS) isEmpty = isNoRecordedValue(reader.uint32());
    else if (tag === EXPONENTIAL_ZERO_THRESHOLD) zeroThreshold = reader.double();
    else return false;
    return true;
  });
  const attributes = Object.fromEntries(entries);
  return {
    attributes,
    startNs,
    timeNs,
    isEmpty,
    count,
    sum,
    min,
    max,
    scale,
    zeroCount,
    zeroThreshold,
    positive,
    negative,
  };
}

function readBuckets(reader: BinaryReader): BucketRun {
  let offset = 0;
  let counts: number[] = [];
  readMessage(reader, (tag) => {
    if (tag === BUCKETS_COUNTS) counts = joined(counts, varintsIn(reader.bytes()));
    else if (tag === BUCKETS_OFFSET) offset = reader.sint32();
    else if (tag === BUCKETS_COUNT_ALONE) counts.push(readVarint64(reader));
    else return false;
    return true;
  });
  return { offset, counts };
}

/** Appends a list. There is usually one; copying for each of many would take quadratic time. */
function joined(numbers: number[], more: number[]): number[] {
  if (numbers.length === 0) return more;
  for (const number of more) numbers.push(number);
  return numbers;
}

function readDouble(reader: BinaryReader): number {
  return reader.double();
}
