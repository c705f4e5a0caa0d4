import { HdrscopeError } from '@hdrscope/core';
import { visible } from '@hdrscope/core/internal';
import type { Budget } from '@hdrscope/kit';

/** A parsed value. Integers beyond 2^53 − 1 are bigints. */
export type Json = string | number | bigint | boolean | null | LongDecimal | readonly Json[] | JsonObject;

/** A fraction with more digits than a double has. */
export class LongDecimal {
  readonly text: string;

  constructor(text: string) {
    this.text = text;
  }

  /** The nearest double. */
  toJSON(): number {
    return Number(this.text);
  }
}

export interface JsonObject {
  readonly [name: string]: Json;
}

/** A value of a text. */
export interface ParsedJson {
  readonly json: Json;
  /** The place after the value. */
  readonly end: number;
}

// Dumps have a few levels, and one more for each axis. Deeper texts are not dumps, and could exhaust the stack.
export const DEEPEST = 64;

/**
 * Parses one JSON value.
 *
 * @param from The place where the value begins.
 * @param isLenient Accepts trailing commas, a stray `}` in an array, and members at the top without an object around them.
 * @param budget Each array, object and member is an element of it.
 * @throws HdrscopeError `ERR_DECODE`; `ERR_TOO_LARGE`
 */
export function parseJson(text: string, from: number, isLenient: boolean, budget: Budget): ParsedJson {
  const parser = new Parser(text, from, isLenient, budget);
  const json = parser.isAt('"') ? parser.members() : parser.value(0);
  return { json, end: parser.at };
}

const QUOTE = 0x22;
const COLON = 0x3a;

/**
 * Parses an array or an object by `JSON.parse`, the fastest way. Its parts are counted before anything is made of them, as
 * `JSON.parse` would make hundreds of megabytes of a few of brackets.
 *
 * @param from The place of the bracket that opens it.
 * @param budget Each array, object and member is an element of it.
 * @returns `undefined` when it is not JSON, or deeper than dumps are: `parseJson` states the place.
 * @throws HdrscopeError `ERR_TOO_LARGE`
 */
export function parseFast(text: string, from: number, budget: Budget): ParsedJson | undefined {
  const measured = measure(text, from, budget);
  if (measured === undefined) return undefined;
  const { end, members } = measured;
  try {
    const json = JSON.parse(text.slice(from, end)) as Json;
    // `JSON.parse` keeps the last of several members of one name.
    return countMembers(json) === members ? { json, end } : undefined;
  } catch {
    return undefined;
  }
}

/** The number of members, except for those behind the first number of an array: a count that is too low has the text parsed slowly. */
function countMembers(json: Json): number {
  let members = 0;
  if (Array.isArray(json)) {
    if (typeof json[0] === 'number') return 0;
    for (const item of json) members += countMembers(item);
  } else if (typeof json === 'object' && json !== null) {
    for (const name in json as JsonObject) {
      members++;
      const item = (json as JsonObject)[name];
      if (typeof item === 'object') members += countMembers(item);
    }
  }
  return members;
}

// Most of a dump are digits, commas and spaces, which a regular expression passes faster than a loop.
const STRUCTURE = /[":[\]{}]/g;

/**
 * The place after the bracket that closes an array or object, and the number of members in it; `undefined` when it does not end, or is too
 * deep.
 */
function measure(
  text: string,
  from: number,
  budget: Budget,
): { readonly end: number; readonly members: number } | undefined {
  let [depth, members] = [0, 0];
  STRUCTURE.lastIndex = from;
  while (STRUCTURE.test(text)) {
    const at = STRUCTURE.lastIndex - 1;
    const code = text.charCodeAt(at);
    if (code === QUOTE) STRUCTURE.lastIndex = endOfString(text, at) + 1;
    else if (code === COLON) {
      budget.takeElements();
      members++;
    } else if (isOpening(code)) {
      budget.takeElements();
      if (++depth > DEEPEST) return undefined;
    } else if (--depth === 0) return { end: at + 1, members };
  }
  return undefined;
}

function isOpening(code: number): boolean {
  return code === 0x5b || code === 0x7b;
}

/** The place of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  let end = text.indexOf('"', start + 1);
  while (end >= 0 && isEscaped(text, end)) end = text.indexOf('"', end + 1);
  return end < 0 ? text.length : end;
}

// No integer of a dump is longer. The time for making a bigint grows faster than its digits.
const MOST_EXACT_DIGITS = 100;

// A double holds each decimal of 15 digits. The others are the point and the sign, if any.
const MOST_DOUBLE_CHARACTERS = 16;

const NUMBER = /-?(?:0|[1-9]\d*)(\.\d+)?([eE][+-]?\d+)?/y;
const SPACES = /[ \t\r\n]*/y;
const LITERALS: readonly (readonly [string, Json])[] = [
  ['true', true],
  ['false', false],
  ['null', null],
];

class Parser {
  at: number;
  readonly #text: string;
  readonly #isLenient: boolean;
  readonly #budget: Budget;

  constructor(text: string, from: number, isLenient: boolean, budget: Budget) {
    this.#text = text;
    this.#budget = budget;
    this.at = from;
    this.#isLenient = isLenient;
    this.#skipSpaces();
  }

  isAt(character: string): boolean {
    return this.#text[this.at] === character;
  }

  value(depth: number): Json {
    if (depth > DEEPEST) throw this.#expected(`at most ${DEEPEST} levels`);
    switch (this.#text[this.at]) {
      case '{':
        this.#step();
        return this.members('}', depth);
      case '[':
        return this.#array(depth);
      case '"':
        return this.#string();
      default:
        return this.#number() ?? this.#literal();
    }
  }

  /** The members of an object, up to `end` or to the end of the text. */
  members(end?: '}', depth = 0): JsonObject {
    this.#budget.takeElements();
    const members = new Map<string, Json>();
    const isEnd = (): boolean => (end === undefined ? this.#isOver() : this.isAt(end));
    for (let isFirst = true; !isEnd(); isFirst = false) {
      if (!isFirst) {
        this.#take(',');
        if (this.#isLenient && isEnd()) break;
      }
      this.#budget.takeElements();
      const { at } = this;
      const name = this.#string();
      if (members.has(name)) throw wrongText(this.#text, at, 'JSON with another name');
      this.#take(':');
      members.set(name, this.value(depth + 1));
    }
    if (end !== undefined) this.#take(end);
    return Object.fromEntries(members);
  }

  #array(depth: number): Json[] {
    this.#budget.takeElements();
    const items: Json[] = [];
    this.#step();
    for (let isFirst = true; !this.isAt(']'); isFirst = false) {
      if (!isFirst) {
        this.#take(',');
        if (this.#isLenient) this.#passStrayEnds();
        if (this.#isLenient && this.isAt(']')) break;
      }
      items.push(this.value(depth + 1));
    }
    this.#step();
    return items;
  }

  #passStrayEnds(): void {
    while (this.isAt('}')) {
      this.#step();
      if (this.isAt(',')) this.#step();
    }
  }

  #string(): string {
    const text = this.#text;
    if (!this.isAt('"')) throw this.#expected('a string');
    let end = text.indexOf('"', this.at + 1);
    for (; end >= 0 && isEscaped(text, end); end = text.indexOf('"', end + 1));
    if (end < 0) throw this.#expected('a string that ends');
    try {
      const string = JSON.parse(text.slice(this.at, end + 1)) as string;
      this.#step(end + 1 - this.at);
      return string;
    } catch (cause) {
      throw this.#expected('a string of JSON', cause);
    }
  }

  #number(): number | bigint | LongDecimal | undefined {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.#text);
    if (match === null) return undefined;
    const [digits, fraction, exponent] = match;
    this.#step(digits.length);
    const number = Number(digits);
    if (fraction !== undefined && exponent === undefined && digits.length > MOST_DOUBLE_CHARACTERS) {
      return new LongDecimal(digits);
    }
    const isExact = fraction !== undefined || exponent !== undefined || Number.isSafeInteger(number);
    return isExact || digits.length > MOST_EXACT_DIGITS ? number : BigInt(digits);
  }

  #literal(): Json {
    const literal = LITERALS.find(([word]) => this.#text.startsWith(word, this.at));
    if (literal === undefined) throw this.#expected('a value');
    this.#step(literal[0].length);
    return literal[1];
  }

  #isOver(): boolean {
    return this.at >= this.#text.length;
  }

  #take(character: string): void {
    if (!this.isAt(character)) throw this.#expected(`'${character}'`);
    this.#step();
  }

  #step(length = 1): void {
    this.at += length;
    this.#skipSpaces();
  }

  #skipSpaces(): void {
    const code = this.#text.charCodeAt(this.at);
    if (code > 32) return;
    SPACES.lastIndex = this.at;
    SPACES.exec(this.#text);
    this.at = SPACES.lastIndex;
  }

  #expected(what: string, cause?: unknown): HdrscopeError {
    return wrongText(this.#text, this.at, `JSON with ${what}`, cause);
  }
}

/** The error for a text that is not as it must be at a place. */
export function wrongText(text: string, at: number, allowed: string, cause?: unknown): HdrscopeError {
  const { line, column } = lineAt(text, at);
  const got = at >= text.length ? 'the end' : quoted(text.slice(at, at + 20));
  const where = `line ${line}, column ${column}`;
  return new HdrscopeError('ERR_DECODE', `${where}: the text must be ${allowed} here, got ${got}`, { cause });
}

/** The line and the column of a place, from 1. */
export function lineAt(text: string, at: number): { readonly line: number; readonly column: number } {
  let line = 1;
  let lineStart = 0;
  for (let end = text.indexOf('\n'); end >= 0 && end < at; end = text.indexOf('\n', lineStart)) {
    line++;
    lineStart = end + 1;
  }
  return { line, column: at - lineStart + 1 };
}

const LONGEST_QUOTE = 60;

/** A part of a text for messages, in quotes. */
export function quoted(text: string): string {
  return visible(JSON.stringify(text.length > LONGEST_QUOTE ? `${text.slice(0, LONGEST_QUOTE)}…` : text));
}

/** Whether an odd number of backslashes precedes a place. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from--;
  return (at - from) % 2 === 1;
}
