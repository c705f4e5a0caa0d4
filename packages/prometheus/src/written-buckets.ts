import type { ExponentialBuckets } from '@hdrscope/core/internal';
import type { WrittenMetric } from './format-writer.ts';

// https://protobuf.dev/programming-guides/encoding/
const FIXED_64 = 1;
const DELIMITED = 2;

/** Tags of the fields that lead to the buckets. */
export interface BucketTags {
  /** The tag of the histogram in the metric. */
  readonly histogram: number;
  readonly schema: number;
  readonly zeroCount: number;
  readonly span: number;
  readonly delta: number;
}

/**
 * Reads the positive buckets of a metric that was written here: its bytes are the least memory that they can be kept in.
 *
 * @param metric A field with the metric. Its bytes are not checked.
 * @returns Buckets of which the next call makes others. `undefined` for a metric without native buckets, and where a difference of two
 *   counts is not read exactly.
 */
export function readBuckets({ bytes, at }: WrittenMetric, tags: BucketTags): ExponentialBuckets | undefined {
  const cursor: Cursor = { bytes, at };
  readVarint(cursor);
  const end = readEnd(cursor);
  while (cursor.at < end) {
    const tag = readVarint(cursor);
    if (tag === tags.histogram) return readHistogram(cursor, readEnd(cursor), tags);
    skip(cursor, tag);
  }
  return undefined;
}

interface Cursor {
  readonly bytes: Uint8Array;
  at: number;
}

function readHistogram(cursor: Cursor, end: number, tags: BucketTags): ExponentialBuckets | undefined {
  let scale: number | undefined;
  let zeroCount = 0;
  /** Where each span begins, from the first bucket, and how long it is. */
  const spans: number[] = [];
  let offset = 0;
  let length = 0;
  while (cursor.at < end) {
    const tag = readVarint(cursor);
    if (tag === tags.schema) scale = fromZigzag(readVarint(cursor));
    else if (tag === tags.zeroCount) zeroCount = readVarint(cursor);
    else if (tag === tags.span) {
      readEnd(cursor);
      readVarint(cursor);
      const gap = fromZigzag(readVarint(cursor));
      readVarint(cursor);
      const count = readVarint(cursor);
      // Prometheus numbers a bucket by its upper bound.
      if (spans.length === 0) offset = gap - 1;
      else length += gap;
      spans.push(length, count);
      length += count;
    } else if (tag === tags.delta && scale !== undefined) {
      readEnd(cursor);
      const counts = readCounts(cursor, spans, length);
      return counts && { scale, zeroCount, offset, counts };
    } else skip(cursor, tag);
  }
  return undefined;
}

const counts: number[] = [];

function readCounts(cursor: Cursor, spans: readonly number[], length: number): number[] | undefined {
  counts.length = length;
  let count = 0;
  let at = 0;
  for (let i = 0; i < spans.length; i += 2) {
    const first = spans[i]!;
    const end = first + spans[i + 1]!;
    while (at < first) counts[at++] = 0;
    for (; at < end; at++) {
      const delta = readVarint(cursor);
      if (delta > Number.MAX_SAFE_INTEGER) return undefined;
      count += fromZigzag(delta);
      counts[at] = count;
    }
  }
  return counts;
}

/** Reads a number; above 2^53 it is the nearest one. */
function readVarint(cursor: Cursor): number {
  const { bytes } = cursor;
  let byte = bytes[cursor.at++]!;
  if (byte < 0x80) return byte;
  let value = byte & 0x7f;
  let factor = 0x80;
  do {
    byte = bytes[cursor.at++]!;
    value += (byte & 0x7f) * factor;
    factor *= 0x80;
  } while (byte >= 0x80);
  return value;
}

function fromZigzag(value: number): number {
  return value % 2 === 0 ? value / 2 : -(value + 1) / 2;
}

/** Reads the length of a message. Returns where it ends. */
function readEnd(cursor: Cursor): number {
  const length = readVarint(cursor);
  return cursor.at + length;
}

function skip(cursor: Cursor, tag: number): void {
  const type = tag & 7;
  if (type === DELIMITED) cursor.at = readEnd(cursor);
  else if (type === FIXED_64) cursor.at += 8;
  else readVarint(cursor);
}

/** Where the labels of a metric that was written here begin, and where they end. They are its first fields. */
export function findLabels(
  { bytes, at }: WrittenMetric,
  labelTag: number,
): readonly [start: number, end: number] {
  const cursor: Cursor = { bytes, at };
  readVarint(cursor);
  readVarint(cursor);
  const start = cursor.at;
  while (bytes[cursor.at] === labelTag) {
    cursor.at++;
    cursor.at = readEnd(cursor);
  }
  return [start, cursor.at];
}
