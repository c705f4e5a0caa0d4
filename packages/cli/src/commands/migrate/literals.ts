import { isScalar, type Scalar } from 'yaml';
import { diffChars } from '#diff';

/** A text of a document that can be replaced in place. */
export interface Literal {
  /** The text as PromQL reads it. In block scalars, it has the indentation of the document. */
  readonly text: string;
  /** The place of the whole scalar in the document. */
  readonly from: number;
  /** What stands in the document for another text; `undefined` where the form of the scalar cannot hold it. */
  write(after: string): LiteralEdit | undefined;
}

/** A part of a document, and what replaces it. */
export interface LiteralEdit {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A text with its edits, which must not overlap. Those of one place come in the order of the list. */
export function applyEdits(text: string, edits: readonly LiteralEdit[]): string {
  let after = '';
  let at = 0;
  for (const edit of [...edits].sort((a, b) => a.from - b.from)) {
    if (edit.from < at) throw new Error(`two edits change character ${edit.from}`);
    after += text.slice(at, edit.from) + edit.text;
    at = edit.to;
  }
  return after + text.slice(at);
}

/** The line of an offset, from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line++;
  return line;
}

/** Reads a scalar of YAML or JSON. `undefined` for everything else than a text. */
export function readLiteral(document: string, node: unknown): Literal | undefined {
  if (!isScalar(node) || typeof node.value !== 'string' || node.range == null) return undefined;
  const { type, value } = node as Scalar<string>;
  const [from, to] = node.range;
  const raw = document.slice(from, to);
  if (type === 'PLAIN') return directLiteral(from, from, raw);
  if (type === 'BLOCK_LITERAL' || type === 'BLOCK_FOLDED') {
    const start = raw.indexOf('\n') + 1;
    const literal = directLiteral(from, from + start, raw.slice(start));
    // A folded comment would reach to the end of the query.
    return type === 'BLOCK_FOLDED' && value.includes('#') ? { ...literal, write: () => undefined } : literal;
  }
  const inner = raw.slice(1, -1);
  const isEscaped = type === 'QUOTE_DOUBLE' ? inner.includes('\\') : inner.includes("''");
  if (!isEscaped) return directLiteral(from, from + 1, inner);
  const pieces = splitEscapes(inner, type === 'QUOTE_DOUBLE');
  const encode = type === 'QUOTE_DOUBLE' ? encodeJson : (text: string) => text.replaceAll("'", "''");
  return {
    text: value,
    from,
    write(after) {
      if (pieces?.map(({ text }) => text).join('') !== value) return undefined;
      return { from: from + 1, to: to - 1, text: replacePieces(pieces, value, after, encode) };
    },
  };
}

/** A literal whose text is a part of the document. */
function directLiteral(from: number, start: number, text: string): Literal {
  return { text, from, write: (after) => ({ from: start, to: start + text.length, text: after }) };
}

function encodeJson(text: string): string {
  return JSON.stringify(text).slice(1, -1);
}

/** A character of a quoted text, and what stands for it. */
interface Piece {
  readonly raw: string;
  readonly text: string;
}

/** `undefined` for escapes that JSON does not have, and for texts of several lines. */
function splitEscapes(inner: string, isDouble: boolean): readonly Piece[] | undefined {
  const raws = inner.match(isDouble ? /\\u[\da-fA-F]{4}|\\.|[^\\]/gs : /''|[^']/gs) ?? [];
  try {
    return raws.map((raw) => ({ raw, text: isDouble ? decodeJson(raw) : raw.replace("''", "'") }));
  } catch {
    return undefined;
  }
}

function decodeJson(raw: string): string {
  return raw.startsWith('\\') ? String(JSON.parse(`"${raw}"`)) : raw;
}

/** More changes than these are not looked for one by one: the whole text is written anew. */
const MOST_CHANGES = 2000;

/** The characters that stay keep their forms. */
function replacePieces(
  pieces: readonly Piece[],
  before: string,
  after: string,
  encode: (text: string) => string,
): string {
  const changes = diffChars(before, after, { maxEditLength: MOST_CHANGES });
  if (changes === undefined) return encode(after);
  // A change counts code points, and a piece is a UTF-16 code unit or more.
  let at = 0;
  let text = '';
  for (const { added, removed, value } of changes) {
    if (added) text += encode(value);
    else {
      let length = 0;
      while (length < value.length) {
        const piece = pieces[at++]!;
        length += piece.text.length;
        if (!removed) text += piece.raw;
      }
    }
  }
  return text;
}
