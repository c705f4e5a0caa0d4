import { HdrscopeError } from '@hdrscope/core';
import type { Budget } from '@hdrscope/kit';
import type { Attributes } from '@hdrscope/registry';
import {
  DATA_POINT,
  DATA_TEMPORALITY,
  METRIC,
  METRIC_DESCRIPTION,
  METRIC_EXPONENTIAL,
  METRIC_GAUGE,
  METRIC_HISTOGRAM,
  METRIC_NAME,
  METRIC_SUM,
  METRIC_SUMMARY,
  METRIC_UNIT,
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
import { readExplicitPoint, readExponentialPoint, readNumberPoint } from './protobuf-points.ts';
import {
  type ExplicitPoint,
  type ExponentialPoint,
  NO_ATTRIBUTES,
  type NumberPoint,
  type ReceivedData,
  type ReceivedMetric,
  type ReceivedScope,
  temporalityOf,
} from './received.ts';
import { MessageReader, type Pausing, readLongFields, readLongMessage, readMessage } from './wire.ts';
import { attributesOf, type Entry, readEntry } from './wire-attributes.ts';

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
