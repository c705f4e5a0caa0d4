import { Budget } from '@hdrscope/kit';
import { Lexer } from 'yaml';

/** The limits of the text of a configuration. A thousand entries need less than half of each. */
export const CONFIG_LIMITS: Readonly<Record<'bytes' | 'lines' | 'elements' | 'depth', number>> = {
  bytes: 2 ** 20,
  lines: 20_000,
  elements: 50_000,
  depth: 32,
};

const WHAT = 'a configuration';

// The lexer also yields marks without a place in the text, for the start of a document and of a scalar.
const MARKS = new Set(['\u{02}', '\u{18}', '\u{1f}', '\u{feff}']);
// Errors about these cost the parser much more than a value does. Few configurations have any.
const COSTLY = 10;

const INDICATORS = new Set(['-', '?', ':']);

/**
 * Counts the parts of a YAML text before the parser makes objects of them. The parser calls itself for each level, and reads 1 MiB
 * of brackets into a gigabyte.
 *
 * @throws HdrscopeError `ERR_TOO_LARGE` at the first limit that is passed.
 */
export function assertSmall(text: string): void {
  const { bytes, lines, elements, depth } = CONFIG_LIMITS;
  const budget = new Budget(WHAT, { bytes, elements, depth });
  const lineBudget = new Budget(`the lines of ${WHAT}`, { elements: lines });
  budget.takeBytes(text.length);
  /** Columns at which open block collections begin, as far as they can be known. */
  const columns: number[] = [];
  let column = 0;
  let inFlow = 0;
  let mayBegin = true;
  for (const token of new Lexer().lex(text)) {
    if (MARKS.has(token)) continue;
    const lastBreak = token.lastIndexOf('\n');
    const isBlank = token === '\n' || token.trim() === '';
    if (!isBlank) {
      budget.takeElements(/^[!&*]/.test(token) ? COSTLY : 1);
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
    }
    if (lastBreak < 0) column += token.length;
    else {
      lineBudget.takeElements(token === '\n' ? 1 : token.split('\n').length - 1);
      column = token.length - lastBreak - 1;
      mayBegin = true;
    }
  }
}
