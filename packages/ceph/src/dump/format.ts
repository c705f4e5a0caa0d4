import { mustBe } from '@hdrscope/core';
import { CellTexts } from '../histogram/cells.ts';
import {
  COMPACT,
  innerShape,
  type JsonShape,
  type Pieces,
  PRETTY,
  writeArray,
  writeObject,
} from '../json-shape.ts';
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

function json(document: DocumentObject, shape: JsonShape): string {
  const out: Pieces = [];
  new JsonWriter(out).write(document, shape);
  return out.join('');
}

class JsonWriter {
  readonly #out: Pieces;
  /** Repeated objects, as they were written. */
  readonly #written = new Map<DocumentObject, string>();

  constructor(out: Pieces) {
    this.#out = out;
  }

  readonly write = (value: DocumentValue, shape: JsonShape): void => {
    if (typeof value === 'string') this.#out.push(JSON.stringify(value));
    else if (typeof value !== 'object') this.#out.push(String(value));
    else if ('cells' in value) writeCells(this.#out, value, shape);
    else if ('items' in value) writeArray(this.#out, value.items, shape, this.write);
    else if (value.isRepeated === true) this.#out.push(this.#once(value, shape));
    else writeObject(this.#out, value.entries, shape, this.write);
  };

  #once(value: DocumentObject, shape: JsonShape): string {
    let text = this.#written.get(value);
    if (text === undefined) {
      const out: Pieces = [];
      writeObject(out, value.entries, shape, new JsonWriter(out).write);
      text = out.join('');
      this.#written.set(value, text);
    }
    return text;
  }
}

function writeCells(out: Pieces, { cells, lengths }: DocumentCells, shape: JsonShape): void {
  const texts = new CellTexts(cells);
  const rowText = (from: number, to: number, within: JsonShape): string => {
    const { lineStart } = innerShape(within);
    const parts: string[] = [];
    for (let cell = from; cell < to; cell++) parts.push(texts.at(cell));
    // The brackets go into the first and the last: around what is joined, they would have all of it copied once more.
    parts[0] = `[${lineStart}${parts[0]}`;
    parts[parts.length - 1] += `${within.lineStart}]`;
    return parts.join(`,${lineStart}`);
  };
  // Most rows have no count, and are alike.
  let emptyRow: string | undefined;
  const write = (depth: number, from: number, to: number, within: JsonShape): void => {
    if (depth === lengths.length - 1) {
      const isEmpty = texts.areZero(from, to);
      if (isEmpty) emptyRow ??= rowText(from, to, within);
      out.push(isEmpty ? emptyRow! : rowText(from, to, within));
      return;
    }
    const step = (to - from) / lengths[depth]!;
    const starts = Array.from({ length: lengths[depth]! }, (_, i) => from + i * step);
    writeArray(out, starts, within, (start, inner) => write(depth + 1, start, start + step, inner));
  };
  write(0, 0, cells.length, shape);
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
