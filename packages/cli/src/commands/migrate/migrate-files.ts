import {
  type FoundQuery,
  loadMigration,
  type QueryVerdict,
  type RefusedQuery,
  type RewrittenQuery,
} from '@hdrscope/prometheus/internal';
import { createTwoFilesPatch } from '#diff';
import { Refusal } from '../../command.ts';
import type { QueryFile } from './documents.ts';
import type { DocumentQuery } from './find-queries.ts';
import { applyEdits, type LiteralEdit, lineAt } from './literals.ts';

/** A query of a file with its verdict. Those without histograms are left out. */
export interface MigratedQuery {
  readonly query: DocumentQuery;
  /** From 1. */
  readonly line: number;
  readonly before: string;
  readonly verdict: Exclude<QueryVerdict, { readonly outcome: 'unchanged' }>;
}

export interface MigratedFile {
  readonly path: string;
  readonly queries: readonly MigratedQuery[];
  readonly before: string;
  readonly after: string;
}

/** What people know of the histograms. */
export interface Knowledge {
  readonly histograms: ReadonlySet<string>;
  /** Metrics that are known to be no histograms. @default none */
  readonly others?: ReadonlySet<string>;
  readonly schema: number;
}

/** Whether a rewriting is right: a sentence about what differs, or `undefined`. */
export type CheckRewriting = (
  query: DocumentQuery,
  before: string,
  verdict: RewrittenQuery,
) => Promise<string | undefined>;

/** Judges the queries of all files together, and rewrites those that have an equal. */
export async function migrateFiles(
  files: readonly QueryFile[],
  knowledge: Knowledge,
  check: CheckRewriting,
): Promise<MigratedFile[]> {
  const all = files.flatMap(({ queries }) => queries);
  const barred = new Map<DocumentQuery, RefusedQuery>();
  for (const query of all) {
    if (query.obstacle !== undefined) barred.set(query, refuseBy('operation', query.obstacle));
  }
  const { migrateQueries } = await loadMigration();
  const judge = (): QueryVerdict[] => migrateQueries(listFound(all, barred), knowledge);
  const checked = new Map<DocumentQuery, string>();
  let verdicts = judge();
  // A refused query has readers, which are judged anew, and may be rewritten in another way then.
  for (;;) {
    const known = barred.size;
    for (const [at, verdict] of verdicts.entries()) {
      const query = all[at]!;
      if (verdict.outcome !== 'rewritten' || checked.get(query) === verdict.after) continue;
      checked.set(query, verdict.after);
      const difference = await check(query, readPart(query), verdict);
      if (!isWritable(query, verdict.after)) barred.set(query, refuseBy('layout', LAYOUT));
      else if (difference !== undefined) barred.set(query, refuseBy('unequal', difference));
    }
    if (barred.size === known) break;
    verdicts = judge();
  }
  const verdictBy = new Map(all.map((query, at) => [query, verdicts[at]!]));
  return files.map((file) => migrateFile(file, verdictBy));
}

const LAYOUT = 'its text has escapes or comments that would change: write it as a block, which begins with |';

function refuseBy(code: RefusedQuery['code'], reason: string): RefusedQuery {
  return { outcome: 'refused', code, reason, offset: 0, records: [] };
}

function readPart({ literal: { text }, part }: DocumentQuery): string {
  return text.slice(part.from, part.to);
}

function listFound(
  all: readonly DocumentQuery[],
  barred: ReadonlyMap<DocumentQuery, RefusedQuery>,
): FoundQuery[] {
  return all.map((query) => ({
    text: readPart(query),
    use: query.use,
    ...(query.legend !== undefined && { legend: query.legend }),
    ...(query.record !== undefined && { record: query.record.text }),
    ...(barred.has(query) && { refusal: barred.get(query)! }),
  }));
}

function isWritable(query: DocumentQuery, after: string): boolean {
  return query.literal.write(replacePart(query, after)) !== undefined;
}

function replacePart({ literal: { text }, part }: DocumentQuery, after: string): string {
  return text.slice(0, part.from) + after + text.slice(part.to);
}

function migrateFile(
  { path, text, queries, readAgain }: QueryFile,
  verdicts: ReadonlyMap<DocumentQuery, QueryVerdict>,
): MigratedFile {
  const edits: LiteralEdit[] = [];
  const shown: MigratedQuery[] = [];
  const wanted: string[] = [];
  for (const query of queries) {
    const verdict = verdicts.get(query)!;
    const isRewritten = verdict.outcome === 'rewritten';
    const after = isRewritten ? replacePart(query, verdict.after) : query.literal.text;
    wanted.push(after);
    if (isRewritten) edits.push(query.literal.write(after)!);
    if (isRewritten && verdict.recordedAs !== undefined) edits.push(query.record!.write(verdict.recordedAs)!);
    if (verdict.outcome === 'unchanged') continue;
    shown.push({ query, line: lineAt(text, query.literal.from), before: readPart(query), verdict });
  }
  const after = applyEdits(text, edits);
  if (readAgain !== undefined) assertSame(path, readAgain(after), wanted);
  return { path, queries: shown, before: text, after };
}

/** The rewritten document has the rewritten queries, whatever its syntax made of them. @throws Refusal */
function assertSame(path: string, queries: readonly DocumentQuery[], wanted: readonly string[]): void {
  const found = queries.map(({ literal }) => literal.text);
  const at = wanted.findIndex((text, index) => squeeze(found[index] ?? '') !== squeeze(text));
  if (at < 0 && found.length === wanted.length) return;
  throw new Refusal(
    `${path} cannot be rewritten in place: its YAML would read another query than ${wanted[at] ?? found.at(-1)}`,
  );
}

function squeeze(text: string): string {
  return text.replace(/\s+/g, '');
}

/** A unified diff, which `patch` takes. Empty where nothing changes. */
export function formatDiff({ path, before, after }: Pick<MigratedFile, 'path' | 'before' | 'after'>): string {
  if (before === after) return '';
  const name = path.replace(/^\/+/, '');
  const old = before === '' ? '/dev/null' : `a/${name}`;
  const patch = createTwoFilesPatch(old, `b/${name}`, before, after);
  // The first line is a rule that no tool reads.
  return patch.slice(patch.indexOf('\n') + 1);
}
