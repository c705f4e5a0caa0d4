import { HdrscopeError } from '@hdrscope/core';
import { Budget } from '@hdrscope/kit';

const LONGEST = 2 ** 20;
const MOST_ELEMENTS = 100_000;
const MOST_ALIASES = 1000;
const DEEPEST = 64;
const DEEPEST_INDENT = 1000;

/**
 * Refuses a text that would take the parser of YAML much time or memory. It counts characters that may structure the text, so
 * it may count too many, never too few.
 *
 * @throws HdrscopeError `ERR_TOO_LARGE`
 */
export function assertReadable(text: string): void {
  const budget = new Budget('the configuration', { bytes: LONGEST, elements: MOST_ELEMENTS });
  budget.takeBytes(text.length);
  const aliases = new Budget('the aliases of the configuration', { elements: MOST_ALIASES });
  let depth = 0;
  let isIndent = true;
  let indent = 0;
  let dashes = 0;
  for (const character of text) {
    if (isIndent && (character === ' ' || character === '\t')) indent++;
    else if (isIndent && (character === '-' || character === '?')) dashes++;
    else isIndent = false;
    if (character === '\n') {
      isIndent = true;
      indent = 0;
      dashes = 0;
    } else if ('[{'.includes(character)) depth++;
    else if (']}'.includes(character)) depth = Math.max(0, depth - 1);
    else if (character === '*') aliases.takeElements();
    if ('[{,:-?\n!&*'.includes(character)) budget.takeElements();
    if (depth > DEEPEST || dashes > DEEPEST || indent > DEEPEST_INDENT) throw tooDeep();
  }
}

/** The error for a text that is deeper than any configuration. */
export function tooDeep(cause?: unknown): HdrscopeError {
  return new HdrscopeError('ERR_TOO_LARGE', `the configuration must have at most ${DEEPEST} levels`, {
    cause,
    details: { what: 'the configuration', limit: 'depth', most: DEEPEST },
  });
}
