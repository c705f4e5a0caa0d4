import { resolve } from 'node:path';
import type { HistoryOptions, HistorySink, RemovedHistory } from '@hdrscope/history';
import { formatSize } from '@hdrscope/kit';
import type { Snapshot } from '@hdrscope/registry';
import * as z from '#zod';
import { days, duration, mapping, size, text, wholeNumber, yesOrNo } from '../config/values.ts';
import type { EntryStorage } from '../health.ts';
import { MemoryKind } from '../memory.ts';
import { type ConfigOf, defineSink, entry, type Place, type SinkPart } from '../part.ts';
import { tls, withoutUser } from './sending.ts';

const PLACES = ['folder', 'clickhouse', 'postgres'] as const;

const tableKeys = {
  user: text('a name').exactOptional().describe('Who asks the server. Default: the user of url.'),
  password: z
    .string({ error: 'must be a text' })
    .exactOptional()
    .describe('The password of the user. Default: the password of url.'),
  table: z
    .union([text('a name'), z.array(text('a name')).min(1)], {
      error: 'must be the name of a table, or a list of the parts of a qualified name',
    })
    .default('history')
    .describe('The name of the table, or the parts of a qualified name.'),
  create: yesOrNo(false).describe('Whether the table is made if it does not exist.'),
  timeout: duration.prefault('10s').describe('The time for connecting, and then for an insert.'),
};

const clickhouse = mapping({
  url: z
    .url({ protocol: /^https?$/, error: 'must be an address such as http://localhost:8123' })
    .default('http://localhost:8123')
    .describe('The address of the server.'),
  ...tableKeys,
  ttlDays: wholeNumber(1)
    .exactOptional()
    .describe('After how many days a table that is made removes rows. Default: rows stay.'),
  tls,
});

const postgres = mapping({
  url: z
    .url({ protocol: /^postgres(ql)?$/, error: 'must be an address such as postgres://localhost/metrics' })
    .default('postgres://localhost')
    .describe(
      'The address of the server, with the name of the database and parameters such as ?sslmode=verify-full.',
    ),
  ...tableKeys,
});

const schema = entry(
  'history',
  'The registry as rows for months, in Parquet files or in a table: exactly one of folder, clickhouse and postgres is there.',
  {
    folder: text('the path of a folder')
      .exactOptional()
      .describe('The folder of the files. It is made if it does not exist.'),
    clickhouse: clickhouse.exactOptional().describe('The table of ClickHouse that takes the rows.'),
    postgres: postgres.exactOptional().describe('The table of PostgreSQL that takes the rows.'),
    interval: duration
      .prefault('1m')
      .describe('The length of an interval: each series with new values has a row for each.'),
    batch: duration
      .exactOptional()
      .describe(
        'How long rows wait for a larger file at most. Those for a folder wait on the disk, those for a table in memory, which a killed agent loses. Default: 1h for a folder, no time for a table.',
      ),
    maxWaitingSize: size
      .prefault('64MiB')
      .describe('The memory of rows that cannot be written. The oldest rows beyond it are lost.'),
    keep: days
      .exactOptional()
      .describe(
        'How long a folder keeps days, at least 1d: once an hour, those that ended longer ago are removed. Default: all days stay.',
      ),
    rollup: text('the path of a folder')
      .exactOptional()
      .describe(
        'With keep: the folder into which hdrscope history rollup rolls this one up. A day stays while it lacks rows of it.',
      ),
    producer: text('a readable name')
      .optional()
      .describe('A readable name of the writer. Default: the name of the host.'),
  },
).check(({ value, issues }) => {
  const refuse = (message: string): void =>
    void issues.push({ code: 'custom', message, path: [], input: value });
  const places = PLACES.filter((place) => value[place] !== undefined);
  if (places.length !== 1) {
    refuse('must have exactly one of folder, clickhouse and postgres: it says where rows go');
    return;
  }
  if (value.keep !== undefined && value.folder === undefined) {
    refuse('must have keep with folder only: clickhouse has ttlDays');
  }
  if (value.rollup !== undefined && value.keep === undefined) {
    refuse('must have rollup with keep only: it says what days wait for before they are removed');
  }
});

type Config = ConfigOf<typeof schema>;

/** The snapshot whose counts all are in each history, by its folder or table. */
const COLLECTED = new MemoryKind<Snapshot>();

/** What each sink has stored, by its name. */
const STORAGES = new MemoryKind<EntryStorage>();

/** Keeps the registry in a folder or a table. A place that is opened again is continued. */
export const history: SinkPart = defineSink({
  schema,
  example: `
# Parquet files with all distributions, for months: "hdrscope query FOLDER" asks them.
- type: history
  folder: /var/lib/hdrscope/history
  interval: 1m
  keep: 90d

# The same in a table: "npm install pg" first, or "npm install @clickhouse/client" for clickhouse.
- name: table
  type: history
  postgres:
    url: postgres://hdrscope@localhost/metrics
    create: true
`,
  target: findPlace,
  async start(config, context) {
    const { name, interval, batch, maxWaitingSize, keep, rollup, producer } = config;
    const { openHistory } = await import('@hdrscope/history');
    const collected = context.memory.of(COLLECTED);
    const storages = context.memory.of(STORAGES);
    const { id: place } = findPlace(config);
    const since = collected.get(place);
    const before = storages.get(name) ?? NOTHING;
    const report = ({ health }: HistorySink): void => {
      const now = {
        waitingRows: health.waitingRows,
        writtenRows: before.writtenRows + health.writtenRows,
        lostRows: before.lostRows + health.lostRows,
      };
      storages.set(name, now);
      context.stored(now);
    };
    const sink = await openHistory(context.registry, {
      ...(await openPlace(config)),
      intervalMs: interval,
      ...(batch !== undefined && { batchMs: batch }),
      maxWaitingBytes: maxWaitingSize,
      ...(keep !== undefined && { keepMs: keep }),
      ...(rollup !== undefined && { rollup }),
      closeTimeoutMs: context.shutdownTimeoutMs,
      ...(producer !== undefined && { producer }),
      ...(since !== undefined && { since }),
      onRemoved({ removed }) {
        if (removed.length > 0) context.info(describeRemoved(removed));
      },
      onCollected(snapshot) {
        collected.set(place, snapshot);
        report(sink);
        if (!sink.health.isFailing) context.succeeded();
      },
      onError: (error) => context.failed(error),
      onRecovery: () => context.succeeded(),
    });
    report(sink);
    return {
      note: sink.health.target,
      async stop() {
        await sink.close();
        report(sink);
        const { isFailing, lastError } = sink.health;
        if (isFailing && lastError !== undefined) throw lastError;
      },
    };
  },
});

const NOTHING: EntryStorage = { waitingRows: 0, writtenRows: 0, lostRows: 0 };

/** The days that were removed, for people: `removed 2 days, 2026-08-01 to 2026-08-02: 50 files, 12 MiB`. */
function describeRemoved(removed: RemovedHistory['removed']): string {
  const sum = (of: 'files' | 'bytes'): number => removed.reduce((total, one) => total + one[of], 0);
  const [first, last] = [removed[0]!.day, removed.at(-1)!.day];
  const days = removed.length === 1 ? `the day ${first}` : `${removed.length} days, ${first} to ${last}`;
  const files = sum('files');
  return `removed ${days}: ${files} ${files === 1 ? 'file' : 'files'}, ${formatSize(sum('bytes'))}`;
}

function findPlace({ folder, clickhouse, postgres }: Config): Place {
  if (folder !== undefined) return { key: 'folder', what: 'folder', id: resolve(folder) };
  const key = clickhouse === undefined ? 'postgres' : 'clickhouse';
  const { url, table } = (clickhouse ?? postgres)!;
  return { key, what: 'table', id: `${[table].flat().join('.')} at ${withoutUser(url)}` };
}

async function openPlace({
  folder,
  clickhouse,
  postgres,
}: Config): Promise<Pick<HistoryOptions, 'folder' | 'table'>> {
  if (folder !== undefined) return { folder };
  const { clickHouseTable, postgresTable } = await import('@hdrscope/history');
  if (clickhouse !== undefined) {
    const { timeout, ...options } = clickhouse;
    return { table: clickHouseTable({ ...options, timeoutMs: timeout }) };
  }
  const { timeout, ...options } = postgres!;
  return { table: postgresTable({ ...options, timeoutMs: timeout }) };
}
