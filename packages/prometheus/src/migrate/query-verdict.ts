/** Why a query is left as it is. */
export type RefusalCode =
  /** It is not PromQL, as far as the grammar of Prometheus says. */
  | 'syntax'
  /** It shows or counts buckets, whose label `le` native histograms do not have. */
  | 'buckets'
  /** It uses a function or an operator that a native histogram does not have, or has with another meaning. */
  | 'operation'
  /** It chooses buckets in a way that states no single bound. */
  | 'bounds'
  /** It loses the buckets on the way, so that it gives nothing today. */
  | 'no-le'
  /** Nothing shows whether the metric is a histogram or a summary. */
  | 'unknown-type'
  /** It reads a recorded series whose rule is not among the files, or is left as it is. */
  | 'recorded'
  /** A variable stands for a part that decides the meaning. */
  | 'variable'
  /** A server gave answers that differ. */
  | 'unequal'
  /** The rewritten text cannot be written into the file. */
  | 'layout';

/** Two expressions that a rewriting takes as equal, for a comparison by a server. */
export interface Claim {
  /**
   * `quantile`: the native value lies in the classic bucket of the rank. `within`: the counts agree within the native bucket of the bound.
   * `count` and `sum` are equal.
   */
  readonly kind: 'quantile' | 'within' | 'count' | 'sum';
  /** The classic expression: of the buckets for a quantile, else of the number. */
  readonly classic: string;
  /** The expression of the native histogram. */
  readonly native: string;
  /** The text of the quantile. */
  readonly quantile?: string;
  /** The upper bound of the counted values. */
  readonly bound?: number;
}

/** What the rewritten query is besides equal. */
export interface QueryNote {
  /** `interpolated`: a bound lies inside a native bucket. `name`: the result loses its metric name. `left`: a metric stays. */
  readonly code: 'interpolated' | 'name' | 'left' | 'heatmap' | 'renamed';
  readonly text: string;
}

export interface RewrittenQuery {
  readonly outcome: 'rewritten';
  readonly after: string;
  /** Whether the result has native histograms, and no numbers. */
  readonly isHistogram: boolean;
  readonly claims: readonly Claim[];
  readonly notes: readonly QueryNote[];
  /** Recorded series with new names that the query reads, by their names before. */
  readonly records: readonly string[];
  /** The name under which a rule records native histograms. @default that of before */
  readonly recordedAs?: string;
}

export interface RefusedQuery {
  readonly outcome: 'refused';
  readonly code: RefusalCode;
  /** A sentence with the part of the query that it is about. */
  readonly reason: string;
  /** The index of that part in the query. */
  readonly offset: number;
  /** Recorded series with new names that the query would have read. */
  readonly records: readonly string[];
}

/** What becomes of a query. `unchanged`: it has nothing of a classic histogram. */
export type QueryVerdict = { readonly outcome: 'unchanged' } | RewrittenQuery | RefusedQuery;

/** Ends the rewriting of a query. */
export class QueryRefusal extends Error {
  override readonly name = 'QueryRefusal';
  readonly code: RefusalCode;
  readonly offset: number;

  constructor(code: RefusalCode, message: string, offset: number) {
    super(message);
    this.code = code;
    this.offset = offset;
  }
}
