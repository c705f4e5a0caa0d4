import { mustBe, visible } from '@hdrscope/core/internal';
import { toJsonText } from '../json-text.ts';
import { CellTable, type DocumentObject, type DocumentValue, RepeatedPart } from './document.ts';

/** The format of a document, by Ceph's names. */
export type CephFormat = 'json' | 'json-pretty' | 'xml' | 'xml-pretty';

export const CEPH_FORMATS: readonly CephFormat[] = ['json', 'json-pretty', 'xml', 'xml-pretty'];

/** Ceph's name of the root element in XML. */
const ROOT = 'perfcounter_collection';

/**
 * Writes a document as Ceph's formatters do, byte for byte.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the format is not one of the four.
 */
export function formatDocument(document: DocumentObject, format: CephFormat): string {
  switch (format) {
    case 'json':
    case 'json-pretty':
      return toJsonText(document, format);
    case 'xml':
      return xml(ROOT, document, '', '');
    case 'xml-pretty':
      // Ceph adds an empty line at the end.
      return `${xml(ROOT, document, '\n', ' ')}\n`;
    default:
      throw mustBe('ERR_INVALID_OPTION', 'format', `one of ${CEPH_FORMATS.join(', ')}`, format);
  }
}

/** The element of each item, by the element of the array. An array within an array has the element of the outer one. */
const ITEM_NAMES: Readonly<Record<string, string>> = {
  axes: 'axis',
  ranges: 'bucket',
  sum: 'value',
  values: 'value',
};

function xml(name: string, value: DocumentValue, lineEnd: string, indent: string, start = ''): string {
  const tag = tagOf(name);
  if (typeof value !== 'object') return `${start}<${tag}>${escapeXml(String(value))}</${tag}>${lineEnd}`;
  if (value instanceof RepeatedPart) return xml(name, value.value, lineEnd, indent, start);
  if (value instanceof CellTable) return xml(name, value.toArrays(), lineEnd, indent, start);
  const children: readonly [string, DocumentValue][] =
    value instanceof Map
      ? [...value]
      : value.map((item) => [Array.isArray(item) ? name : ITEM_NAMES[name]!, item]);
  const inner = children.map(([child, one]) => xml(child, one, lineEnd, indent, start + indent)).join('');
  return `${start}<${tag}>${lineEnd}${inner}${start}</${tag}>${lineEnd}`;
}

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
