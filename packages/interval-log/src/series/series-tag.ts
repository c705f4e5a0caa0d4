import { HdrscopeError } from '@hdrscope/core';
import { assertText } from '@hdrscope/core/internal';
import type { Attributes } from '@hdrscope/registry';

/** The parts of a series tag. */
export interface SeriesTag {
  /** Name of the family. */
  readonly name: string;
  /** Attributes of the series; empty for a series without attributes. */
  readonly attributes: Attributes;
}

/**
 * Formats the tag of a series: the name of its family, then its attributes sorted by key, like the query of a URL. A
 * string that looks like a value of another type is quoted, so that numbers stay numbers. Characters that would break a
 * line are percent-encoded. Other readers of HdrHistogram's logs take it as an ordinary tag.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the name is not a text.
 * @example
 * ```ts
 * import { formatSeriesTag, parseSeriesTag } from '@hdrscope/interval-log';
 *
 * formatSeriesTag('rpc.duration', {}); //=> 'rpc.duration'
 * const tag = formatSeriesTag('http.duration', { route: '/a b', status: 200, version: '2' });
 * tag; //=> 'http.duration?route=/a%20b&status=200&version="2"'
 * parseSeriesTag(tag).attributes; //=> { route: '/a b', status: 200, version: '2' }
 * ```
 */
export function formatSeriesTag(name: string, attributes: Attributes): string {
  assertText('the name', name);
  const pairs: string[] = [];
  // As in a registry: inherited keys count, and a key without a value is absent.
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined && value !== null)
      pairs.push(`${encoded(key)}=${encoded(formatAttribute(value))}`);
  }
  return pairs.length === 0 ? encoded(name) : `${encoded(name)}?${pairs.sort().join('&')}`;
}

/**
 * Parses a tag of an HdrHistogram log that `formatSeriesTag` has made. Any other tag without `?` and `%` is a name without attributes.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the tag is not a text; `ERR_INVALID_VALUE` when it does not have the form
 *   `NAME?KEY=VALUE&…`.
 */
export function parseSeriesTag(tag: string): SeriesTag {
  assertText('the tag', tag);
  try {
    const [name = '', query] = splitAt(tag, '?');
    const pairs = query === undefined ? [] : query.split('&');
    const attributes = Object.fromEntries(pairs.map(pairOf));
    return { name: decoded(name), attributes };
  } catch (cause) {
    const message = `a series tag must be a name, or NAME?KEY=VALUE&…, got ${JSON.stringify(tag)}`;
    throw new HdrscopeError('ERR_INVALID_VALUE', message, { cause, details: { tag } });
  }
}

function pairOf(pair: string): [key: string, value: unknown] {
  const [key = '', value] = splitAt(pair, '=');
  if (value === undefined) throw new SyntaxError(`no value in ${pair}`);
  return [decoded(key), parseValue(decoded(value))];
}

function splitAt(text: string, separator: string): [before: string, after: string | undefined] {
  const at = text.indexOf(separator);
  return at < 0 ? [text, undefined] : [text.slice(0, at), text.slice(at + 1)];
}

// Everything but printable ASCII: readers disagree about spaces, ends of lines and encodings.
const UNSAFE = /[^!-~]|[,%?&=]/gu;
const LONE_SURROGATE = /^[\ud800-\udfff]$/;

function encoded(text: string): string {
  return text.replace(UNSAFE, (character) =>
    // UTF-8 cannot encode a lone surrogate.
    LONE_SURROGATE.test(character)
      ? `%u${character.charCodeAt(0).toString(16)}`
      : `%${[...new TextEncoder().encode(character)].map(hex).join('%')}`,
  );
}

function hex(byte: number): string {
  return byte.toString(16).toUpperCase().padStart(2, '0');
}

const ENCODED = /%u([\da-f]{4})|(?:%[\dA-F]{2})+/gi;

/** @throws URIError */
function decoded(text: string): string {
  if (!text.includes('%')) return text;
  return text.replace(ENCODED, (bytes, surrogate?: string) =>
    surrogate === undefined ? decodeURIComponent(bytes) : String.fromCharCode(Number.parseInt(surrogate, 16)),
  );
}

const LITERALS: ReadonlyMap<string, unknown> = new Map<string, unknown>([
  ['true', true],
  ['false', false],
  ['NaN', Number.NaN],
  ['Infinity', Number.POSITIVE_INFINITY],
  ['-Infinity', Number.NEGATIVE_INFINITY],
]);
const BIGINT = /^-?\d+n$/;

/**
 * Formats an attribute so that its type can be read back: `GET`, `200`, `"200"`, `["a","b"]`. A string is quoted only if
 * it looks like a value of another type.
 */
function formatAttribute(value: unknown): string {
  if (typeof value === 'string') return isPlain(value) ? value : JSON.stringify(value);
  if (typeof value === 'number') return String(value);
  if (typeof value === 'boolean') return String(value);
  if (typeof value === 'bigint') return `${value}n`;
  return JSON.stringify(toJson(value, []));
}

/** @throws SyntaxError when the text begins like JSON and is not JSON. */
function parseValue(text: string): unknown {
  if (STRUCTURED.test(text)) return fromJson(JSON.parse(text));
  return literalOf(text);
}

const STRUCTURED = /^["[{]/;

function isPlain(text: string): boolean {
  return !STRUCTURED.test(text) && literalOf(text) === text;
}

function literalOf(text: string): unknown {
  if (LITERALS.has(text)) return LITERALS.get(text);
  if (BIGINT.test(text)) return BigInt(text.slice(0, -1));
  // A number only if it is formatted so: "007" and "1.0" are strings.
  return String(Number(text)) === text ? Number(text) : text;
}

// A value that JSON cannot express is an object with this key alone. Keys that begin with it get one more:
//
//   7n                 { "$": "7n" }
//   { "$": 1 }         { "$$": 1 }
const MARK = '$';

function toJson(value: unknown, ancestors: readonly unknown[]): unknown {
  if (typeof value === 'string' || typeof value === 'boolean' || value === null) return value;
  if (typeof value === 'number' && Number.isFinite(value)) return value;
  if (typeof value !== 'object') return { [MARK]: typeof value === 'bigint' ? `${value}n` : String(value) };
  if (value instanceof Date) return { [MARK]: `Date ${value.getTime()}` };
  // A cycle is not a valid attribute, but it must not stop the log.
  if (ancestors.includes(value)) return { [MARK]: 'cycle' };
  const within = [...ancestors, value];
  if (Array.isArray(value)) return Array.from(value, (item) => toJson(item, within));
  const entries = Object.entries(value).sort(([a], [b]) => (a < b ? -1 : 1));
  return Object.fromEntries(
    entries.map(([key, item]) => [key.startsWith(MARK) ? MARK + key : key, toJson(item, within)]),
  );
}

function fromJson(json: unknown): unknown {
  if (typeof json !== 'object' || json === null) return json;
  if (Array.isArray(json)) return json.map(fromJson);
  const entries = Object.entries(json);
  const [first] = entries;
  if (entries.length === 1 && first?.[0] === MARK) return unmarked(String(first[1]));
  return Object.fromEntries(
    entries.map(([key, item]) => [key.startsWith(MARK) ? key.slice(MARK.length) : key, fromJson(item)]),
  );
}

function unmarked(text: string): unknown {
  if (text === 'undefined') return undefined;
  if (text.startsWith('Date ')) return new Date(Number(text.slice('Date '.length)));
  return literalOf(text);
}
