import { DAY_MS, MINUTE_MS } from '@hdrscope/kit';
import { findChild, listChildren, parseQuery, readBound, readString, type SyntaxNode } from '../syntax.ts';
import { isComparison, visit } from './bind-query.ts';

/** A condition of a selector on a label. */
export interface LabelMatcher {
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

/** The labels by which the other side finds each series, so that no two series may agree in them. */
export interface UniqueLabels {
  readonly isOn: boolean;
  readonly labels: readonly string[];
}

export interface ReadSelector {
  readonly name: string;
  /** The matchers besides those of `le` and the name. */
  readonly matchers: readonly LabelMatcher[];
  /** Whether rates of it are asked for. */
  readonly isCounter: boolean;
  readonly unique: readonly UniqueLabels[];
}

/** What a query reads. */
export interface QueryReading {
  readonly selectors: readonly ReadSelector[];
  /** All labels that it names, without `le`. */
  readonly labels: ReadonlySet<string>;
  /** Expressions for the values of labels, from functions that change labels. */
  readonly patterns: readonly LabelMatcher[];
  /** The bounds of buckets that it chooses. */
  readonly bounds: readonly number[];
  /** The numbers that it compares with. */
  readonly thresholds: readonly number[];
  /** How far before the present it reads, in milliseconds. Negative for the future. */
  readonly offsetsMs: readonly number[];
}

/** Reads which series a query without variables needs. */
export function readSeries(query: string): QueryReading {
  const reading: Draft = {
    selectors: [],
    labels: new Set(),
    patterns: [],
    bounds: [],
    thresholds: [],
    offsetsMs: [],
  };
  const root = parseQuery(query);
  visit(root, (node) => noteNode(query, node, reading));
  walk(query, root, { isCounter: false, unique: [] }, reading);
  reading.labels.delete('le');
  reading.labels.delete('__name__');
  return reading;
}

/** A reading that is not yet complete. */
interface Draft extends QueryReading {
  readonly selectors: ReadSelector[];
  readonly labels: Set<string>;
  readonly patterns: LabelMatcher[];
  readonly bounds: number[];
  readonly thresholds: number[];
  readonly offsetsMs: number[];
}

function noteNode(query: string, node: SyntaxNode, reading: Draft): void {
  const slice = (one: SyntaxNode): string => query.slice(one.from, one.to);
  if (node.name === 'GroupingLabels') {
    for (const label of listChildren(node)) reading.labels.add(readName(slice(label)));
  }
  if (node.name === 'OffsetDurationExpr') reading.offsetsMs.push(readDuration(slice(node)));
  if (isComparison(node)) {
    for (const side of listChildren(node)) {
      const number = side.name === 'NumberDurationLiteral' ? Number(slice(side)) : Number.NaN;
      if (Number.isFinite(number)) reading.thresholds.push(number);
    }
  }
  const call = node.name === 'FunctionCall' ? slice(findChild(node, 'FunctionIdentifier')!) : '';
  if (call !== 'label_replace' && call !== 'label_join') return;
  const texts = listChildren(findChild(node, 'FunctionCallBody')!)
    .slice(1)
    .map((one) => readString(slice(one)) ?? '');
  const sources = call === 'label_replace' ? [texts[2] ?? ''] : texts.slice(2);
  for (const source of sources) {
    if (!/^\w+$/.test(source)) continue;
    reading.labels.add(source);
    if (call === 'label_replace')
      reading.patterns.push({ label: source, operator: '=~', value: texts[3] ?? '' });
  }
}

interface Surroundings {
  readonly isCounter: boolean;
  readonly unique: readonly UniqueLabels[];
}

function walk(query: string, node: SyntaxNode, around: Surroundings, reading: Draft): void {
  if (node.name === 'VectorSelector') {
    readSelector(query, node, around, reading);
    return;
  }
  if (node.name === 'BinaryExpr') {
    walkOperation(query, node, around, reading);
    return;
  }
  const isRate = node.name === 'FunctionCall' && RATE.test(query.slice(node.from, node.to));
  const inside =
    node.name === 'AggregateExpr'
      ? { ...around, unique: [] }
      : { ...around, isCounter: around.isCounter || isRate };
  for (const child of listChildren(node)) walk(query, child, inside, reading);
}

const RATE = /^(rate|irate|increase|resets)\b/i;

function walkOperation(query: string, node: SyntaxNode, around: Surroundings, reading: Draft): void {
  const children = listChildren(node);
  const clause = findChild(node, 'MatchingModifierClause');
  const isSet = ['And', 'Or', 'Unless'].includes(children[1]!.name);
  const [list] = clause?.getChildren('GroupingLabels') ?? [];
  const labels =
    list === undefined ? [] : listChildren(list).map(({ from, to }) => readName(query.slice(from, to)));
  const isOn = clause !== undefined && findChild(clause, 'On') !== undefined;
  const key = clause === undefined || isSet ? [] : [{ isOn, labels }];
  const many =
    clause && (findChild(clause, 'GroupLeft') ? 0 : findChild(clause, 'GroupRight') ? 1 : undefined);
  for (const [side, operand] of [children[0]!, children.at(-1)!].entries()) {
    const own = side === many ? [] : key;
    walk(query, operand, { ...around, unique: [...around.unique, ...own] }, reading);
  }
}

function readSelector(query: string, node: SyntaxNode, around: Surroundings, reading: Draft): void {
  const slice = (one: SyntaxNode): string => query.slice(one.from, one.to);
  const identifier = findChild(node, 'Identifier');
  let name = identifier && slice(identifier);
  const matchers: LabelMatcher[] = [];
  const list = findChild(node, 'LabelMatchers');
  for (const matcher of list === undefined ? [] : listChildren(list)) {
    if (matcher.name === 'QuotedLabelName') {
      name = readName(slice(matcher));
      continue;
    }
    const [label, operator, value] = listChildren(matcher).map(slice);
    const one = { label: readName(label!), operator: operator!, value: readString(value!) ?? '' };
    if (one.label === '__name__' && one.operator === '=') name = one.value;
    else if (one.label === 'le') {
      const found = readBound(one.operator, one.value);
      if (found !== undefined && Number.isFinite(found.bound)) reading.bounds.push(found.bound);
    } else if (one.label !== '__name__') {
      reading.labels.add(one.label);
      matchers.push(one);
    }
  }
  if (name !== undefined) reading.selectors.push({ name, matchers, ...around });
}

/** A name, which may be quoted. */
function readName(text: string): string {
  return /^["'`]/.test(text) ? (readString(text) ?? text) : text;
}

const UNITS_MS: Readonly<Record<string, number>> = {
  ...{ ms: 1, s: 1000, m: MINUTE_MS, h: 60 * MINUTE_MS },
  ...{ d: DAY_MS, w: 7 * DAY_MS, y: 365 * DAY_MS },
};

/** The milliseconds of a duration such as `1h30m`. 0 for one that is computed. */
function readDuration(text: string): number {
  const sign = text.trimStart().startsWith('-') ? -1 : 1;
  const parts = [...text.matchAll(/(\d{1,9})(ms|[smhdwy])/g)];
  return sign * parts.reduce((total, [, count, unit]) => total + Number(count) * UNITS_MS[unit!]!, 0);
}
