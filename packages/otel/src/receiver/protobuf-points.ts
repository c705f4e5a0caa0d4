import type { BucketRun } from '@hdrscope/core/internal';
import type { BinaryReader } from '#protobuf';
import { withTraceLink } from '../trace-link.ts';
import {
  BUCKETS_COUNT_ALONE,
  BUCKETS_COUNTS,
  BUCKETS_OFFSET,
  EXEMPLAR_ATTRIBUTE,
  EXEMPLAR_DOUBLE,
  EXEMPLAR_INT,
  EXEMPLAR_SPAN,
  EXEMPLAR_TIME,
  EXEMPLAR_TRACE,
  EXPLICIT_ATTRIBUTE,
  EXPLICIT_BOUND_ALONE,
  EXPLICIT_BOUNDS,
  EXPLICIT_COUNT_ALONE,
  EXPLICIT_COUNTS,
  EXPLICIT_EXEMPLAR,
  EXPLICIT_MAX,
  EXPLICIT_MIN,
  EXPONENTIAL_ATTRIBUTE,
  EXPONENTIAL_EXEMPLAR,
  EXPONENTIAL_MAX,
  EXPONENTIAL_MIN,
  EXPONENTIAL_NEGATIVE,
  EXPONENTIAL_POSITIVE,
  EXPONENTIAL_SCALE,
  EXPONENTIAL_ZERO_COUNT,
  EXPONENTIAL_ZERO_THRESHOLD,
  NUMBER_ATTRIBUTE,
  NUMBER_DOUBLE,
  NUMBER_FLAGS,
  NUMBER_INTEGER,
  POINT_COUNT,
  POINT_FLAGS,
  POINT_START,
  POINT_SUM,
  POINT_TIME,
} from './fields.ts';
import {
  type ExplicitPoint,
  type ExponentialPoint,
  isNoRecordedValue,
  NO_BUCKETS,
  NO_EXEMPLARS,
  type NumberPoint,
  type ReceivedExemplar,
  type ReceivedPoint,
} from './received.ts';
import {
  type MessageReader,
  readFixed64,
  readMessage,
  readNanoseconds,
  readPacked64,
  readPackedVarints,
  readSigned64,
  readVarint64,
} from './wire.ts';
import { attributesOf, type Entry, readEntry } from './wire-attributes.ts';

// The fields of a point go into variables: an object that is filled field by field took three times as long.
type Facts = Pick<ReceivedPoint, 'startNs' | 'timeNs' | 'isEmpty' | 'count'>;
type KnownFacts = Partial<Pick<ReceivedPoint, 'sum' | 'min' | 'max'>>;
const NO_FACTS: Facts & KnownFacts = { startNs: 0n, timeNs: 0n, isEmpty: false, count: 0 };

/** Reads a point of a sum or a gauge. */
export function readNumberPoint(reader: MessageReader): NumberPoint {
  const entries: Entry[] = [];
  let startNs = 0n;
  let timeNs = 0n;
  let isEmpty = false;
  let value: number | undefined;
  readMessage(reader, (tag) => {
    if (tag === NUMBER_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === POINT_START) startNs = readNanoseconds(reader);
    else if (tag === POINT_TIME) timeNs = readNanoseconds(reader);
    else if (tag === NUMBER_DOUBLE) value = reader.double();
    else if (tag === NUMBER_INTEGER) value = readSigned64(reader);
    else if (tag === NUMBER_FLAGS) isEmpty = isNoRecordedValue(reader.uint32());
    else return false;
    return true;
  });
  return { attributes: attributesOf(entries), startNs, timeNs, isEmpty, value };
}

/** Reads a point of a histogram with explicit buckets. */
export function readExplicitPoint(reader: MessageReader): ExplicitPoint {
  const entries: Entry[] = [];
  let exemplars = NO_EXEMPLARS;
  const allBounds: number[] = [];
  const allCounts: number[] = [];
  let { startNs, timeNs, isEmpty, count, sum, min, max } = NO_FACTS;
  readMessage(reader, (tag) => {
    if (tag === EXPLICIT_COUNTS) readPacked64(reader, allCounts, readFixed64);
    else if (tag === EXPLICIT_BOUNDS) readPacked64(reader, allBounds, readDouble);
    else if (tag === EXPLICIT_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === POINT_START) startNs = readNanoseconds(reader);
    else if (tag === POINT_TIME) timeNs = readNanoseconds(reader);
    else if (tag === POINT_COUNT) count = readFixed64(reader);
    else if (tag === POINT_SUM) sum = reader.double();
    else if (tag === EXPLICIT_MIN) min = reader.double();
    else if (tag === EXPLICIT_MAX) max = reader.double();
    else if (tag === POINT_FLAGS) isEmpty = isNoRecordedValue(reader.uint32());
    else if (tag === EXPLICIT_EXEMPLAR) exemplars = withOne(exemplars, readExemplar(reader));
    else if (tag === EXPLICIT_COUNT_ALONE) allCounts.push(readFixed64(reader));
    else if (tag === EXPLICIT_BOUND_ALONE) allBounds.push(reader.double());
    else return false;
    return true;
  });
  const attributes = attributesOf(entries);
  const bounds = orNone(allBounds);
  const counts = orNone(allCounts);
  return { attributes, startNs, timeNs, isEmpty, count, sum, min, max, exemplars, bounds, counts };
}

/** Lists without numbers are one object. */
function orNone(numbers: readonly number[]): readonly number[] {
  return numbers.length === 0 ? NO_BUCKETS.counts : numbers;
}

/** Reads a point of an exponential histogram. */
export function readExponentialPoint(reader: MessageReader): ExponentialPoint {
  const entries: Entry[] = [];
  let exemplars = NO_EXEMPLARS;
  let { startNs, timeNs, isEmpty, count, sum, min, max } = NO_FACTS;
  let scale = 0;
  let zeroCount = 0;
  let zeroThreshold = 0;
  let positive = NO_BUCKETS;
  let negative = NO_BUCKETS;
  readMessage(reader, (tag) => {
    if (tag === EXPONENTIAL_POSITIVE) positive = readBuckets(reader);
    else if (tag === EXPONENTIAL_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === POINT_START) startNs = readNanoseconds(reader);
    else if (tag === POINT_TIME) timeNs = readNanoseconds(reader);
    else if (tag === POINT_COUNT) count = readFixed64(reader);
    else if (tag === POINT_SUM) sum = reader.double();
    else if (tag === EXPONENTIAL_SCALE) scale = reader.sint32();
    else if (tag === EXPONENTIAL_ZERO_COUNT) zeroCount = readFixed64(reader);
    else if (tag === EXPONENTIAL_NEGATIVE) negative = readBuckets(reader);
    else if (tag === EXPONENTIAL_MIN) min = reader.double();
    else if (tag === EXPONENTIAL_MAX) max = reader.double();
    else if (tag === POINT_FLAGS) isEmpty = isNoRecordedValue(reader.uint32());
    else if (tag === EXPONENTIAL_EXEMPLAR) exemplars = withOne(exemplars, readExemplar(reader));
    else if (tag === EXPONENTIAL_ZERO_THRESHOLD) zeroThreshold = reader.double();
    else return false;
    return true;
  });
  const attributes = attributesOf(entries);
  return {
    attributes,
    startNs,
    timeNs,
    isEmpty,
    count,
    sum,
    min,
    max,
    exemplars,
    scale,
    zeroCount,
    zeroThreshold,
    positive,
    negative,
  };
}

/** Most points have no exemplars, and share their list. */
function withOne(
  exemplars: readonly ReceivedExemplar[],
  exemplar: ReceivedExemplar,
): readonly ReceivedExemplar[] {
  if (exemplars === NO_EXEMPLARS) return [exemplar];
  (exemplars as ReceivedExemplar[]).push(exemplar);
  return exemplars;
}

/** Reads an `Exemplar`. */
function readExemplar(reader: MessageReader): ReceivedExemplar {
  const entries: Entry[] = [];
  let timeNs = 0n;
  let value = Number.NaN;
  let traceId = '';
  let spanId = '';
  readMessage(reader, (tag) => {
    if (tag === EXEMPLAR_ATTRIBUTE) entries.push(readEntry(reader));
    else if (tag === EXEMPLAR_TIME) timeNs = readNanoseconds(reader);
    else if (tag === EXEMPLAR_DOUBLE) value = reader.double();
    else if (tag === EXEMPLAR_INT) value = readSigned64(reader);
    else if (tag === EXEMPLAR_TRACE) traceId = hexIn(reader);
    else if (tag === EXEMPLAR_SPAN) spanId = hexIn(reader);
    else return false;
    return true;
  });
  return { value, timeNs, attributes: withTraceLink(attributesOf(entries), traceId, spanId) };
}

const LONGEST_ID = 16;

function hexIn(reader: MessageReader): string {
  let text = '';
  for (const byte of reader.bytes().subarray(0, LONGEST_ID + 1)) text += byte.toString(16).padStart(2, '0');
  return text;
}

function readBuckets(reader: MessageReader): BucketRun {
  let offset = 0;
  let counts: number[] = [];
  readMessage(reader, (tag) => {
    if (tag === BUCKETS_COUNTS) counts = joined(counts, readPackedVarints(reader));
    else if (tag === BUCKETS_OFFSET) offset = reader.sint32();
    else if (tag === BUCKETS_COUNT_ALONE) counts.push(readVarint64(reader));
    else return false;
    return true;
  });
  return { offset, counts };
}

/** Appends a list. There is usually one; copying for each of many would take quadratic time. */
function joined(counts: number[], more: number[]): number[] {
  if (counts.length === 0) return more;
  for (const count of more) counts.push(count);
  return counts;
}

function readDouble(reader: BinaryReader): number {
  return reader.double();
}
