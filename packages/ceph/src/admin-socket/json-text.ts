import { COMPACT, innerShape, type JsonShape, jsonArray, jsonObject, PRETTY } from '../json-shape.ts';

/**
 * What a reply in JSON is made of: all that `JSON.stringify` takes, and bigints. A `Map` keeps the order of its keys,
 * which an object does not where they look like numbers.
 */
export type JsonValue = string | number | bigint | boolean | null | object;

/** A number with its digits as they are to be written. */
export class RawJson {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }
}

/** Two ways of writing JSON: all in one line, or as Ceph's `json-pretty`, which ends in a newline. */
export type JsonFormat = 'json' | 'json-pretty';

/**
 * Writes JSON as Ceph does; for what `JSON.stringify` takes, that is what it writes with an indent of four. Integers
 * beyond 2^53 keep all their digits.
 *
 * @example
 * ```ts
 * import { toJsonText } from '@hdrscope/ceph';
 *
 * toJsonText({ op_r: 2n ** 64n - 1n }, 'json'); //=> '{"op_r":18446744073709551615}'
 * ```
 */
export function toJsonText(value: JsonValue, format: JsonFormat): string {
  return format === 'json' ? textOf(value, COMPACT) : `${textOf(value, PRETTY)}\n`;
}

function textOf(value: unknown, shape: JsonShape): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof RawJson) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON(), shape);
  const inner = innerShape(shape);
  if (Array.isArray(value))
    return jsonArray(
      Array.from(value, (item) => textOf(item, inner)),
      shape,
    );
  return jsonObject(
    entriesOf(value).map(([key, item]) => [key, textOf(item, inner)]),
    shape,
  );
}

/** Those that JSON shows. */
function entriesOf(value: object): (readonly [key: string, value: unknown])[] {
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return entries
    .filter(([, item]) => !['undefined', 'function', 'symbol'].includes(typeof item))
    .map(([key, item]) => [String(key), item]);
}
