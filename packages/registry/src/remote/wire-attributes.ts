import { malformed } from '@hdrscope/core/internal';
import { asArray, asObject, asText, type Budget } from '@hdrscope/kit';
import type { Attributes } from '../attributes.ts';

/**
 * Attributes as JSON: keys with values. A value that JSON does not have is an object with one field, which names its
 * type: `{ number: 'NaN' }`, `{ bigint: '1' }`, `{ date: 0 }`, `{ object: [[key, value]] }`.
 */
export type WireAttributes = readonly (readonly [key: string, value: unknown])[];

// OpenTelemetry does not limit them, but no attributes that people use have so many.
const MOST_KEYS = 10_000;
const MOST_ITEMS = 1_000_000;
const DEEPEST = 32;

export function attributesToJson(attributes: Attributes): WireAttributes {
  return Object.entries(attributes)
    .filter(([, value]) => value !== undefined && value !== null)
    .map(([key, value]) => [key, valueToJson(value, 0)]);
}

/**
 * @param budget Each key and each item of a list is an element of it.
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE`
 */
export function attributesFromJson(json: unknown, where: string, budget: Budget): Attributes {
  return entriesFromJson(json, { where, budget, depth: 0 });
}

/** Where a value stands in a message. */
interface Place {
  readonly where: string;
  readonly budget: Budget;
  readonly depth: number;
}

function valueToJson(value: unknown, depth: number): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number') return isJsonNumber(value) ? value : { number: numberText(value) };
  if (typeof value === 'bigint') return { bigint: String(value) };
  // Only cycles are that deep. As texts, they stay as distinct as their series are.
  if (typeof value !== 'object' || depth > DEEPEST) return String(value);
  if (value instanceof Date) return { date: value.getTime() };
  if (Array.isArray(value)) return value.map((item) => valueToJson(item ?? null, depth + 1));
  return { object: Object.entries(value).map(([key, item]) => [key, valueToJson(item ?? null, depth + 1)]) };
}

function valueFromJson(json: unknown, place: Place): unknown {
  const { where, budget, depth } = place;
  if (depth > DEEPEST + 1) throw malformed(where, `at most ${DEEPEST} levels deep`, json);
  if (typeof json !== 'object' || json === null) {
    if (typeof json === 'string' || typeof json === 'boolean' || json === null || isJsonNumber(json))
      return json;
    throw malformed(where, 'JSON', json);
  }
  if (Array.isArray(json)) {
    const items = asArray(json, where, MOST_ITEMS);
    budget.takeElements(items.length);
    return items.map((item, i) => valueFromJson(item, { where: `${where}[${i}]`, budget, depth: depth + 1 }));
  }
  const { number, bigint, date, object } = asObject(json, where);
  if (number !== undefined) return Number(asText(number, `${where}.number`));
  if (typeof bigint === 'string' && /^-?\d{1,1000}$/.test(bigint)) return BigInt(bigint);
  if (typeof date === 'number' || date === null) return new Date(date ?? Number.NaN);
  if (object !== undefined) return entriesFromJson(object, { ...place, depth: depth + 1 });
  throw malformed(where, 'the value of an attribute', json);
}

function entriesFromJson(json: unknown, { where, budget, depth }: Place): Record<string, unknown> {
  const list = asArray(json, where, MOST_KEYS);
  budget.takeElements(list.length);
  const entries = list.map((entry, i) => {
    const at = `${where}[${i}]`;
    const [key, value] = asArray(entry, at, 2);
    return [asText(key, `${at}[0]`), valueFromJson(value, { where: `${at}[1]`, budget, depth })] as const;
  });
  // `fromEntries` also makes a key such as __proto__ an ordinary key.
  return Object.fromEntries(entries);
}

function isJsonNumber(value: unknown): value is number {
  return Number.isFinite(value) && !Object.is(value, -0);
}

function numberText(value: number): string {
  return Object.is(value, -0) ? '-0' : String(value);
}
