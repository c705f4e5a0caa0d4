import type { Node } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { endOf, type ParsedCode, startOf } from './syntax.ts';

type Text = Pick<ParsedCode, 'text'>;

export function replaceNode(node: Node, text: string): LiteralEdit {
  return { from: startOf(node), to: endOf(node), text };
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
  const after = code.text.slice(endOf(item), next === undefined ? undefined : startOf(next));
  const comma = /^(?:\s|\/\*[^*]*\*\/)*,/.exec(after)?.[0].length;
  if (next !== undefined && comma !== undefined) {
    const blanks = /^[ \t]*/.exec(code.text.slice(endOf(item) + comma))![0].length;
    const own = removeRange(code, startOf(item), endOf(item) + comma);
    return own.from < startOf(item) ? own : { ...own, to: own.to + blanks };
  }
  if (comma !== undefined) {
    const own = removeRange(code, startOf(item), endOf(item) + comma);
    if (own.from < startOf(item) || at === 0) return own;
  }
  const before = items[at - 1];
  return { from: before === undefined ? startOf(item) : endOf(before), to: endOf(item), text: '' };
}

/** The blanks with which the line of an offset begins. */
export function indentAt({ text }: Text, offset: number): string {
  const lineStart = text.lastIndexOf('\n', offset - 1) + 1;
  return /^[ \t]*/.exec(text.slice(lineStart))![0];
}

/** How a program is written: its line ends, quotes and semicolons. */
export interface CodeStyle {
  readonly newline: string;
  readonly quote: string;
  readonly semicolon: string;
}

/** The style of a program, by one of its statements. */
export function readStyle({ text }: Text, example: Node): CodeStyle {
  const own = text.slice(startOf(example), endOf(example));
  return {
    newline: text.includes('\r\n') ? '\r\n' : '\n',
    quote: own.includes('"') ? '"' : "'",
    semicolon: own.endsWith(';') ? ';' : '',
  };
}
