import { HdrscopeError } from '@hdrscope/core';
import type { BucketRun } from '@hdrscope/core/internal';
import { asObject, type JsonObject } from '@hdrscope/kit';
import {
  asCount,
  asDouble,
  attributesField,
  countField,
  doubleField,
  fieldOf,
  integerField,
  listField,
  nanosecondsField,
  objectField,
  textField,
} from './json-fields.ts';
import {
  type ExplicitPoint,
  type ExponentialPoint,
  isNoRecordedValue,
  type ReceivedData,
  type ReceivedMetric,
  type ReceivedPoint,
  temporalityOf,
} from './received.ts';

/**
 * Reads an `ExportMetricsServiceRequest` in OTLP's JSON.
 * Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 *
 * @throws HdrscopeError `ERR_DECODE` when the text is not such a request.
 */
export function decodeJson(text: string): ReceivedMetric[] {
  const request = asObject(parsed(text), 'the body');
  return listField(request, 'resourceMetrics').flatMap((one) => {
    const ofResource = asObject(one, 'resourceMetrics');
    const resource = attributesField(objectField(ofResource, 'resource'), 'attributes');
    return listField(ofResource, 'scopeMetrics').flatMap((ofScope) =>
      metricsOfScope(asObject(ofScope, 'scopeMetrics')).map((metric) => ({ ...metric, resource })),
    );
  });
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the body is not JSON: ${(cause as Error).message}`, { cause });
  }
}

function metricsOfScope(fields: JsonObject): Omit<ReceivedMetric, 'resource'>[] {
  const given = objectField(fields, 'scope');
  const scope = { name: textField(given, 'name'), version: textField(given, 'version') };
  return listField(fields, 'metrics').map((one) => {
    const metric = asObject(one, 'metrics');
    return {
      scope,
      name: textField(metric, 'name'),
      unit: textField(metric, 'unit'),
      description: textField(metric, 'description'),
      data: dataOf(metric),
    };
  });
}

function dataOf(metric: JsonObject): ReceivedData {
  for (const kind of ['gauge', 'sum', 'summary']) {
    const other = fieldOf(metric, kind) ?? undefined;
    if (other !== undefined) {
      return { kind: 'other', pointCount: listField(asObject(other, kind), 'dataPoints').length };
    }
  }
  const exponential = fieldOf(metric, 'exponentialHistogram') ?? undefined;
  const data = asObject(exponential ?? fieldOf(metric, 'histogram') ?? {}, 'histogram');
  // OTLP's JSON writes enumerations as integers and does not allow their names.
  const temporality = temporalityOf(integerField(data, 'aggregationTemporality'));
  const points = listField(data, 'dataPoints').map((point) => asObject(point, 'dataPoints'));
  return exponential === undefined
    ? { kind: 'explicit', temporality, points: points.map(explicitPoint) }
    : { kind: 'exponential', temporality, points: points.map(exponentialPoint) };
}

function pointOf(fields: JsonObject): ReceivedPoint {
  return {
    attributes: attributesField(fields, 'attributes'),
    startNs: nanosecondsField(fields, 'startTimeUnixNano'),
    timeNs: nanosecondsField(fields, 'timeUnixNano'),
    isEmpty: isNoRecordedValue(countField(fields, 'flags')),
    count: countField(fields, 'count'),
    sum: doubleField(fields, 'sum'),
    min: doubleField(fields, 'min'),
    max: doubleField(fields, 'max'),
  };
}

function explicitPoint(fields: JsonObject): ExplicitPoint {
  return {
    ...pointOf(fields),
    bounds: listField(fields, 'explicitBounds').map((bound) => asDouble(bound, 'explicitBounds')),
    counts: countsOf(fields),
  };
}

function exponentialPoint(fields: JsonObject): ExponentialPoint {
  return {
    ...pointOf(fields),
    scale: integerField(fields, 'scale'),
    zeroCount: countField(fields, 'zeroCount'),
    zeroThreshold: doubleField(fields, 'zeroThreshold') ?? 0,
    positive: bucketsOf(objectField(fields, 'positive')),
    negative: bucketsOf(objectField(fields, 'negative')),
  };
}

function bucketsOf(fields: JsonObject): BucketRun {
  return { offset: integerField(fields, 'offset'), counts: countsOf(fields) };
}

function countsOf(fields: JsonObject): number[] {
  return listField(fields, 'bucketCounts').map((count) => asCount(count, 'bucketCounts'));
}
