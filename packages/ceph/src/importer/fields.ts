import { mustBe, visible } from '@hdrscope/core/internal';
import { asText, Budget, isObject } from '@hdrscope/kit';
import { type Json, type JsonObject, parseFast } from './json.ts';

/** @throws HdrscopeError `ERR_DECODE` */
export function asObject(json: Json | undefined, path: string): JsonObject {
  if (isObject(json)) return json as JsonObject;
  throw mustBe('ERR_DECODE', path, 'an object', json);
}

/**
 * An array. Reports can have arrays as strings of JSON.
 *
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE` when such a string has more arrays than an array of counts has.
 */
export function asArray(json: Json | undefined, path: string): readonly Json[] {
  const value = typeof json === 'string' ? parsedArray(json, path) : json;
  if (value !== undefined && isArray(value)) return value;
  throw mustBe('ERR_DECODE', path, 'an array', json);
}

/** @throws HdrscopeError `ERR_DECODE` */
export function asInteger(json: Json | undefined, path: string): bigint {
  if (typeof json === 'bigint') return json;
  if (Number.isSafeInteger(json)) return BigInt(json as number);
  throw mustBe('ERR_DECODE', path, 'an integer', json);
}

const LARGEST_COUNT = 2n ** 64n - 1n;

/** @throws HdrscopeError `ERR_DECODE` */
export function asCount(json: Json | undefined, path: string): number | bigint {
  if (typeof json === 'number' && Number.isSafeInteger(json) && json >= 0) return json;
  if (typeof json === 'bigint' && json >= 0n && json <= LARGEST_COUNT) return json;
  throw mustBe('ERR_DECODE', path, 'an integer from 0 to 2^64 - 1', json);
}

function isArray(json: Json): json is readonly Json[] {
  return Array.isArray(json);
}

// An axis of a single slot has an array for each count.
const LEAST_ARRAYS = 1000;
const CHARACTERS_PER_ARRAY = 4;

function parsedArray(text: string, path: string): Json | undefined {
  const from = text.search(/\S/);
  if (text[from] !== '[') return undefined;
  const elements = LEAST_ARRAYS + Math.floor(text.length / CHARACTERS_PER_ARRAY);
  const parsed = parseFast(text, from, new Budget(path, { elements }));
  return parsed !== undefined && text.slice(parsed.end).trim() === '' ? parsed.json : undefined;
}

/** Labels of a logger's counters. */
export type CounterLabels = Readonly<Record<string, string>>;

/** The counters of a logger for one set of labels. */
export interface LabelledJson {
  readonly labels: CounterLabels;
  readonly counters: JsonObject;
  readonly path: string;
}

/**
 * The counters of a logger: one object in the answers to `perf` commands, and in those to `counter` commands an array with an entry
 * for each set of labels.
 *
 * @throws HdrscopeError `ERR_DECODE`
 */
export function labelledCounters(json: Json, path: string): LabelledJson[] {
  if (!Array.isArray(json) || json.length === 0)
    return [{ labels: {}, counters: asObject(json, path), path }];
  return asArray(json, path).map((entry, i) => {
    const place = `${path}[${i}]`;
    const { labels, counters } = asObject(entry, place);
    const texts = Object.entries(asObject(labels, `${place}.labels`)).map(
      ([name, value]) => [name, asText(value, `${place}.labels.${shownName(name)}`)] as const,
    );
    return {
      labels: Object.fromEntries(texts),
      counters: asObject(counters, `${place}.counters`),
      path: `${place}.counters`,
    };
  });
}

const LONGEST_NAME = 100;

/** A name of a dump as messages and notes show it: without control characters, and cut where it is long. */
export function shownName(name: string): string {
  return visible(name.length > LONGEST_NAME ? `${name.slice(0, LONGEST_NAME)}…` : name);
}

/** The path of a part of a dump. @param names Names of the dump, from outside to inside. */
export function pathOf(...names: readonly (string | undefined)[]): string {
  return names
    .filter((name) => name !== undefined)
    .map(shownName)
    .join('.');
}

/** Whether a counter is a histogram. */
export function isHistogram(json: Json): boolean {
  return isObject(json) && 'axes' in json;
}
