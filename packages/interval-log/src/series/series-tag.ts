import { HdrscopeError } from '@hdrscope/core';
import type { Attributes } from '@hdrscope/registry';
import { formatValue, parseValue } from './attribute-text.ts';

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
  const pairs: string[] = [];
  // As in a registry: inherited keys count, and a key without a value is absent.
  for (const key in attributes) {
    const value = attributes[key];
    if (value !== undefined && value !== null) pairs.push(`${encoded(key)}=${encoded(formatValue(value))}`);
  }
  return pairs.length === 0 ? encoded(name) : `${encoded(name)}?${pairs.sort().join('&')}`;
}

/**
 * Parses a tag of an HdrHistogram log that `formatSeriesTag` has made. Any other tag without `?` and `%` is a name without attributes.
 *
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the tag does not have the form `NAME?KEY=VALUE&…`.
 */
export function parseSeriesTag(tag: string): SeriesTag {
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
