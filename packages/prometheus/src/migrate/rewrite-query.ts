import { exponentialBound, exponentialIndex } from '@hdrscope/core/internal';
import { rewriteBinary } from './binary-operations.ts';
import {
  type Claim,
  type QueryNote,
  QueryRefusal,
  type QueryVerdict,
  type RefusalCode,
} from './query-verdict.ts';
import { readSelector } from './selectors.ts';
import {
  findChild,
  findRange,
  isLe,
  listChildren,
  parseQuery,
  replaceParts,
  type SyntaxNode,
  shorten,
  type TextPart,
} from './syntax.ts';
import type { RewriteOptions, Rewriting, Term } from './terms.ts';

/** Rewrites a query for classic histograms into one for native histograms. Whatever has no equal there is refused, and nothing is thrown. */
export function rewriteQuery(query: string, options: RewriteOptions): QueryVerdict {
  const rewriting = new QueryRewriting(query, options);
  try {
    return rewriting.run();
  } catch (error) {
    if (!(error instanceof QueryRefusal)) throw error;
    const { code, message: reason, offset } = error;
    // A text without a part of a histogram may be in another language.
    if (code === 'syntax' && !HISTOGRAM_PART.test(query)) return { outcome: 'unchanged' };
    return { outcome: 'refused', code, reason, offset, records: [...rewriting.records] };
  }
}

const HISTOGRAM_PART = /_bucket\b|\bhistogram_quantile\b/;

/** The rewriting of one query. */
class QueryRewriting implements Rewriting {
  readonly query: string;
  readonly options: RewriteOptions;
  readonly records: Set<string> = new Set<string>();
  readonly #claims: Claim[] = [];
  readonly #notes: Map<string, QueryNote> = new Map<string, QueryNote>();
  /** Metrics whose type is not known, by their names. */
  readonly #unknown: Map<string, SyntaxNode> = new Map<string, SyntaxNode>();
  readonly #terms: Map<string, Term> = new Map<string, Term>();

  constructor(query: string, options: RewriteOptions) {
    this.query = query;
    this.options = options;
  }

  run(): QueryVerdict {
    const root = parseQuery(this.query);
    const term = this.rewrite(root);
    if (term.kind === 'plain') return this.#judgePlain();
    const { use, legend = '' } = this.options;
    const isHistogram = term.kind === 'histogram';
    if (use === 'series') return this.#finish(root, term.text, false);
    if (isHistogram && use !== 'rule' && use !== 'heatmap') {
      throw this.refusal(
        'buckets',
        root,
        'shows buckets by their label le, which a native histogram does not have',
      );
    }
    if (isHistogram && use === 'heatmap') {
      this.note({
        code: 'heatmap',
        text: 'the heat map gets native histograms in place of series by le: look at it in your Grafana',
      });
    }
    const text = isHistogram ? term.text : this.readNumber(root, term);
    if (isHistogram)
      this.claim({ kind: 'quantile', classic: this.slice(root), native: text, quantile: '0.5' });
    if (term.hasName === true && (use === 'panel' || use === 'query')) {
      if (legend.includes('__name__'))
        throw this.refusal('operation', root, 'loses the name that the legend shows');
      this.note({ code: 'name', text: 'the result has no metric name' });
    }
    for (const name of this.#unknown.keys()) {
      this.note({ code: 'left', text: `${name} stays: nothing shows whether it is a part of a histogram` });
    }
    return this.#finish(root, text, isHistogram);
  }

  #finish(root: SyntaxNode, text: string, isHistogram: boolean): QueryVerdict {
    return {
      outcome: 'rewritten',
      after: this.query.slice(0, root.from) + text + this.query.slice(root.to),
      isHistogram,
      claims: this.#claims,
      notes: [...this.#notes.values()],
      records: [...this.records],
    };
  }

  #judgePlain(): QueryVerdict {
    const [first] = this.#unknown;
    if (first === undefined) return { outcome: 'unchanged' };
    const [name, node] = first;
    const base = name.replace(/_(sum|count)$/, '');
    throw this.refusal(
      'unknown-type',
      node,
      `may be a part of a histogram, of a summary, or a metric of its own: --histogram ${base} says that it is a histogram`,
    );
  }

  // For the parts of the rewriting.

  slice({ from, to }: { readonly from: number; readonly to: number }): string {
    return this.query.slice(from, to);
  }

  refusal(
    code: RefusalCode,
    node: { readonly from: number; readonly to: number },
    reason: string,
  ): QueryRefusal {
    return new QueryRefusal(code, `${shorten(this.slice(node))} ${reason}`, node.from);
  }

  note(note: QueryNote): void {
    this.#notes.set(`${note.code} ${note.text}`, note);
  }

  leave(name: string, node: SyntaxNode): void {
    this.#unknown.set(name, node);
  }

  claim(claim: Claim): void {
    this.#claims.push(claim);
  }

  /** Replaces the only expression in a node. */
  wrap(node: SyntaxNode, inner: SyntaxNode, text: string): string {
    return replaceParts(this.query, node, [{ from: inner.from, to: inner.to, text }]);
  }

  /** The text of a number. @throws QueryRefusal when the label `le` would be missing. */
  readNumber(node: SyntaxNode, term: Term): string {
    const { kind, measure, text } = term;
    if (term.hasLe === true) {
      throw this.refusal(
        'buckets',
        node,
        'has the label le in its result, which a native histogram does not have',
      );
    }
    if (kind !== 'measure') return text;
    if (findRange(node) !== undefined) {
      throw this.refusal(
        'operation',
        node,
        'is read by a function of samples that native histograms do not have',
      );
    }
    this.claimMeasure(node, term);
    if (measure!.of !== 'within') return `histogram_${measure!.of}(${text})`;
    // Without values, a fraction is NaN, and the count of a bucket is 0.
    return `(histogram_fraction(-Inf, ${measure!.boundText}, ${text}) * histogram_count(${text}) >= 0 or histogram_count(${text}))`;
  }

  claimMeasure(node: SyntaxNode, { measure, text }: Term): void {
    const classic = this.slice(node);
    if (measure!.of !== 'within') this.claim({ kind: measure!.of, classic, native: text });
    else {
      this.claim({ kind: 'within', classic, native: text, bound: measure!.bound });
      this.#noteBound(measure!.bound, measure!.boundText);
    }
  }

  #noteBound(bound: number, boundText: string): void {
    const { schema } = this.options;
    const index = exponentialIndex(schema, bound);
    const [lower, upper] = [exponentialBound(schema, index), exponentialBound(schema, index + 1)];
    if (upper === bound) return;
    const digits = (value: number): number => Number(value.toPrecision(4));
    const text = `${boundText} lies inside a native bucket: at schema ${schema}, the count is off by at most the values from ${digits(lower)} to ${digits(upper)}`;
    this.note({ code: 'interpolated', text });
  }

  /** The term of a node. */
  rewrite(node: SyntaxNode): Term {
    const key = `${node.name} ${node.from} ${node.to}`;
    const known = this.#terms.get(key);
    if (known !== undefined) return known;
    const term = this.#rewriteNode(node);
    this.#terms.set(key, term);
    return term;
  }

  plain(node: SyntaxNode): Term {
    return { kind: 'plain', text: this.slice(node) };
  }

  #rewriteNode(node: SyntaxNode): Term {
    switch (node.name) {
      case 'VectorSelector':
        return readSelector(this, node);
      case 'ParenExpr':
      case 'MatrixSelector':
      case 'OffsetExpr':
      case 'StepInvariantExpr':
        return this.#rewriteInner(node);
      case 'SubqueryExpr':
        return this.#rewriteSubquery(node);
      case 'FunctionCall':
        return this.#rewriteCall(node);
      case 'AggregateExpr':
        return this.#rewriteAggregate(node);
      case 'BinaryExpr':
        return rewriteBinary(this, node);
      case 'UnaryExpr':
        return this.#rewriteUnary(node);
      case 'NumberDurationLiteral':
      case 'StringLiteral':
        return this.plain(node);
      default:
        throw this.refusal('syntax', node, 'is a form of PromQL that is not known here');
    }
  }

  #rewriteInner(node: SyntaxNode): Term {
    const inner = listChildren(node)[0]!;
    const term = this.rewrite(inner);
    return term.kind === 'plain' ? this.plain(node) : { ...term, text: this.wrap(node, inner, term.text) };
  }

  #rewriteSubquery(node: SyntaxNode): Term {
    const inner = listChildren(node)[0]!;
    const term = this.rewrite(inner);
    if (term.kind === 'plain') return this.plain(node);
    if (term.kind === 'histogram') return { ...term, text: this.wrap(node, inner, term.text) };
    return { kind: 'number', text: this.wrap(node, inner, this.readNumber(inner, term)) };
  }

  #rewriteUnary(node: SyntaxNode): Term {
    const inner = listChildren(node)[1]!;
    const term = this.rewrite(inner);
    if (term.kind === 'plain') return this.plain(node);
    if (term.kind === 'histogram') throw this.refusal('operation', node, 'has no sign as a native histogram');
    return { kind: 'number', text: this.wrap(node, inner, this.readNumber(inner, term)) };
  }

  // Functions.

  #rewriteCall(node: SyntaxNode): Term {
    const name = this.slice(findChild(node, 'FunctionIdentifier')!);
    const args = listChildren(findChild(node, 'FunctionCallBody')!);
    const terms = args.map((arg) => this.rewrite(arg));
    const changed = terms.filter(({ kind }) => kind !== 'plain');
    if (changed.length === 0) return this.plain(node);
    const at = HISTOGRAM_ARGUMENT.get(name) ?? 0;
    const [inner, term] = [args[at], terms[at]];
    if (inner === undefined || term === undefined) throw this.refusal('syntax', node, 'lacks an argument');
    if (name === 'histogram_quantile' || name === 'histogram_fraction') {
      if (changed.length === 1 && term.kind === 'histogram')
        return this.#rewriteQuantile(node, name, args, term);
      // A quantile that is a rewritten number, or numbers in place of buckets.
      throw this.refusal('operation', node, 'takes buckets, and no other expression that is rewritten');
    }
    if (term.kind !== 'histogram' && term.kind !== 'measure') return this.#rewriteNumbers(node, args, terms);
    if (PRESENCE.has(name)) {
      if (term.hasLe === true) throw this.refusal('buckets', node, 'asks for one bucket');
      return { kind: 'number', text: this.wrap(node, inner, term.text) };
    }
    if (LINEAR.has(name) && !(RATES.has(name) && findRange(inner) === 'SubqueryExpr')) {
      return {
        ...term,
        hasName: name === 'last_over_time' && term.hasName === true,
        text: this.wrap(node, inner, term.text),
      };
    }
    if (RELABELLING.has(name)) return this.#rewriteRelabelling(node, args, term);
    if (term.kind === 'histogram') {
      throw this.refusal(
        'operation',
        node,
        `is a function of buckets: ${name} has no equal for native histograms`,
      );
    }
    if (name === 'timestamp') throw this.refusal('operation', node, 'asks for the time of a sample');
    return this.#rewriteNumbers(node, args, terms);
  }

  #rewriteQuantile(node: SyntaxNode, name: string, args: readonly SyntaxNode[], term: Term): Term {
    const inner = args[HISTOGRAM_ARGUMENT.get(name)!]!;
    if (name === 'histogram_quantile') {
      this.claim({
        kind: 'quantile',
        classic: this.slice(inner),
        native: term.text,
        quantile: this.slice(args[0]!),
      });
    }
    return { kind: 'number', text: this.wrap(node, inner, term.text) };
  }

  #rewriteNumbers(node: SyntaxNode, args: readonly SyntaxNode[], terms: readonly Term[]): Term {
    const histogram = args.find((_, at) => terms[at]!.kind === 'histogram');
    if (histogram !== undefined) throw this.refusal('operation', node, 'is a function of buckets');
    const parts = args.map((arg, at) => ({
      from: arg.from,
      to: arg.to,
      text: this.readNumber(arg, terms[at]!),
    }));
    return { kind: 'number', text: replaceParts(this.query, node, parts) };
  }

  #rewriteRelabelling(node: SyntaxNode, args: readonly SyntaxNode[], term: Term): Term {
    const [inner, ...others] = args;
    if (others.some((one) => /^["'`]le["'`]$/.test(this.slice(one)))) {
      throw this.refusal('buckets', node, 'reads or changes the label le');
    }
    return { ...term, text: this.wrap(node, inner!, term.text) };
  }

  // Aggregations.

  #rewriteAggregate(node: SyntaxNode): Term {
    const operator = this.slice(findChild(node, 'AggregateOp')!).toLowerCase();
    const body = findChild(node, 'FunctionCallBody')!;
    const args = listChildren(body);
    const inner = args.at(-1);
    if (inner === undefined) throw this.refusal('syntax', node, 'lacks an argument');
    const terms = args.map((arg) => this.rewrite(arg));
    const term = terms.at(-1)!;
    const grouping = this.#readGrouping(node);
    if (terms.every(({ kind }) => kind === 'plain')) {
      if (grouping.hasLe && grouping.isBy) throw this.unknownBuckets(node);
      return this.plain(node);
    }
    if (terms.slice(0, -1).some(({ kind }) => kind !== 'plain')) {
      throw this.refusal('operation', node, 'has a parameter that would be rewritten');
    }
    if (term.kind === 'histogram') return this.#aggregateHistograms(node, operator, grouping, inner, term);
    const keepsLabels = KEEPING.has(operator);
    const clears = !keepsLabels && grouping.isBy !== grouping.hasLe;
    if (term.kind === 'measure') {
      const hasLe = term.hasLe === true && !clears;
      const parts = grouping.withoutLe;
      if (!hasLe && (operator === 'sum' || operator === 'avg')) {
        const text = this.#replaceAggregate(node, inner, term.text, parts);
        return { kind: 'measure', measure: term.measure!, hasLe, text };
      }
      const text = this.#replaceAggregate(node, inner, this.readNumber(inner, { ...term, hasLe }), parts);
      return { kind: 'number', text, hasName: keepsLabels && term.hasName === true };
    }
    const text = this.#replaceAggregate(node, inner, term.text, grouping.withoutLe);
    const hasLe = term.hasLe === true && !(clears && operator === 'sum');
    return { kind: 'number', text, hasLe, hasName: keepsLabels && term.hasName === true };
  }

  #aggregateHistograms(
    node: SyntaxNode,
    operator: string,
    grouping: Grouping,
    inner: SyntaxNode,
    term: Term,
  ): Term {
    if (operator !== 'sum' && operator !== 'avg') {
      throw this.refusal(
        'operation',
        node,
        `aggregates buckets by ${operator}, and native histograms have sum and avg only`,
      );
    }
    if (grouping.isBy !== grouping.hasLe) {
      throw this.refusal('no-le', node, 'loses the label le, so that it has no buckets today');
    }
    const text = this.#replaceAggregate(node, inner, term.text, grouping.withoutLe);
    return { kind: 'histogram', text };
  }

  #replaceAggregate(node: SyntaxNode, inner: SyntaxNode, text: string, parts: readonly TextPart[]): string {
    return replaceParts(this.query, node, [{ from: inner.from, to: inner.to, text }, ...parts]);
  }

  #readGrouping(node: SyntaxNode): Grouping {
    const modifier = findChild(node, 'AggregateModifier');
    if (modifier === undefined) return { isBy: true, hasLe: false, withoutLe: [] };
    const isBy = findChild(modifier, 'By') !== undefined;
    const labels = findChild(modifier, 'GroupingLabels')!;
    const removal = this.removeLabel(labels);
    if (removal === undefined) return { isBy, hasLe: false, withoutLe: [] };
    const isOnly = listChildren(labels).length === 1;
    if (!isOnly || !isBy) return { isBy, hasLe: true, withoutLe: [removal] };
    // `sum by (le) (…)` becomes `sum(…)`, and `sum(…) by (le)` too.
    const body = findChild(node, 'FunctionCallBody')!;
    const isBefore = modifier.from < body.from;
    const [from, to] = isBefore ? [findChild(node, 'AggregateOp')!.to, body.from] : [body.to, modifier.to];
    return { isBy, hasLe: true, withoutLe: [{ from, to, text: '' }] };
  }

  /** The removal of `le` from a list of labels; `undefined` where it is not in the list. */
  removeLabel(labels: SyntaxNode): TextPart | undefined {
    const all = listChildren(labels);
    const at = all.findIndex((label) => isLe(this.slice(label)));
    if (at < 0) return undefined;
    const next = all[at + 1];
    const from = next === undefined && at > 0 ? all[at - 1]!.to : all[at]!.from;
    return { from, to: next === undefined ? all[at]!.to : next.from, text: '' };
  }

  unknownBuckets(node: SyntaxNode): QueryRefusal {
    return this.refusal(
      'recorded',
      node,
      'uses the label le of series that are no buckets by their name: if a rule records them, name its file, too',
    );
  }
}

/** The modifier of an aggregation; without one, it is `by ()`. */
interface Grouping {
  readonly isBy: boolean;
  readonly hasLe: boolean;
  /** The edits that take `le` out of it. */
  readonly withoutLe: readonly TextPart[];
}

/** The argument that has the buckets; of other functions, it is the first one. */
const HISTOGRAM_ARGUMENT: ReadonlyMap<string, number> = new Map([
  ['histogram_quantile', 1],
  ['histogram_fraction', 2],
]);
const RATES: ReadonlySet<string> = new Set(['rate', 'increase', 'irate']);
/** Functions that treat all buckets, the sum and the count alike. */
const LINEAR: ReadonlySet<string> = new Set([...RATES, 'sum_over_time', 'avg_over_time', 'last_over_time']);
const PRESENCE: ReadonlySet<string> = new Set(['absent', 'absent_over_time', 'present_over_time']);
const RELABELLING: ReadonlySet<string> = new Set(['label_replace', 'label_join']);
/** Aggregations whose result has the labels of their input. */
const KEEPING: ReadonlySet<string> = new Set(['topk', 'bottomk', 'limitk', 'limit_ratio']);
