import { HdrscopeError } from '@hdrscope/core';

// The parts of a line that all text formats have.

/** What a comment says about a family. */
export interface FamilyComment {
  readonly keyword: string;
  readonly name: string;
  /** The rest of the line. */
  readonly text: string;
}

/**
 * Reads a comment about a family: `# TYPE x histogram`. `undefined` for any other comment.
 *
 * @throws HdrscopeError `ERR_DECODE` when its name has a quote that is not closed.
 */
export function readComment(line: string): FamilyComment | undefined {
  const keyword = line.slice(2, 6);
  if (!KEYWORDS.has(keyword) || line[1] !== ' ' || !isBlank(line.charCodeAt(6))) return undefined;
  const from = skipBlanks(line, 6);
  const isQuoted = line.charCodeAt(from) === QUOTE;
  const end = isQuoted ? endOfText(line, from) + 1 : endOfWord(line, from);
  const name = isQuoted ? unescapeText(line.slice(from + 1, end - 1)) : line.slice(from, end);
  return { keyword, name, text: line.slice(skipBlanks(line, end)) };
}

const KEYWORDS: ReadonlySet<string> = new Set(['TYPE', 'HELP', 'UNIT']);

/** A sample: a name, labels and a value, and what follows the value. */
export interface SampleLine {
  readonly name: string;
  /** The labels between the braces, without `le`. */
  readonly labels: string;
  /** The value of the label `le`; `undefined` when there is no such label. */
  readonly le: string | undefined;
  /** A number, or a composite value with its braces. */
  readonly value: string;
  /** The rest without blanks at its ends: a time, a start and exemplars. */
  readonly rest: string;
}

const QUOTE = 0x22;
const COMMA = 0x2c;
const BACKSLASH = 0x5c;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;
const SPACE = 0x20;
const TAB = 0x09;
const EQUALS = 0x3d;
const LOWER_E = 0x65;
const LOWER_L = 0x6c;

const NAME = /[a-z_:][a-z0-9_:]*/iy;

/** @throws HdrscopeError `ERR_DECODE` when the line is not a sample. */
export function readSampleLine(line: string): SampleLine {
  let name = '';
  let at = 0;
  if (line.charCodeAt(0) !== OPENING_BRACE) {
    NAME.lastIndex = 0;
    const found = NAME.exec(line);
    if (found === null) throw notSample('does not begin with a name');
    name = found[0];
    at = skipBlanks(line, name.length);
  }
  let labels = '';
  let le: string | undefined;
  if (line.charCodeAt(at) === OPENING_BRACE && !isComposite(line, at)) {
    let from = at + 1;
    if (name === '') {
      from = skipBlanks(line, from);
      const end = endOfText(line, from);
      name = unescapeText(line.slice(from + 1, end));
      at = skipBlanks(line, end + 1);
      from = line.charCodeAt(at) === COMMA ? at + 1 : at;
      at = from - 1;
    }
    const braces = readBraces(line, from);
    ({ labels, le } = braces);
    at = braces.end + 1;
  }
  const from = skipBlanks(line, at);
  const end =
    line.charCodeAt(from) === OPENING_BRACE ? endOfBraces(line, from + 1) + 1 : endOfWord(line, from);
  if (end === from) throw notSample('has no value');
  return { name, labels, le, value: line.slice(from, end), rest: line.slice(end).trim() };
}

const COMPOSITE = /\{[a-z_]+:/y;

/** Whether a composite value begins here, and not labels: their names have no colon. */
function isComposite(line: string, at: number): boolean {
  COMPOSITE.lastIndex = at;
  return COMPOSITE.test(line);
}

interface Braces {
  readonly labels: string;
  readonly le: string | undefined;
  /** The place of the closing brace. */
  readonly end: number;
}

/** Finds the end of the labels, and takes `le` out of them. Most samples of an answer are buckets, so it makes no objects of labels. */
function readBraces(line: string, start: number): Braces {
  let leFrom = -1;
  let valueFrom = -1;
  let leTo = -1;
  let at = start;
  for (; ; at++) {
    const code = line.charCodeAt(at);
    if (code === CLOSING_BRACE) break;
    if (Number.isNaN(code)) throw notSample('has a brace that is not closed');
    if (code !== QUOTE) continue;
    const end = endOfText(line, at);
    const from = startOfLe(line, start, at);
    if (from >= 0) {
      if (leFrom >= 0) throw notSample('has the label le twice');
      leFrom = from;
      valueFrom = at + 1;
      leTo = end + 1;
    }
    at = end;
  }
  if (leFrom < 0) return { labels: line.slice(start, at), le: undefined, end: at };
  const next = skipBlanks(line, leTo);
  const after = line.charCodeAt(next) === COMMA ? next + 1 : leTo;
  const before = after === leTo && line.charCodeAt(leFrom - 1) === COMMA ? leFrom - 1 : leFrom;
  const labels = `${line.slice(start, Math.max(before, start))}${line.slice(after, at)}`;
  return { labels, le: line.slice(valueFrom, leTo - 1), end: at };
}

/** Where the name `le` begins whose value begins at a quote; -1 when the value belongs to another label. */
function startOfLe(line: string, start: number, quote: number): number {
  let at = quote - 1;
  while (isBlank(line.charCodeAt(at))) at--;
  if (line.charCodeAt(at) !== EQUALS) return -1;
  at--;
  while (isBlank(line.charCodeAt(at))) at--;
  const from = at - 1;
  if (from < start || line.charCodeAt(from) !== LOWER_L || line.charCodeAt(at) !== LOWER_E) return -1;
  const before = line.charCodeAt(from - 1);
  return from === start || before === COMMA || isBlank(before) ? from : -1;
}

function endOfBraces(line: string, start: number): number {
  const end = line.indexOf('}', start);
  if (end < 0) throw notSample('has a brace that is not closed');
  return end;
}

/** The place of the quote that ends a text in quotes. */
function endOfText(line: string, quote: number): number {
  if (line.charCodeAt(quote) !== QUOTE) throw notSample('has a name or a value that should be in quotes');
  for (let at = quote + 1; at < line.length; at++) {
    const code = line.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  throw notSample('has a quote that is not closed');
}

/**
 * Reads labels: `a="1",b="2"`.
 *
 * @throws HdrscopeError `ERR_DECODE` when they are malformed, or a name comes twice.
 */
export function readLabels(text: string): Readonly<Record<string, string>> {
  const labels = new Map<string, string>();
  let at = skipBlanks(text, 0);
  while (at < text.length) {
    const nameEnd = text.charCodeAt(at) === QUOTE ? endOfText(text, at) + 1 : endOfLabelName(text, at);
    const name = text.slice(at, nameEnd);
    at = skipBlanks(text, nameEnd);
    if (text[at] !== '=') throw notSample(`has the label ${JSON.stringify(name)} without a value`);
    const from = skipBlanks(text, at + 1);
    const end = endOfText(text, from);
    const key = name.startsWith('"') ? unescapeText(name.slice(1, -1)) : name;
    if (labels.has(key)) throw notSample(`has the label ${JSON.stringify(key)} twice`);
    labels.set(key, unescapeText(text.slice(from + 1, end)));
    at = skipBlanks(text, end + 1);
    if (at === text.length) break;
    if (text.charCodeAt(at) !== COMMA) throw notSample('has no comma between two labels');
    at = skipBlanks(text, at + 1);
  }
  return Object.fromEntries(labels);
}

const LABEL_NAME = /[a-z_][a-z0-9_]*/iy;

function endOfLabelName(text: string, at: number): number {
  LABEL_NAME.lastIndex = at;
  const found = LABEL_NAME.exec(text);
  if (found === null) throw notSample('has a label without a name');
  return at + found[0].length;
}

/** Undoes the escapes of backslash, quote and line feed. */
export function unescapeText(text: string): string {
  if (!text.includes('\\')) return text;
  return text.replace(/\\(.)/g, (_, escaped: string) => (escaped === 'n' ? '\n' : escaped));
}

const DECIMAL = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:e[+-]?\d+)?$/i;
const INFINITE = /^[+-]?inf(?:inity)?$/i;

/** Reads a number as the formats write it; `undefined` when the text is none. `NaN` is a number. */
export function readNumber(text: string): number | undefined {
  if (DECIMAL.test(text)) return Number(text);
  if (INFINITE.test(text)) return text.startsWith('-') ? Number.NEGATIVE_INFINITY : Number.POSITIVE_INFINITY;
  return /^[+-]?nan$/i.test(text) ? Number.NaN : undefined;
}

/** An error about the line that is read. Its reader adds the number of the line. */
export function notSample(problem: string): HdrscopeError<'ERR_DECODE'> {
  return new HdrscopeError('ERR_DECODE', problem);
}

function isBlank(code: number): boolean {
  return code === SPACE || code === TAB;
}

function skipBlanks(text: string, from: number): number {
  let at = from;
  while (isBlank(text.charCodeAt(at))) at++;
  return at;
}

function endOfWord(text: string, from: number): number {
  let at = from;
  while (at < text.length && !isBlank(text.charCodeAt(at))) at++;
  return at;
}
