import type { QueryNote, QueryRefusal, RefusalCode } from './query-verdict.ts';
import type { SyntaxNode, TextPart } from './syntax.ts';

/** What a recorded series is after the rewriting of its rule. */
export type RecordedSeries =
  /** Numbers, as before. */
  | { readonly kind: 'numbers' }
  /** Native histograms with another name, in place of buckets. */
  | { readonly kind: 'histograms'; readonly name: string }
  /** Buckets, because its rule, or a query that reads it, is left as it is. */
  | { readonly kind: 'buckets' };

/** Where the result of a query goes. `series`: it is a selector, of which the labels of its series are shown. */
export type QueryUse = 'rule' | 'alert' | 'heatmap' | 'panel' | 'query' | 'series';

export interface RewriteOptions {
  readonly use: QueryUse;
  /** Metrics that are known to be histograms, without suffixes. Those with `_bucket` are known by that. */
  readonly histograms: ReadonlySet<string>;
  /** Metrics that are known to be no histograms: summaries without suffixes, and others with their whole names. @default none */
  readonly others?: ReadonlySet<string> | undefined;
  /** Recorded series by their names. */
  readonly records: ReadonlyMap<string, RecordedSeries>;
  /** The coarsest schema of the native histograms, from -4 to 8: it states how far a fraction may be off. */
  readonly schema: number;
  /** The legend of a panel, a template that may show labels. @default none */
  readonly legend?: string | undefined;
}

/**
 * What an expression becomes.
 *
 * - `plain`: it has nothing of a classic histogram, and stays.
 * - `histogram`: buckets become native histograms.
 * - `measure`: a number of each histogram. Its text is that of the histogram until the number is needed, so that ratios of one histogram are found.
 * - `number`: it is rewritten, and gives the numbers of before.
 */
type Kind = 'plain' | 'histogram' | 'measure' | 'number';

/** A number of a histogram. */
type Measure =
  | { readonly of: 'sum' }
  | { readonly of: 'count' }
  | { readonly of: 'within'; readonly bound: number; readonly boundText: string };

export interface Term {
  readonly kind: Kind;
  readonly text: string;
  /** Which number, where `kind` is `measure`. */
  readonly measure?: Measure;
  /** Whether each series has the label `le` before, because one bucket was chosen. Of measures and numbers. */
  readonly hasLe?: boolean;
  /** Whether the result has the name of the metric. */
  readonly hasName?: boolean;
}

/** The rewriting of one query, for those who rewrite its parts. */
export interface Rewriting {
  readonly query: string;
  readonly options: RewriteOptions;
  /** Recorded series with new names that the query reads, by their names before. */
  readonly records: Set<string>;
  slice(place: { readonly from: number; readonly to: number }): string;
  refusal(
    code: RefusalCode,
    node: { readonly from: number; readonly to: number },
    reason: string,
  ): QueryRefusal;
  /** The refusal of series with the label `le` that nobody knows. */
  unknownBuckets(node: SyntaxNode): QueryRefusal;
  note(note: QueryNote): void;
  /** Leaves a metric whose type is not known. */
  leave(name: string, node: SyntaxNode): void;
  /** The term of an expression that stays. */
  plain(node: SyntaxNode): Term;
  rewrite(node: SyntaxNode): Term;
  /** The text of a number. @throws QueryRefusal when the label `le` would be missing. */
  readNumber(node: SyntaxNode, term: Term): string;
  claimMeasure(node: SyntaxNode, term: Term): void;
  /** The text of a node in which an expression is replaced. */
  wrap(node: SyntaxNode, inner: SyntaxNode, text: string): string;
  /** The removal of `le` from a list of labels; `undefined` where it is not in the list. */
  removeLabel(labels: SyntaxNode): TextPart | undefined;
}
