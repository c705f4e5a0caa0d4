import { oneOf, type RulesFor, visible, withDefault } from '@hdrscope/core/internal';
import { type JsonValue, type Pieces, RawJson, toJsonText } from '../json-text.ts';
import { CellTable, type DocumentObject, RepeatedPart } from './document.ts';

/** The format of a document, by Ceph's names. */
export type CephFormat = 'json' | 'json-pretty' | 'xml' | 'xml-pretty';

export const CEPH_FORMATS: readonly CephFormat[] = ['json', 'json-pretty', 'xml', 'xml-pretty'];

/** The option `format` of all that writes texts. */
export const FORMAT_RULES: RulesFor<{ readonly format?: CephFormat }> = {
  format: withDefault(oneOf(CEPH_FORMATS), 'json-pretty'),
};

/** Ceph's name of the root element of perf commands in XML. */
export const PERF_ROOT = 'perfcounter_collection';

/**
 * Writes a document as Ceph's formatters do, byte for byte.
 *
 * @param root The name of the root element in XML.
 */
export function formatDocument(
  document: DocumentObject | JsonValue,
  format: CephFormat,
  root: string = PERF_ROOT,
): string {
  if (format === 'json' || format === 'json-pretty') return toJsonText(document, format);
  const shape = format === 'xml' ? COMPACT : PRETTY;
  const out: Pieces = [];
  writeXml(out, root, document, shape, '');
  // Ceph adds an empty line at the end.
  return out.join('') + shape.lineEnd;
}

interface XmlShape {
  readonly lineEnd: string;
  /** The indentation that each level adds. */
  readonly indent: string;
}

const COMPACT: XmlShape = { lineEnd: '', indent: '' };
const PRETTY: XmlShape = { lineEnd: '\n', indent: ' ' };

/** The element of each item, by the element of the array. An array within an array has the element of the outer one. */
const ITEM_NAMES: Readonly<Record<string, string>> = {
  axes: 'axis',
  ranges: 'bucket',
  sum: 'sum',
  values: 'value',
};

/** Adds the element of a value. Values that JSON leaves out are left out. */
function writeXml(out: Pieces, name: string, value: unknown, shape: XmlShape, start: string): void {
  const plain = plainOf(value);
  if (isLeftOut(plain)) return;
  const tag = tagOf(name);
  if (typeof plain !== 'object' || plain === null) {
    out.push(`${start}<${tag}>${plain === null ? '' : escapeXml(String(plain))}</${tag}>${shape.lineEnd}`);
    return;
  }
  out.push(`${start}<${tag}>${shape.lineEnd}`);
  const children: Iterable<readonly [unknown, unknown]> = Array.isArray(plain)
    ? plain.map((item) => [itemName(name, item), item] as const)
    : plain instanceof Map
      ? plain
      : Object.entries(plain);
  for (const [child, one] of children) writeXml(out, String(child), one, shape, start + shape.indent);
  out.push(`${start}</${tag}>${shape.lineEnd}`);
}

/** A value without the wrappers that only JSON needs. */
function plainOf(value: unknown): unknown {
  if (value instanceof RepeatedPart) return value.value;
  if (value instanceof CellTable) return value.toArrays();
  if (value instanceof RawJson) return value.text;
  if (
    typeof value === 'object' &&
    value !== null &&
    'toJSON' in value &&
    typeof value.toJSON === 'function'
  ) {
    return value.toJSON();
  }
  return value;
}

function isLeftOut(value: unknown): boolean {
  return value === undefined || typeof value === 'function' || typeof value === 'symbol';
}

/** In a signature, a word is an `arg`, and an argument has its own name. */
function itemName(array: string, item: unknown): string {
  if (array === SIGNATURE) return typeof item === 'string' ? 'arg' : (item as { readonly name: string }).name;
  return Array.isArray(item) ? array : (ITEM_NAMES[array] ?? 'item');
}

const SIGNATURE = 'sig';

// Ceph writes a name as it is, `::` included. A name of an application may have characters that no element may have. These are those
// of the fourth edition of XML 1.0, which parsers such as expat follow, as far as languages need them; each other one is `_`.
const LETTERS =
  ':A-Z_a-z\u00c0-\u00d6\u00d8-\u00f6\u00f8-\u0131\u0391-\u03a1\u03a3-\u03ce\u0410-\u044f\u3041-\u3094\u30a1-\u30fa\u4e00-\u9fa5\uac00-\ud7a3';
const NOT_IN_NAMES = new RegExp(`[^${LETTERS}0-9.-]`, 'g');
const FIRST_IN_NAMES = new RegExp(`^[${LETTERS}]`);

/** The name of an element that is well-formed, whatever the name is. */
function tagOf(name: string): string {
  const tag = name.replace(NOT_IN_NAMES, '_');
  return FIRST_IN_NAMES.test(tag) ? tag : `_${tag}`;
}

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

/** XML has no control characters, not even as references to them. */
function escapeXml(text: string): string {
  const escaped = visible(text, { lines: true }).replace(/[<>&"']/g, (character) => XML_ESCAPES[character]!);
  return escaped.replace(/[\ufffe\uffff]/g, (character) => `\\u${character.charCodeAt(0).toString(16)}`);
}
