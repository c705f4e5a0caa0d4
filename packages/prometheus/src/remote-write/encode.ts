import { ProtobufWriter } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import { exemplarLabels } from '../exemplars.ts';
import {
  type ClassicBuckets,
  type HistogramValue,
  type Labels,
  type Metric,
  type MetricType,
  type NativeBuckets,
  type NumberValue,
  STARTED_TYPES,
} from '../families.ts';
import { withExtra } from '../labels.ts';
import type { FamilyFacts } from '../lazy-family.ts';
import { exposedName, unitWords } from '../names.ts';
import { delimited, fixed64, varint, writeCount, writeSide } from '../native-wire.ts';
import { boundaryText, classicBucketsOf } from '../text-parts.ts';

// https://github.com/prometheus/prometheus/blob/main/prompb/io/prometheus/write/v2/types.proto
const REQUEST_SYMBOLS = delimited(4);
const REQUEST_TIMESERIES = delimited(5);

const SERIES_LABELS = delimited(1);
const SERIES_SAMPLE = delimited(2);
const SERIES_HISTOGRAM = delimited(3);
const SERIES_EXEMPLAR = delimited(4);
const SERIES_METADATA = delimited(5);

const SAMPLE_VALUE = fixed64(1);
const SAMPLE_TIME = varint(2);
const SAMPLE_START = varint(3);

const EXEMPLAR_LABELS = delimited(1);
const EXEMPLAR_VALUE = fixed64(2);
const EXEMPLAR_TIME = varint(3);

const METADATA_TYPE = varint(1);
const METADATA_HELP = varint(3);
const METADATA_UNIT = varint(4);

const HISTOGRAM_COUNT = varint(1);
const HISTOGRAM_SUM = fixed64(3);
const HISTOGRAM_SCHEMA = varint(4);
const HISTOGRAM_ZERO_THRESHOLD = fixed64(5);
const HISTOGRAM_ZERO_COUNT = varint(6);
const HISTOGRAM_NEGATIVE_SPAN = delimited(8);
const HISTOGRAM_NEGATIVE_DELTAS = delimited(9);
const HISTOGRAM_POSITIVE_SPAN = delimited(11);
const HISTOGRAM_POSITIVE_DELTAS = delimited(12);
const HISTOGRAM_TIME = varint(15);
const HISTOGRAM_CUSTOM_VALUES = delimited(16);
const HISTOGRAM_START = varint(17);

const TYPES: Readonly<Record<MetricType, number>> = {
  unknown: 0,
  counter: 1,
  gauge: 2,
  histogram: 3,
  summary: 5,
  info: 6,
};

/** The schema of buckets with custom boundaries. */
const CUSTOM_BUCKETS = -53;

/** The value of a stale marker. */
const STALE: unique symbol = Symbol('stale');
type SampleNumber = number | typeof STALE;

/** The numbers of a summary. */
interface SummaryNumbers {
  readonly quantiles: readonly { readonly quantile: number; readonly value: SampleNumber }[];
  readonly sum: SampleNumber | undefined;
  readonly count: SampleNumber;
}

/** How much a request has. */
export interface Contents {
  samples: number;
  histograms: number;
  exemplars: number;
}

/** Encodes one `io.prometheus.write.v2.Request`. */
export class RequestEncoder {
  readonly contents: Contents = { samples: 0, histograms: 0, exemplars: 0 };
  readonly #writer = new ProtobufWriter();
  readonly #symbols = new Map<string, number>([['', 0]]);
  readonly #extra: Labels;
  #timeMs: number;

  /**
   * @param timeMs The time of the samples, in whole milliseconds since 1970, until another one is set.
   * @param extra Labels of all series. The labels of a series take precedence.
   */
  constructor(timeMs: number, extra: Labels) {
    this.#timeMs = timeMs;
    this.#extra = extra;
  }

  /** Sets the time of the samples that are added next, in whole milliseconds since 1970. */
  setTime(timeMs: number): void {
    this.#timeMs = timeMs;
  }

  /**
   * Adds a metric with its sample. A histogram without native buckets gets buckets with its own boundaries. A summary is a series for
   * each quantile, one for the sum and one for the count.
   */
  add(family: FamilyFacts, { labels, createdMs, value }: Metric): void {
    const name = exposedName(family);
    const startMs =
      STARTED_TYPES.has(family.type) && createdMs !== undefined ? Math.floor(createdMs) : undefined;
    if (value.kind === 'histogram') {
      this.#addHistogram(family, name, labels, value, startMs);
      return;
    }
    if (value.kind === 'number') {
      this.#addNumber(family, name, labels, value, startMs);
      return;
    }
    this.#addSummary(family, name, labels, value, startMs);
  }

  /**
   * Adds stale markers to the series that a metric like this one has: they have ended.
   *
   * @param value Only its kind counts, and of a summary its quantiles and whether it has a sum.
   */
  addStale(family: FamilyFacts, { labels, value }: Pick<Metric, 'labels' | 'value'>): void {
    const name = exposedName(family);
    if (value.kind === 'histogram') this.#addHistogram(family, name, labels, STALE, undefined);
    else if (value.kind === 'number') this.#addNumber(family, name, labels, { value: STALE }, undefined);
    else {
      const quantiles = value.quantiles.map(({ quantile }) => ({ quantile, value: STALE }) as const);
      const sum = value.sum === undefined ? undefined : STALE;
      this.#addSummary(family, name, labels, { quantiles, sum, count: STALE }, undefined);
    }
  }

  #addSummary(
    family: FamilyFacts,
    name: string,
    labels: Labels,
    { quantiles, sum, count }: SummaryNumbers,
    startMs: number | undefined,
  ): void {
    for (const { quantile, value } of quantiles) {
      const own: Labels = [...labels, ['quantile', boundaryText(quantile)]];
      this.#addNumber(family, name, own, { value }, undefined);
    }
    if (sum !== undefined) this.#addNumber(family, `${name}_sum`, labels, { value: sum }, startMs);
    this.#addNumber(family, `${name}_count`, labels, { value: count }, startMs);
  }

  #addHistogram(
    family: FamilyFacts,
    name: string,
    labels: Labels,
    value: HistogramValue | typeof STALE,
    startMs: number | undefined,
  ): void {
    const exemplars = value === STALE ? [] : (value.exemplars ?? []);
    this.#addSeries(family, name, labels, exemplars, () => {
      this.#writer.uint32(SERIES_HISTOGRAM).fork();
      if (value === STALE) writeDouble(this.#writer.uint32(HISTOGRAM_SUM), STALE);
      else writeHistogram(this.#writer, value);
      this.#writeTimes(HISTOGRAM_TIME, HISTOGRAM_START, startMs);
    });
    this.contents.histograms++;
  }

  #addNumber(
    family: FamilyFacts,
    name: string,
    labels: Labels,
    { value, exemplar }: { readonly value: SampleNumber } & Pick<NumberValue, 'exemplar'>,
    startMs: number | undefined,
  ): void {
    this.#addSeries(family, name, labels, exemplar === undefined ? [] : [exemplar], () => {
      this.#writer.uint32(SERIES_SAMPLE).fork();
      writeDouble(this.#writer.uint32(SAMPLE_VALUE), value);
      this.#writeTimes(SAMPLE_TIME, SAMPLE_START, startMs);
    });
    this.contents.samples++;
  }

  #addSeries(
    family: FamilyFacts,
    name: string,
    labels: Labels,
    exemplars: readonly Exemplar[],
    writeSample: () => void,
  ): void {
    const writer = this.#writer.uint32(REQUEST_TIMESERIES).fork();
    this.#writeLabels(SERIES_LABELS, [['__name__', name], ...withExtra(labels, this.#extra)]);
    writeSample();
    writer.join();
    for (const exemplar of exemplars) this.#writeExemplar(exemplar);
    writer.uint32(SERIES_METADATA).fork();
    writer.uint32(METADATA_TYPE).uint32(TYPES[family.type]);
    writer.uint32(METADATA_HELP).uint32(this.#refOf(family.help));
    writer.uint32(METADATA_UNIT).uint32(this.#refOf(unitWords(family.unit)));
    writer.join().join();
  }

  /** The bytes of the request. */
  finish(): Uint8Array {
    for (const symbol of this.#symbols.keys()) this.#writer.uint32(REQUEST_SYMBOLS).string(symbol);
    return this.#writer.finish();
  }

  #writeTimes(timeTag: number, startTag: number, startMs: number | undefined): void {
    this.#writer.uint32(timeTag).int64(this.#timeMs);
    // A clock that was set back can put the start after the sample.
    const start = startMs === undefined ? 0 : Math.min(startMs, this.#timeMs - 1);
    if (start > 0) this.#writer.uint32(startTag).int64(start);
  }

  /** Writes references to names and values, sorted by name. Prometheus takes an empty value for an absent label. */
  #writeLabels(tag: number, labels: Labels): void {
    const sorted = labels
      .filter(([, value]) => value !== '')
      .sort(([a], [b]) => (a < b ? -1 : a > b ? 1 : 0));
    const writer = this.#writer.uint32(tag).fork();
    for (const [name, value] of sorted) writer.uint32(this.#refOf(name)).uint32(this.#refOf(value));
    writer.join();
  }

  #writeExemplar(exemplar: Exemplar): void {
    this.#writer.uint32(SERIES_EXEMPLAR).fork();
    this.#writeLabels(EXEMPLAR_LABELS, exemplarLabels(exemplar));
    this.#writer.uint32(EXEMPLAR_VALUE).double(exemplar.value);
    this.#writer.uint32(EXEMPLAR_TIME).int64(Math.round(exemplar.timeMs));
    this.#writer.join();
    this.contents.exemplars++;
  }

  #refOf(text: string): number {
    const known = this.#symbols.get(text);
    if (known !== undefined) return known;
    const ref = this.#symbols.size;
    this.#symbols.set(text, ref);
    return ref;
  }
}

/** A stale marker is a NaN with bits of its own, 0x7ff0000000000002, which a number of JavaScript may lose. */
function writeDouble(writer: ProtobufWriter, value: SampleNumber): void {
  if (value === STALE) writer.fixed32(0x0000_0002).fixed32(0x7ff0_0000);
  else writer.double(value);
}

function writeHistogram(writer: ProtobufWriter, value: HistogramValue): void {
  const { count, sum = Number.NaN, native } = value;
  writeCount(writer.uint32(HISTOGRAM_COUNT), count);
  writer.uint32(HISTOGRAM_SUM).double(sum);
  if (native !== undefined) writeNative(writer, native);
  else writeCustom(writer, classicBucketsOf(value));
}

function writeNative(writer: ProtobufWriter, { positive, negative, zeroThreshold }: NativeBuckets): void {
  writer.uint32(HISTOGRAM_SCHEMA).sint32(positive.scale);
  writer.uint32(HISTOGRAM_ZERO_THRESHOLD).double(zeroThreshold);
  writeCount(writer.uint32(HISTOGRAM_ZERO_COUNT), positive.zeroCount);
  if (negative !== undefined)
    writeSide(writer, negative.offset, negative.counts, HISTOGRAM_NEGATIVE_SPAN, HISTOGRAM_NEGATIVE_DELTAS);
  writeSide(writer, positive.offset, positive.counts, HISTOGRAM_POSITIVE_SPAN, HISTOGRAM_POSITIVE_DELTAS);
}

/** Writes buckets whose indexes are those of their upper boundaries; the last one has none. */
function writeCustom(writer: ProtobufWriter, { boundaries, counts }: ClassicBuckets): void {
  writer.uint32(HISTOGRAM_SCHEMA).sint32(CUSTOM_BUCKETS);
  writeCount(writer.uint32(HISTOGRAM_ZERO_COUNT), 0);
  writeSide(writer, -1, counts, HISTOGRAM_POSITIVE_SPAN, HISTOGRAM_POSITIVE_DELTAS);
  writer.uint32(HISTOGRAM_CUSTOM_VALUES).uint32(8 * boundaries.length);
  for (const boundary of boundaries) writer.double(boundary);
}
