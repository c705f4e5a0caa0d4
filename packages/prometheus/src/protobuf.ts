import { ProtobufWriter, splitMs } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import { BinaryReader } from '#protobuf';
import { exemplarLabels, exemplarsByBucket } from './exemplars.ts';
import type {
  ClassicBuckets,
  HistogramValue,
  Labels,
  Metric,
  MetricFamily,
  NativeBuckets,
  SummaryValue,
} from './families.ts';
import { type FormatWriter, NO_BYTES, type WrittenMetric } from './format-writer.ts';
import { exposedName, unitInName } from './names.ts';
import { delimited, fixed64, varint, writeCount, writeSide } from './native-wire.ts';
import { classicBucketsOf } from './text-parts.ts';
import { type BucketTags, findLabels, readBuckets } from './written-buckets.ts';

// https://github.com/prometheus/client_model/blob/v0.6.2/io/prometheus/client/metrics.proto
const FAMILY_NAME = delimited(1);
const FAMILY_HELP = delimited(2);
const FAMILY_TYPE = varint(3);
const FAMILY_METRIC = delimited(4);
const FAMILY_UNIT = delimited(5);

const METRIC_LABEL = delimited(1);
const METRIC_GAUGE = delimited(2);
const METRIC_COUNTER = delimited(3);
const METRIC_SUMMARY = delimited(4);
const METRIC_UNTYPED = delimited(5);
const METRIC_TIMESTAMP_MS = varint(6);
const METRIC_HISTOGRAM = delimited(7);

const NUMBER_VALUE = fixed64(1);
const COUNTER_EXEMPLAR = delimited(2);
const COUNTER_CREATED = delimited(3);

const SUMMARY_COUNT = varint(1);
const SUMMARY_SUM = fixed64(2);
const SUMMARY_QUANTILE = delimited(3);
const SUMMARY_CREATED = delimited(4);

const QUANTILE_RANK = fixed64(1);
const QUANTILE_VALUE = fixed64(2);

const HISTOGRAM_COUNT = varint(1);
const HISTOGRAM_SUM = fixed64(2);
const HISTOGRAM_BUCKET = delimited(3);
const HISTOGRAM_SCHEMA = varint(5);
const HISTOGRAM_ZERO_THRESHOLD = fixed64(6);
const HISTOGRAM_ZERO_COUNT = varint(7);
const HISTOGRAM_NEGATIVE_SPAN = delimited(9);
const HISTOGRAM_NEGATIVE_DELTA = delimited(10);
const HISTOGRAM_POSITIVE_SPAN = delimited(12);
const HISTOGRAM_POSITIVE_DELTA = delimited(13);
const HISTOGRAM_CREATED = delimited(15);
const HISTOGRAM_EXEMPLAR = delimited(16); // two bytes

const BUCKET_CUMULATIVE_COUNT = varint(1);
const BUCKET_UPPER_BOUND = fixed64(2);
const BUCKET_EXEMPLAR = delimited(3);

const LABEL_NAME = delimited(1);
const LABEL_VALUE = delimited(2);

const EXEMPLAR_LABEL = delimited(1);
const EXEMPLAR_VALUE = fixed64(2);
const EXEMPLAR_TIMESTAMP = delimited(3);

const TIMESTAMP_SECONDS = varint(1);
const TIMESTAMP_NANOS = varint(2);

const TYPES: Readonly<Record<MetricFamily['type'], number>> = {
  counter: 0,
  gauge: 1,
  info: 1,
  summary: 2,
  unknown: 3,
  histogram: 4,
};

/**
 * Makes a writer of protobuf: each family is an `io.prometheus.client.MetricFamily` after its length. An unknown sum is NaN. A
 * family without metrics has no bytes.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#protobuf-format
 */
export function protobufWriter(): FormatWriter {
  const writer = new ProtobufWriter();
  return {
    add({ type }, metric, earlier) {
      writer.uint32(FAMILY_METRIC).fork();
      if (earlier === undefined) for (const label of metric.labels) writeLabel(writer, METRIC_LABEL, label);
      else copyLabels(writer, earlier);
      writeMetric(writer, type, metric);
      writer.join();
    },
    hasNative: true,
    keepsLabels: true,
    finish() {
      const bytes = writer.finish();
      return { bytes, ends: endsOfFields(bytes) };
    },
    frame(family, metricsLength) {
      if (metricsLength === 0) return { head: NO_BYTES, tail: NO_BYTES };
      const unit = unitInName(family);
      if (unit !== '') writer.uint32(FAMILY_UNIT).string(unit);
      const tail = writer.finish();
      writer.uint32(FAMILY_NAME).string(exposedName(family));
      if (family.help !== '') writer.uint32(FAMILY_HELP).string(family.help);
      writer.uint32(FAMILY_TYPE).uint32(TYPES[family.type]);
      const facts = writer.finish();
      writer.uint32(facts.length + metricsLength + tail.length).raw(facts);
      return { head: writer.finish(), tail };
    },
    readBuckets: (metric) => readBuckets(metric, BUCKET_TAGS),
    end: NO_BYTES,
  };
}

const BUCKET_TAGS: BucketTags = {
  histogram: METRIC_HISTOGRAM,
  schema: HISTOGRAM_SCHEMA,
  zeroCount: HISTOGRAM_ZERO_COUNT,
  span: HISTOGRAM_POSITIVE_SPAN,
  delta: HISTOGRAM_POSITIVE_DELTA,
};

/** Where each field ends. All are messages, and the tags are of one byte. */
function endsOfFields(bytes: Uint8Array): number[] {
  const reader = new BinaryReader(bytes);
  const ends: number[] = [];
  while (reader.pos < reader.len) {
    reader.pos++;
    const length = reader.uint32();
    reader.pos += length;
    ends.push(reader.pos);
  }
  return ends;
}

function copyLabels(writer: ProtobufWriter, earlier: WrittenMetric): void {
  const [start, end] = findLabels(earlier, METRIC_LABEL);
  writer.raw(earlier.bytes.subarray(start, end));
}

/** Writes all of a metric but its labels. */
function writeMetric(writer: ProtobufWriter, type: MetricFamily['type'], metric: Metric): void {
  const { timestampMs, createdMs, value } = metric;
  if (value.kind === 'histogram') {
    writer.uint32(METRIC_HISTOGRAM).fork();
    writeHistogram(writer, value);
    if (createdMs !== undefined) writeTimestamp(writer, HISTOGRAM_CREATED, createdMs);
  } else if (value.kind === 'summary') {
    writer.uint32(METRIC_SUMMARY).fork();
    writeSummary(writer, value);
    if (createdMs !== undefined) writeTimestamp(writer, SUMMARY_CREATED, createdMs);
  } else {
    writer
      .uint32(type === 'counter' ? METRIC_COUNTER : type === 'unknown' ? METRIC_UNTYPED : METRIC_GAUGE)
      .fork();
    writer.uint32(NUMBER_VALUE).double(value.value);
    if (type === 'counter') {
      if (value.exemplar !== undefined) writeExemplar(writer, COUNTER_EXEMPLAR, value.exemplar);
      if (createdMs !== undefined) writeTimestamp(writer, COUNTER_CREATED, createdMs);
    }
  }
  writer.join();
  if (timestampMs !== undefined) writer.uint32(METRIC_TIMESTAMP_MS).int64(Math.round(timestampMs));
}

function writeSummary(writer: ProtobufWriter, { count, sum, quantiles }: SummaryValue): void {
  writeCount(writer.uint32(SUMMARY_COUNT), count);
  writer.uint32(SUMMARY_SUM).double(sum ?? Number.NaN);
  for (const { quantile, value } of quantiles) {
    writer.uint32(SUMMARY_QUANTILE).fork();
    writer.uint32(QUANTILE_RANK).double(quantile);
    writer.uint32(QUANTILE_VALUE).double(value);
    writer.join();
  }
}

function writeHistogram(writer: ProtobufWriter, value: HistogramValue): void {
  const { count, sum, native, exemplars } = value;
  const classic = native === undefined ? classicBucketsOf(value) : value.classic;
  writeCount(writer.uint32(HISTOGRAM_COUNT), count);
  writer.uint32(HISTOGRAM_SUM).double(sum ?? Number.NaN);
  if (classic !== undefined) writeClassic(writer, classic, exemplars);
  if (native === undefined) return;
  writeNative(writer, native);
  for (const exemplar of exemplars ?? []) writeExemplar(writer, HISTOGRAM_EXEMPLAR, exemplar);
}

function writeClassic(
  writer: ProtobufWriter,
  { boundaries, counts }: ClassicBuckets,
  exemplars: readonly Exemplar[] | undefined,
): void {
  const byBucket = exemplarsByBucket(boundaries, exemplars);
  let cumulative = 0;
  for (let i = 0; i < counts.length; i++) {
    cumulative += counts[i]!;
    writer.uint32(HISTOGRAM_BUCKET).fork();
    writeCount(writer.uint32(BUCKET_CUMULATIVE_COUNT), cumulative);
    writer.uint32(BUCKET_UPPER_BOUND).double(boundaries[i] ?? Number.POSITIVE_INFINITY);
    const exemplar = byBucket[i];
    if (exemplar !== undefined) writeExemplar(writer, BUCKET_EXEMPLAR, exemplar);
    writer.join();
  }
}

function writeNative(writer: ProtobufWriter, { positive, negative, zeroThreshold }: NativeBuckets): void {
  writer.uint32(HISTOGRAM_SCHEMA).sint32(positive.scale);
  writer.uint32(HISTOGRAM_ZERO_THRESHOLD).double(zeroThreshold);
  writeCount(writer.uint32(HISTOGRAM_ZERO_COUNT), positive.zeroCount);
  if (negative !== undefined)
    writeSide(writer, negative.offset, negative.counts, HISTOGRAM_NEGATIVE_SPAN, HISTOGRAM_NEGATIVE_DELTA);
  writeSide(writer, positive.offset, positive.counts, HISTOGRAM_POSITIVE_SPAN, HISTOGRAM_POSITIVE_DELTA);
}

function writeExemplar(writer: ProtobufWriter, tag: number, exemplar: Exemplar): void {
  writer.uint32(tag).fork();
  for (const label of exemplarLabels(exemplar)) writeLabel(writer, EXEMPLAR_LABEL, label);
  writer.uint32(EXEMPLAR_VALUE).double(exemplar.value);
  writeTimestamp(writer, EXEMPLAR_TIMESTAMP, exemplar.timeMs);
  writer.join();
}

/** Writes a `google.protobuf.Timestamp`. */
function writeTimestamp(writer: ProtobufWriter, tag: number, ms: number): void {
  const [seconds, nanos] = splitMs(ms);
  writer.uint32(tag).fork();
  writer.uint32(TIMESTAMP_SECONDS).int64(seconds);
  if (nanos > 0) writer.uint32(TIMESTAMP_NANOS).int32(nanos);
  writer.join();
}

function writeLabel(writer: ProtobufWriter, tag: number, [name, value]: Labels[number]): void {
  writer.uint32(tag).fork();
  writer.uint32(LABEL_NAME).string(name);
  writer.uint32(LABEL_VALUE).string(value);
  writer.join();
}
