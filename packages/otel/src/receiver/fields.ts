// The fields of OTLP's messages that a receiver reads.
import { delimited, fixed64, varint } from './wire.ts';

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/collector/metrics/v1/metrics_service.proto
export const REQUEST_RESOURCE_METRICS: number = delimited(1);

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto
export const RESOURCE: number = delimited(1);
export const SCOPE_METRICS: number = delimited(2);
export const RESOURCE_ATTRIBUTE: number = delimited(1);

export const SCOPE: number = delimited(1);
export const METRIC: number = delimited(2);
export const SCOPE_NAME: number = delimited(1);
export const SCOPE_VERSION: number = delimited(2);

export const METRIC_NAME: number = delimited(1);
export const METRIC_DESCRIPTION: number = delimited(2);
export const METRIC_UNIT: number = delimited(3);
export const METRIC_GAUGE: number = delimited(5);
export const METRIC_SUM: number = delimited(7);
export const METRIC_HISTOGRAM: number = delimited(9);
export const METRIC_EXPONENTIAL: number = delimited(10);
export const METRIC_SUMMARY: number = delimited(11);

export const DATA_POINT: number = delimited(1);
export const DATA_TEMPORALITY: number = varint(2);

export const EXPLICIT_ATTRIBUTE: number = delimited(9);
export const EXPLICIT_COUNTS: number = delimited(6);
export const EXPLICIT_COUNT_ALONE: number = fixed64(6);
export const EXPLICIT_BOUNDS: number = delimited(7);
export const EXPLICIT_BOUND_ALONE: number = fixed64(7);
export const EXPLICIT_EXEMPLAR: number = delimited(8);
export const EXPLICIT_MIN: number = fixed64(11);
export const EXPLICIT_MAX: number = fixed64(12);

export const EXPONENTIAL_ATTRIBUTE: number = delimited(1);
export const EXPONENTIAL_SCALE: number = varint(6);
export const EXPONENTIAL_ZERO_COUNT: number = fixed64(7);
export const EXPONENTIAL_POSITIVE: number = delimited(8);
export const EXPONENTIAL_NEGATIVE: number = delimited(9);
export const EXPONENTIAL_EXEMPLAR: number = delimited(11);
export const EXPONENTIAL_MIN: number = fixed64(12);
export const EXPONENTIAL_MAX: number = fixed64(13);
export const EXPONENTIAL_ZERO_THRESHOLD: number = fixed64(14);

export const SUM_IS_MONOTONIC: number = varint(3);
export const NUMBER_DOUBLE: number = fixed64(4);
export const NUMBER_INTEGER: number = fixed64(6);
export const NUMBER_ATTRIBUTE: number = delimited(7);
export const NUMBER_FLAGS: number = varint(8);

// Fields that all kinds of points share, or both kinds of histograms.
export const POINT_START: number = fixed64(2);
export const POINT_TIME: number = fixed64(3);
export const POINT_COUNT: number = fixed64(4);
export const POINT_SUM: number = fixed64(5);
export const POINT_FLAGS: number = varint(10);

export const EXEMPLAR_TIME: number = fixed64(2);
export const EXEMPLAR_DOUBLE: number = fixed64(3);
export const EXEMPLAR_SPAN: number = delimited(4);
export const EXEMPLAR_TRACE: number = delimited(5);
export const EXEMPLAR_INT: number = fixed64(6);
export const EXEMPLAR_ATTRIBUTE: number = delimited(7);

export const BUCKETS_OFFSET: number = varint(1);
export const BUCKETS_COUNTS: number = delimited(2);
export const BUCKETS_COUNT_ALONE: number = varint(2);

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/common/v1/common.proto
export const ATTRIBUTE_KEY: number = delimited(1);
export const ATTRIBUTE_VALUE: number = delimited(2);

export const VALUE_STRING: number = delimited(1);
export const VALUE_BOOL: number = varint(2);
export const VALUE_INT: number = varint(3);
export const VALUE_DOUBLE: number = fixed64(4);
export const VALUE_ARRAY: number = delimited(5);
export const VALUE_LIST: number = delimited(6);
export const VALUE_BYTES: number = delimited(7);

export const VALUE_ITEM: number = delimited(1);
