import type { QueryVerdict, RefusedQuery } from './query-verdict.ts';
import { rewriteQuery } from './rewrite-query.ts';
import type { QueryUse, RecordedSeries, RewriteOptions } from './terms.ts';

/** A query of a file. */
export interface FoundQuery {
  readonly text: string;
  readonly use: QueryUse;
  /** The legend of a panel. @default none */
  readonly legend?: string;
  /** The series that a rule records with the query. @default none */
  readonly record?: string;
  /** Why the query stays, whatever it is. @default it is judged */
  readonly refusal?: RefusedQuery;
}

/** A name, of which variables may be parts. */
const NAME = /(?:\w|\$\{[^{}]*\}|\[\[\w*\]\]|\$)+/g;
const BUCKET = '_bucket';

/** The metrics that have buckets in some queries, without `_bucket`. */
function findHistograms(texts: Iterable<string>): Set<string> {
  const found = new Set<string>();
  for (const text of texts) {
    for (const [name] of text.matchAll(NAME)) {
      if (name.endsWith(BUCKET)) found.add(name.slice(0, -BUCKET.length));
    }
  }
  return found;
}

/**
 * Rewrites the queries of some files together. A rule that records buckets records native histograms under a name without `_bucket`, if all
 * queries that read it can be rewritten, too; else the rule and its readers stay.
 */
export function migrateQueries(
  queries: readonly FoundQuery[],
  { histograms, others, schema }: Pick<RewriteOptions, 'histograms' | 'others' | 'schema'>,
): QueryVerdict[] {
  const known = new Set([...histograms, ...findHistograms(queries.map(({ text }) => text))]);
  const judge = (query: FoundQuery, records: ReadonlyMap<string, RecordedSeries>): QueryVerdict => {
    const { text, use, legend, refusal } = query;
    const verdict = rewriteQuery(text, { use, histograms: known, others, schema, records, legend });
    if (refusal === undefined || verdict.outcome === 'unchanged') return verdict;
    return { ...refusal, records: verdict.records };
  };
  const names = new Set(queries.flatMap(({ record }) => record ?? []));
  /** Recorded buckets that stay, and why. */
  const kept = new Map<string, string>();
  for (;;) {
    const { verdicts, records } = settleRecords(queries, names, kept, judge);
    const before = kept.size;
    for (const verdict of verdicts) {
      if (verdict.outcome !== 'refused') continue;
      for (const name of verdict.records) if (!kept.has(name)) kept.set(name, verdict.reason);
    }
    // Each round keeps one name more at least.
    if (kept.size === before)
      return verdicts.map((verdict, at) => settleVerdict(verdict, queries[at]!, records, kept));
  }
}

/** Judges queries until it is settled what each recorded series is. */
function settleRecords(
  queries: readonly FoundQuery[],
  names: ReadonlySet<string>,
  kept: Map<string, string>,
  judge: (query: FoundQuery, records: ReadonlyMap<string, RecordedSeries>) => QueryVerdict,
): { readonly verdicts: QueryVerdict[]; readonly records: ReadonlyMap<string, RecordedSeries> } {
  const numbers = [...names].map((name) => [name, { kind: 'numbers' }] as const);
  let records: ReadonlyMap<string, RecordedSeries> = new Map(numbers);
  for (let round = 0; ; round++) {
    const verdicts = queries.map((query) => judge(query, records));
    const next = new Map<string, RecordedSeries>();
    for (const [at, verdict] of verdicts.entries()) {
      const { record, text } = queries[at]!;
      if (record === undefined) continue;
      const one = judgeRecord(record, text, verdict, names, kept);
      const { kind } = next.get(record) ?? one;
      // Several rules may record one series.
      if (kind !== one.kind) kept.set(record, 'several rules record it, and not all of them histograms');
      next.set(record, kind === one.kind ? one : { kind: 'buckets' });
    }
    const isSettled = [...next].every(([name, { kind }]) => records.get(name)!.kind === kind);
    records = next;
    if (isSettled || round > 2 * names.size + 2) return { verdicts, records };
    // Rules that read each other in a circle never settle.
    if (round > names.size) for (const name of names) kept.set(name, 'rules read each other in a circle');
  }
}

function judgeRecord(
  record: string,
  text: string,
  verdict: QueryVerdict,
  names: ReadonlySet<string>,
  kept: ReadonlyMap<string, string>,
): RecordedSeries {
  if (verdict.outcome === 'rewritten' && verdict.isHistogram) {
    const name = renameRecord(record);
    const isTaken = name !== record && names.has(name);
    return kept.has(record) || isTaken ? { kind: 'buckets' } : { kind: 'histograms', name };
  }
  const mayHaveBuckets = isGroupedByLe(text) && !text.includes('histogram_quantile');
  return verdict.outcome === 'refused' && mayHaveBuckets ? { kind: 'buckets' } : { kind: 'numbers' };
}

/** The name under which native histograms are recorded in place of buckets. */
export function renameRecord(name: string): string {
  return name.replace(/_bucket(?=:|$)/, '');
}

function isGroupedByLe(text: string): boolean {
  return [...text.matchAll(/\bby\s*\(([^()]*)\)/g)].some(([, labels]) => /\ble\b/.test(labels!));
}

/** A rule that records buckets stays where its readers do, and has its new name else. */
function settleVerdict(
  verdict: QueryVerdict,
  { record }: FoundQuery,
  records: ReadonlyMap<string, RecordedSeries>,
  kept: ReadonlyMap<string, string>,
): QueryVerdict {
  if (verdict.outcome !== 'rewritten' || !verdict.isHistogram || record === undefined) return verdict;
  const series = records.get(record)!;
  if (series.kind === 'histograms')
    return series.name === record ? verdict : { ...verdict, recordedAs: series.name };
  return {
    outcome: 'refused',
    code: 'recorded',
    reason: `${record} stays, since a reader does: ${kept.get(record) ?? 'its new name is taken'}`,
    offset: 0,
    records: verdict.records,
  };
}
