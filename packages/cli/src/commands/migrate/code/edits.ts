import type { Node } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { findEnd, findStart, type ParsedCode } from './syntax.ts';

type Text = Pick<ParsedCode, 'text'>;

export function replaceNode(node: Node, text: string): LiteralEdit {
  return { from: findStart(node), to: findEnd(node), text };
}

export function insertAt(at: number, text: string): LiteralEdit {
  return { from: at, to: at, text };
}

/** Removes a part of a program. A line that would be empty goes, too. */
export function removeRange({ text }: Text, from: number, to: number): LiteralEdit {
  const lineStart = text.lastIndexOf('\n', from - 1) + 1;
  const lineEnd = text.indexOf('\n', to);
  const isAlone =
    text.slice(lineStart, from).trim() === '' &&
    text.slice(to, lineEnd < 0 ? undefined : lineEnd).trim() === '';
  return isAlone
    ? { from: lineStart, to: lineEnd < 0 ? text.length : lineEnd + 1, text: '' }
    : { from, to, text: '' };
}

/** Removes an item of a list between braces or brackets, with the comma that separates it. */
export function removeItem(code: Text, items: readonly Node[], item: Node): LiteralEdit {
  const at = items.indexOf(item);
  const next = items[at + 1];
  const after = code.text.slice(findEnd(item), next === undefined ? undefined : findStart(next));
  const comma = /^(?:\s|\/\*[^*]*\*\/)*,/.exec(after)?.[0].length;
  if (next !== undefined && comma !== undefined) {
    const blanks = /^[ \t]*/.exec(code.text.slice(findEnd(item) + comma))![0].length;
    const own = removeRange(code, findStart(item), findEnd(item) + comma);
    return own.from < findStart(item) ? own : { ...own, to: own.to + blanks };
  }
  if (comma !== undefined) {
    const own = removeRange(code, findStart(item), findEnd(item) + comma);
    if (own.from < findStart(item) || at === 0) return own;
  }
  const before = items[at - 1];
  return { from: before === undefined ? findStart(item) : findEnd(before), to: findEnd(item), text: '' };
}

/** The blanks with which the line of an offset begins. */
export function indentAt({ text }: Text, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart))![0];
}

/** The characters that end a line. */
export function readNewline({ text }: Text): string {
  return text.includes('\r\n') ? '\r\n' : '\n';
}

/** How a program is written: its line ends, quotes and semicolons. */
export interface CodeStyle {
  readonly newline: string;
  readonly quote: string;
  readonly semicolon: string;
}

/** The style of a program, by one of its statements. */
export function readStyle({ text }: Text, example: Node): CodeStyle {
  const own = text.slice(findStart(example), findEnd(example));
  return {
    newline: readNewline({ text }),
    quote: own.includes('"') ? '"' : "'",
    semicolon: own.endsWith(';') ? ';' : '',
  };
}
