import { DenseCounts } from '../counts/dense.ts';
import { LARGEST_COUNT } from '../counts/largest-count.ts';
import type { ReadonlyCounts } from '../counts/readonly-counts.ts';
import { usedSlots } from '../counts/used-slots.ts';
import { malformed } from '../errors.ts';

/** The members of a JSON object that nobody has checked yet. */
export type JsonFields = Readonly<Record<string, unknown>>;

/** The used slots of a histogram and their counts, ascending. */
export type CountsJson = readonly (readonly [slot: number, count: number])[];

/** Times and tag of a histogram, where they are set. */
export interface NotesJson {
  /** When the first value was counted, in milliseconds since 1970; left out when unknown. */
  readonly startTimeMs?: number;
  /** When the last value was counted, in milliseconds since 1970; left out when unknown. */
  readonly endTimeMs?: number;
  /** The tag of the histogram in interval logs; left out when it has no tag. */
  readonly tag?: string;
}

/** Times and tag as a histogram has them. */
export interface Notes {
  readonly startTimeMs: number | undefined;
  readonly endTimeMs: number | undefined;
  readonly tag: string | undefined;
}

export function countsToJson(counts: ReadonlyCounts): CountsJson {
  return [...usedSlots(counts)];
}

/** A time that is not finite is left out, as JSON has no word for it. */
export function notesToJson({ startTimeMs, endTimeMs, tag }: Notes): NotesJson {
  return {
    ...(Number.isFinite(startTimeMs) && { startTimeMs: startTimeMs! }),
    ...(Number.isFinite(endTimeMs) && { endTimeMs: endTimeMs! }),
    ...(tag !== undefined && { tag }),
  };
}

/** An integer as a number, or, above 2^53 − 1, as a string of its digits. */
export function integerToJson(value: bigint): number | string {
  return value <= LARGEST_COUNT ? Number(value) : String(value);
}

/**
 * The members of a histogram's JSON, of which type and version are checked.
 *
 * @throws HdrscopeError `ERR_DECODE` when `json` is not an object of that type and version.
 */
export function jsonFields(json: unknown, type: string): JsonFields {
  if (typeof json !== 'object' || json === null || Array.isArray(json)) {
    throw malformed('json', 'an object as toJSON makes it', json);
  }
  const fields = json as JsonFields;
  if (fields.type !== type) throw malformed('json.type', `'${type}'`, fields.type);
  if (fields.version !== 1) throw malformed('json.version', '1', fields.version);
  return fields;
}

/** @throws HdrscopeError `ERR_DECODE` when the member is not `true` or `false`. */
export function booleanOf(fields: JsonFields, name: string): boolean {
  const value = fields[name];
  if (typeof value !== 'boolean') throw malformed(`json.${name}`, 'a boolean', value);
  return value;
}

/** @throws HdrscopeError `ERR_DECODE` when the member is not an integer, or a string of at most 19 digits. */
export function integerOf(fields: JsonFields, name: string): bigint {
  const value = fields[name];
  if (typeof value === 'number' && Number.isSafeInteger(value)) return BigInt(value);
  // No value has more digits, and a long string would take long to read.
  if (typeof value === 'string' && /^\d{1,19}$/.test(value)) return BigInt(value);
  throw malformed(`json.${name}`, 'an integer, as a string of digits when above 2^53 - 1', value);
}

/**
 * An integer; 0 when it is left out and `isOptional`.
 *
 * @throws HdrscopeError `ERR_DECODE` when the member is not an integer from `from` to `to`.
 */
export function smallIntegerOf(
  fields: JsonFields,
  name: string,
  [from, to, range = `an integer from ${from} to ${to}`]: readonly [from: number, to: number, range?: string],
  isOptional = false,
): number {
  const value = fields[name] ?? (isOptional ? 0 : undefined);
  if (!isIntegerFrom(value, from, to)) throw malformed(`json.${name}`, range, value);
  return value;
}

/** @throws HdrscopeError `ERR_DECODE` when a time is not a finite number, or the tag not a string. */
export function notesOf(fields: JsonFields): Notes {
  const { tag } = fields;
  if (tag !== undefined && typeof tag !== 'string') throw malformed('json.tag', 'a string', tag);
  return { startTimeMs: timeOf(fields, 'startTimeMs'), endTimeMs: timeOf(fields, 'endTimeMs'), tag };
}

function timeOf(fields: JsonFields, name: string): number | undefined {
  const value = fields[name];
  if (value !== undefined && !Number.isFinite(value))
    throw malformed(`json.${name}`, 'a finite number', value);
  return value as number | undefined;
}

/** @throws HdrscopeError `ERR_DECODE` when the counts are not ascending slots with counts above 0. */
export function countsOf({ counts: pairs }: JsonFields, slotCount: number): DenseCounts {
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
