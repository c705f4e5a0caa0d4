import { parser, type SyntaxNode } from '#promql';
import { maskVariables } from './mask-variables.ts';
import { QueryRefusal } from './query-verdict.ts';

export type { SyntaxNode };

/** The longest query that is parsed. */
const MOST_CHARACTERS = 100_000;
/** The deepest query: the rewriter calls itself for each level. */
const MOST_LEVELS = 300;

/** @throws QueryRefusal when the text is no query. */
export function parseQuery(query: string): SyntaxNode {
  if (query.length > MOST_CHARACTERS) {
    throw new QueryRefusal('syntax', `the query must have at most ${MOST_CHARACTERS} characters`, 0);
  }
  const masked = maskVariables(query);
  const tree = parseStrictly(query, masked);
  let depth = 0;
  tree.iterate({
    enter(node) {
      depth++;
      if (depth > MOST_LEVELS) {
        throw new QueryRefusal('syntax', `the query must have at most ${MOST_LEVELS} levels`, node.from);
      }
      // The parser ends a text at the end of its line, and Prometheus refuses it.
      if (node.name === 'StringLiteral' && !isClosed(masked.slice(node.from, node.to)))
        throw new QueryRefusal('syntax', describeError(query, node.from), node.from);
    },
    leave() {
      depth--;
    },
  });
  const expression = listChildren(tree.topNode)[0];
  if (expression === undefined) throw new QueryRefusal('syntax', 'the query is empty', 0);
  return expression;
}

// Without it, the parser would look for the most likely query in each wrong text.
const STRICT = parser.configure({ strict: true });

function parseStrictly(query: string, masked: string): ReturnType<typeof parser.parse> {
  try {
    return STRICT.parse(masked);
  } catch (error) {
    const at = /No parse at (\d+)/.exec((error as Error).message)?.[1];
    if (at === undefined) throw error;
    throw new QueryRefusal('syntax', describeError(query, Number(at)), Number(at));
  }
}

function isClosed(literal: string): boolean {
  return literal.length > 1 && literal.at(-1) === literal[0];
}

function describeError(query: string, at: number): string {
  const rest = query.slice(at).trim();
  return rest === '' ? 'the query is not complete' : `the query is not PromQL at '${shorten(rest)}'`;
}

const MOST_SHOWN = 60;

/** The beginning of a part of a query, on one line. */
export function shorten(text: string): string {
  const line = text.replace(/\s+/g, ' ');
  return line.length > MOST_SHOWN ? `${line.slice(0, MOST_SHOWN - 1)}…` : line;
}

/** The children of a node without comments. */
export function listChildren(node: SyntaxNode): SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) {
    if (child.name !== 'LineComment') children.push(child);
  }
  return children;
}

export function findChild(node: SyntaxNode, name: string): SyntaxNode | undefined {
  return node.getChild(name) ?? undefined;
}

/** The operators that compare numbers. */
export const COMPARISONS: ReadonlySet<string> = new Set(['Eql', 'Neq', 'Gte', 'Gtr', 'Lte', 'Lss']);

/** A replaced part of a query. */
export interface TextPart {
  readonly from: number;
  readonly to: number;
  readonly text: string;
}

/** A text with some of its parts replaced. The parts do not overlap. */
export function replaceParts(
  query: string,
  { from, to }: { readonly from: number; readonly to: number },
  parts: readonly TextPart[],
): string {
  let text = '';
  let at = from;
  for (const part of [...parts].sort((a, b) => a.from - b.from)) {
    text += query.slice(at, part.from) + part.text;
    at = part.to;
  }
  return text + query.slice(at, to);
}

/** Whether a label, quoted or not, is that of the bounds of buckets. */
export function isLe(label: string): boolean {
  return /^["']?le["']?$/.test(label);
}

/** What makes a range of samples of an expression: a selector or a subquery. `undefined` for others. */
export function findRange(node: SyntaxNode): 'MatrixSelector' | 'SubqueryExpr' | undefined {
  if (node.name === 'MatrixSelector' || node.name === 'SubqueryExpr') return node.name;
  if (!WRAPPERS.has(node.name)) return undefined;
  return findRange(listChildren(node)[0]!);
}

const WRAPPERS: ReadonlySet<string> = new Set(['OffsetExpr', 'StepInvariantExpr', 'ParenExpr']);

/** The value of a string of PromQL; `undefined` where it has an escape that JSON does not have. */
export function readString(literal: string): string | undefined {
  const inner = literal.slice(1, -1);
  if (literal.startsWith('`') || !inner.includes('\\')) return inner;
  try {
    const value: unknown = JSON.parse(`"${inner.replaceAll("\\'", "'").replace(/(?<!\\)"/g, '\\"')}"`);
    return typeof value === 'string' ? value : undefined;
  } catch {
    return undefined;
  }
}

/**
 * The bound that a matcher of `le` chooses: that of `le="0.3"`, and of an expression that stands for the forms of one number, as in
 * `le=~"1(\\.0)?"`. `undefined` for all other matchers.
 */
export function readBound(
  operator: string,
  value: string,
): { readonly text: string; readonly bound: number } | undefined {
  if (operator !== '=' && operator !== '=~') return undefined;
  const forms =
    operator === '='
      ? [value]
      : value.split('|').map((form) => form.replace(/\(\\?\.0\)\?$/, '').replace(/\\([.+])/g, '$1'));
  const bounds = forms.map(toBound);
  const [bound] = bounds;
  return bound !== undefined && bounds.every((one) => one === bound) ? { text: forms[0]!, bound } : undefined;
}

function toBound(text: string): number | undefined {
  if (/^\+?Inf$/.test(text)) return Number.POSITIVE_INFINITY;
  return /^-?\d+(\.\d+)?(e[+-]?\d+)?$/.test(text) ? Number(text) : undefined;
}
