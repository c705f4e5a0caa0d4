// A tag holds the number of a field and its wire type.
const varint = (field: number): number => field << 3;
const fixed64 = (field: number): number => (field << 3) | 1;
const delimited = (field: number): number => (field << 3) | 2;

// Tags of the fields that a scraper reads. The writer has its own: a module for both would be one more that every exporter loads.
// https://github.com/prometheus/client_model/blob/v0.6.2/io/prometheus/client/metrics.proto
export const FAMILY_NAME: number = delimited(1);
export const FAMILY_HELP: number = delimited(2);
export const FAMILY_TYPE: number = varint(3);
export const FAMILY_METRIC: number = delimited(4);
export const FAMILY_UNIT: number = delimited(5);

export const METRIC_LABEL: number = delimited(1);
export const METRIC_TIMESTAMP_MS: number = varint(6);
export const METRIC_HISTOGRAM: number = delimited(7);

export const HISTOGRAM_COUNT: number = varint(1);
export const HISTOGRAM_SUM: number = fixed64(2);
export const HISTOGRAM_BUCKET: number = delimited(3);
export const HISTOGRAM_SCHEMA: number = varint(5);
export const HISTOGRAM_ZERO_THRESHOLD: number = fixed64(6);
export const HISTOGRAM_ZERO_COUNT: number = varint(7);
export const HISTOGRAM_NEGATIVE_SPAN: number = delimited(9);
export const HISTOGRAM_NEGATIVE_DELTA: number = delimited(10);
export const HISTOGRAM_POSITIVE_SPAN: number = delimited(12);
export const HISTOGRAM_POSITIVE_DELTA: number = delimited(13);
export const HISTOGRAM_CREATED: number = delimited(15);
export const HISTOGRAM_EXEMPLAR: number = delimited(16);
/** Counts that are no integers. A histogram with them has no integer counts. */
export const HISTOGRAM_COUNT_FLOAT: number = fixed64(4);
export const HISTOGRAM_ZERO_COUNT_FLOAT: number = fixed64(8);

export const BUCKET_CUMULATIVE_COUNT: number = varint(1);
export const BUCKET_UPPER_BOUND: number = fixed64(2);
export const BUCKET_EXEMPLAR: number = delimited(3);
export const BUCKET_CUMULATIVE_COUNT_FLOAT: number = fixed64(4);

export const SPAN_OFFSET: number = varint(1);
export const SPAN_LENGTH: number = varint(2);

export const LABEL_NAME: number = delimited(1);
export const LABEL_VALUE: number = delimited(2);

export const EXEMPLAR_LABEL: number = delimited(1);
export const EXEMPLAR_VALUE: number = fixed64(2);
export const EXEMPLAR_TIMESTAMP: number = delimited(3);

export const TIMESTAMP_SECONDS: number = varint(1);
export const TIMESTAMP_NANOS: number = varint(2);
