import { CustomJson, innerShape, type JsonShape, type Pieces, writeArray, writeJson } from '../json-text.ts';

/** A part of a document that is written as JSON or XML. */
export type DocumentValue =
  | string
  | number
  | bigint
  | DocumentObject
  | readonly DocumentValue[]
  | RepeatedPart
  | CellTable;

/** A map, as names that look like integers must keep their place. */
export type DocumentObject = Map<string, DocumentValue>;

/** A part that stands in one document many times, always at the same depth: its JSON is written once. */
export class RepeatedPart extends CustomJson {
  readonly value: DocumentObject;
  #text: string | undefined;

  constructor(value: DocumentObject) {
    super();
    this.value = value;
  }

  writeTo(out: Pieces, shape: JsonShape): void {
    if (this.#text === undefined) {
      const own: Pieces = [];
      writeJson(own, this.value, shape);
      this.#text = own.join('');
    }
    out.push(this.#text);
  }
}

/** Counts row by row, the last axis fastest: one level of arrays for each axis. */
export class CellTable extends CustomJson {
  readonly #cells: BigUint64Array<ArrayBuffer>;
  /** The number of slots of each axis. */
  readonly #lengths: readonly number[];

  constructor(cells: BigUint64Array<ArrayBuffer>, lengths: readonly number[]) {
    super();
    this.#cells = cells;
    this.#lengths = lengths;
  }

  toArrays(): readonly DocumentValue[] {
    return nested(this.#cells, this.#lengths);
  }

  writeTo(out: Pieces, shape: JsonShape): void {
    const lengths = this.#lengths;
    const texts = new CellTexts(this.#cells);
    // Most rows have no counts, so they share one text.
    let emptyRow: string | undefined;
    const write = (depth: number, from: number, to: number, within: JsonShape): void => {
      if (depth === lengths.length - 1) {
        const isEmpty = texts.areZero(from, to);
        if (isEmpty) emptyRow ??= rowText(texts, from, to, within);
        out.push(isEmpty ? emptyRow! : rowText(texts, from, to, within));
        return;
      }
      const step = (to - from) / lengths[depth]!;
      const starts = Array.from({ length: lengths[depth]! }, (_, i) => from + i * step);
      writeArray(out, starts, within, (start, inner) => write(depth + 1, start, start + step, inner));
    };
    write(0, 0, this.#cells.length, shape);
  }
}

/** The document as plain objects and arrays. Integers beyond 2^53 − 1 stay bigints. */
export function toPlain(value: DocumentValue): unknown {
  if (typeof value === 'bigint') return Number.isSafeInteger(Number(value)) ? Number(value) : value;
  if (typeof value !== 'object') return value;
  if (value instanceof RepeatedPart) return toPlain(value.value);
  if (value instanceof CellTable) return toPlain(value.toArrays());
  if (value instanceof Map) return Object.fromEntries([...value].map(([name, one]) => [name, toPlain(one)]));
  return value.map(toPlain);
}

function nested(cells: BigUint64Array, [length = 0, ...inner]: readonly number[]): readonly DocumentValue[] {
  if (inner.length === 0) return [...cells];
  const step = cells.length / length;
  return Array.from({ length }, (_, i) => nested(cells.subarray(i * step, (i + 1) * step), inner));
}

function rowText(texts: CellTexts, from: number, to: number, shape: JsonShape): string {
  const { lineStart } = innerShape(shape);
  const parts: string[] = [];
  for (let cell = from; cell < to; cell++) parts.push(texts.at(cell));
  // The brackets join the first and the last part: added around the joined text, they would copy all of it once more.
  parts[0] = `[${lineStart}${parts[0]}`;
  parts[parts.length - 1] += `${shape.lineStart}]`;
  return parts.join(`,${lineStart}`);
}

// The place of the lower half of a 64-bit word: 0 on all machines that Node.js supports, except for IBM's.
const LOW = new Uint8Array(Uint32Array.of(1).buffer)[0] === 1 ? 0 : 1;
const HIGH = 1 - LOW;

/** The digits of counts. Only counts of 2^32 and more are read as bigints. */
class CellTexts {
  readonly #counts: BigUint64Array;
  readonly #words: Uint32Array;

  constructor(counts: BigUint64Array<ArrayBuffer>) {
    this.#counts = counts;
    this.#words = new Uint32Array(counts.buffer, counts.byteOffset, 2 * counts.length);
  }

  at(cell: number): string {
    const isSmall = this.#words[2 * cell + HIGH] === 0;
    return isSmall ? `${this.#words[2 * cell + LOW]!}` : `${this.#counts[cell]!}`;
  }

  /** Whether all counts are 0 from one cell up to another, exclusive. */
  areZero(from: number, to: number): boolean {
    const words = this.#words;
    for (let i = 2 * from; i < 2 * to; i++) if (words[i] !== 0) return false;
    return true;
  }
}
