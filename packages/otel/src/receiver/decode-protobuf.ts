import type { BinaryReader } from '@bufbuild/protobuf/wire';
import { HdrscopeError } from '@hdrscope/core';
import type { BucketRun } from '@hdrscope/core/internal';
import type { Budget } from '@hdrscope/kit';
import type { Attributes } from '@hdrscope/registry';
import { withTraceLink } from '../trace-link.ts';
import {
  BUCKETS_COUNT_ALONE,
  BUCKETS_COUNTS,
  BUCKETS_OFFSET,
  DATA_POINT,
  DATA_TEMPORALITY,
  EXEMPLAR_ATTRIBUTE,
  EXEMPLAR_DOUBLE,
  EXEMPLAR_INT,
  EXEMPLAR_SPAN,
  EXEMPLAR_TIME,
  EXEMPLAR_TRACE,
  EXPLICIT_ATTRIBUTE,
  EXPLICIT_BOUND_ALONE,
  EXPLICIT_BOUNDS,
  EXPLICIT_COUNT_ALONE,
  EXPLICIT_COUNTS,
  EXPLICIT_EXEMPLAR,
  EXPLICIT_MAX,
  EXPLICIT_MIN,
  EXPONENTIAL_ATTRIBUTE,
  EXPONENTIAL_EXEMPLAR,
  EXPONENTIAL_MAX,
  EXPONENTIAL_MIN,
  EXPONENTIAL_NEGATIVE,
  EXPONENTIAL_POSITIVE,
  EXPONENTIAL_SCALE,
  EXPONENTIAL_ZERO_COUNT,
  EXPONENTIAL_ZERO_THRESHOLD,
  METRIC,
  METRIC_DESCRIPTION,
  METRIC_EXPONENTIAL,
  METRIC_GAUGE,
  METRIC_HISTOGRAM,
  METRIC_NAME,
  METRIC_SUM,
  METRIC_SUMMARY,
  METRIC_UNIT,
  NUMBER_ATTRIBUTE,
  NUMBER_DOUBLE,
  NUMBER_FLAGS,
  NUMBER_INTEGER,
  POINT_COUNT,
  POINT_FLAGS,
  POINT_START,
  POINT_SUM,
  POINT_TIME,
  REQUEST_RESOURCE_METRICS,
  RESOURCE,
  RESOURCE_ATTRIBUTE,
  SCOPE,
  SCOPE_METRICS,
  SCOPE_NAME,
  SCOPE_VERSION,
  SUM_IS_MONOTONIC,
} from './fields.ts';
import { measureProtobuf } from './measure-protobuf.ts';
import {
  type ExplicitPoint,
  type ExponentialPoint,
  isNoRecordedValue,
  NO_ATTRIBUTES,
  NO_BUCKETS,
  NO_EXEMPLARS,
  type NumberPoint,
  type ReceivedData,
  type ReceivedExemplar,
  type ReceivedMetric,
  type ReceivedPoint,
  type ReceivedScope,
  temporalityOf,
} from './received.ts';
import {
  MessageReader,
  type Pausing,
  readFixed64,
  readLongFields,
  readLongMessage,
  readMessage,
  readNanoseconds,
  readPacked64,
  readPackedVarints,
  readSigned64,
  readVarint64,
} from './wire.ts';
import { type Entry, readEntry } from './wire-attributes.ts';

/**
 * Reads an `ExportMetricsServiceRequest`, and pauses after each point. Its elements are counted before anything is made of them.
 * Source: https://opentelemetry.io/docs/specs/otlp/#binary-protobuf-encoding
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are not such a request; `ERR_TOO_LARGE` when they pass a limit of the budget.
 */
export function* decodeProtobuf(bytes: Uint8Array, budget: Budget): Pausing<ReceivedMetric[]> {
  const metrics: MutableMetric[] = [];
  try {
    yield* measureProtobuf(bytes, budget);
    const reader = new MessageReader(bytes);
    yield* readLongFields(
      reader,
      reader.len,
      (tag) => tag === REQUEST_RESOURCE_METRICS && readResourceMetrics(reader, metrics),
    );
  } catch (cause) {
    // `BinaryReader` throws errors of its own.
    if (cause instanceof HdrscopeError) throw cause;
    throw new HdrscopeError('ERR_DECODE', `the body is not protobuf: ${(cause as Error).message}`, { cause });
  }
  return metrics;
}

type MutableMetric = { -readonly [Key in keyof ReceivedMetric]: ReceivedMetric[Key] };

const NO_SCOPE: ReceivedScope = Object.freeze({ name: '', version: '' });

/** Reads a `ResourceMetrics`. Fields may come in any order, so the resource may follow the metrics that belong to it. */
function* readResourceMetrics(reader: MessageReader, metrics: MutableMetric[]): Pausing {
  const first = metrics.length;
  let resource = NO_ATTRIBUTES;
  yield* readLongMessage(reader, (tag) => {
    if (tag === SCOPE_METRICS) return readScopeMetrics(reader, metrics);
    if (tag !== RESOURCE) return false;
    resource = readAttributes(reader, RESOURCE_ATTRIBUTE);
    return true;
  });
  for (let i = first; i < metrics.length; i++) metrics[i]!.resource = resource;
}

function readAttributes(reader: MessageReader, attributeTag: number): Attributes {
  const entries: Entry[] = [];
  readMessage(reader, (tag) => {
    if (tag !== attributeTag) return false;
    entries.push(readEntry(reader));
    return true;
  });
  return attributesOf(entries);
}

/** Points without attributes share one object. */
function attributesOf(entries: readonly Entry[]): Attributes {
  return entries.length === 0 ? NO_ATTRIBUTES : Object.fromEntries(entries);
}

function* readScopeMetrics(reader: MessageReader, metrics: MutableMetric[]): Pausing {
  const first = metrics.length;
  let scope = NO_SCOPE;
  yield* readLongMessage(reader, (tag) => {
    if (tag === METRIC) return readMetric(reader, metrics);
    if (tag !== SCOPE) return false;
    scope = readScope(reader);
    return true;
  });
  for (let i = first; i < metrics.length; i++) metrics[i]!.scope = scope;
}

function readScope(reader: MessageReader): ReceivedScope {
  const scope = { name: '', version: '' };
  readMessage(reader, (tag) => {
    if (tag === SCOPE_NAME) scope.name = reader.string();
    else if (tag === SCOPE_VERSION) scope.version = reader.string();
    else return false;
    return true;
  });
  return scope;
}

const NO_DATA: ReceivedData = Object.freeze({ kind: 'other', pointCount: 0 });

function* readMetric(reader: MessageReader, metrics: MutableMetric[]): Pausing {
  const metric: MutableMetric = {
    resource: NO_ATTRIBUTES,
    scope: NO_SCOPE,
    name: '',
    unit: '',
    description: '',
    data: NO_DATA,
  };
  metrics.push(metric);
  yield* readLongMessage(reader, (tag) => {
    if (tag === METRIC_HISTOGRAM) return readExplicit(reader, metric);
    if (tag === METRIC_EXPONENTIAL) return readExponential(reader, metric);
    if (tag === METRIC_GAUGE || tag === METRIC_SUM) return readNumbers(reader, metric, tag === METRIC_SUM);
    if (tag === METRIC_SUMMARY) return readOther(reader, metric);
    if (tag === METRIC_NAME) metric.name = reader.string();
    else if (tag === METRIC_DESCRIPTION) metric.description = reader.string();
    else if (tag === METRIC_UNIT) metric.unit = reader.string();
    else return false;
    return true;
  });
}

function* readExplicit(reader: MessageReader, metric: MutableMetric): Pausing {
  const points: ExplicitPoint[] = [];
  const temporality = yield* readData(reader, () => points.push(readExplicitPoint(reader)));
  metric.data = { kind: 'explicit', temporality: temporalityOf(temporality), points };
}

function* readExponential(reader: MessageReader, metric: MutableMetric): Pausing {
  const points: ExponentialPoint[] = [];
  const temporality = yield* readData(reader, () => points.push(readExponentialPoint(reader)));
  metric.data = { kind: 'exponential', temporality: temporalityOf(temporality), points };
}

function* readNumbers(reader: MessageReader, metric: MutableMetric, isSum: boolean): Pausing {
  const points: NumberPoint[] = [];
  let temporality = 0;
  let isMonotonic = false;
  yield* readLongMessage(reader, (tag) => {
    if (tag === DATA_POINT) points.push(readNumberPoint(reader));
    else if (isSum && tag === DATA_TEMPORALITY) temporality = reader.int32();
    else if (isSum && tag === SUM_IS_MONOTONIC) isMonotonic = reader.bool();
    else return false;
    return true;
  });
  metric.data = { kind: 'number', isSum, isMonotonic, temporality: temporalityOf(temporality), points };
}

function* readOther(reader: MessageReader, metric: MutableMetric): Pausing {
  let pointCount = 0;
  yield* readLongMessage(reader, (tag) => {
    if (tag === DATA_POINT) pointCount++;
    return false;
  });
  metric.data = { kind: 'other', pointCount };
}

function* readData(reader: MessageReader, readPoint: () => void): Pausing<number> {
  let temporality = 0;
  yield* readLongMessage(reader, (tag) => {
    if (tag === DATA_POINT) readPoint();
    else if (tag === DATA_TEMPORALITY) temporality = reader.int32();
    else return false;
    return true;
  });
  return temporality;
}

// The fields of a point go into variables: an object that is filled field by field took three times as long.
type Facts = Pick<ReceivedPoint, 'startNs' | 'timeNs' | 'isEmpty' | 'count'>;
type KnownFacts = Partial<Pick<ReceivedPoint, 'sum' | 'min' | 'max'>>;
const NO_FACTS: Facts & KnownFacts = { startNs: 0n, timeNs: 0n, isEmpty: false, count: 0 };

function readNumberPoint(reader: MessageReader): NumberPoint {
  const entries: Entry[] = [];
  let startNs = 0n;
  let timeNs = 0n;
  let isEmpty = false;
  let value: number | undefined;
  readMessage(reader, (tag) => {
    if (tag === NUMBER_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === POINT_START) startNs = readNanoseconds(reader);
    else if (tag === POINT_TIME) timeNs = readNanoseconds(reader);
    else if (tag === NUMBER_DOUBLE) value = reader.double();
    else if (tag === NUMBER_INTEGER) value = readSigned64(reader);
    else if (tag === NUMBER_FLAGS) isEmpty = isNoRecordedValue(reader.uint32());
    else return false;
    return true;
  });
  return { attributes: attributesOf(entries), startNs, timeNs, isEmpty, value };
}

function readExplicitPoint(reader: MessageReader): ExplicitPoint {
  const entries: Entry[] = [];
  let exemplars = NO_EXEMPLARS;
  const allBounds: number[] = [];
  const allCounts: number[] = [];
  let { startNs, timeNs, isEmpty, count, sum, min, max } = NO_FACTS;
  readMessage(reader, (tag) => {
    if (tag === EXPLICIT_COUNTS) readPacked64(reader, allCounts, readFixed64);
    else if (tag === EXPLICIT_BOUNDS) readPacked64(reader, allBounds, readDouble);
    else if (tag === EXPLICIT_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === POINT_START) startNs = readNanoseconds(reader);
    else if (tag === POINT_TIME) timeNs = readNanoseconds(reader);
    else if (tag === POINT_COUNT) count = readFixed64(reader);
    else if (tag === POINT_SUM) sum = reader.double();
    else if (tag === EXPLICIT_MIN) min = reader.double();
    else if (tag === EXPLICIT_MAX) max = reader.double();
    else if (tag === POINT_FLAGS) isEmpty = isNoRecordedValue(reader.uint32());
    else if (tag === EXPLICIT_EXEMPLAR) exemplars = withOne(exemplars, readExemplar(reader));
    else if (tag === EXPLICIT_COUNT_ALONE) allCounts.push(readFixed64(reader));
    else if (tag === EXPLICIT_BOUND_ALONE) allBounds.push(reader.double());
    else return false;
    return true;
  });
  const attributes = attributesOf(entries);
  const bounds = orNone(allBounds);
  const counts = orNone(allCounts);
  return { attributes, startNs, timeNs, isEmpty, count, sum, min, max, exemplars, bounds, counts };
}

/** Lists without numbers are one object. */
function orNone(numbers: readonly number[]): readonly number[] {
  return numbers.length === 0 ? NO_BUCKETS.counts : numbers;
}

function readExponentialPoint(reader: MessageReader): ExponentialPoint {
  const entries: Entry[] = [];
  let exemplars = NO_EXEMPLARS;
  let { startNs, timeNs, isEmpty, count, sum, min, max } = NO_FACTS;
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
    else if (tag === EXPONENTIAL_EXEMPLAR) exemplars = withOne(exemplars, readExemplar(reader));
    else if (tag === EXPONENTIAL_ZERO_THRESHOLD) zeroThreshold = reader.double();
    else return false;
    return true;
  });
  const attributes = attributesOf(entries);
  return {
    attributes,
    startNs,
    timeNs,
    isEmpty,
    count,
    sum,
    min,
    max,
    exemplars,
    scale,
    zeroCount,
    zeroThreshold,
    positive,
    negative,
  };
}

/** Most points have no exemplars, and share their list. */
function withOne(
  exemplars: readonly ReceivedExemplar[],
  exemplar: ReceivedExemplar,
): readonly ReceivedExemplar[] {
  if (exemplars === NO_EXEMPLARS) return [exemplar];
  (exemplars as ReceivedExemplar[]).push(exemplar);
  return exemplars;
}

/** Reads an `Exemplar`. */
function readExemplar(reader: MessageReader): ReceivedExemplar {
  const entries: Entry[] = [];
  let timeNs = 0n;
  let value = Number.NaN;
  let traceId = '';
  let spanId = '';
  readMessage(reader, (tag) => {
    if (tag === EXEMPLAR_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === EXEMPLAR_TIME) timeNs = readNanoseconds(reader);
    else if (tag === EXEMPLAR_DOUBLE) value = reader.double();
    else if (tag === EXEMPLAR_INT) value = readSigned64(reader);
    else if (tag === EXEMPLAR_TRACE) traceId = hexIn(reader);
    else if (tag === EXEMPLAR_SPAN) spanId = hexIn(reader);
    else return false;
    return true;
  });
  return { value, timeNs, attributes: withTraceLink(attributesOf(entries), traceId, spanId) };
}

const LONGEST_ID = 16;

function hexIn(reader: MessageReader): string {
  return Buffer.from(reader.bytes().subarray(0, LONGEST_ID + 1)).toString('hex');
}

function readBuckets(reader: MessageReader): BucketRun {
  let offset = 0;
  let counts: number[] = [];
  readMessage(reader, (tag) => {
    if (tag === BUCKETS_COUNTS) counts = joined(counts, readPackedVarints(reader));
    else if (tag === BUCKETS_OFFSET) offset = reader.sint32();
    else if (tag === BUCKETS_COUNT_ALONE) counts.push(readVarint64(reader));
    else return false;
    return true;
  });
  return { offset, counts };
}

/** Appends a list. There is usually one; copying for each of many would take quadratic time. */
function joined(counts: number[], more: number[]): number[] {
  if (counts.length === 0) return more;
  for (const count of more) counts.push(count);
  return counts;
}

function readDouble(reader: BinaryReader): number {
  return reader.double();
}
