/**
 * Variables of Grafana and of Go templates: `$x`, `${x}`, `${x:regex}`, `[[x]]`, `{{.window}}`. In the query that a person reads, they stand
 * where PromQL has a name, a duration or a number.
 */
const VARIABLE = /\$\w+|\$\{[^{}\n]*\}|\[\[[\w:.]+\]\]|\{\{[^{}\n]*\}\}/y;

/** A variable, and the rest of the name that it is a part of. */
const LETTER = /\w/;

/**
 * Replaces each variable outside of strings by a text of PromQL with the same length, so that all places in the result are places in the query.
 * Variables in strings stay as they are.
 */
export function maskVariables(query: string): string {
  let masked = '';
  /** The brackets that are open: what a variable stands for depends on them. */
  const open: string[] = [];
  for (let at = 0; at < query.length; ) {
    const rest = findOpaque(query, at);
    if (rest > at) {
      masked += query.slice(at, rest);
      at = rest;
      continue;
    }
    VARIABLE.lastIndex = at;
    const [variable] = VARIABLE.exec(query) ?? [];
    if (variable === undefined) {
      const character = query[at]!;
      if ('([{'.includes(character)) open.push(character);
      else if (')]}'.includes(character)) open.pop();
      masked += character;
      at++;
      continue;
    }
    const end = at + variable.length;
    masked += maskVariable(variable.length, masked.slice(-NEAR), query.slice(end, end + NEAR), open.at(-1));
    at = end;
  }
  return masked;
}

/** The end of the string or comment that begins at a place; the place itself where neither begins. */
function findOpaque(query: string, at: number): number {
  const quote = query[at]!;
  if (quote === '#') {
    const end = query.indexOf('\n', at);
    return end < 0 ? query.length : end;
  }
  if (!'"\'`'.includes(quote)) return at;
  for (let end = at + 1; end < query.length; end++) {
    if (query[end] === quote) return end + 1;
    if (query[end] === '\\' && quote !== '`') end++;
  }
  return query.length;
}

function maskVariable(length: number, before: string, after: string, bracket: string | undefined): string {
  if (bracket === '[' || /\boffset\s{0,9}-?\s{0,9}[\da-z]{0,9}$/.test(before)) {
    return LETTER.test(after[0] ?? '') || length === 1 ? '1'.repeat(length) : `${'1'.repeat(length - 1)}s`;
  }
  if (/@\s*$/.test(before)) return '1'.repeat(length);
  // A variable in braces that is neither a name nor a value stands for whole matchers.
  const isMatchers = bracket === '{' && /[{,]\s*$/.test(before) && /^\s*[,}]/.test(after);
  return isMatchers ? `"${MASK.repeat(length - 2)}"` : MASK.repeat(length);
}

/** The characters before and after a variable that decide what it stands for. */
const NEAR = 40;

/** The letter of a masked name. No name of a metric has several in a row by chance. */
const MASK = 'V';
