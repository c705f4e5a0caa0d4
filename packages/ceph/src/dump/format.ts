import { mustBe } from '@hdrscope/core';
import { COMPACT, innerShape, type JsonShape, jsonArray, jsonObject, PRETTY } from '../json-shape.ts';
import type { DocumentObject, DocumentValue } from './document.ts';

/** How a document is written, by Ceph's names. */
export type CephFormat = 'json' | 'json-pretty' | 'xml' | 'xml-pretty';

export const CEPH_FORMATS: readonly CephFormat[] = ['json', 'json-pretty', 'xml', 'xml-pretty'];

/**
 * Writes a document as Ceph's formatters do, byte for byte.
 *
 * @param root What XML calls all of it.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the format is none of the four.
 */
export function formatDocument(document: DocumentObject, root: string, format: CephFormat): string {
  switch (format) {
    case 'json':
      return json(document, COMPACT);
    case 'json-pretty':
      return `${json(document, PRETTY)}\n`;
    case 'xml':
      return xml(root, document, '', '');
    case 'xml-pretty':
      // Ceph ends it with an empty line.
      return `${xml(root, document, '\n', ' ')}\n`;
    default:
      throw mustBe('ERR_INVALID_OPTION', 'format', `one of ${CEPH_FORMATS.join(', ')}`, format);
  }
}

function json(value: DocumentValue, shape: JsonShape): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  const inner = innerShape(shape);
  if ('items' in value)
    return jsonArray(
      value.items.map((item) => json(item, inner)),
      shape,
    );
  return jsonObject(
    value.entries.map(([name, one]) => [name, json(one, inner)]),
    shape,
  );
}

function xml(name: string, value: DocumentValue, lineEnd: string, indent: string, start = ''): string {
  const tag = name.replace(NO_NAME_CHARACTER, '_');
  if (typeof value !== 'object') return `${start}<${tag}>${escapeXml(String(value))}</${tag}>${lineEnd}`;
  const children =
    'items' in value
      ? value.items.map((item): [string, DocumentValue] => [value.itemName, item])
      : value.entries;
  const inner = children.map(([child, one]) => xml(child, one, lineEnd, indent, start + indent)).join('');
  return `${start}<${tag}>${lineEnd}${inner}${start}</${tag}>${lineEnd}`;
}

// Ceph writes names as they are, `::` included; these would end the element.
const NO_NAME_CHARACTER = /[\s<>&"'/=]/g;

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
