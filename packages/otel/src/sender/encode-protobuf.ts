import { countBytes, joinBytes, ProtobufWriter } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import type { HrTime } from '@opentelemetry/api';
import { readPacked } from '../packed-buckets.ts';
import { hrTime } from '../point.ts';
import { delimited, fixed64, varint } from '../receiver/wire.ts';
import {
  type ExplicitHistogramValue,
  type ExponentialHistogramValue,
  type Point,
  PointType,
  Temporality,
} from '../sdk.ts';
import { traceLinkOf } from '../trace-link.ts';
import { type Encoding, type Frame, type Item, isInt64, type MetricFacts, nanoseconds } from './encoding.ts';

// https://github.com/open-telemetry/opentelemetry-proto/blob/v1.9.0/opentelemetry/proto/metrics/v1/metrics.proto
// The fields have the order in which the exporters of the SDK write them.

/** Protobuf. The bytes are those of the SDK's own exporters, which write no exemplars. */
export const PROTOBUF: Encoding = {
  contentType: 'application/x-protobuf',
  resource(attributes) {
    const head = written((writer) => {
      writer.uint32(delimited(1)).fork();
      writeAttributes(writer, 1, attributes);
      // The SDK writes the number of dropped attributes, too.
      writer.uint32(varint(2)).uint32(0).join();
    });
    return frame(head, NOTHING, delimited(1));
  },
  scope({ name, version, schemaUrl }) {
    const head = written((writer) => {
      writer.uint32(delimited(1)).fork();
      writer.uint32(delimited(1)).string(name);
      if (version) writer.uint32(delimited(2)).string(version);
      writer.join();
    });
    const tail = written((writer) => {
      if (schemaUrl) writer.uint32(delimited(3)).string(schemaUrl);
    });
    return frame(head, tail, delimited(2));
  },
  metric(metric) {
    const { name, description, unit } = metric.descriptor;
    const head = written((writer) => {
      writer.uint32(delimited(1)).string(name);
      if (description) writer.uint32(delimited(2)).string(description);
      if (unit) writer.uint32(delimited(3)).string(unit);
    });
    const field = FIELDS[metric.dataPointType as keyof typeof FIELDS];
    const tail = written((writer) => writeKind(writer, metric));
    return {
      mostBytes: head.length + tail.length + 2 * MOST_HEADER_BYTES,
      close: (list) =>
        joinBytes(message(delimited(2), [head, ...message(delimited(field), [...list, tail])])),
    };
  },
  points: (items, from, to) =>
    written((writer) => {
      for (let i = from; i < to; i++) {
        writePoint(writer.uint32(delimited(1)), items[i]!);
      }
    }),
};

/** A tag and a length. */
const MOST_HEADER_BYTES = 1 + 5;
const NOTHING = new Uint8Array();

function frame(head: Uint8Array, tail: Uint8Array, tag: number): Frame {
  return {
    mostBytes: head.length + tail.length + MOST_HEADER_BYTES,
    close: (list) => joinBytes(message(tag, [head, ...list, tail])),
  };
}

// One writer keeps its buffer from point to point.
let shared = new ProtobufWriter();

/** @param write Must not call `written`. */
function written(write: (writer: ProtobufWriter) => void): Uint8Array {
  try {
    write(shared);
    return shared.finish();
  } catch (error) {
    shared = new ProtobufWriter();
    throw error;
  }
}

/** A message of parts that are written already. */
function message(tag: number, parts: readonly Uint8Array[]): Uint8Array[] {
  const header = written((writer) => writer.uint32(tag).uint32(countBytes(parts)));
  return [header, ...parts];
}

/** The field of a `Metric` that holds the points of a type. */
const FIELDS = {
  [PointType.GAUGE]: 5,
  [PointType.SUM]: 7,
  [PointType.HISTOGRAM]: 9,
  [PointType.EXPONENTIAL_HISTOGRAM]: 10,
} as const;

function writeKind(writer: ProtobufWriter, metric: MetricFacts): void {
  if (metric.dataPointType === PointType.GAUGE) return;
  writer.uint32(varint(2)).uint32(metric.aggregationTemporality === Temporality.DELTA ? 1 : 2);
  if ('isMonotonic' in metric && metric.isMonotonic) writer.uint32(varint(3)).bool(true);
}

function writePoint(writer: ProtobufWriter, { metric: { dataPointType }, point }: Item): void {
  if (dataPointType === PointType.EXPONENTIAL_HISTOGRAM)
    writeExponential(writer, point as Point<ExponentialHistogramValue>);
  else if (dataPointType === PointType.HISTOGRAM)
    writeExplicit(writer, point as Point<ExplicitHistogramValue>);
  else writeNumber(writer, point as Point<number>);
}

function writeNumber(writer: ProtobufWriter, point: Point<number>): void {
  writer.fork();
  writeTimes(writer, point);
  writer.uint32(fixed64(4)).double(point.value);
  writeAttributes(writer, 7, point.attributes);
  writer.join();
}

function writeExplicit(writer: ProtobufWriter, point: Point<ExplicitHistogramValue>): void {
  const { count, sum, min, max, buckets } = point.value;
  writer.fork(8 * buckets.counts.length);
  writeTimes(writer, point);
  writeCount(writer.uint32(fixed64(4)), count);
  writer.uint32(fixed64(5)).double(sum);
  if (buckets.counts.length > 0) {
    writer.uint32(delimited(6)).uint32(8 * buckets.counts.length);
    for (const one of buckets.counts) writeCount(writer, one);
  }
  if (buckets.boundaries.length > 0) {
    writer.uint32(delimited(7)).uint32(8 * buckets.boundaries.length);
    for (const bound of buckets.boundaries) writer.double(bound);
  }
  writeAttributes(writer, 9, point.attributes);
  if (min !== undefined) writer.uint32(fixed64(11)).double(min);
  if (max !== undefined) writer.uint32(fixed64(12)).double(max);
  writeExemplars(writer, 8, point.exemplars);
  writer.join();
}

function writeExponential(writer: ProtobufWriter, point: Point<ExponentialHistogramValue>): void {
  const { count, sum, min, max, scale, zeroCount, positive, negative } = point.value;
  writer.fork(readPacked(positive).length);
  writeAttributes(writer, 1, point.attributes);
  writeTimes(writer, point);
  writeCount(writer.uint32(fixed64(4)), count);
  writer.uint32(fixed64(5)).double(sum);
  if (scale !== 0) writer.uint32(varint(6)).sint32(scale);
  writeCount(writer.uint32(fixed64(7)), zeroCount);
  writeBuckets(writer.uint32(delimited(8)), positive);
  writeBuckets(writer.uint32(delimited(9)), negative);
  if (min !== undefined) writer.uint32(fixed64(12)).double(min);
  if (max !== undefined) writer.uint32(fixed64(13)).double(max);
  writeExemplars(writer, 11, point.exemplars);
  writer.join();
}

function writeExemplars(writer: ProtobufWriter, field: number, exemplars: readonly Exemplar[] = []): void {
  for (const { value, timeMs, attributes } of exemplars) {
    const { traceId, spanId, rest } = traceLinkOf(attributes);
    writer.uint32(delimited(field)).fork();
    writer.uint32(fixed64(2)).fixed64(nanoseconds(hrTime(timeMs)));
    writer.uint32(fixed64(3)).double(value);
    if (spanId !== undefined) writer.uint32(delimited(4)).bytes(Buffer.from(spanId, 'hex'));
    if (traceId !== undefined) writer.uint32(delimited(5)).bytes(Buffer.from(traceId, 'hex'));
    writeAttributes(writer, 7, rest);
    writer.join();
  }
}

function writeBuckets(writer: ProtobufWriter, buckets: ExponentialHistogramValue['positive']): void {
  const { offset } = buckets;
  const counts = readPacked(buckets);
  writer.fork(counts.length);
  if (offset !== 0) writer.uint32(varint(1)).sint32(offset);
  if (counts.length > 0) writer.uint32(delimited(2)).packed(counts);
  writer.join();
}

const TURN = 2 ** 32;

/** Writes an integer up to 2^53 in eight bytes. */
function writeCount(writer: ProtobufWriter, count: number): void {
  writer.fixed32(count % TURN).fixed32(Math.floor(count / TURN));
}

function writeTimes(
  writer: ProtobufWriter,
  { startTime, endTime }: Pick<Point<unknown>, 'startTime' | 'endTime'>,
): void {
  writeTime(writer.uint32(fixed64(2)), startTime, lastStart);
  writeTime(writer.uint32(fixed64(3)), endTime, lastEnd);
}

/** A time, and the halves of its nanoseconds: many points share it, and a bigint takes as long as ten numbers. */
interface WrittenTime {
  time: HrTime | undefined;
  low: number;
  high: number;
}

const lastStart: WrittenTime = { time: undefined, low: 0, high: 0 };
const lastEnd: WrittenTime = { time: undefined, low: 0, high: 0 };

function writeTime(writer: ProtobufWriter, time: HrTime, last: WrittenTime): void {
  if (time !== last.time) {
    const all = nanoseconds(time);
    last.time = time;
    last.low = Number(BigInt.asUintN(32, all));
    last.high = Number(BigInt.asUintN(32, all >> 32n));
  }
  writer.fixed32(last.low).fixed32(last.high);
}

function writeAttributes(
  writer: ProtobufWriter,
  field: number,
  attributes: Readonly<Record<string, unknown>>,
): void {
  let place = 0;
  for (const key of Object.keys(attributes)) {
    writeAttribute(writer.uint32(delimited(field)), key, attributes[key], place);
    place++;
  }
}

/** An attribute, and its `KeyValue` once it has been written a second time. */
interface WrittenAttribute {
  readonly key: string;
  readonly value: unknown;
  bytes: Uint8Array | undefined;
}

// At each place of the attributes of the last point: most points share some with the one before.
const lastAttributes: (WrittenAttribute | undefined)[] = [];
const MOST_LAST_ATTRIBUTES = 16;
const attributeWriter = new ProtobufWriter();

function writeAttribute(writer: ProtobufWriter, key: string, value: unknown, place: number): void {
  const last = lastAttributes[place];
  if (last?.key === key && last.value === value) {
    last.bytes ??= writeKeyValue(attributeWriter, key, value).finish();
    writer.bytes(last.bytes);
    return;
  }
  // An array may have other items next time.
  const isKept = place < MOST_LAST_ATTRIBUTES && typeof value !== 'object';
  if (isKept) lastAttributes[place] = { key, value, bytes: undefined };
  writeKeyValue(writer.fork(), key, value).join();
}

/** Writes the content of a `KeyValue`. */
function writeKeyValue(writer: ProtobufWriter, key: string, value: unknown): ProtobufWriter {
  writer.uint32(delimited(1)).string(key);
  writer.uint32(delimited(2)).fork();
  writeValue(writer, value);
  return writer.join();
}

/** Writes the content of an `AnyValue`: nothing for a value that attributes cannot have. */
function writeValue(writer: ProtobufWriter, value: unknown): void {
  if (typeof value === 'string') writer.uint32(delimited(1)).string(value);
  else if (typeof value === 'boolean') writer.uint32(varint(2)).bool(value);
  else if (typeof value === 'number') {
    if (isInt64(value)) writer.uint32(varint(3)).int64(value);
    else writer.uint32(fixed64(4)).double(value);
  } else if (Array.isArray(value)) {
    writer.uint32(delimited(5)).fork();
    for (const item of value) {
      writer.uint32(delimited(1)).fork();
      writeValue(writer, item);
      writer.join();
    }
    writer.join();
  }
}
