/**
 * How Ceph's formatters lay out JSON, which is how `JSON.stringify` does with an indent of four: members one below the
 * other, or all in one line.
 */
export interface JsonShape {
  /** The line break and the indentation where the value begins; nothing in compact text. */
  readonly lineStart: string;
  /** What is added to it within; nothing in compact text. */
  readonly indent: string;
}

/** Text in pieces, which are joined once: the text of a value within another is copied no second time. */
export type Pieces = string[];

export const COMPACT: JsonShape = { lineStart: '', indent: '' };
export const PRETTY: JsonShape = { lineStart: '\n', indent: '    ' };

/** That of what lies within. */
export function innerShape({ lineStart, indent }: JsonShape): JsonShape {
  return { lineStart: lineStart + indent, indent };
}

/** @param write Adds the text of an item, in the shape within. */
export function writeArray<Item>(
  out: Pieces,
  items: readonly Item[],
  shape: JsonShape,
  write: (item: Item, inner: JsonShape) => void,
): void {
  enclose(out, '[', items, ']', shape, write);
}

/** @param write Adds the text of a member's value, in the shape within. */
export function writeObject<Value>(
  out: Pieces,
  members: readonly (readonly [name: string, value: Value])[],
  shape: JsonShape,
  write: (value: Value, inner: JsonShape) => void,
): void {
  const colon = shape.indent === '' ? ':' : ': ';
  enclose(out, '{', members, '}', shape, ([name, value], inner) => {
    out.push(JSON.stringify(name) + colon);
    write(value, inner);
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
