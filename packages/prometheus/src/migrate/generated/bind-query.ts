import { substituteVariables, VARIABLE } from '../substitute-variables.ts';
import {
  COMPARISONS,
  findChild,
  listChildren,
  parseQuery,
  readString,
  replaceParts,
  type SyntaxNode,
  type TextPart,
} from '../syntax.ts';
import { listExamples } from './example-texts.ts';

/** The label whose value names the question that a series is made for. */
export const CASE_LABEL = 'hdrscope_case';

/** The values of labels for which nothing states one. Variables of Grafana choose the first two. */
export const CHOSEN = ['one', 'two'] as const;
export const OTHER = 'three';

/**
 * A query with values in place of its variables, for generated series: a choice of two values in matchers, five minutes in durations, 0.9
 * for a number, and names for labels and parts of names. `undefined` where a variable stands for something else.
 */
export function bindVariables(query: string): string | undefined {
  const parts: TextPart[] = [];
  visit(parseQuery(query), (node) => {
    if (node.name === 'LabelMatchers') bindBesideOthers(query, node, parts);
    if (node.name !== 'Identifier' && node.name !== 'LabelName') return;
    const text = query.slice(node.from, node.to);
    const bound = bindName(text, node);
    if (bound !== text) parts.push({ from: node.from, to: node.to, text: bound });
  });
  return substituteVariables(replaceParts(query, { from: 0, to: query.length }, parts), bindMatcher);
}

/** A text with one thing in place of all its variables. */
function replaceVariables(text: string, by: string): string {
  return text.split(VARIABLE).join(by);
}

function bindName(text: string, node: SyntaxNode): string {
  if (!VARIABLE.test(text)) return text;
  const isWhole = replaceVariables(text, '') === '';
  if (node.name === 'LabelName') return replaceVariables(text, 'chosen_label');
  const selector = node.parent!;
  const isNumber = isWhole && findChild(selector, 'LabelMatchers') === undefined && !isRead(selector);
  return isNumber ? '0.9' : replaceVariables(text, 'chosen');
}

/** Whether a selector is read as series: it has a range, or is aggregated. */
function isRead({ parent }: SyntaxNode): boolean {
  return parent?.name === 'MatrixSelector' || parent?.parent?.name === 'AggregateExpr';
}

/** Binds a variable whose label has another matcher, too, to values that this matcher takes. */
function bindBesideOthers(query: string, list: SyntaxNode, parts: TextPart[]): void {
  const matchers = listChildren(list)
    .filter(({ name }) => name !== 'QuotedLabelName')
    .map((matcher) => {
      const [label, operator, value] = listChildren(matcher);
      const slice = ({ from, to }: SyntaxNode): string => query.slice(from, to);
      return {
        label: slice(label!),
        operator: slice(operator!),
        value: value!,
        text: readString(slice(value!)) ?? '',
      };
    });
  for (const { label, operator, value, text } of matchers) {
    if (operator.startsWith('!') || replaceVariables(text, '') !== '' || text === '') continue;
    const other = matchers.find(
      (one) => one.label === label && !one.operator.startsWith('!') && !VARIABLE.test(one.text),
    );
    const examples =
      other === undefined ? [] : other.operator === '=' ? [other.text] : listExamples(other.text);
    if (examples.length === 0) continue;
    const bound = operator === '=' ? examples[0]! : examples.slice(0, 2).map(escapePattern).join('|');
    parts.push({ from: value.from, to: value.to, text: JSON.stringify(bound) });
  }
}

function escapePattern(text: string): string {
  return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

function bindMatcher(operator: string, value: string, blank: string): string {
  const chosen = operator.includes('~') ? `(${CHOSEN.join('|')})` : CHOSEN[0];
  return `${operator}${blank}${replaceVariables(value, chosen)}`;
}

export function visit(node: SyntaxNode, see: (node: SyntaxNode) => void): void {
  for (const child of listChildren(node)) visit(child, see);
  see(node);
}

/** A query whose selectors choose the series of one question. */
export function addCase(query: string, name: string): string {
  const parts: TextPart[] = [];
  visit(parseQuery(query), (node) => addCaseTo(node, name, parts));
  return replaceParts(query, { from: 0, to: query.length }, parts);
}

function addCaseTo(node: SyntaxNode, name: string, parts: TextPart[]): void {
  if (node.name !== 'VectorSelector') return;
  const matcher = `${CASE_LABEL}="${name}"`;
  const list = findChild(node, 'LabelMatchers');
  if (list === undefined) parts.push({ from: node.to, to: node.to, text: `{${matcher}}` });
  else {
    const text = listChildren(list).length === 0 ? matcher : `${matcher}, `;
    parts.push({ from: list.from + 1, to: list.from + 1, text });
  }
}

export function isComparison(node: SyntaxNode): boolean {
  return node.name === 'BinaryExpr' && COMPARISONS.has(listChildren(node)[1]!.name);
}

/** A query with a difference in place of each comparison, so that every value of both sides shows. `undefined` where it compares nothing. */
export function replaceComparisons(query: string): string | undefined {
  const parts: TextPart[] = [];
  const insert = (at: number, text: string): void => void parts.push({ from: at, to: at, text });
  visit(parseQuery(query), (node) => {
    if (!isComparison(node)) return;
    const [left, operator] = listChildren(node);
    const right = listChildren(node).at(-1)!;
    insert(node.from, '((');
    insert(left!.to, ')');
    parts.push({ from: operator!.from, to: operator!.to, text: '-' });
    const bool = findChild(node, 'BoolModifier');
    if (bool !== undefined) parts.push({ from: bool.from, to: bool.to, text: '' });
    insert(right.from, '(');
    insert(right.to, '))');
  });
  return parts.length === 0 ? undefined : replaceParts(query, { from: 0, to: query.length }, parts);
}
