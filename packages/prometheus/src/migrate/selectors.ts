import {
  findChild,
  listChildren,
  readBound,
  readString,
  replaceParts,
  type SyntaxNode,
  shorten,
  type TextPart,
} from './syntax.ts';
import type { Rewriting, Term } from './terms.ts';

/** A selector as it is read: its name, and the matchers that decide what becomes of it. */
interface Selector {
  readonly name: string;
  /** The place of the name, without quotes. */
  readonly place: { readonly from: number; readonly to: number };
  readonly matchers: readonly Matcher[];
}

interface Matcher {
  readonly node: SyntaxNode;
  readonly label: string;
  readonly operator: string;
  readonly value: string;
}

const PARTS = /_(bucket|sum|count)$/;

/** What a selector of series becomes. */
export function readSelector(rewriting: Rewriting, node: SyntaxNode): Term {
  const selector = parseSelector(rewriting, node);
  if (selector === undefined) return rewriting.plain(node);
  const { name, place, matchers } = selector;
  const bounds = matchers.filter(({ label }) => label === 'le');
  const record = rewriting.options.records.get(name);
  if (record !== undefined) {
    if (record.kind === 'numbers') return rewriting.plain(node);
    if (record.kind === 'buckets') {
      throw rewriting.refusal(
        'recorded',
        node,
        'reads recorded buckets whose rule, or another reader of which, is left as it is',
      );
    }
    rewriting.records.add(name);
    rewriting.note({ code: 'renamed', text: `${name} is recorded as ${record.name}` });
    return readBuckets(rewriting, node, bounds, { from: place.from, to: place.to, text: record.name });
  }
  const part = PARTS.exec(name)?.[1];
  if (/_bucket:/.test(name) || (part === 'bucket' && name.includes(':'))) {
    throw rewriting.refusal(
      'recorded',
      node,
      'is recorded by a rule that is in no file here: name its file, too',
    );
  }
  if (part === undefined || name.includes(':')) {
    if (bounds.length > 0) throw rewriting.unknownBuckets(node);
    return rewriting.plain(node);
  }
  const base = name.slice(0, -part.length - 1);
  if (base === '') return rewriting.plain(node);
  const renamed = { from: place.to - part.length - 1, to: place.to, text: '' };
  if (part === 'bucket') return readBuckets(rewriting, node, bounds, renamed);
  if (!rewriting.options.histograms.has(base)) {
    const { others } = rewriting.options;
    if (others?.has(base) !== true && others?.has(name) !== true) rewriting.leave(name, node);
    return rewriting.plain(node);
  }
  if (bounds.length > 0) throw rewriting.refusal('bounds', node, 'has a matcher of le, and no buckets');
  const text = replaceParts(rewriting.query, node, [renamed]);
  return { kind: 'measure', measure: { of: part as 'sum' | 'count' }, hasLe: false, hasName: true, text };
}

function readBuckets(
  rewriting: Rewriting,
  node: SyntaxNode,
  bounds: readonly Matcher[],
  renamed: TextPart,
): Term {
  const [matcher] = bounds;
  const text = replaceParts(rewriting.query, node, [renamed, ...removeMatchers(node, bounds)]);
  if (matcher === undefined || bounds.every(isOpen)) return { kind: 'histogram', hasName: true, text };
  const found = bounds.length === 1 ? readBound(matcher.operator, matcher.value) : undefined;
  if (found === undefined) {
    const code = /[$[{]/.test(matcher.value) ? 'variable' : 'bounds';
    throw rewriting.refusal(
      code,
      matcher.node,
      'chooses buckets, and must be one bound for a native histogram, as in le="0.3"',
    );
  }
  const { bound, text: boundText } = found;
  // 0 lies inside the zero bucket, whose values a fraction cannot divide.
  if (bound <= 0) throw rewriting.refusal('bounds', matcher.node, 'must be above 0 for a native histogram');
  const measure =
    bound === Number.POSITIVE_INFINITY
      ? ({ of: 'count' } as const)
      : ({ of: 'within', bound, boundText } as const);
  return { kind: 'measure', measure, hasLe: true, hasName: true, text };
}

/** Whether a matcher of `le` takes all buckets. */
function isOpen({ operator, value }: Matcher): boolean {
  return (operator === '=~' && (value === '.+' || value === '.*')) || (operator === '!=' && value === '');
}

function parseSelector(rewriting: Rewriting, node: SyntaxNode): Selector | undefined {
  const matchers = listMatchers(rewriting, node);
  const identifier = findChild(node, 'Identifier');
  if (identifier !== undefined) return { name: rewriting.slice(identifier), place: identifier, matchers };
  const list = findChild(node, 'LabelMatchers');
  const quoted = list && findChild(list, 'QuotedLabelName');
  const named = matchers.find(({ label }) => label === '__name__');
  const literal = quoted ?? (named && findChild(named.node, 'StringLiteral'));
  if (literal === undefined) return undefined;
  const text = rewriting.slice(literal);
  const name = readString(text);
  if (named !== undefined && quoted === undefined && named.operator !== '=') {
    if (/_(sum|count)\b/.test(text)) rewriting.leave(shorten(text), node);
    if (!text.includes('bucket')) return undefined;
    throw rewriting.refusal('bounds', node, 'chooses parts of histograms by an expression for their names');
  }
  if (name === undefined) return undefined;
  return { name, place: { from: literal.from + 1, to: literal.to - 1 }, matchers };
}

function listMatchers(rewriting: Rewriting, node: SyntaxNode): Matcher[] {
  const list = findChild(node, 'LabelMatchers');
  if (list === undefined) return [];
  return listChildren(list).flatMap((matcher) => {
    if (matcher.name === 'QuotedLabelName') {
      const text = rewriting.slice(matcher);
      if (/^["'`]/.test(text)) return [];
      throw rewriting.refusal('variable', matcher, 'stands for matchers, of which nothing is known');
    }
    const [label, operator, value] = listChildren(matcher);
    const text = rewriting.slice(label!);
    return [
      {
        node: matcher,
        label: /^["'`]/.test(text) ? (readString(text) ?? '') : text,
        operator: rewriting.slice(operator!),
        value: readString(rewriting.slice(value!)) ?? '',
      },
    ];
  });
}

/** The edits that remove matchers: with their commas, and with the braces where no other matcher is left. */
function removeMatchers(node: SyntaxNode, removed: readonly Matcher[]): TextPart[] {
  const [matcher] = removed;
  if (matcher === undefined) return [];
  const list = findChild(node, 'LabelMatchers')!;
  const all = listChildren(list);
  const starts = new Set(removed.map(({ node: { from } }) => from));
  const kept = all.filter(({ from }) => !starts.has(from));
  if (kept.length === 0) return [{ from: list.from, to: list.to, text: '' }];
  return all.flatMap((one, at) => {
    if (!starts.has(one.from)) return [];
    const next = all[at + 1];
    if (next !== undefined) return [{ from: one.from, to: next.from, text: '' }];
    // The last one takes the comma before it along.
    const before = all[at - 1]!;
    return [{ from: starts.has(before.from) ? one.from : before.to, to: one.to, text: '' }];
  });
}
