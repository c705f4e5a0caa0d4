import { mustBe } from '@hdrscope/core';
import { CellTexts } from '../histogram/cells.ts';
import { COMPACT, innerShape, type JsonShape, jsonArray, jsonObject, PRETTY } from '../json-shape.ts';
import { cellArrays, type DocumentCells, type DocumentObject, type DocumentValue } from './document.ts';

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
      return json(document, COMPACT, new Map());
    case 'json-pretty':
      return `${json(document, PRETTY, new Map())}\n`;
    case 'xml':
      return xml(root, document, '', '');
    case 'xml-pretty':
      // Ceph ends it with an empty line.
      return `${xml(root, document, '\n', ' ')}\n`;
    default:
      throw mustBe('ERR_INVALID_OPTION', 'format', `one of ${CEPH_FORMATS.join(', ')}`, format);
  }
}

/** @param written Repeated objects, as they were written. */
function json(value: DocumentValue, shape: JsonShape, written: Map<DocumentObject, string>): string {
  if (typeof value === 'string') return JSON.stringify(value);
  if (typeof value !== 'object') return String(value);
  if ('cells' in value) return jsonCells(value, shape);
  const inner = innerShape(shape);
  if ('items' in value) {
    return jsonArray(
      value.items.map((item) => json(item, inner, written)),
      shape,
    );
  }
  const known = value.isRepeated === true ? written.get(value) : undefined;
  if (known !== undefined) return known;
  const text = jsonObject(
    value.entries.map(([name, one]) => [name, json(one, inner, written)]),
    shape,
  );
  if (value.isRepeated === true) written.set(value, text);
  return text;
}

function jsonCells({ cells, lengths }: DocumentCells, shape: JsonShape): string {
  const texts = new CellTexts(cells);
  const row = (from: number, to: number, within: JsonShape): string => {
    const parts: string[] = [];
    for (let cell = from; cell < to; cell++) parts.push(texts.at(cell));
    return jsonArray(parts, within);
  };
  const write = (depth: number, from: number, to: number, within: JsonShape): string => {
    if (depth === lengths.length - 1) return row(from, to, within);
    const [step, inner, parts] = [(to - from) / lengths[depth]!, innerShape(within), [] as string[]];
    // Most rows have no count, and are alike.
    let empty: string | undefined;
    for (let at = from; at < to; at += step) {
      const isEmpty = texts.areZero(at, at + step);
      if (isEmpty) empty ??= write(depth + 1, at, at + step, inner);
      parts.push(isEmpty ? empty! : write(depth + 1, at, at + step, inner));
    }
    return jsonArray(parts, within);
  };
  return write(0, 0, cells.length, shape);
}

function xml(name: string, value: DocumentValue, lineEnd: string, indent: string, start = ''): string {
  const tag = name.replace(NO_NAME_CHARACTER, '_');
  if (typeof value !== 'object') return `${start}<${tag}>${escapeXml(String(value))}</${tag}>${lineEnd}`;
  if ('cells' in value) return xml(name, cellArrays(value), lineEnd, indent, start);
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
