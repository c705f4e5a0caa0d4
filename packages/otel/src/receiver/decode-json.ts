import type { BucketRun } from '@hdrscope/core/internal';
import { asObject, type Budget, type JsonObject, parseJson } from '@hdrscope/kit';
import type { Attributes } from '@hdrscope/registry';
import { withTraceLink } from '../trace-link.ts';
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
  signedField,
  textField,
} from './json-fields.ts';
import { JSON_COSTS } from './limits.ts';
import {
  type ExplicitPoint,
  type ExponentialPoint,
  isNoRecordedValue,
  NO_BUCKETS,
  NO_EXEMPLARS,
  type NumberPoint,
  type ReceivedData,
  type ReceivedExemplar,
  type ReceivedMetric,
  type ReceivedPoint,
  type ReceivedScope,
  type TimedPoint,
  temporalityOf,
} from './received.ts';
import type { Pausing } from './wire.ts';

/**
 * Reads an `ExportMetricsServiceRequest` in OTLP's JSON, and pauses after each point.
 * Source: https://opentelemetry.io/docs/specs/otlp/#json-protobuf-encoding
 *
 * @throws HdrscopeError `ERR_DECODE` when the text is not such a request; `ERR_TOO_LARGE` when it passes a limit of the budget.
 */
export function* decodeJson(text: string, budget: Budget): Pausing<ReceivedMetric[]> {
  const request = asObject(parseJson(text, 'the body', budget, JSON_COSTS), 'the body');
  const metrics: ReceivedMetric[] = [];
  for (const one of listField(request, 'resourceMetrics')) {
    const ofResource = asObject(one, 'resourceMetrics');
    const resource = attributesField(objectField(ofResource, 'resource'), 'attributes');
    for (const ofScope of listField(ofResource, 'scopeMetrics')) {
      const fields = asObject(ofScope, 'scopeMetrics');
      const given = objectField(fields, 'scope');
      const scope = { name: textField(given, 'name'), version: textField(given, 'version') };
      for (const metric of listField(fields, 'metrics')) {
        metrics.push(yield* metricOf(asObject(metric, 'metrics'), resource, scope));
      }
    }
    yield;
  }
  return metrics;
}

function* metricOf(fields: JsonObject, resource: Attributes, scope: ReceivedScope): Pausing<ReceivedMetric> {
  const name = textField(fields, 'name');
  const unit = textField(fields, 'unit');
  const description = textField(fields, 'description');
  return { resource, scope, name, unit, description, data: yield* dataOf(fields) };
}

function* dataOf(metric: JsonObject): Pausing<ReceivedData> {
  for (const kind of ['gauge', 'sum'] as const) {
    const numbers = fieldOf(metric, kind) ?? undefined;
    if (numbers !== undefined) return yield* numbersOf(asObject(numbers, kind), kind === 'sum');
  }
  const summary = fieldOf(metric, 'summary') ?? undefined;
  if (summary !== undefined) {
    return { kind: 'other', pointCount: listField(asObject(summary, 'summary'), 'dataPoints').length };
  }
  const exponential = fieldOf(metric, 'exponentialHistogram') ?? undefined;
  const data = asObject(exponential ?? fieldOf(metric, 'histogram') ?? {}, 'histogram');
  // OTLP's JSON writes enumerations as integers and does not allow their names.
  const temporality = temporalityOf(integerField(data, 'aggregationTemporality'));
  const list = listField(data, 'dataPoints');
  return exponential === undefined
    ? { kind: 'explicit', temporality, points: yield* pointsOf(list, explicitPoint) }
    : { kind: 'exponential', temporality, points: yield* pointsOf(list, exponentialPoint) };
}

function* numbersOf(data: JsonObject, isSum: boolean): Pausing<ReceivedData> {
  return {
    kind: 'number',
    isSum,
    isMonotonic: isSum && fieldOf(data, 'isMonotonic') === true,
    temporality: isSum ? temporalityOf(integerField(data, 'aggregationTemporality')) : undefined,
    points: yield* pointsOf(listField(data, 'dataPoints'), numberPoint),
  };
}

function* pointsOf<Point>(
  list: readonly unknown[],
  read: (fields: JsonObject) => Point,
): Pausing<readonly Point[]> {
  const points: Point[] = [];
  for (const one of list) {
    points.push(read(asObject(one, 'dataPoints')));
    yield;
  }
  yield;
  return points;
}

function timedPoint(fields: JsonObject): TimedPoint {
  return {
    attributes: attributesField(fields, 'attributes'),
    startNs: nanosecondsField(fields, 'startTimeUnixNano'),
    timeNs: nanosecondsField(fields, 'timeUnixNano'),
    isEmpty: isNoRecordedValue(countField(fields, 'flags')),
  };
}

function numberPoint(fields: JsonObject): NumberPoint {
  return {
    ...timedPoint(fields),
    value: signedField(fields, 'asInt') ?? doubleField(fields, 'asDouble'),
  };
}

function pointOf(fields: JsonObject): ReceivedPoint {
  return {
    ...timedPoint(fields),
    count: countField(fields, 'count'),
    sum: doubleField(fields, 'sum'),
    min: doubleField(fields, 'min'),
    max: doubleField(fields, 'max'),
    exemplars: exemplarsOf(fields),
  };
}

function exemplarsOf(point: JsonObject): readonly ReceivedExemplar[] {
  const list = listField(point, 'exemplars');
  if (list.length === 0) return NO_EXEMPLARS;
  return list.map((one) => {
    const fields = asObject(one, 'exemplars');
    const attributes = attributesField(fields, 'filteredAttributes');
    return {
      value: doubleField(fields, 'asDouble') ?? signedField(fields, 'asInt') ?? Number.NaN,
      timeNs: nanosecondsField(fields, 'timeUnixNano'),
      attributes: withTraceLink(attributes, fieldOf(fields, 'traceId'), fieldOf(fields, 'spanId')),
    };
  });
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
    positive: bucketsOf(fields, 'positive'),
    negative: bucketsOf(fields, 'negative'),
  };
}

function bucketsOf(point: JsonObject, name: string): BucketRun {
  if ((fieldOf(point, name) ?? undefined) === undefined) return NO_BUCKETS;
  const fields = objectField(point, name);
  return { offset: integerField(fields, 'offset'), counts: countsOf(fields) };
}

function countsOf(fields: JsonObject): number[] {
  return listField(fields, 'bucketCounts').map((count) => asCount(count, 'bucketCounts'));
}
