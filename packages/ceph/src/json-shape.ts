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

export const COMPACT: JsonShape = { lineStart: '', indent: '' };
export const PRETTY: JsonShape = { lineStart: '\n', indent: '    ' };

/** That of what lies within. */
export function innerShape({ lineStart, indent }: JsonShape): JsonShape {
  return { lineStart: lineStart + indent, indent };
}

/** @param parts The items, written in the shape within. */
export function jsonArray(parts: readonly string[], shape: JsonShape): string {
  return enclosed('[', parts, ']', shape);
}

/** @param parts Names and values, the values written in the shape within. */
export function jsonObject(
  parts: readonly (readonly [name: string, text: string])[],
  shape: JsonShape,
): string {
  const colon = shape.indent === '' ? ':' : ': ';
  const members = parts.map(([name, text]) => JSON.stringify(name) + colon + text);
  return enclosed('{', members, '}', shape);
}

function enclosed(
  open: string,
  parts: readonly string[],
  close: string,
  { lineStart, indent }: JsonShape,
): string {
  const inner = lineStart + indent;
  return parts.length === 0 ? open + close : open + inner + parts.join(`,${inner}`) + lineStart + close;
}
