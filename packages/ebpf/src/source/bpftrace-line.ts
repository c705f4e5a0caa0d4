import { HdrscopeError } from '@hdrscope/core';
import { isObject, type JsonObject } from '@hdrscope/kit';

/** A line that `bpftrace -f json` prints, as far as it matters here. */
export type BpftraceLine =
  | { readonly kind: 'histograms'; readonly variable: string; readonly printed: readonly PrintedHistogram[] }
  | { readonly kind: 'attached' }
  | { readonly kind: 'lost'; readonly events: number }
  | { readonly kind: 'other' };

/** What one key of a map holds; `key` is `undefined` where the variable is no map. */
export interface PrintedHistogram {
  readonly key: string | undefined;
  readonly buckets: readonly PrintedBucket[];
}

/** Integers from `min` to `max`, both included. */
export interface PrintedBucket {
  /** `-Infinity` where the bucket is open downwards. */
  readonly min: number;
  /** `Infinity` where the bucket is open upwards. */
  readonly max: number;
  /** The last bucket of `hist()` in bpftrace up to 0.17, which holds all from 2^31 on. */
  readonly isCapped: boolean;
  readonly count: number;
}

/**
 * Reads a line of `bpftrace -f json`. Lines of other types than those of histograms are no concern of ours.
 *
 * @throws HdrscopeError `ERR_KERNEL` when it is no JSON, or a histogram without bounds or counts.
 */
export function parseBpftraceLine(line: string): BpftraceLine {
  if (line.trim() === '') return { kind: 'other' };
  const { type, data } = asObject(parseJson(line), line);
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
  if (!Array.isArray(printed)) throw notUnderstood(line);
  return printed.map((item) => {
    const { min, max, count } = asObject(item, line);
    if (min === undefined && max === undefined) throw notUnderstood(line);
    const bucket = {
      min: min === undefined ? Number.NEGATIVE_INFINITY : integerOf(min, line),
      max: max === undefined ? Number.POSITIVE_INFINITY : integerOf(max, line),
      isCapped: false,
      count: countOf(count, line),
    };
    // 1 << 31 in 32 bits. All that is larger was counted there too.
    if (bucket.min === -(2 ** 31) && bucket.max === 0) {
      return { ...bucket, min: 2 ** 31, max: Number.POSITIVE_INFINITY, isCapped: true };
    }
    if (bucket.min > bucket.max) throw notUnderstood(line);
    return bucket;
  });
}

function parseJson(line: string): unknown {
  try {
    return JSON.parse(line);
  } catch (cause) {
    throw new HdrscopeError(
      'ERR_KERNEL',
      `bpftrace must print lines of JSON, got ${excerpt(line)}: run it with -f json`,
      { cause },
    );
  }
}

function asObject(value: unknown, line: string): JsonObject {
  if (!isObject(value)) throw notUnderstood(line);
  return value;
}

/** Newer versions print as text what a double cannot hold. The bounds of buckets it can, or is off by one. */
function integerOf(value: unknown, line: string): number {
  const number = typeof value === 'string' && /^-?\d+$/.test(value) ? Number(value) : value;
  if (typeof number !== 'number' || !Number.isInteger(number)) throw notUnderstood(line);
  return number;
}

function countOf(value: unknown, line: string): number {
  const count = integerOf(value, line);
  if (count < 0 || !Number.isSafeInteger(count)) throw notUnderstood(line);
  return count;
}

function notUnderstood(line: string): HdrscopeError {
  return new HdrscopeError('ERR_KERNEL', `bpftrace printed what is no histogram: ${excerpt(line)}`);
}

function excerpt(line: string): string {
  return JSON.stringify(line.length > 120 ? `${line.slice(0, 120)}…` : line);
}
