import { loadMigration } from '@hdrscope/prometheus/internal';
import { refuse } from '../../arguments.ts';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { explained } from '../../inputs/input.ts';
import { PAST_TIME } from '../../moment.ts';
import { integer } from '../../options.ts';
import { writeAll } from '../../output-options.ts';
import { readServerUrl } from '../prometheus/urls.ts';
import type { MigratedCode } from './code/index.ts';
import { type CodeFile, type QueryFile, readFiles, type UnreadFile } from './documents.ts';
import type { DocumentQuery } from './find-queries.ts';
import { type Knowledge, type MigratedFile, migrateFiles } from './migrate-files.ts';
import { describeProof, openProver, type Prover } from './prover.ts';
import {
  formatMigration,
  isRefused,
  type Migration,
  printMigration,
  printQuery,
  type QueryProof,
} from './report.ts';

const DESCRIPTION = `Rewrites queries for classic histograms, series with the label le, into queries for native histograms, and moves programs
to hdrscope.

It reads rule files of Prometheus, dashboards of Grafana, and objectives of sloth, in YAML or JSON, also in folders, and prints a
diff. Only queries change: comments and layout stay. Files that read each other's recorded series go together.

A percentile of x_bucket becomes one of x, without the label le. A sum by a count becomes histogram_avg, and the values within a
bound by the count of all become histogram_fraction, with a note where the bound lies inside a native bucket.

A query that has no equal stays as it is, with the reason on standard error, and the exit code is 1 then. A metric is a
histogram when a query reads its buckets, or --histogram names it: a name with _sum and _count alone may be a summary.

In JavaScript and TypeScript, histograms of prom-client and @prometheus-io/client move to a registry of hdrscope, the stock
exporter of OpenTelemetry becomes HdrPrometheusExporter, and providers with views of histograms are wrapped. Names, labels and
buckets on the page stay. A histogram moves with all of its uses, also in other files, and where its page is served by node:http or
Express. Name all files of a service together: one that is not named and may use a histogram keeps it in its place.

With --generate, it starts the program prometheus on a free port of this machine, makes up series for each query, of classic and
native histograms and of all other metrics that the query reads, and compares all values of both answers. Metrics of your own are not
needed. A query without an answer is not proven, and the reason names what chooses no series.

With --prometheus, a server that stores both forms answers the queries before and after, over --since and --until. A query
is refused when counts or sums differ, or when a percentile is not in its classic bucket. Variables of Grafana stand for
all values then, and for 5m in durations; a query that cannot be asked is named.`;

const OPTIONS = defineOptions({
  query: { value: '<promql>', help: 'a query instead of files: its rewriting is printed' },
  write: { help: 'changes the files, each as a whole, and prints no diff' },
  histogram: {
    value: '<name>',
    help: 'a metric that is a histogram, without _sum or _count; may be repeated',
    isRepeated: true,
    fallback: 'those whose buckets are read',
  },
  schema: {
    value: '<number>',
    help: 'the coarsest schema of the native histograms, for the error within a bound: 3 has buckets of 9 %',
    allowed: 'an integer from -4 to 8',
    parse: (text: string) => (/^(-[1-4]|[0-8])$/.test(text) ? Number(text) : undefined),
    default: 3,
  },
  prometheus: {
    value: '<url>',
    help: 'a server that stores both forms, and answers each query before and after',
    parse: readServerUrl,
  },
  generate: {
    help: 'makes up series for each query, and asks a Prometheus that it starts for them before and after',
  },
  prometheusProgram: {
    value: '<path>',
    help: 'the program that --generate starts: Prometheus 3',
    fallback: 'prometheus',
  },
  seed: {
    value: '<n>',
    help: 'decides the values that --generate makes up',
    parse: integer(0),
    fallback: '1',
  },
  since: {
    ...PAST_TIME,
    help: 'the beginning of the time that the server is asked about: so long ago (7d, 12h), a date or seconds since 1970',
    fallback: 'an hour before its end',
  },
  until: { ...PAST_TIME, help: 'the end of this time', fallback: 'now' },
});

type Options = OptionsOf<typeof OPTIONS>;

export const command = defineCommand({
  path: 'hdrscope migrate',
  description: DESCRIPTION,
  examples: [
    'hdrscope migrate rules/ dashboards/',
    'hdrscope migrate rules.yaml --write',
    'hdrscope migrate rules/ dashboards/ --generate',
    'hdrscope migrate src/server.ts',
    "hdrscope migrate --query 'histogram_quantile(0.9, sum by (le) (rate(rpc_seconds_bucket[5m])))'",
  ],
  operands: { '[path...]': 'files and folders; - is standard input' },
  options: OPTIONS,
  formats: ['text', 'json'],
  async run({ options, operands, format }, io) {
    assertQuestion(options, operands);
    const { query, write = false } = options;
    const { files, programs, unread } =
      query === undefined
        ? await readFiles(operands, io)
        : { files: [makeQueryFile(query)], programs: [], unread: [] };
    const { migrated: migratedPrograms, unread: unreadPrograms } = await migrateCode(programs, operands);
    const prover = await openProver(options, io);
    try {
      const migrated = await proveFiles(files, prover, options, io);
      const migration: Migration = {
        files: migrated.files,
        programs: migratedPrograms,
        unread: [...unread, ...unreadPrograms],
        isWritten: write,
        proven: migrated.proven,
      };
      if (write) {
        const changed = [...migrated.files, ...migratedPrograms].filter(
          ({ before, after }) => before !== after,
        );
        await writeAll(
          changed.map(({ path, after }) => ({ path, parts: [after] })),
          io.signal,
        );
      }
      if (format === 'json') await io.stdout.write(formatMigration(migration));
      else await (query === undefined ? printMigration : printQuery)(migration, io);
      return isRefused(migration) ? ExitCode.refused : ExitCode.done;
    } finally {
      await prover?.close();
    }
  },
});

/** Migrates programs. One that was named and has no syntax is an error; one of a folder is listed. */
async function migrateCode(
  programs: readonly CodeFile[],
  operands: readonly string[],
): Promise<{ readonly migrated: readonly MigratedCode[]; readonly unread: readonly UnreadFile[] }> {
  if (programs.length === 0) return { migrated: [], unread: [] };
  const { migratePrograms } = await import('./code/index.ts');
  const { modules, unread } = await migratePrograms(programs);
  const named = unread.find(({ path }) => operands.includes(path));
  if (named !== undefined) throw named.refusal;
  return {
    migrated: modules,
    unread: unread.map(({ path, refusal }) => ({ path, reason: refusal.message })),
  };
}

/** Rewrites the queries, and lets a prover judge each one. */
async function proveFiles(
  files: readonly QueryFile[],
  prover: Prover | undefined,
  options: Options,
  { signal }: Pick<Io, 'signal'>,
): Promise<{ readonly files: readonly MigratedFile[] } & Pick<Migration, 'proven'>> {
  const url = options.prometheus;
  const types =
    url === undefined
      ? new Map<string, string>()
      : await explained(async () => (await loadMigration()).askTypes(url, signal));
  const knowledge = collectKnowledge(types, options);
  if (prover === undefined)
    return { files: await migrateFiles(files, knowledge, async () => undefined), proven: undefined };
  const proven = new Map<DocumentQuery, QueryProof>();
  const migrated = await migrateFiles(files, knowledge, async (query, before, verdict) => {
    const proof = await prover.prove(query, before, verdict);
    proven.set(query, { outcome: proof.outcome, text: describeProof(proof, prover) });
    return proof.outcome === 'different' ? proof.reason : undefined;
  });
  return { files: migrated, proven };
}

/** What is known of metrics: by the command line, and by the types that a server scrapes. */
function collectKnowledge(types: ReadonlyMap<string, string>, { histogram, schema }: Options): Knowledge {
  const ofType = (isHistogram: boolean): string[] =>
    [...types].flatMap(([name, type]) => ((type === 'histogram') === isHistogram ? [name] : []));
  return { histograms: new Set([...histogram, ...ofType(true)]), others: new Set(ofType(false)), schema };
}

/** A query of the command line, as a file of its own. */
function makeQueryFile(text: string): QueryFile {
  const literal = { text, from: 0, write: (after: string) => ({ from: 0, to: text.length, text: after }) };
  const part = { from: 0, to: text.length };
  return {
    path: '--query',
    text,
    queries: [{ literal, part, use: 'query', legend: undefined, record: undefined, place: '' }],
    readAgain: undefined,
  };
}

/** @throws UsageError when the command line names no query, or several kinds of them. */
function assertQuestion(
  { query, write = false, prometheus, generate = false, prometheusProgram, seed, since, until }: Options,
  operands: readonly string[],
): void {
  refuse([
    [
      query === undefined && operands.length === 0,
      'name files or folders with queries or programs, or one query: --query PROMQL',
    ],
    [query !== undefined && operands.length > 0, '--query is a query instead of files: it goes without them'],
    [prometheus === undefined && (since ?? until) !== undefined, '--since and --until go with --prometheus'],
    [
      prometheus !== undefined && generate,
      '--generate starts a Prometheus of its own: it goes without --prometheus',
    ],
    [
      !generate && (prometheusProgram ?? seed) !== undefined,
      '--prometheus-program and --seed go with --generate',
    ],
    [
      write && (query !== undefined || operands.includes('-')),
      '--write changes files, and needs names of files',
    ],
  ]);
}
