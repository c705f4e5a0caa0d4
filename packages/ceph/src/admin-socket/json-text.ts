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

const INDENT = '    ';

/**
 * Writes JSON as Ceph does; for what `JSON.stringify` takes, that is what it writes with an indent of four. Integers
 * beyond 2^53 keep all their digits.
 */
export function toJsonText(value: JsonValue, format: JsonFormat): string {
  return format === 'json' ? textOf(value, '', '') : `${textOf(value, '\n', INDENT)}\n`;
}

/** @param newline The line break and the indentation where the value begins; nothing in compact text. */
function textOf(value: unknown, newline: string, indent: string): string {
  if (typeof value === 'bigint') return String(value);
  if (value instanceof RawJson) return value.text;
  if (typeof value !== 'object' || value === null) return JSON.stringify(value) ?? 'null';
  if ('toJSON' in value && typeof value.toJSON === 'function') return textOf(value.toJSON(), newline, indent);

  const inner = newline + indent;
  const [open, close] = Array.isArray(value) ? '[]' : '{}';
  const parts = Array.isArray(value)
    ? value.map((item) => textOf(item, inner, indent))
    : entriesOf(value).map(
        ([key, item]) => `${JSON.stringify(key)}:${indent && ' '}${textOf(item, inner, indent)}`,
      );
  return parts.length === 0
    ? `${open}${close}`
    : `${open}${inner}${parts.join(`,${inner}`)}${newline}${close}`;
}

/** Those that JSON shows. */
function entriesOf(value: object): (readonly [key: string, value: unknown])[] {
  const entries: [unknown, unknown][] = value instanceof Map ? [...value] : Object.entries(value);
  return entries
    .filter(([, item]) => !['undefined', 'function', 'symbol'].includes(typeof item))
    .map(([key, item]) => [String(key), item]);
}
