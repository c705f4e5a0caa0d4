// A tag holds the number of a field and its wire type.
const varint = (field: number): number => field << 3;
const fixed64 = (field: number): number => (field << 3) | 1;
const delimited = (field: number): number => (field << 3) | 2;

// Tags of the fields that a receiver reads. The sender has its own: a module for both would be one more that every sender loads.
// Version 1: https://github.com/prometheus/prometheus/blob/main/prompb/remote.proto and types.proto
export const REQUEST_1_SERIES: number = delimited(1);
export const REQUEST_1_METADATA: number = delimited(3);
export const RESPONSE_RESULT: number = delimited(1);
export const SERIES_1_LABEL: number = delimited(1);
export const SERIES_1_EXEMPLAR: number = delimited(3);
export const SERIES_1_HISTOGRAM: number = delimited(4);
export const LABEL_NAME: number = delimited(1);
export const LABEL_VALUE: number = delimited(2);
export const METADATA_1_FAMILY: number = delimited(2);
export const METADATA_1_HELP: number = delimited(4);
export const METADATA_1_UNIT: number = delimited(5);

// Version 2: https://github.com/prometheus/prometheus/blob/main/prompb/io/prometheus/write/v2/types.proto
export const REQUEST_2_SYMBOL: number = delimited(4);
export const REQUEST_2_SERIES: number = delimited(5);
export const SERIES_2_LABEL_REFS: number = delimited(1);
export const SERIES_2_HISTOGRAM: number = delimited(3);
export const SERIES_2_EXEMPLAR: number = delimited(4);
export const SERIES_2_METADATA: number = delimited(5);
/** The message of Prometheus 3.0 states the start beside the samples, and later ones in each sample. */
export const SERIES_2_CREATED: number = varint(6);
export const METADATA_2_HELP: number = varint(3);
export const METADATA_2_UNIT: number = varint(4);

// Both versions.
export const SERIES_SAMPLE: number = delimited(2);
export const METADATA_TYPE: number = varint(1);
export const SAMPLE_VALUE: number = fixed64(1);
export const SAMPLE_TIME: number = varint(2);
export const SAMPLE_START: number = varint(3);
export const HISTOGRAM_COUNT: number = varint(1);
export const HISTOGRAM_COUNT_FLOAT: number = fixed64(2);
export const HISTOGRAM_SUM: number = fixed64(3);
export const HISTOGRAM_SCHEMA: number = varint(4);
export const HISTOGRAM_ZERO_THRESHOLD: number = fixed64(5);
export const HISTOGRAM_ZERO_COUNT: number = varint(6);
export const HISTOGRAM_ZERO_COUNT_FLOAT: number = fixed64(7);
export const HISTOGRAM_NEGATIVE_SPAN: number = delimited(8);
export const HISTOGRAM_NEGATIVE_DELTA: number = delimited(9);
export const HISTOGRAM_NEGATIVE_FLOAT: number = delimited(10);
export const HISTOGRAM_POSITIVE_SPAN: number = delimited(11);
export const HISTOGRAM_POSITIVE_DELTA: number = delimited(12);
export const HISTOGRAM_POSITIVE_FLOAT: number = delimited(13);
export const HISTOGRAM_RESET_HINT: number = varint(14);
export const HISTOGRAM_TIME: number = varint(15);
export const HISTOGRAM_CUSTOM_VALUE: number = delimited(16);
export const HISTOGRAM_START: number = varint(17);
