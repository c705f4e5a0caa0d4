import { formatCount } from '@hdrscope/kit';
import type { Proof } from '@hdrscope/prometheus/internal';
import type { Io } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import type { CodeChange, MigratedCode } from './code/index.ts';
import type { UnreadFile } from './documents.ts';
import { formatDiff, type MigratedFile, type MigratedQuery } from './migrate-files.ts';

/** What a run has done, for people and for programs. */
export interface Migration {
  readonly files: readonly MigratedFile[];
  readonly programs: readonly MigratedCode[];
  /** Files of folders that cannot be read. */
  readonly unread: readonly UnreadFile[];
  /** Whether the files are changed. */
  readonly isWritten: boolean;
  /** What answers have shown about queries; `undefined` where nobody was asked. */
  readonly proven: ReadonlyMap<MigratedQuery['query'], QueryProof> | undefined;
}

/** What the answers to a query before and after have shown. */
export interface QueryProof extends Pick<Proof, 'outcome'> {
  /** As a sentence. */
  readonly text: string;
}

export function isRefused({ files, programs, unread }: Migration): boolean {
  const verdicts = [...listQueries(files), ...programs.flatMap(({ changes }) => changes)];
  return unread.length > 0 || verdicts.some(({ verdict }) => verdict.outcome === 'refused');
}

function listQueries(files: readonly MigratedFile[]): MigratedQuery[] {
  return files.flatMap(({ queries }) => queries);
}

/** Prints the diff on standard output, and everything else on standard error, so that `patch` takes the output. */
export async function printMigration(migration: Migration, io: Io): Promise<void> {
  const { files, programs, unread, isWritten } = migration;
  if (!isWritten) await io.stdout.write([...files, ...programs].map(formatDiff).join(''));
  const lines = files.flatMap(({ path, queries }) =>
    queries.flatMap((one) => describeQuery(one, migration).map((text) => `${path}:${one.line}: ${text}`)),
  );
  for (const { path, changes } of programs) {
    for (const change of changes)
      for (const text of describeChange(change)) lines.push(`${path}:${change.line}: ${text}`);
  }
  for (const { reason } of unread) lines.push(`not read: ${reason}`);
  await io.stderr.write(lines.map((line) => `${line}\n`).join(''));
  await io.stderr.write(`hdrscope: ${summarize(migration)}\n`);
}

function describeQuery({ query, verdict }: MigratedQuery, { proven }: Migration): string[] {
  const place = query.place === '' ? '' : `${query.place}: `;
  if (verdict.outcome === 'refused') return [`${place}stays: ${verdict.reason}`];
  const proof = proven?.get(query);
  return [
    ...verdict.notes.map(({ text }) => `${place}${text}`),
    ...(proof === undefined ? [] : [`${place}${proof.text}`]),
  ];
}

function describeChange({ place, verdict }: CodeChange): string[] {
  if (verdict.outcome === 'refused') return [`${place} stays: ${verdict.reason}`];
  return verdict.notes.map(({ text }) => `${place}: ${text}`);
}

function summarize({ files, programs, unread, isWritten, proven }: Migration): string {
  const queries = listQueries(files);
  const changes = programs.flatMap((program) => program.changes);
  const countRewritten = (all: readonly (MigratedQuery | CodeChange)[]): number =>
    all.filter(({ verdict }) => verdict.outcome === 'rewritten').length;
  const refused = queries.length + changes.length - countRewritten(queries) - countRewritten(changes);
  const count = (number: number, one: string, several: string): string =>
    `${formatCount(number)} ${number === 1 ? one : several}`;
  const rewritten = [
    ...(programs.length === 0 || files.length > 0
      ? [count(countRewritten(queries), 'query', 'queries')]
      : []),
    ...(programs.length > 0 ? [count(countRewritten(changes), 'place in code', 'places in code')] : []),
  ];
  const parts = [
    `${rewritten.join(' and ')} rewritten${isWritten ? ' in place' : ''}`,
    `${count(refused, 'stays', 'stay')}`,
    ...describeProven(queries, proven),
    ...(unread.length === 0 ? [] : [`${count(unread.length, 'file', 'files')} not read`]),
  ];
  return parts.join(', ');
}

/** How many of the rewritten queries are proven. Nothing where nobody was asked. */
function describeProven(queries: readonly MigratedQuery[], proven: Migration['proven']): string[] {
  if (proven === undefined) return [];
  const rewritten = queries.filter(({ verdict }) => verdict.outcome === 'rewritten');
  const equal = rewritten.filter(({ query }) => proven.get(query)?.outcome === 'equal');
  return [`${formatCount(equal.length)} of ${formatCount(rewritten.length)} proven`];
}

/** Prints a rewritten query, or why it stays. */
export async function printQuery({ files: [file], ...others }: Migration, io: Io): Promise<void> {
  const [one] = file!.queries;
  if (one?.verdict.outcome !== 'refused') await io.stdout.write(`${file!.after}\n`);
  const lines =
    one === undefined
      ? ['the query reads no classic histogram']
      : describeQuery(one, { files: [file!], ...others });
  await io.stderr.write(lines.map((line) => `hdrscope: ${line}\n`).join(''));
}

/** The document for programs: docs/formats/migrate.schema.json. */
export function formatMigration({ files, programs, unread, isWritten, proven }: Migration): string {
  const queries = files.flatMap(({ path, queries }) =>
    queries.map(({ query, line, before, verdict }) => ({
      file: path,
      line,
      place: query.place,
      outcome: verdict.outcome,
      before,
      ...(verdict.outcome === 'refused'
        ? { code: verdict.code, reason: verdict.reason, offset: verdict.offset }
        : {
            after: verdict.after,
            notes: verdict.notes,
            ...(verdict.recordedAs !== undefined && { recordedAs: verdict.recordedAs }),
            ...(proven !== undefined && {
              proven: proven.get(query)?.outcome === 'equal',
              proof: proven.get(query)?.text ?? null,
            }),
          }),
    })),
  );
  const code = programs.flatMap(({ path, changes }) =>
    changes.map(({ line, place, verdict }) => ({ file: path, line, place, ...verdict })),
  );
  return jsonDocument({ written: isWritten, queries, code, unread });
}
