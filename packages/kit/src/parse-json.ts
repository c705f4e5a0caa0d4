import { HdrscopeError } from '@hdrscope/core';
import type { Budget } from './budget.ts';

const QUOTE = 0x22;
const COMMA = 0x2c;
const COLON = 0x3a;
const OPENING_BRACKET = 0x5b;
const BACKSLASH = 0x5c;
const CLOSING_BRACKET = 0x5d;
const OPENING_BRACE = 0x7b;
const CLOSING_BRACE = 0x7d;

/** The cost of parts of JSON, in elements. */
export interface JsonCosts {
  /** How many elements each item of an array or an object costs, but the first, whatever it is. */
  readonly item: number;
  /** How many elements each key of an object costs, besides its item. */
  readonly key: number;
}

const USUAL_COSTS: JsonCosts = { item: 1, key: 0 };

/**
 * Parses JSON from outside. All arrays, objects and their items are counted before anything is made of them: `JSON.parse` would
 * make a gigabyte of 16 MB of brackets.
 *
 * @param what The subject of an error, such as `the body`.
 * @param budget Each character is a byte of it, and each array and object an element.
 * @param costs What the other parts cost.
 * @throws HdrscopeError `ERR_DECODE` when the text is not JSON; `ERR_TOO_LARGE` when it passes a limit.
 * @example
 * ```ts
 * import { Budget, parseJson } from '@hdrscope/kit';
 *
 * parseJson('{"a":[1,2]}', 'the body', new Budget('the body', { elements: 10, depth: 2 })); //=> { a: [1, 2] }
 * parseJson('[[[]]]', 'the body', new Budget('the body', { depth: 2 })); //=> throws ERR_TOO_LARGE
 * parseJson('[', 'the body', new Budget('the body', {})); //=> throws ERR_DECODE
 * ```
 */
export function parseJson(
  text: string,
  what: string,
  budget: Budget,
  costs: JsonCosts = USUAL_COSTS,
): unknown {
  budget.takeBytes(text.length);
  countElements(text, budget, costs);
  try {
    return JSON.parse(text);
  } catch (cause) {
    throw new HdrscopeError('ERR_DECODE', `${what} is not JSON: ${(cause as Error).message}`, { cause });
  }
}

/** Counts by the characters that structure JSON. A text that is not JSON may be counted in any way. */
function countElements(text: string, budget: Budget, { item, key }: JsonCosts): void {
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) at = endOfString(text, at);
    else if (code === COMMA) budget.takeElements(item);
    else if (code === COLON) budget.takeElements(key);
    else if (code === OPENING_BRACKET || code === OPENING_BRACE) {
      budget.takeElements();
      budget.enter();
    } else if (code === CLOSING_BRACKET || code === CLOSING_BRACE) budget.leave();
  }
}

/** The place of the quote that ends a string. */
function endOfString(text: string, start: number): number {
  for (let at = start + 1; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === QUOTE) return at;
    if (code === BACKSLASH) at++;
  }
  return text.length;
}
