import { COMPACT, type JsonShape, type Pieces, PRETTY, writeArray, writeObject } from '../json-shape.ts';

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
  const out: Pieces = [];
  write(value, format === 'json' ? COMPACT : PRETTY, out);
  if (format === 'json-pretty') out.push('\n');
  return out.join('');
}

function write(value: unknown, shape: JsonShape, out: Pieces): void {
  const writeInner = (item: unknown, inner: JsonShape): void => write(item, inner, out);
  if (typeof value === 'bigint') out.push(String(value));
  else if (value instanceof RawJson) out.push(value.text);
  else if (typeof value !== 'object' || value === null) out.push(JSON.stringify(value) ?? 'null');
  else if ('toJSON' in value && typeof value.toJSON === 'function') write(value.toJSON(), shape, out);
  else if (Array.isArray(value)) writeArray(out, value, shape, writeInner);
  else writeObject(out, entriesOf(value), shape, writeInner);
}

/** Those that JSON shows. */
function entriesOf(value: object): (readonly [key: string, value: unknown])[] {
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return entries
    .filter(([, item]) => !['undefined', 'function', 'symbol'].includes(typeof item))
    .map(([key, item]) => [String(key), item]);
}
