import type { CallExpression, Node, ObjectExpression } from '#babel';
import type { LiteralEdit } from '../literals.ts';
import { insertAt, replaceNode } from './edits.ts';
import type { ClientHistogram } from './histogram-options.ts';
import type { CodeModule } from './module.ts';
import { isPlainValue } from './static-values.ts';
import { findEnd, findLine, findStart, Obstacle, readKey, readSource } from './syntax.ts';

/** The rewriting of a use of a histogram, and whether its labels are known only at run time. */
interface RewrittenUse {
  readonly edits: readonly LiteralEdit[];
  readonly hasUnknownLabels: boolean;
}

/**
 * Rewrites a use of a histogram: `observe`, `startTimer`, `labels`, `remove` or `reset`.
 *
 * @param node The expression that stands for the histogram.
 * @throws Obstacle for every other use.
 */
export function rewriteUse(code: CodeModule, histogram: ClientHistogram, node: Node): RewrittenUse {
  const call = readMethodCall(code, node);
  if (call === undefined)
    throw new Obstacle(node, `line ${findLine(code, node)} uses it in a way that has no equal`);
  const use: Use = { code, histogram, node, ...call };
  switch (call.method) {
    case 'observe':
      return rewriteObserve(use);
    case 'startTimer':
      return rewriteTimer(use);
    case 'labels':
      return rewriteLabels(use);
    case 'remove':
    case 'reset':
      return rewriteRemoval(use);
    default:
      throw refuseUse(use, `calls ${call.method}, which has no equal`);
  }
}

interface MethodCall {
  readonly method: string;
  /** The name of the method in the text. */
  readonly property: Node;
  readonly call: CallExpression;
}

interface Use extends MethodCall {
  readonly code: CodeModule;
  readonly histogram: ClientHistogram;
  /** The expression that stands for the histogram. */
  readonly node: Node;
}

/** The call `node.method(…)`. */
function readMethodCall({ parentOf }: CodeModule, node: Node): MethodCall | undefined {
  const member = parentOf.get(node);
  if (member?.type !== 'MemberExpression' || member.object !== node || member.computed) return undefined;
  const call = parentOf.get(member);
  if (call?.type !== 'CallExpression' || call.callee !== member) return undefined;
  const method = readKey(member.property, false);
  if (method === undefined || call.arguments.some(({ type }) => type === 'SpreadElement')) return undefined;
  return { method, property: member.property, call };
}

function refuseUse({ code, call }: Use, reason: string): Obstacle {
  return new Obstacle(call, `line ${findLine(code, call)} ${reason}`);
}

/** `observe(value)` and `observe(labels, value)`. */
function rewriteObserve(use: Use): RewrittenUse {
  const { code, histogram, call, property } = use;
  const [first, second, ...others] = call.arguments;
  if (first === undefined || others.length > 0) throw refuseUse(use, 'observes no value');
  const wrapped = wrapResult(use, call);
  if (second === undefined) {
    if (first.type === 'ObjectExpression') throw refuseUse(use, 'observes labels without a value');
    assertValue(use, first);
    const series = histogram.isWithoutLabels ? 'record' : 'with({}).record';
    return { edits: [...wrapped, replaceNode(property, series)], hasUnknownLabels: false };
  }
  assertValue(use, second);
  const labels = rewriteLabelObject(use, first);
  const between = code.text.slice(findEnd(first), findStart(second));
  const [gap, rest] = /^((?:\s|\/\*[^*]*\*\/)*),([\s\S]*)$/.exec(between)?.slice(1) ?? [];
  if (gap === undefined || rest === undefined)
    throw refuseUse(use, 'has a comment or a bracket between labels and value');
  if (histogram.isWithoutLabels) {
    const labelsAndComma = { from: findStart(first), to: findStart(second), text: rest.trimStart() };
    return { ...labels, edits: [...wrapped, replaceNode(property, 'record'), labelsAndComma] };
  }
  // The comma becomes the end of one call and the start of the other. A value on a line of its own stays there.
  const isSpace = rest.trim() === '' && !rest.includes('\n');
  const comma = findEnd(first) + gap.length;
  const record = { from: comma, to: findStart(second), text: `).record(${isSpace ? '' : rest}` };
  return { ...labels, edits: [...wrapped, replaceNode(property, 'with'), ...labels.edits, record] };
}

/** `startTimer(labels)`. A timer of a family takes labels at its start and at its end, as that of the client does. */
function rewriteTimer(use: Use): RewrittenUse {
  assertSeconds(use);
  const [labels, ...others] = use.call.arguments;
  if (others.length > 0) throw refuseUse(use, 'starts a timer with exemplars');
  const ends = rewriteTimerEnds(use);
  if (labels === undefined) return ends;
  const start = rewriteLabelObject(use, labels);
  const edits = use.histogram.isWithoutLabels
    ? [{ from: findStart(labels), to: findEnd(labels), text: '' }]
    : start.edits;
  return {
    edits: [...edits, ...ends.edits],
    hasUnknownLabels: start.hasUnknownLabels || ends.hasUnknownLabels,
  };
}

function assertSeconds(use: Use): void {
  if (use.histogram.unit !== 's') throw refuseUse(use, 'measures seconds, and its name has another unit');
}

/** The calls that end a timer. Where its end is passed on, it may get any labels. */
function rewriteTimerEnds(use: Use): RewrittenUse {
  const { code, call } = use;
  const declarator = code.parentOf.get(call);
  const end = declarator?.type === 'VariableDeclarator' ? code.scopes.find(declarator.id) : undefined;
  if (end === undefined || !end.isConstant) return { edits: [], hasUnknownLabels: true };
  const edits: (readonly LiteralEdit[])[] = [];
  let hasUnknownLabels = false;
  for (const { node } of end.references) {
    const ending = code.parentOf.get(node);
    if (ending?.type !== 'CallExpression' || ending.callee !== node) {
      hasUnknownLabels = true;
      continue;
    }
    const atEnd: Use = { ...use, call: ending };
    const [labels, ...others] = ending.arguments;
    if (others.length > 0) throw refuseUse(atEnd, 'ends a timer with exemplars');
    if (labels === undefined) continue;
    const rewritten = rewriteLabelObject(atEnd, labels);
    edits.push(rewritten.edits);
    hasUnknownLabels ||= rewritten.hasUnknownLabels;
  }
  return { edits: edits.flat(), hasUnknownLabels };
}

/** `labels(…).observe(value)` and `labels(…).startTimer()`. */
function rewriteLabels(use: Use): RewrittenUse {
  const { code, histogram, call, property } = use;
  const inner = readMethodCall(code, call);
  if (inner === undefined) throw refuseUse(use, 'keeps labels for later');
  if (histogram.isWithoutLabels) throw refuseUse(use, 'has labels, and the histogram has none');
  const { edits, hasUnknownLabels } = rewriteLabelArguments(use);
  const child: Use = { ...use, ...inner };
  if (inner.method === 'startTimer') {
    assertSeconds(use);
    if (inner.call.arguments.length > 0) throw refuseUse(use, 'starts a timer with labels twice');
    const rest = { from: findEnd(call), to: findEnd(inner.call), text: '' };
    if (!/^\s*\.\s*startTimer\s*\(\s*\)$/.test(code.text.slice(rest.from, rest.to)))
      throw refuseUse(use, 'has a comment before its timer');
    const ends = rewriteTimerEnds(child);
    return {
      edits: [replaceNode(property, 'startTimer'), ...edits, rest, ...ends.edits],
      hasUnknownLabels: hasUnknownLabels || ends.hasUnknownLabels,
    };
  }
  const start = [replaceNode(property, 'with'), ...edits];
  const [value, ...others] = inner.call.arguments;
  if (inner.method !== 'observe' || value === undefined || others.length > 0)
    throw refuseUse(use, `calls ${inner.method}, which has no equal`);
  assertValue(use, value);
  return {
    edits: [...wrapResult(child, inner.call), ...start, replaceNode(inner.property, 'record')],
    hasUnknownLabels,
  };
}

/** `remove(…)` and `reset()`, as statements: what they return differs. */
function rewriteRemoval(use: Use): RewrittenUse {
  const { code, histogram, call, property, method } = use;
  if (histogram.isWithoutLabels) throw refuseUse(use, `calls ${method} of a histogram without labels`);
  if (!isUnused(code, call)) throw refuseUse(use, `reads what ${method} returns`);
  if (method === 'reset') {
    if (call.arguments.length > 0) throw refuseUse(use, 'resets with arguments');
    return { edits: [replaceNode(property, 'clear')], hasUnknownLabels: false };
  }
  return rewriteLabelArguments(use);
}

/** Labels as an object, or as texts in the order of their names. */
function rewriteLabelArguments(use: Use): RewrittenUse {
  const { code, histogram, call } = use;
  const { labelNames } = histogram;
  const [first] = call.arguments;
  if (first === undefined) throw refuseUse(use, 'names no labels');
  if (call.arguments.length === 1 && first.type === 'ObjectExpression') return rewriteLabelObject(use, first);
  if (labelNames === undefined)
    throw refuseUse(use, 'has labels by their order, and the order is known only at run time');
  if (labelNames.length !== call.arguments.length)
    throw refuseUse(use, 'has another number of labels than the histogram');
  if (call.arguments.length === 1 && !isPlainValue(code, first))
    throw refuseUse(use, `has ${readSource(code, first)}, which may be a label or an object of labels`);
  const edits = call.arguments.flatMap((value, at) => {
    if (value.extra?.parenthesized === true) throw refuseUse(use, 'has a label in brackets');
    const name = labelNames[at]!;
    return [
      insertAt(findStart(value), `${at === 0 ? '{ ' : ''}${name}: `),
      ...wrapLabel(use, value),
      ...(at === labelNames.length - 1 ? [insertAt(findEnd(value), ' }')] : []),
    ];
  });
  return { edits, hasUnknownLabels: false };
}

/** An object of labels. A client writes `undefined` as a text, and here it is no label: so values become texts. */
function rewriteLabelObject(use: Use, labels: Node): RewrittenUse {
  const { code, histogram } = use;
  if (labels.type !== 'ObjectExpression') {
    if (histogram.isWithoutLabels) throw refuseUse(use, 'has labels, and the histogram has none');
    if (
      labels.type !== 'Identifier' &&
      labels.type !== 'MemberExpression' &&
      labels.type !== 'CallExpression'
    )
      throw refuseUse(use, 'has labels that may be none');
    return { edits: [], hasUnknownLabels: true };
  }
  const { labelNames } = histogram;
  const edits: LiteralEdit[] = [];
  let hasUnknownLabels = false;
  for (const property of (labels as ObjectExpression).properties) {
    if (property.type === 'SpreadElement') hasUnknownLabels = true;
    else if (property.type !== 'ObjectProperty') throw refuseUse(use, 'has a method among its labels');
    else {
      const key = readKey(property.key, property.computed);
      if (key === undefined) hasUnknownLabels = true;
      else if (labelNames !== undefined && !labelNames.includes(key))
        throw refuseUse(use, `has the label ${key}, which the histogram does not name`);
      // Bounded: two edits at most.
      if (!property.shorthand) edits.push(...wrapLabel(use, property.value));
      else if (!isPlainValue(code, property.value))
        edits.push(replaceNode(property, `${key}: String(${key})`));
    }
  }
  if (histogram.isWithoutLabels && labels.properties.length > 0)
    throw refuseUse(use, 'has labels, and the histogram has none');
  return { edits, hasUnknownLabels };
}

function wrapLabel(use: Use, value: Node): LiteralEdit[] {
  const { code } = use;
  // A client counts it with the series that lacks the label, and shows the labels of whichever came first.
  if (value.type === 'NullLiteral' || (value.type === 'Identifier' && value.name === 'undefined'))
    throw refuseUse(use, 'has a label without a value');
  if (isPlainValue(code, value)) return [];
  return [insertAt(findStart(value), 'String('), insertAt(findEnd(value), ')')];
}

function assertValue(use: Use, value: Node): void {
  if (value.type === 'UnaryExpression' && value.operator === '-')
    throw refuseUse(use, 'observes a value below 0, which has no place here');
}

/** `observe` returns nothing and `record` whether it counted. Where somebody may look, `void` keeps it so. */
function wrapResult(use: Use, call: CallExpression): LiteralEdit[] {
  const { code } = use;
  if (isUnused(code, call)) return [];
  const parent = code.parentOf.get(call);
  const isLast =
    parent?.type === 'ReturnStatement' ||
    (parent?.type === 'ArrowFunctionExpression' && parent.body === call);
  if (!isLast) throw refuseUse(use, 'reads what observe returns');
  return [insertAt(findStart(call), 'void ')];
}

function isUnused(code: CodeModule, node: Node): boolean {
  const parent = code.parentOf.get(node);
  if (parent?.type === 'ExpressionStatement') return true;
  if (parent?.type === 'LogicalExpression' && parent.right === node) return isUnused(code, parent);
  return parent?.type === 'ConditionalExpression' && parent.test !== node && isUnused(code, parent);
}
