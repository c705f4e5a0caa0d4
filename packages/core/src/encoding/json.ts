import type { Counted } from '../counted.ts';
import { LARGEST_COUNT } from '../counts/counts.ts';
import { DenseCounts } from '../counts/dense.ts';
import { HdrscopeError, mustBe } from '../errors.ts';
import { HdrLayout } from '../layout/hdr.ts';

/**
 * A histogram as plain data: what `JSON.stringify` writes, and what `structuredClone` copies. Nothing is lost but how
 * the counts are stored and what is done with values out of range.
 */
export interface HistogramJson {
  readonly type: 'hdr';
  readonly version: 1;
  readonly significantDigits: number;
  /** An integer; its decimal digits as a string above 2^53 − 1. */
  readonly lowestDiscernibleValue: number | string;
  /** Likewise. */
  readonly highestTrackableValue: number | string;
  readonly autoResize: boolean;
  readonly startTimeMs?: number;
  readonly endTimeMs?: number;
  readonly tag?: string;
  /** By how many slots the counts were shifted, where they were. */
  readonly normalizingOffset?: number;
  /** The used slots and their counts, ascending. */
  readonly counts: readonly (readonly [slot: number, count: number])[];
}

/** What of a histogram is written. */
export interface JsonSource extends Counted<HdrLayout> {
  readonly autoResize: boolean;
  readonly startTimeMs: number | undefined;
  readonly endTimeMs: number | undefined;
  readonly tag: string | undefined;
}

/** What is read of it. */
export interface DecodedJson extends JsonSource {
  readonly counts: DenseCounts;
  readonly normalizingOffset: number;
}

const MOST_OFFSET = 2 ** 31;

/** The histogram as plain data. A time that is no finite number is left out, as JSON has no word for it. */
export function histogramToJson(source: JsonSource, normalizingOffset: number): HistogramJson {
  const { layout, counts, startTimeMs, endTimeMs, tag } = source;
  const pairs: [number, number][] = [];
  for (let slot = counts.first; slot < counts.length; slot = counts.next(slot + 1)) {
    pairs.push([slot, counts.at(slot)]);
  }
  return {
    type: 'hdr',
    version: 1,
    significantDigits: layout.significantDigits,
    lowestDiscernibleValue: integerToJson(layout.lowestDiscernibleBigInt),
    highestTrackableValue: integerToJson(layout.highestTrackableBigInt),
    autoResize: source.autoResize,
    ...(Number.isFinite(startTimeMs) && { startTimeMs: startTimeMs! }),
    ...(Number.isFinite(endTimeMs) && { endTimeMs: endTimeMs! }),
    ...(tag !== undefined && { tag }),
    ...(normalizingOffset !== 0 && { normalizingOffset }),
    counts: pairs,
  };
}

/**
 * Reads what `histogramToJson` has made, maybe after `JSON.parse`.
 *
 * @throws HdrscopeError `ERR_DECODE` when anything in it is not as it must be; the message says what, and where.
 */
export function histogramFromJson(json: unknown): DecodedJson {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw malformed('json', 'an object as toJSON makes it', json);
  }
  const fields = json as Readonly<Record<string, unknown>>;
  if (fields.type !== 'hdr') throw malformed('json.type', "'hdr'", fields.type);
  if (fields.version !== 1) throw malformed('json.version', '1', fields.version);
  if (typeof fields.autoResize !== 'boolean') {
    throw malformed('json.autoResize', 'a boolean', fields.autoResize);
  }
  const layout = layoutOf(fields);
  return {
    layout,
    autoResize: fields.autoResize,
    startTimeMs: timeOf(fields, 'startTimeMs'),
    endTimeMs: timeOf(fields, 'endTimeMs'),
    tag: tagOf(fields),
    normalizingOffset: offsetOf(fields),
    counts: countsOf(fields.counts, layout.slotCount),
  };
}

function layoutOf(fields: Readonly<Record<string, unknown>>): HdrLayout {
  const { significantDigits } = fields;
  if (typeof significantDigits !== 'number') {
    throw malformed('json.significantDigits', 'an integer from 0 to 5', significantDigits);
  }
  const lowestDiscernibleValue = integerOf(fields, 'lowestDiscernibleValue');
  const highestTrackableValue = integerOf(fields, 'highestTrackableValue');
  try {
    return new HdrLayout({ significantDigits, lowestDiscernibleValue, highestTrackableValue });
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `the range in json is impossible: ${(cause as Error).message}`, {
      cause,
    });
  }
}

function integerToJson(value: bigint): number | string {
  return value <= LARGEST_COUNT ? Number(value) : String(value);
}

function integerOf(fields: Readonly<Record<string, unknown>>, name: string): bigint {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  // No value has more digits; many more would take long to read.
  if (typeof value === 'string' && /^\d{1,19}$/.test(value)) return BigInt(value);
  throw malformed(`json.${name}`, 'an integer, as a string of digits when above 2^53 - 1', value);
}

function timeOf(fields: Readonly<Record<string, unknown>>, name: string): number | undefined {
  const value = fields[name];
  if (value !== undefined && !Number.isFinite(value))
    throw malformed(`json.${name}`, 'a finite number', value);
  return value as number | undefined;
}

function tagOf({ tag }: Readonly<Record<string, unknown>>): string | undefined {
  if (tag !== undefined && typeof tag !== 'string') throw malformed('json.tag', 'a string', tag);
  return tag;
}

function offsetOf({ normalizingOffset = 0 }: Readonly<Record<string, unknown>>): number {
  const isOffset =
    typeof normalizingOffset === 'number' &&
    Number.isInteger(normalizingOffset) &&
    normalizingOffset >= -MOST_OFFSET &&
    normalizingOffset < MOST_OFFSET;
  if (!isOffset) throw malformed('json.normalizingOffset', 'an integer of 32 bits', normalizingOffset);
  return normalizingOffset;
}

function countsOf(pairs: unknown, slotCount: number): DenseCounts {
  if (!Array.isArray(pairs)) throw malformed('json.counts', 'an array of [slot, count] pairs', pairs);
  if (pairs.length > slotCount) {
    throw malformed('json.counts', `at most as long as there are slots, ${slotCount}`, pairs);
  }
  const counts = new DenseCounts(slotCount);
  let below = -1;
  for (let i = 0; i < pairs.length; i++) {
    const pair: unknown = pairs[i];
    if (!Array.isArray(pair) || pair.length !== 2) {
      throw malformed(`json.counts[${i}]`, 'a [slot, count] pair', pair);
    }
    const [slot, count] = pair as [unknown, unknown];
    if (!isIntegerFrom(slot, below + 1, slotCount - 1)) {
      const allowed = `an integer from ${below + 1} to ${slotCount - 1}`;
      throw malformed(`json.counts[${i}][0], an ascending slot,`, allowed, slot);
    }
    if (!isIntegerFrom(count, 1, LARGEST_COUNT)) {
      throw malformed(`json.counts[${i}][1], a count,`, 'an integer from 1 to 2^53 - 1', count);
    }
    below = slot;
    if (counts.total + count > LARGEST_COUNT) {
      throw malformed('the sum of json.counts', 'at most 2^53 - 1', counts.total + count);
    }
    counts.add(slot, count);
  }
  return counts;
}

function isIntegerFrom(value: unknown, from: number, to: number): value is number {
  return Number.isInteger(value) && (value as number) >= from && (value as number) <= to;
}

function malformed(where: string, allowed: string, got: unknown): HdrscopeError {
  return mustBe('ERR_DECODE', where, allowed, got);
}
