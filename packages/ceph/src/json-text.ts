/**
 * A value that `toJsonText` takes: everything that `JSON.stringify` takes, and bigints. A `Map` is written as an object
 * whose names keep their order; a plain object moves names that look like integers to the front.
 */
export type JsonValue = string | number | bigint | boolean | null | object;

/** `'json'` is one line, `'json-pretty'` is Ceph's format of that name: an indent of four, and a newline at the end. */
export type JsonFormat = 'json' | 'json-pretty';

/** Where a value stands in the text. Both strings are empty in one-line text. */
export interface JsonShape {
  /** The line break and the indentation of the line that the value begins on. */
  readonly lineStart: string;
  /** The indentation that each level adds. */
  readonly indent: string;
}

/** Parts of a text. They are joined once, so no part is copied again for each level around it. */
export type Pieces = string[];

/** A value that writes its own text. */
export abstract class CustomJson {
  abstract writeTo(out: Pieces, shape: JsonShape): void;
}

/** A number whose digits are fixed already. */
export class RawJson extends CustomJson {
  readonly text: string;

  constructor(text: string) {
    super();
    this.text = text;
  }

  writeTo(out: Pieces): void {
    out.push(this.text);
  }
}

const COMPACT: JsonShape = { lineStart: '', indent: '' };
const PRETTY: JsonShape = { lineStart: '\n', indent: '    ' };

/**
 * Writes JSON as Ceph does. For values that `JSON.stringify` takes, the text is that of `JSON.stringify` with an indent of
 * four. Integers beyond 2^53 keep all their digits.
 *
 * @example
 * ```ts
 * import { toJsonText } from '@hdrscope/ceph/internal';
 *
 * toJsonText({ op_r: 2n ** 64n - 1n }, 'json'); //=> '{"op_r":18446744073709551615}'
 * ```
 */
export function toJsonText(value: JsonValue, format: JsonFormat): string {
  const out: Pieces = [];
  writeJson(out, value, format === 'json' ? COMPACT : PRETTY);
  if (format === 'json-pretty') out.push('\n');
  return out.join('');
}

/** Adds the text of one value. */
export function writeJson(out: Pieces, value: unknown, shape: JsonShape): void {
  if (typeof value === 'bigint') out.push(String(value));
  else if (typeof value !== 'object' || value === null) out.push(JSON.stringify(value) ?? 'null');
  else if (value instanceof CustomJson) value.writeTo(out, shape);
  else if ('toJSON' in value && typeof value.toJSON === 'function') writeJson(out, value.toJSON(), shape);
  else if (Array.isArray(value)) writeArray(out, value, shape, (item, inner) => writeJson(out, item, inner));
  else writeObject(out, value, shape);
}

/** @param write Adds the text of one item, in the shape of the level within. */
export function writeArray<Item>(
  out: Pieces,
  items: readonly Item[],
  shape: JsonShape,
  write: (item: Item, inner: JsonShape) => void,
): void {
  enclose(out, '[', items, ']', shape, write);
}

/** The shape of the values within a value. */
export function innerShape({ lineStart, indent }: JsonShape): JsonShape {
  return { lineStart: lineStart + indent, indent };
}

const NOT_IN_JSON = ['undefined', 'function', 'symbol'];

function writeObject(out: Pieces, object: object, shape: JsonShape): void {
  const entries: [unknown, unknown][] = object instanceof Map ? [...object] : Object.entries(object);
  const members = entries.filter(([, value]) => !NOT_IN_JSON.includes(typeof value));
  const colon = shape.indent === '' ? ':' : ': ';
  enclose(out, '{', members, '}', shape, ([name, value], inner) => {
    out.push(JSON.stringify(String(name)) + colon);
    writeJson(out, value, inner);
  });
}

function enclose<Item>(
  out: Pieces,
  open: string,
  items: readonly Item[],
  close: string,
  shape: JsonShape,
  write: (item: Item, inner: JsonShape) => void,
): void {
  if (items.length === 0) {
    out.push(open + close);
    return;
  }
  const inner = innerShape(shape);
  let before = open + inner.lineStart;
  for (const item of items) {
    out.push(before);
    write(item, inner);
    before = `,${inner.lineStart}`;
  }
  out.push(shape.lineStart + close);
}
