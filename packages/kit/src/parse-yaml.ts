import { HdrscopeError } from '@hdrscope/core';
import { Budget, type BudgetLimits } from './budget.ts';

/** The limits of a YAML text. */
export interface YamlLimits extends Required<BudgetLimits> {
  /** How many lines the text may have, empty ones included. */
  readonly lines: number;
  /** How many aliases (`*name`) it may have, each of which repeats another part of the text. */
  readonly aliases: number;
}

// The lexer also yields marks without a place in the text, for the start of a document and of a scalar.
const MARKS = new Set(['\u{02}', '\u{1f}', '\u{feff}']);
// The lexer's mark for brackets that it takes as closed, because a later line begins before them.
const FLOW_ENDS = '\u{18}';
// Errors about these cost a parser much more than a value does. Few texts have any.
const COSTLY = 10;

const INDICATORS = new Set(['-', '?', ':']);
const SEPARATORS = new Set(['[', ']', '{', '}', ',']);

/** The package `yaml`, which not every package of hdrscope needs, on a text. */
export interface YamlParser<T> {
  /** The parts of the text: `new Lexer().lex(text)`. */
  readonly tokens: Iterable<string>;
  /** Parses the text. It runs once, after the parts have been counted. */
  readonly parse: () => T;
}

/**
 * Parses a YAML text from outside. Its parts are counted before the parser makes objects of them: it calls itself for each level, reads
 * 1 MiB of brackets into a gigabyte, and searches the document for each alias.
 *
 * @param what The subject of an error, such as `a configuration`.
 * @throws HdrscopeError `ERR_TOO_LARGE` at the first limit that is passed.
 * @example
 * ```ts
 * import { parseSmallYaml } from '@hdrscope/kit';
 *
 * const limits = { bytes: 100, elements: 10, depth: 2, lines: 10, aliases: 1 };
 * parseSmallYaml('[1]', { tokens: ['[', '1', ']'], parse: () => [1] }, 'the text', limits); //=> [1]
 * parseSmallYaml('[[[', { tokens: ['[', '[', '['], parse: () => [] }, 'the text', limits); //=> throws ERR_TOO_LARGE
 * ```
 */
export function parseSmallYaml<T>(
  text: string,
  { tokens, parse }: YamlParser<T>,
  what: string,
  limits: YamlLimits,
): T {
  countParts(text, tokens, what, limits);
  try {
    return parse();
  } catch (cause) {
    // The stack was exhausted: some errors in a text make levels that no token shows.
    if (!(cause instanceof RangeError)) throw cause;
    throw tooDeep(what, limits.depth, cause);
  }
}

function tooDeep(what: string, most: number, cause?: unknown): HdrscopeError {
  return new HdrscopeError('ERR_TOO_LARGE', `${what} must have at most ${most} levels`, {
    cause,
    details: { what, limit: 'depth', most },
  });
}

function countParts(
  text: string,
  tokens: Iterable<string>,
  what: string,
  { lines, aliases, ...limits }: YamlLimits,
): void {
  const budget = new Budget(what, limits);
  const lineBudget = new Budget(`the lines of ${what}`, { elements: lines });
  const aliasBudget = new Budget(`the aliases of ${what}`, { elements: aliases });
  budget.takeBytes(text.length);
  /** Columns at which open block collections begin, as far as they can be known. */
  const columns: number[] = [];
  let column = 0;
  let inFlow = 0;
  /** Indicators in brackets since the last comma or bracket: in `{ a: b: c: …` each one is a level. */
  let inItem = 0;
  let mayBegin = true;
  for (const token of tokens) {
    if (MARKS.has(token)) continue;
    if (token === FLOW_ENDS) {
      for (; inFlow > 0; inFlow--) budget.leave();
      continue;
    }
    const lastBreak = token.lastIndexOf('\n');
    const isBlank = token === '\n' || token.trim() === '';
    if (!isBlank) {
      budget.takeElements(/^[!&*]/.test(token) ? COSTLY : 1);
      if (token.startsWith('*')) aliasBudget.takeElements();
      if (token.startsWith('"')) budget.takeElements(COSTLY * (token.split('\\').length - 1));
      if (token === '[' || token === '{') {
        inFlow++;
        budget.enter();
      } else if ((token === ']' || token === '}') && inFlow > 0) {
        inFlow--;
        budget.leave();
      } else if (inFlow === 0 && mayBegin) {
        while (columns.length > 0 && columns.at(-1)! >= column) {
          columns.pop();
          budget.leave();
        }
        columns.push(column);
        budget.enter();
      }
      mayBegin = INDICATORS.has(token);
      if (mayBegin && inFlow > 0) inItem++;
      else if (SEPARATORS.has(token)) inItem = 0;
      if (inItem > limits.depth) throw tooDeep(what, limits.depth);
    }
    if (lastBreak < 0) column += token.length;
    else {
      lineBudget.takeElements(token === '\n' ? 1 : token.split('\n').length - 1);
      column = token.length - lastBreak - 1;
      mayBegin = true;
    }
  }
}
