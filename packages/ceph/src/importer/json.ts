import { HdrscopeError } from '@hdrscope/core';

/** A parsed value. Integers beyond 2^53 − 1 are bigints. */
export type Json = string | number | bigint | boolean | null | readonly Json[] | JsonObject;

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
const DEEPEST = 64;

/**
 * Parses one JSON value.
 *
 * @param from The place where the value begins.
 * @param isLenient Accepts trailing commas, a stray `}` in an array, and members at the top without an object around them.

 * @throws HdrscopeError `ERR_DECODE`
 */
export function parseJson(text: string, from: number, isLenient: boolean): ParsedJson {
  const parser = new Parser(text, from, isLenient);
  const json = parser.isAt('"') ? parser.members() : parser.value(0);
  return { json, end: parser.at };
}

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

  constructor(text: string, from: number, isLenient: boolean) {
    this.#text = text;
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
    const entries: [string, Json][] = [];
    const isEnd = (): boolean => (end === undefined ? this.#isOver() : this.isAt(end));
    for (let isFirst = true; !isEnd(); isFirst = false) {
      if (!isFirst) {
        this.#take(',');
        if (this.#isLenient && isEnd()) break;
      }
      const name = this.#string();
      this.#take(':');
      entries.push([name, this.value(depth + 1)]);
    }
    if (end !== undefined) this.#take(end);
    return Object.fromEntries(entries);
  }

  #array(depth: number): Json[] {
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

  #number(): number | bigint | undefined {
    NUMBER.lastIndex = this.at;
    const match = NUMBER.exec(this.#text);
    if (match === null) return undefined;
    const [digits, fraction, exponent] = match;
    this.#step(digits.length);
    const number = Number(digits);
    const isExact = fraction !== undefined || exponent !== undefined || Number.isSafeInteger(number);
    return isExact ? number : BigInt(digits);
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
    const before = this.#text.slice(0, this.at).split('\n');
    const got = this.#isOver() ? 'the end' : JSON.stringify(this.#text.slice(this.at, this.at + 20));
    const where = `line ${before.length}, column ${before.at(-1)!.length + 1}`;
    return new HdrscopeError('ERR_DECODE', `${where}: the text must be JSON with ${what} here, got ${got}`, {
      cause,
    });
  }
}

/** Whether an odd number of backslashes precedes a place. */
function isEscaped(text: string, at: number): boolean {
  let from = at;
  while (text[from - 1] === '\\') from--;
  return (at - from) % 2 === 1;
}
