import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, flag, milliseconds, type OptionsOwner } from '@hdrscope/core/internal';
import { Slices } from '@hdrscope/kit';
import { type SenderTlsFiles, tls as tlsFiles, tlsOptionsOf } from '@hdrscope/kit/delivery';
import { loadPackage, tableError } from '../errors.ts';
import { ParquetEncoder } from '../parquet/encode.ts';
import { COLUMNS } from '../parquet/schema.ts';
import { batchGroups } from '../sink/batch-groups.ts';
import type { HistoryTable } from '../sink/options.ts';
import type { HistoryTarget, RowBatch } from '../sink/target.ts';
import { DIALECTS } from '../sql/dialects.ts';
import { historyTableSql, tableNameOf } from '../sql/table-sql.ts';
import { type ClickHouseClient, type ClickHouseModule, streamOf } from './clickhouse-client.ts';
import {
  CREDENTIAL,
  type ServerTableOptions,
  type ServerTableSettings,
  serverSettings,
  shownTable,
  TABLE_NAME,
} from './options.ts';

/** Options of `clickHouseTable`. */
export interface ClickHouseTableOptions extends ServerTableOptions {
  /** The HTTP address of the server. A path is the database of a table without one. @default 'http://localhost:8123' */
  readonly url?: string;
  /** Files for https: a certificate of one's own needs `caFile` too. @default the authorities of Node.js */
  readonly tls?: SenderTlsFiles;
}

const OWNER: OptionsOwner<ClickHouseTableOptions> = {
  name: 'clickHouseTable',
  names: {
    url: true,
    user: CREDENTIAL,
    password: CREDENTIAL,
    table: TABLE_NAME,
    create: flag,
    ttlDays: true,
    timeoutMs: milliseconds(),
    tls: tlsFiles,
  },
  call: "clickHouseTable({ url: 'http://localhost:8123', table: 'history' })",
};

/**
 * A table of ClickHouse for `openHistory`, tested with ClickHouse 26.7. Rows are inserted as a Parquet file, by the package
 * `@clickhouse/client`, which is loaded when the history is opened. A repeated insert has the same `insert_deduplication_token`, so it
 * counts once, in views that the table feeds too: see `historyRollupSql`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 *   A history reports a server that does not take rows as `ERR_HISTORY_TABLE`.
 * @example
 * ```ts
 * import { clickHouseTable } from '@hdrscope/history';
 *
 * const table = clickHouseTable({ url: 'https://shop:secret@ch.example:8443', table: ['metrics', 'history'], create: true, ttlDays: 90 });
 * table.name; //=> 'metrics.history of ClickHouse at https://ch.example:8443'
 * // openHistory(registry, { table })
 * ```
 */
export function clickHouseTable(options: ClickHouseTableOptions = {}): HistoryTable {
  return clickHouseTableOf(options, () => import('@clickhouse/client'));
}

/** @param load Loads the client; tests have one of their own. */
export function clickHouseTableOf(
  options: ClickHouseTableOptions,
  load: () => Promise<unknown>,
): HistoryTable {
  assertOptions(options, OWNER);
  const { url = 'http://localhost:8123', ttlDays, tls = {} } = options;
  const settings = serverSettings(options, url, ['http:', 'https:'], 'http://localhost:8123');
  assertTlsFiles(tls);
  const target = {
    ...settings,
    name: shownTable('ClickHouse', settings),
    quoted: tableNameOf('clickhouse', settings.table),
    made: historyTableSql('clickhouse', settings.table, ttlDays === undefined ? {} : { ttlDays }),
    tls,
  };
  return {
    name: target.name,
    async open() {
      const module = await loadPackage(load, 'a history in ClickHouse', '@clickhouse/client');
      return new ClickHouseTarget(target, module as ClickHouseModule);
    },
  };
}

/** The client takes a certificate of one's own with its key and an authority only. */
function assertTlsFiles({ caFile, certFile, keyFile }: SenderTlsFiles): void {
  if ((certFile === undefined && keyFile === undefined) || (caFile && certFile && keyFile)) return;
  throw new HdrscopeError(
    'ERR_INVALID_OPTION',
    'tls must have caFile, certFile and keyFile together, or caFile alone',
  );
}

interface ClickHouseSettings extends ServerTableSettings {
  readonly name: string;
  /** The name of the table in statements. */
  readonly quoted: string;
  /** The statement that makes the table. */
  readonly made: string;
  readonly tls: SenderTlsFiles;
}

// The server holds a batch in memory, as one block, so that a repeated insert is seen to be one.
const MAX_BATCH_BYTES = 2 ** 24;

// What people can do about codes of the server: https://github.com/ClickHouse/ClickHouse/blob/master/src/Common/ErrorCodes.cpp
const CURES: Readonly<Record<string, string>> = {
  16: 'give the table the columns of historyTableSql',
  60: 'make the table with historyTableSql, or set create',
  81: 'make the database first: CREATE DATABASE',
  497: 'grant the user INSERT on the table, and CREATE TABLE if create is set',
  516: 'check user and password',
};

class ClickHouseTarget implements HistoryTarget {
  readonly name: string;
  readonly maxBatchBytes: number = MAX_BATCH_BYTES;
  readonly #settings: ClickHouseSettings;
  readonly #client: ClickHouseClient;
  readonly #end = new AbortController();

  constructor(settings: ClickHouseSettings, { createClient, ClickHouseLogLevel }: ClickHouseModule) {
    const { name, url, user, password, timeoutMs, tls } = settings;
    this.name = name;
    this.#settings = settings;
    try {
      const { ca, cert, key } = tlsOptionsOf(tls);
      this.#client = createClient({
        url: url.href,
        ...(user !== '' && { username: user }),
        ...(password !== '' && { password }),
        ...(ca !== undefined && { tls: { ca_cert: ca, ...(cert && key && { cert, key }) } }),
        application: 'hdrscope',
        request_timeout: timeoutMs,
        max_open_connections: 1,
        // An idle connection is broken by the time of the next interval.
        keep_alive: { enabled: false },
        log: { level: ClickHouseLogLevel.OFF },
      });
    } catch (error) {
      throw tableError(name, error);
    }
  }

  async prepare(): Promise<void> {
    if (this.#settings.create) {
      await this.#client.command({ query: this.#settings.made, abort_signal: this.#end.signal });
    }
    await this.#insert([new ParquetEncoder().finish()]);
  }

  async write(batch: RowBatch): Promise<number> {
    const encoder = new ParquetEncoder();
    const parts: Uint8Array[] = [];
    const slices = new Slices();
    for await (const group of batchGroups(batch)) {
      for (const part of encoder.add(group)) {
        // The encoder uses its buffer again.
        parts.push(Uint8Array.from(part));
        await slices.next();
      }
    }
    parts.push(encoder.finish());
    await this.#insert(parts, `${batch.producer} ${batch.number}`);
    return parts.reduce((sum, { length }) => sum + length, 0);
  }

  errorOf(cause: unknown): HdrscopeError {
    const { code } = (cause ?? {}) as { readonly code?: unknown };
    return tableError(this.name, cause, CURES[String(code)]);
  }

  async close(): Promise<void> {
    this.#end.abort();
    await this.#client.close().catch(() => {});
  }

  /** @param token Equal for inserts of the same rows. */
  async #insert(parts: readonly Uint8Array[], token = ''): Promise<void> {
    await this.#client.insert({
      table: this.#settings.quoted,
      columns: COLUMNS.map(DIALECTS.clickhouse.name),
      format: 'Parquet',
      values: streamOf(parts),
      abort_signal: this.#end.signal,
      clickhouse_settings: {
        // An answer means that the rows are in the table, also on the shards of a cluster.
        async_insert: 0,
        insert_distributed_sync: 1,
        insert_deduplicate: 1,
        insert_deduplication_token: token,
        deduplicate_blocks_in_dependent_materialized_views: 1,
      },
    });
  }
}
