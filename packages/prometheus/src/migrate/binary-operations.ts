import {
  COMPARISONS,
  findChild,
  listChildren,
  replaceParts,
  type SyntaxNode,
  type TextPart,
} from './syntax.ts';
import type { Rewriting, Term } from './terms.ts';

/** How the series of both sides find each other. */
interface Matching {
  readonly node: SyntaxNode | undefined;
  readonly isOn: boolean;
  readonly isIgnoring: boolean;
  /** Whether the list of labels has `le`. */
  readonly hasLe: boolean;
  /** The side that may have several series for one of the other. */
  readonly many: 'left' | 'right' | undefined;
  /** The edits that take `le` out of the lists. */
  readonly withoutLe: readonly TextPart[];
}

interface Operation {
  readonly node: SyntaxNode;
  readonly operator: string;
  readonly left: SyntaxNode;
  readonly right: SyntaxNode;
  readonly matching: Matching;
}

/** What an operation on two expressions becomes. */
export function rewriteBinary(rewriting: Rewriting, node: SyntaxNode): Term {
  const operation = readOperation(rewriting, node);
  const { left, right, matching, operator } = operation;
  const terms = [rewriting.rewrite(left), rewriting.rewrite(right)] as const;
  if (terms.every(({ kind }) => kind === 'plain')) {
    if (matching.isOn && matching.hasLe) throw rewriting.unknownBuckets(node);
    return rewriting.plain(node);
  }
  if (terms.some(({ kind }) => kind === 'histogram')) return combineHistograms(rewriting, operation, terms);
  if (operator === 'Div') {
    const text = rewriteRatio(rewriting, operation, terms);
    if (text !== undefined) return { kind: 'number', text };
  }
  return combineNumbers(rewriting, operation, terms);
}

function readOperation(rewriting: Rewriting, node: SyntaxNode): Operation {
  const children = listChildren(node);
  const clause = findChild(node, 'MatchingModifierClause');
  return {
    node,
    left: children[0]!,
    right: children.at(-1)!,
    operator: children[1]!.name,
    matching: readMatching(rewriting, clause),
  };
}

function readMatching(rewriting: Rewriting, node: SyntaxNode | undefined): Matching {
  const none = { node, isOn: false, isIgnoring: false, hasLe: false, many: undefined, withoutLe: [] };
  if (node === undefined) return none;
  const lists = node.getChildren('GroupingLabels');
  const removals = lists.map((list) => rewriting.removeLabel(list));
  // The first list is that of `on` or `ignoring`; `group_left` has the second one.
  if (removals[1] !== undefined) throw rewriting.refusal('buckets', node, 'copies the label le');
  const many = findChild(node, 'GroupLeft') ? 'left' : findChild(node, 'GroupRight') ? 'right' : undefined;
  const isOn = findChild(node, 'On') !== undefined;
  const hasLe = removals[0] !== undefined;
  return {
    node,
    isOn,
    isIgnoring: !isOn,
    hasLe,
    many,
    withoutLe: removals[0] === undefined ? [] : [removals[0]],
  };
}

/** The edits that take `le` out of the matching. `ignoring (le)` goes as a whole where nothing follows it. */
function withoutLe({
  matching: { node, isIgnoring, many, withoutLe: edits },
  right,
}: Operation): readonly TextPart[] {
  if (node === undefined || edits.length === 0) return [];
  const [list] = node.getChildren('GroupingLabels');
  const isOnly = isIgnoring && many === undefined && listChildren(list!).length === 1;
  return isOnly ? [{ from: node.from, to: right.from, text: '' }] : edits;
}

function join(rewriting: Rewriting, operation: Operation, left: string, right: string): string {
  return replaceParts(rewriting.query, operation.node, [
    { from: operation.left.from, to: operation.left.to, text: left },
    ...withoutLe(operation),
    { from: operation.right.from, to: operation.right.to, text: right },
  ]);
}

// Histograms.

function combineHistograms(
  rewriting: Rewriting,
  operation: Operation,
  [left, right]: readonly [Term, Term],
): Term {
  const { node, operator, matching } = operation;
  const text = (): string => join(rewriting, operation, left.text, right.text);
  if (left.kind === 'histogram' && right.kind === 'histogram') {
    const matchesLe = matching.node === undefined || matching.isOn === matching.hasLe;
    if (!matchesLe)
      throw rewriting.refusal('operation', node, 'puts buckets together without their label le');
    if (operator !== 'Add' && operator !== 'Or') {
      throw rewriting.refusal(
        'operation',
        node,
        'combines buckets, and native histograms have + and or only',
      );
    }
    return { kind: 'histogram', text: text(), hasName: operator === 'Or' && left.hasName === true };
  }
  const isLeft = left.kind === 'histogram';
  const other = isLeft ? right : left;
  if (other.kind === 'measure') {
    throw rewriting.refusal('operation', node, 'combines buckets with a number of a histogram');
  }
  const isFactor = operator === 'Mul' || (operator === 'Div' && isLeft);
  if (isScalar(isLeft ? operation.right : operation.left)) {
    if (!isFactor)
      throw rewriting.refusal(
        'operation',
        node,
        'compares or changes buckets, and native histograms have * and / only',
      );
    return { kind: 'histogram', text: text() };
  }
  const ignoresLe = matching.isOn ? !matching.hasLe : matching.isIgnoring && matching.hasLe;
  if (!ignoresLe)
    throw rewriting.refusal('operation', node, 'matches buckets with series that have no label le');
  if (isLeft && (operator === 'And' || operator === 'Unless')) {
    return { kind: 'histogram', text: text(), hasName: left.hasName === true };
  }
  if (!isFactor || matching.many !== (isLeft ? 'left' : 'right')) {
    throw rewriting.refusal(
      'operation',
      node,
      'combines buckets in a way that native histograms do not have',
    );
  }
  return { kind: 'histogram', text: text() };
}

function isScalar(node: SyntaxNode): boolean {
  switch (node.name) {
    case 'NumberDurationLiteral':
      return true;
    case 'ParenExpr':
      return isScalar(listChildren(node)[0]!);
    case 'UnaryExpr':
      return isScalar(listChildren(node)[1]!);
    case 'BinaryExpr':
      return (
        findChild(node, 'MatchingModifierClause') === undefined &&
        isScalar(listChildren(node)[0]!) &&
        isScalar(listChildren(node).at(-1)!)
      );
    case 'FunctionCall':
      return ['Scalar', 'Time', 'Pi'].includes(findChild(node, 'FunctionIdentifier')!.firstChild?.name ?? '');
    default:
      return false;
  }
}

// Numbers.

function combineNumbers(
  rewriting: Rewriting,
  operation: Operation,
  [left, right]: readonly [Term, Term],
): Term {
  const { matching, operator } = operation;
  if (
    operator === 'Or' &&
    left.kind === 'measure' &&
    left.hasLe === true &&
    isZero(rewriting, operation.right)
  ) {
    // A sum does not see whether the 0 is there, and no other aggregation takes it.
    const number = rewriting.readNumber(operation.left, { ...left, hasLe: false });
    return { kind: 'number', hasLe: true, text: join(rewriting, operation, number, right.text) };
  }
  const isSet = operator === 'And' || operator === 'Or' || operator === 'Unless';
  // The result has only the labels of `on`, and none of `ignoring`, unless one side may have several series.
  const clears =
    !isSet &&
    matching.many === undefined &&
    (matching.isOn ? !matching.hasLe : matching.isIgnoring && matching.hasLe);
  const cleared = (term: Term): Term =>
    clears && term.kind === 'measure' && term.hasLe === true ? { ...term, hasLe: false } : term;
  const text = join(
    rewriting,
    operation,
    rewriting.readNumber(operation.left, cleared(left)),
    rewriting.readNumber(operation.right, cleared(right)),
  );
  return {
    kind: 'number',
    text,
    hasName: isSet || COMPARISONS.has(operator) ? left.hasName === true : false,
  };
}

function isZero(rewriting: Rewriting, node: SyntaxNode): boolean {
  return normalize(rewriting.slice(node)) === 'vector(0)';
}

/**
 * A ratio of numbers of one histogram: `sum / count` becomes `histogram_avg`, and counts within bounds over the count become fractions. Both
 * sides are NaN where nothing was counted. `undefined` for other ratios.
 */
function rewriteRatio(
  rewriting: Rewriting,
  operation: Operation,
  [left, right]: readonly [Term, Term],
): string | undefined {
  const { matching } = operation;
  if (right.kind !== 'measure' || right.measure!.of !== 'count') return undefined;
  // All of the matching goes: it is `ignoring (le)`.
  const ignoresLe = withoutLe(operation)[0]?.to === operation.right.from;
  if (matching.node !== undefined && !ignoresLe) return undefined;
  if ((left.hasLe === true || right.hasLe === true) && !ignoresLe) return undefined;
  const histogram = normalize(right.text);
  const found = { measures: [] as [SyntaxNode, Term][], isPart: left.kind !== 'measure' };
  const text = divideByCount(rewriting, operation.left, histogram, found);
  if (text === undefined || !found.measures.some(([, { measure }]) => measure!.of !== 'count'))
    return undefined;
  for (const [node, term] of found.measures) rewriting.claimMeasure(node, term);
  rewriting.claimMeasure(operation.right, right);
  return text;
}

/** The text of a linear expression in numbers of a histogram, divided by its count. `undefined` where the expression is not linear. */
function divideByCount(
  rewriting: Rewriting,
  node: SyntaxNode,
  histogram: string,
  found: { readonly measures: [SyntaxNode, Term][]; readonly isPart: boolean },
): string | undefined {
  const term = rewriting.rewrite(node);
  if (term.kind === 'measure') {
    if (normalize(term.text) !== histogram) return undefined;
    if (term.hasLe === true && found.isPart) return undefined;
    found.measures.push([node, term]);
    const { measure } = term;
    if (measure!.of === 'count') return '1';
    if (measure!.of === 'sum') return `histogram_avg(${strip(term.text)})`;
    return `histogram_fraction(-Inf, ${measure!.boundText}, ${strip(term.text)})`;
  }
  if (node.name === 'ParenExpr') {
    const inner = listChildren(node)[0]!;
    const text = divideByCount(rewriting, inner, histogram, found);
    return text === undefined ? undefined : rewriting.wrap(node, inner, text);
  }
  if (node.name !== 'BinaryExpr' || findChild(node, 'MatchingModifierClause') !== undefined) return undefined;
  const [left, operator, right] = [
    listChildren(node)[0]!,
    listChildren(node)[1]!.name,
    listChildren(node).at(-1)!,
  ];
  const isSum = operator === 'Add' || operator === 'Sub';
  const isLeft = (operator === 'Mul' || operator === 'Div') && isScalar(right);
  const isRight = operator === 'Mul' && isScalar(left);
  const parts: TextPart[] = [];
  if (isSum || isLeft) {
    const text = divideByCount(rewriting, left, histogram, found);
    if (text === undefined) return undefined;
    parts.push({ from: left.from, to: left.to, text });
  }
  if (isSum || isRight) {
    const text = divideByCount(rewriting, right, histogram, found);
    if (text === undefined) return undefined;
    parts.push({ from: right.from, to: right.to, text });
  }
  return parts.length === 0 ? undefined : replaceParts(rewriting.query, node, parts);
}

/** An expression without the parentheses around it, which a function has itself. */
function strip(text: string): string {
  const trimmed = text.trim();
  if (!trimmed.startsWith('(')) return trimmed;
  let depth = 0;
  for (const { 0: part, index } of trimmed.matchAll(STRING_OR_PARENTHESIS)) {
    if (part === '(') depth++;
    else if (part === ')' && --depth === 0) {
      return index === trimmed.length - 1 ? strip(trimmed.slice(1, -1)) : trimmed;
    }
  }
  return trimmed;
}

const STRING_OR_PARENTHESIS = /"(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|`[^`]*`?|[()]/g;

/** An expression without its layout, for a comparison. Strings keep theirs. */
function normalize(text: string): string {
  return strip(text).replace(STRING_OR_BLANK, (_, string?: string) => string ?? '');
}

const STRING_OR_BLANK = /("(?:[^"\\]|\\[\s\S])*"?|'(?:[^'\\]|\\[\s\S])*'?|`[^`]*`?)|\s+/g;
