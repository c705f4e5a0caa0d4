import { type Budget, type Steps, WireReader } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import {
  EXEMPLAR_COST,
  FAMILY_COST,
  HISTOGRAM_COST,
  LABEL_COST,
  LONGEST_LABELS,
  LONGEST_NAME,
} from './limits.ts';
import {
  BUCKET_CUMULATIVE_COUNT,
  BUCKET_CUMULATIVE_COUNT_FLOAT,
  BUCKET_EXEMPLAR,
  BUCKET_UPPER_BOUND,
  EXEMPLAR_LABEL,
  EXEMPLAR_TIMESTAMP,
  EXEMPLAR_VALUE,
  FAMILY_HELP,
  FAMILY_METRIC,
  FAMILY_NAME,
  FAMILY_TYPE,
  FAMILY_UNIT,
  HISTOGRAM_BUCKET,
  HISTOGRAM_COUNT,
  HISTOGRAM_COUNT_FLOAT,
  HISTOGRAM_CREATED,
  HISTOGRAM_EXEMPLAR,
  HISTOGRAM_NEGATIVE_DELTA,
  HISTOGRAM_NEGATIVE_SPAN,
  HISTOGRAM_POSITIVE_DELTA,
  HISTOGRAM_POSITIVE_SPAN,
  HISTOGRAM_SCHEMA,
  HISTOGRAM_SUM,
  HISTOGRAM_ZERO_COUNT,
  HISTOGRAM_ZERO_COUNT_FLOAT,
  HISTOGRAM_ZERO_THRESHOLD,
  LABEL_NAME,
  LABEL_VALUE,
  METRIC_HISTOGRAM,
  METRIC_LABEL,
  METRIC_TIMESTAMP_MS,
  SPAN_LENGTH,
  SPAN_OFFSET,
  TIMESTAMP_NANOS,
  TIMESTAMP_SECONDS,
} from './metrics-fields.ts';
import {
  newRawHistogram,
  type RawFamily,
  type RawHistogram,
  type RawSide,
  type RawType,
} from './raw-histogram.ts';

const TYPES: ReadonlyMap<number, RawType> = new Map([
  [2, 'summary'],
  [4, 'histogram'],
  [5, 'gaugehistogram'],
]);

/**
 * Reads families of `io.prometheus.client`, each after its length. Numbers that are not histograms are skipped.
 * Source: https://prometheus.io/docs/instrumenting/exposition_formats/#protobuf-format
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are no such families; `ERR_TOO_LARGE` when a limit is passed.
 */
export function* readProtobuf(bytes: Uint8Array, budget: Budget): Steps<RawFamily[]> {
  const reader = new WireReader(bytes, budget);
  const families: RawFamily[] = [];
  while (reader.at < bytes.length) {
    const end = reader.message(bytes.length);
    const from = reader.at;
    const family = readFacts(reader, end);
    families.push(family);
    yield;
    if (family.type !== 'histogram') continue;
    reader.at = from;
    while (reader.at < end) {
      const tag = reader.tag(end);
      if (tag !== FAMILY_METRIC) {
        reader.skip(tag, end);
        continue;
      }
      family.histograms.push(readMetric(reader, reader.message(end)));
      yield;
    }
  }
  return families;
}

/** Reads a family without its metrics: their meaning depends on the type, and fields may come in any order. */
function readFacts(reader: WireReader, end: number): RawFamily {
  reader.takeElements(FAMILY_COST);
  let [name, help, unit] = ['', '', ''];
  let type = 0;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === FAMILY_NAME) name = reader.text(end);
    else if (tag === FAMILY_HELP) help = reader.text(end);
    else if (tag === FAMILY_UNIT) unit = reader.text(end);
    else if (tag === FAMILY_TYPE) type = reader.varint(end);
    else reader.skip(tag, end);
  }
  if (name.length > LONGEST_NAME) throw reader.damaged(`a name has more than ${LONGEST_NAME} characters`);
  return { name, help, unit, type: TYPES.get(type) ?? 'other', histograms: [] };
}

function readMetric(reader: WireReader, end: number): RawHistogram {
  reader.takeElements(HISTOGRAM_COST);
  const labels = new Map<string, string>();
  let length = 0;
  const raw = newRawHistogram({});
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === METRIC_LABEL) length += readLabel(reader, reader.message(end), labels);
    else if (tag === METRIC_HISTOGRAM) readHistogram(reader, reader.message(end), raw);
    else if (tag === METRIC_TIMESTAMP_MS) raw.timestampMs = reader.signed(end);
    else reader.skip(tag, end);
  }
  if (length > LONGEST_LABELS) throw reader.damaged(`labels have more than ${LONGEST_LABELS} characters`);
  return { ...raw, labels: Object.fromEntries(labels) };
}

/** Returns how many characters the label has. */
function readLabel(reader: WireReader, end: number, labels: Map<string, string>): number {
  reader.takeElements(LABEL_COST);
  let [name, value] = ['', ''];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === LABEL_NAME) name = reader.text(end);
    else if (tag === LABEL_VALUE) value = reader.text(end);
    else reader.skip(tag, end);
  }
  if (labels.has(name)) throw reader.damaged(`the label ${JSON.stringify(name)} comes twice`);
  labels.set(name, value);
  return name.length + value.length;
}

/** Buckets of one side, while they are read. */
export interface OpenSide {
  readonly offsets: number[];
  readonly lengths: number[];
  readonly deltas: number[];
}

export const newSide = (): OpenSide => ({ offsets: [], lengths: [], deltas: [] });

// Writers of proto 2 write each delta as a field of its own.
export const isField = (tag: number, delimitedTag: number): boolean => tag >>> 3 === delimitedTag >>> 3;

function readHistogram(reader: WireReader, end: number, raw: RawHistogram): void {
  let [schema, zeroThreshold, zeroCount] = [0, 0, 0];
  const positive = newSide();
  const negative = newSide();
  const isRead = raw.count !== undefined || raw.bounds.length > 0;
  if (isRead) raw.repeated = 'its histogram';
  raw.count = 0;
  const signed = (to: number): number => reader.zigzag(to);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === HISTOGRAM_BUCKET) readBucket(reader, reader.message(end), raw);
    else if (isField(tag, HISTOGRAM_POSITIVE_DELTA)) reader.numbers(tag, end, positive.deltas, signed);
    else if (isField(tag, HISTOGRAM_NEGATIVE_DELTA)) reader.numbers(tag, end, negative.deltas, signed);
    else if (tag === HISTOGRAM_POSITIVE_SPAN) readSpan(reader, reader.message(end), positive);
    else if (tag === HISTOGRAM_NEGATIVE_SPAN) readSpan(reader, reader.message(end), negative);
    else if (tag === HISTOGRAM_COUNT) raw.count = reader.varint(end);
    else if (tag === HISTOGRAM_SUM) raw.sum = reader.double(end);
    else if (tag === HISTOGRAM_SCHEMA) schema = reader.zigzag(end);
    else if (tag === HISTOGRAM_ZERO_THRESHOLD) zeroThreshold = reader.double(end);
    else if (tag === HISTOGRAM_ZERO_COUNT) zeroCount = reader.varint(end);
    else if (tag === HISTOGRAM_CREATED) raw.createdMs = readTimestamp(reader, reader.message(end));
    else if (tag === HISTOGRAM_EXEMPLAR) readExemplar(reader, reader.message(end), raw);
    else if (tag === HISTOGRAM_COUNT_FLOAT || tag === HISTOGRAM_ZERO_COUNT_FLOAT) {
      if (reader.double(end) !== 0) raw.isFloat = true;
    } else reader.skip(tag, end);
  }
  // A native histogram without values has a threshold or an empty span: https://prometheus.io/docs/specs/native_histograms/#protobuf
  const hasSpans = positive.offsets.length + negative.offsets.length > 0;
  if (!hasSpans && zeroThreshold === 0 && zeroCount === 0) return;
  raw.native = {
    schema,
    zeroThreshold,
    zeroCount,
    positive: closeSide(positive),
    negative: closeSide(negative),
  };
}

/** Adds up the deltas. */
export function closeSide({ offsets, lengths, deltas }: OpenSide): RawSide {
  let count = 0;
  return { offsets, lengths, counts: deltas.map((delta) => (count += delta)) };
}

/** Reads a span of buckets. Scrapes and remote write have the same ones. */
export function readSpan(reader: WireReader, end: number, side: OpenSide): void {
  let [offset, length] = [0, 0];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === SPAN_OFFSET) offset = reader.zigzag(end);
    else if (tag === SPAN_LENGTH) length = reader.varint(end);
    else reader.skip(tag, end);
  }
  side.offsets.push(offset);
  side.lengths.push(length);
}

function readBucket(reader: WireReader, end: number, raw: RawHistogram): void {
  let [count, bound] = [0, 0];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === BUCKET_CUMULATIVE_COUNT) count = reader.varint(end);
    else if (tag === BUCKET_UPPER_BOUND) bound = reader.double(end);
    else if (tag === BUCKET_EXEMPLAR) readExemplar(reader, reader.message(end), raw);
    else if (tag === BUCKET_CUMULATIVE_COUNT_FLOAT) {
      if (reader.double(end) !== 0) raw.isFloat = true;
    } else reader.skip(tag, end);
  }
  raw.bounds.push(bound);
  raw.cumulative.push(count);
}

/** Reads an exemplar. One without a time is left out. */
function readExemplar(reader: WireReader, end: number, { exemplars }: RawHistogram): void {
  reader.takeElements(EXEMPLAR_COST);
  const labels = new Map<string, string>();
  let value = 0;
  let length = 0;
  let timeMs: number | undefined;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === EXEMPLAR_LABEL) length += readLabel(reader, reader.message(end), labels);
    else if (tag === EXEMPLAR_VALUE) value = reader.double(end);
    else if (tag === EXEMPLAR_TIMESTAMP) timeMs = readTimestamp(reader, reader.message(end));
    else reader.skip(tag, end);
  }
  if (timeMs === undefined || length > LONGEST_LABELS) return;
  exemplars.push({ value, timeMs, attributes: Object.fromEntries(labels) } satisfies Exemplar);
}

function readTimestamp(reader: WireReader, end: number): number {
  let [seconds, nanos] = [0, 0];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === TIMESTAMP_SECONDS) seconds = reader.signed(end);
    else if (tag === TIMESTAMP_NANOS) nanos = reader.signed(end);
    else reader.skip(tag, end);
  }
  return seconds * 1000 + nanos / 1e6;
}
