import { mustBe } from '@hdrscope/core/internal';
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
  const tag = name.replace(NOT_IN_NAMES, '_');
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

// Ceph writes all other characters of a name as they are, `::` included. These would end the element.
const NOT_IN_NAMES = /[\s<>&"'/=]/g;

const XML_ESCAPES: Readonly<Record<string, string>> = {
  '<': '&lt;',
  '>': '&gt;',
  '&': '&amp;',
  '"': '&quot;',
  "'": '&apos;',
};

function escapeXml(text: string): string {
  return text.replace(/[<>&"']/g, (character) => XML_ESCAPES[character]!);
}
