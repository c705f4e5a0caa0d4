import { type Budget, type Steps, WireReader } from '@hdrscope/kit';
import { HISTOGRAM_COST, LABEL_COST, LONGEST_LABELS, LONGEST_NAME } from '../scraper/limits.ts';
import { newRawHistogram, type RawHistogram } from '../scraper/raw-histogram.ts';
import { closeSide, isField, newSide, readSpan } from '../scraper/read-protobuf.ts';
import * as fields from './write-fields.ts';

/** The version of a request: `prometheus.WriteRequest` or `io.prometheus.write.v2.Request`. */
export type WriteVersion = 1 | 2;

/** A request before its series are checked. */
export interface WriteRequest {
  readonly series: readonly WrittenSeries[];
  /** What version 1 states about families, apart from their series. */
  readonly metadata: readonly WrittenMetadata[];
}

/** What a request states about a family. */
export interface WrittenMetadata {
  /** The name of the family; `''` in version 2, where it belongs to a series. */
  readonly family: string;
  readonly type: WrittenType;
  readonly help: string;
  /** The unit in words; `''` when it is not stated. */
  readonly unit: string;
}

/** The types of families that matter here; `'unknown'` when no type is stated. */
export type WrittenType = 'unknown' | 'histogram' | 'gaugehistogram' | 'other';

/** One series: numbers or native histograms, by their time. */
export interface WrittenSeries {
  readonly name: string;
  /** The labels, without the name. */
  readonly labels: Readonly<Record<string, string>>;
  readonly samples: readonly WrittenSample[];
  readonly histograms: readonly WrittenHistogram[];
  readonly exemplars: number;
  readonly metadata: WrittenMetadata;
  /** Why the labels are no labels of a series: a clause that follows "a series". */
  readonly problem: string | undefined;
}

/** A number of a series. */
export interface WrittenSample {
  readonly value: number;
  readonly timeMs: number;
  /** When the counter began; `undefined` when it is not stated. */
  readonly startMs: number | undefined;
  /** Whether it says that the series has ended. */
  readonly isStale: boolean;
}

/** A native histogram of a series. */
export interface WrittenHistogram {
  /** Without labels. Its time and its start are in it. */
  readonly raw: RawHistogram;
  readonly isStale: boolean;
  /** Whether its counts may fall. */
  readonly isGauge: boolean;
}

const TYPES: Readonly<Record<number, WrittenType>> = { 0: 'unknown', 3: 'histogram', 4: 'gaugehistogram' };
const NO_METADATA: WrittenMetadata = { family: '', type: 'unknown', help: '', unit: '' };
const GAUGE_HINT = 3;
/** Characters of labels become keys of texts that are kept, so a label that many series share costs each of them. */
const CHARACTER_COST = 1 / 256;
// The bits of a stale marker: https://prometheus.io/docs/specs/prw/remote_write_spec/#stale-markers
const STALE_LOW = 0x0000_0002;
const STALE_HIGH = 0x7ff0_0000;

/**
 * Reads a request of remote write, decompressed.
 * Sources: https://prometheus.io/docs/specs/prw/remote_write_spec/, https://prometheus.io/docs/specs/prw/remote_write_spec_2_0/
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are no such request; `ERR_TOO_LARGE` when the budget is passed.
 */
export function readWriteRequest(
  bytes: Uint8Array,
  version: WriteVersion,
  budget: Budget,
): Steps<WriteRequest> {
  const name = version === 1 ? 'prometheus.WriteRequest' : 'io.prometheus.write.v2.Request';
  const reader = new WireReader(bytes, budget, `the body is no ${name}`);
  return version === 1 ? readVersion1(reader, bytes.length) : readVersion2(reader, bytes.length);
}

function* readVersion1(reader: WireReader, end: number): Steps<WriteRequest> {
  const series: WrittenSeries[] = [];
  const metadata: WrittenMetadata[] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === fields.REQUEST_1_SERIES) {
      series.push(readSeries1(reader, reader.message(end)));
      yield;
    } else if (tag === fields.REQUEST_1_METADATA) metadata.push(readMetadata1(reader, reader.message(end)));
    else reader.skip(tag, end);
  }
  return { series, metadata };
}

/**
 * Reads the answer to a remote read that asks one question, decompressed. Its series are those of a request of version 1.
 * Source: https://github.com/prometheus/prometheus/blob/main/prompb/remote.proto, ReadResponse
 *
 * @throws HdrscopeError `ERR_DECODE` when the bytes are no such answer; `ERR_TOO_LARGE` when the budget is passed.
 */
export function* readReadResponse(bytes: Uint8Array, budget: Budget): Steps<readonly WrittenSeries[]> {
  const reader = new WireReader(bytes, budget, 'the answer is no prometheus.ReadResponse');
  const all: WrittenSeries[] = [];
  while (reader.at < bytes.length) {
    const tag = reader.tag(bytes.length);
    if (tag !== fields.RESPONSE_RESULT) {
      reader.skip(tag, bytes.length);
      continue;
    }
    const { series } = yield* readVersion1(reader, reader.message(bytes.length));
    for (const one of series) all.push(one);
  }
  return all;
}

/** The symbols may follow the series that refer to them. */
function* readVersion2(reader: WireReader, end: number): Steps<WriteRequest> {
  const symbols: string[] = [];
  const places: (readonly [from: number, to: number])[] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === fields.REQUEST_2_SYMBOL) symbols.push(reader.text(end));
    else if (tag === fields.REQUEST_2_SERIES) {
      const to = reader.message(end);
      places.push([reader.at, to]);
      reader.at = to;
    } else reader.skip(tag, end);
  }
  const series: WrittenSeries[] = [];
  for (const [from, to] of places) {
    reader.at = from;
    series.push(readSeries2(reader, to, symbols));
    yield;
  }
  return { series, metadata: [] };
}

/** A series while it is read. */
class OpenSeries {
  readonly labels = new Map<string, string>();
  readonly samples: WrittenSample[] = [];
  readonly histograms: WrittenHistogram[] = [];
  exemplars = 0;
  metadata: WrittenMetadata = NO_METADATA;
  /** Where the samples state no start themselves. */
  createdMs: number | undefined;
  #problem: string | undefined;
  #length = 0;

  addLabel(reader: WireReader, name: string, value: string): void {
    this.#length += name.length + value.length;
    reader.takeElements(LABEL_COST + (name.length + value.length) * CHARACTER_COST);
    if (name === '') this.#problem ??= 'has a label without a name';
    if (this.labels.has(name)) this.#problem ??= `has the label ${JSON.stringify(name.slice(0, 100))} twice`;
    // Prometheus does not send empty labels: they stand for labels that are not there.
    else if (value !== '') this.labels.set(name, value);
  }

  close(): WrittenSeries {
    const { samples, histograms, exemplars, metadata, createdMs } = this;
    const { __name__: name = '', ...labels } = Object.fromEntries(this.labels);
    let problem = this.#problem;
    if (name === '') problem ??= 'has no name';
    if (name.length > LONGEST_NAME) problem ??= `has a name of more than ${LONGEST_NAME} characters`;
    if (this.#length > LONGEST_LABELS) problem ??= `has labels of more than ${LONGEST_LABELS} characters`;
    const isStarted = createdMs !== undefined && createdMs > 0;
    return {
      ...{ name: name.slice(0, LONGEST_NAME), labels, exemplars, metadata, problem },
      samples: isStarted ? samples.map((one) => ({ ...one, startMs: one.startMs ?? createdMs })) : samples,
      histograms: isStarted ? histograms.map((one) => withStart(one, createdMs)) : histograms,
    };
  }
}

function withStart(histogram: WrittenHistogram, createdMs: number): WrittenHistogram {
  const { raw } = histogram;
  return { ...histogram, raw: { ...raw, createdMs: raw.createdMs ?? createdMs } };
}

function readSeries1(reader: WireReader, end: number): WrittenSeries {
  const series = new OpenSeries();
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === fields.SERIES_1_LABEL) readLabel1(reader, reader.message(end), series);
    else if (tag === fields.SERIES_SAMPLE) series.samples.push(readSample(reader, reader.message(end)));
    else if (tag === fields.SERIES_1_HISTOGRAM) {
      series.histograms.push(readHistogram(reader, reader.message(end)));
    } else {
      if (tag === fields.SERIES_1_EXEMPLAR) series.exemplars++;
      reader.skip(tag, end);
    }
  }
  return series.close();
}

function readLabel1(reader: WireReader, end: number, series: OpenSeries): void {
  let [name, value] = ['', ''];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === fields.LABEL_NAME) name = reader.text(end);
    else if (tag === fields.LABEL_VALUE) value = reader.text(end);
    else reader.skip(tag, end);
  }
  series.addLabel(reader, name, value);
}

function readMetadata1(reader: WireReader, end: number): WrittenMetadata {
  let [type, family, help, unit] = [0, '', '', ''];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === fields.METADATA_TYPE) type = reader.varint(end);
    else if (tag === fields.METADATA_1_FAMILY) family = reader.text(end);
    else if (tag === fields.METADATA_1_HELP) help = reader.text(end);
    else if (tag === fields.METADATA_1_UNIT) unit = reader.text(end);
    else reader.skip(tag, end);
  }
  return { family, type: TYPES[type] ?? 'other', help, unit };
}

function readSeries2(reader: WireReader, end: number, symbols: readonly string[]): WrittenSeries {
  const series = new OpenSeries();
  const refs: number[] = [];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (isField(tag, fields.SERIES_2_LABEL_REFS)) reader.numbers(tag, end, refs, (to) => reader.varint(to));
    else if (tag === fields.SERIES_SAMPLE) series.samples.push(readSample(reader, reader.message(end)));
    else if (tag === fields.SERIES_2_HISTOGRAM) {
      series.histograms.push(readHistogram(reader, reader.message(end)));
    } else if (tag === fields.SERIES_2_METADATA) {
      series.metadata = readMetadata2(reader, reader.message(end), symbols);
    } else if (tag === fields.SERIES_2_CREATED) series.createdMs = reader.signed(end);
    else {
      if (tag === fields.SERIES_2_EXEMPLAR) series.exemplars++;
      reader.skip(tag, end);
    }
  }
  if (refs.length % 2 !== 0) throw reader.damaged(`a series has ${refs.length} references for its labels`);
  for (let i = 0; i < refs.length; i += 2) {
    series.addLabel(reader, symbolAt(reader, symbols, refs[i]!), symbolAt(reader, symbols, refs[i + 1]!));
  }
  return series.close();
}

function readMetadata2(reader: WireReader, end: number, symbols: readonly string[]): WrittenMetadata {
  let [type, help, unit] = [0, '', ''];
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === fields.METADATA_TYPE) type = reader.varint(end);
    else if (tag === fields.METADATA_2_HELP) help = symbolAt(reader, symbols, reader.varint(end));
    else if (tag === fields.METADATA_2_UNIT) unit = symbolAt(reader, symbols, reader.varint(end));
    else reader.skip(tag, end);
  }
  return { family: '', type: TYPES[type] ?? 'other', help, unit };
}

function symbolAt(reader: WireReader, symbols: readonly string[], ref: number): string {
  const symbol = symbols[ref];
  if (symbol === undefined) throw reader.damaged(`there is no symbol ${ref}, of ${symbols.length}`);
  return symbol;
}

function readSample(reader: WireReader, end: number): WrittenSample {
  reader.takeElements(1);
  let [value, timeMs, startMs] = [0, 0, 0];
  let isStale = false;
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (tag === fields.SAMPLE_VALUE) {
      isStale = reader.isNext(STALE_LOW, STALE_HIGH, end);
      value = reader.double(end);
    } else if (tag === fields.SAMPLE_TIME) timeMs = reader.signed(end);
    else if (tag === fields.SAMPLE_START) startMs = reader.signed(end);
    else reader.skip(tag, end);
  }
  return { value, timeMs, startMs: startMs > 0 ? startMs : undefined, isStale };
}

function readHistogram(reader: WireReader, end: number): WrittenHistogram {
  reader.takeElements(HISTOGRAM_COST);
  const raw = newRawHistogram({});
  const [positive, negative] = [newSide(), newSide()];
  const customValues: number[] = [];
  let [schema, zeroThreshold, zeroCount, hint] = [0, 0, 0, 0];
  let isStale = false;
  raw.count = 0;
  raw.timestampMs = 0;
  const signed = (to: number): number => reader.zigzag(to);
  while (reader.at < end) {
    const tag = reader.tag(end);
    if (isField(tag, fields.HISTOGRAM_POSITIVE_DELTA)) reader.numbers(tag, end, positive.deltas, signed);
    else if (isField(tag, fields.HISTOGRAM_NEGATIVE_DELTA)) reader.numbers(tag, end, negative.deltas, signed);
    else if (tag === fields.HISTOGRAM_POSITIVE_SPAN) readSpan(reader, reader.message(end), positive);
    else if (tag === fields.HISTOGRAM_NEGATIVE_SPAN) readSpan(reader, reader.message(end), negative);
    else if (isField(tag, fields.HISTOGRAM_CUSTOM_VALUE)) {
      reader.numbers(tag, end, customValues, (to) => reader.double(to));
    } else if (tag === fields.HISTOGRAM_COUNT) raw.count = reader.varint(end);
    else if (tag === fields.HISTOGRAM_SUM) {
      isStale = reader.isNext(STALE_LOW, STALE_HIGH, end);
      raw.sum = reader.double(end);
    } else if (tag === fields.HISTOGRAM_SCHEMA) schema = reader.zigzag(end);
    else if (tag === fields.HISTOGRAM_ZERO_THRESHOLD) zeroThreshold = reader.double(end);
    else if (tag === fields.HISTOGRAM_ZERO_COUNT) zeroCount = reader.varint(end);
    else if (tag === fields.HISTOGRAM_RESET_HINT) hint = reader.varint(end);
    else if (tag === fields.HISTOGRAM_TIME) raw.timestampMs = reader.signed(end);
    else if (tag === fields.HISTOGRAM_START) raw.createdMs = reader.signed(end);
    else {
      if (FLOATS.some((float) => isField(tag, float))) raw.isFloat = true;
      reader.skip(tag, end);
    }
  }
  raw.native = {
    ...{ schema, zeroThreshold, zeroCount, customValues },
    positive: closeSide(positive),
    negative: closeSide(negative),
  };
  return { raw, isStale, isGauge: hint === GAUGE_HINT };
}

/** A histogram of floats has at least one of these, also when it is empty. */
const FLOATS = [
  fields.HISTOGRAM_COUNT_FLOAT,
  fields.HISTOGRAM_ZERO_COUNT_FLOAT,
  fields.HISTOGRAM_POSITIVE_FLOAT,
  fields.HISTOGRAM_NEGATIVE_FLOAT,
];
