import type { HdrscopeError } from '@hdrscope/core';
import { Budget, isObject, type JsonObject, parseJson } from '@hdrscope/kit';
import { kernelError } from '../errors.ts';

/** A line that `bpftrace -f json` prints. */
export type BpftraceLine =
  | { readonly kind: 'histograms'; readonly variable: string; readonly printed: readonly PrintedHistogram[] }
  | { readonly kind: 'attached' }
  | { readonly kind: 'lost'; readonly events: number }
  | { readonly kind: 'other' };

/** The histogram of one key of a map; `key` is `undefined` when the variable is not a map. */
export interface PrintedHistogram {
  readonly key: string | undefined;
  readonly buckets: readonly PrintedBucket[];
}

/** The count of the integers from `min` to `max`, both inclusive. */
export interface PrintedBucket {
  /** `-Infinity` when the bucket is open downwards. */
  readonly min: number;
  /** `Infinity` when the bucket is open upwards. */
  readonly max: number;
  /** Whether this is the last bucket of `hist()` in bpftrace up to 0.17, which holds all integers from 2^31 on. */
  readonly isCapped: boolean;
  readonly count: number;
}

/**
 * Parses a line of `bpftrace -f json`. A line of an unknown type has the kind `other`.
 *
 * @throws HdrscopeError `ERR_KERNEL` when the line is not JSON, or is a histogram without bounds or counts; `ERR_TOO_LARGE` when it is
 *   deeper or denser than any line of bpftrace.
 */
export function parseBpftraceLine(line: string): BpftraceLine {
  if (line.trim() === '') return { kind: 'other' };
  const { type, data } = asObject(parsed(line), line);
  if (type === 'attached_probes') return { kind: 'attached' };
  if (type === 'lost_events') {
    return { kind: 'lost', events: countOf(asObject(data, line).events, line) };
  }
  if (type !== 'hist') return { kind: 'other' };
  const [entry] = Object.entries(asObject(data, line));
  if (entry === undefined) return { kind: 'other' };
  const [variable, held] = entry;
  const printed = Array.isArray(held)
    ? [{ key: undefined, buckets: bucketsOf(held, line) }]
    : Object.entries(asObject(held, line)).map(([key, buckets]) => ({
        key,
        buckets: bucketsOf(buckets, line),
      }));
  return { kind: 'histograms', variable, printed };
}

function bucketsOf(printed: unknown, line: string): PrintedBucket[] {
  if (!Array.isArray(printed)) throw malformed(line);
  return printed.map((item) => {
    const { min, max, count } = asObject(item, line);
    if (min === undefined && max === undefined) throw malformed(line);
    const bucket = {
      min: min === undefined ? Number.NEGATIVE_INFINITY : integerOf(min, line),
      max: max === undefined ? Number.POSITIVE_INFINITY : integerOf(max, line),
      isCapped: false,
      count: countOf(count, line),
    };
    // 2^31 as a signed integer of 32 bits. This bucket holds all larger integers too.
    if (bucket.min === -(2 ** 31) && bucket.max === 0) {
      return { ...bucket, min: 2 ** 31, max: Number.POSITIVE_INFINITY, isCapped: true };
    }
    if (bucket.min > bucket.max) throw malformed(line);
    return bucket;
  });
}

// `{"min": 0, "max": 0, "count": 1}` has four elements in 32 characters.
const LEAST_ELEMENTS = 1000;
const CHARACTERS_PER_ELEMENT = 4;
const DEEPEST = 16;

function parsed(line: string): unknown {
  const elements = LEAST_ELEMENTS + Math.floor(line.length / CHARACTERS_PER_ELEMENT);
  try {
    return parseJson(
      line,
      'a line of bpftrace',
      new Budget('a line of bpftrace', { elements, depth: DEEPEST }),
    );
  } catch (cause) {
    if ((cause as HdrscopeError).code === 'ERR_TOO_LARGE') throw cause;
    const message = `bpftrace must print lines of JSON, got ${excerpt(line)}: run it with -f json`;
    throw kernelError(message, { program: 'bpftrace' }, cause);
  }
}

function asObject(value: unknown, line: string): JsonObject {
  if (!isObject(value)) throw malformed(line);
  return value;
}

/** Newer versions print large integers as text. A double holds the bounds of buckets exactly, or differs by one. */
function integerOf(value: unknown, line: string): number {
  const number = typeof value === 'string' && /^-?\d{1,30}$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw malformed(line);
  return number;
}

function countOf(value: unknown, line: string): number {
  const count = integerOf(value, line);
  if (count < 0 || !Number.isSafeInteger(count)) throw malformed(line);
  return count;
}

function malformed(line: string): HdrscopeError {
  return kernelError(`bpftrace must print histograms with bounds and counts, got ${excerpt(line)}`, {
    program: 'bpftrace',
  });
}

function excerpt(line: string): string {
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 120)}…` : line);
}
