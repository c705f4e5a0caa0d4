import { listChildren, parseQuery, type SyntaxNode } from '../syntax.ts';
import { replaceComparisons } from './bind-query.ts';

/** An expression before and after. */
export type Pair = readonly [before: string, after: string];

/** A part of a query, in each of its forms: as it is, and with differences in place of comparisons. */
export type PartForms = readonly Pair[];

/** The parts of a query that are asked for: the query itself, and both sides of each `and`, `or` and `unless`, which may hide each other. */
export function listParts(before: string, after: string): PartForms[] {
  const pairs: Pair[] = [[before, after]];
  splitSets([before, parseQuery(before)], [after, parseQuery(after)], pairs);
  return pairs.map((pair) => {
    const [first, second] = [replaceComparisons(pair[0]), replaceComparisons(pair[1])];
    return first === undefined || second === undefined ? [pair] : [pair, [first, second]];
  });
}

type Part = readonly [query: string, node: SyntaxNode];

/** Adds the sides of sets as long as both queries have the same ones. */
function splitSets(before: Part, after: Part, pairs: Pair[]): void {
  const [[query, node], [otherQuery, other]] = [openParentheses(before), openParentheses(after)];
  if (node.name !== 'BinaryExpr' || other.name !== 'BinaryExpr') return;
  const [children, others] = [listChildren(node), listChildren(other)];
  const operator = children[1]!.name;
  if (!SETS.has(operator) || others[1]!.name !== operator) return;
  for (const at of [0, -1]) {
    const [side, otherSide]: Part[] = [
      [query, children.at(at)!],
      [otherQuery, others.at(at)!],
    ];
    pairs.push([slicePart(side!), slicePart(otherSide!)]);
    splitSets(side!, otherSide!, pairs);
  }
}

const SETS: ReadonlySet<string> = new Set(['And', 'Or', 'Unless']);

function openParentheses([query, node]: Part): Part {
  return node.name === 'ParenExpr' ? openParentheses([query, listChildren(node)[0]!]) : [query, node];
}

function slicePart([query, { from, to }]: Part): string {
  return query.slice(from, to);
}
