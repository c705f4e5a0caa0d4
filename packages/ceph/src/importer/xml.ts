import type { Budget } from '@hdrscope/kit';
import { numberIfSafe } from '../histogram/sum-of-slots.ts';
import { DEEPEST, type Json, type ParsedJson, wrongText } from './json.ts';

/** The character that XML begins with. */
export const XML_START = '<';

// Elements that are arrays. Below a counter, their children are the items, whatever their names are.
const LISTS: ReadonlySet<string> = new Set(['axes', 'ranges', 'sum', 'values']);

// Elements that stay text when they hold only digits.
const TEXTS: ReadonlySet<string> = new Set(['name', 'description', 'nick']);

/** The depth of the elements of counters: the root is 0, a logger 1. */
const COUNTER_DEPTH = 2;

/**
 * Parses XML as the daemons of Ceph write it: elements with texts, without attributes. The value is that of the JSON of the
 * same answer; names have underscores where XML cannot have the characters of the JSON.
 *
 * @param from The place of the root element.
 * @param budget Each element is two elements of it, except for the counts of cells.
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE`
 */
export function parseXml(text: string, from: number, budget: Budget): ParsedJson {
  let at = from;

  const element = (depth: number): [name: string, value: Json] => {
    if (depth > DEEPEST) throw wrongText(text, at, `XML of at most ${DEEPEST} levels`);
    const name = takeTag('');
    // An element takes more memory than a part of JSON. Counts take less.
    if (name !== 'value') budget.takeElements(2);
    let children: [string, Json][] | undefined;
    const start = at;
    for (skipSpaces(); text.startsWith('<', at) && text[at + 1] !== '/'; skipSpaces()) {
      children ??= [];
      children.push(element(depth + 1));
    }
    if (children !== undefined) {
      takeTag(name);
      if (depth > COUNTER_DEPTH && LISTS.has(name)) return [name, children.map(([, value]) => value)];
      // Different names may be equal in XML, and the counts of one of them would be lost.
      if (new Set(children.map(([child]) => child)).size < children.length) {
        throw wrongText(text, start, `XML with elements of different names in <${name.slice(0, 100)}>`);
      }
      return [name, Object.fromEntries(children)];
    }
    const end = text.indexOf('<', start);
    at = end < 0 ? text.length : end;
    const value = leaf(name, text.slice(start, at), depth);
    takeTag(name);
    return [name, value];
  };

  const skipSpaces = (): void => {
    while (isSpace(text.charCodeAt(at))) at++;
  };

  /** Takes an opening tag, or the closing tag of a name. */
  const takeTag = (closed: string): string => {
    TAG.lastIndex = at;
    const match = TAG.exec(text);
    const [tag = '', slash, name = ''] = match ?? [];
    if (match === null || (slash === '/') !== (closed !== '') || (closed !== '' && name !== closed)) {
      const allowed = closed === '' ? 'an element without attributes' : `</${closed.slice(0, 100)}>`;
      throw wrongText(text, at, `XML with ${allowed}`);
    }
    at += tag.length;
    return name;
  };

  const [, json] = element(0);
  return { json, end: at };
}

const TAG = /<(\/?)([^\s<>/"'=&]+)>/y;

function isSpace(code: number): boolean {
  return code === 0x20 || code === 0x0a || code === 0x0d || code === 0x09;
}

// A longer number is not exact in a double. No integer of a dump has more digits than the second limit.
const MOST_DIGITS = 15;
const MOST_EXACT_DIGITS = 100;

/** The value of an element without children. */
function leaf(name: string, text: string, depth: number): Json {
  const isObject = depth <= COUNTER_DEPTH || name === 'bucket';
  const trimmed = text.trim();
  if (trimmed === '' && isObject) return {};
  if (trimmed === '' && depth > COUNTER_DEPTH && LISTS.has(name)) return [];
  if (TEXTS.has(name) && depth > COUNTER_DEPTH) return unescaped(text);
  if (/^-?\d+$/.test(trimmed) && trimmed.length <= MOST_EXACT_DIGITS) {
    return trimmed.length <= MOST_DIGITS ? Number(trimmed) : numberIfSafe(BigInt(trimmed));
  }
  return /^-?\d+(\.\d+)?$/.test(trimmed) ? Number(trimmed) : unescaped(text);
}

const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'" };

function unescaped(text: string): string {
  return text.replace(/&(?:#(\d{1,7})|#x([0-9a-fA-F]{1,6})|([a-z]+));/g, (whole, decimal, hex, name) => {
    if (name !== undefined) return Object.hasOwn(ENTITIES, name) ? ENTITIES[name]! : whole;
    const code = decimal === undefined ? Number.parseInt(hex, 16) : Number(decimal);
    return code <= 0x10ffff ? String.fromCodePoint(code) : whole;
  });
}
