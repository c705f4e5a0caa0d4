import type { HdrscopeError } from '@hdrscope/core';
import { assertOptions, flag, milliseconds, type OptionsOwner } from '@hdrscope/core/internal';
import { loadPackage, tableError } from '../errors.ts';
import type { HistoryTable } from '../sink/options.ts';
import type { HistoryTarget, RowBatch } from '../sink/target.ts';
import { historyTableSql, tableNameOf } from '../sql/table-sql.ts';
import {
  CREDENTIAL,
  type ServerTableOptions,
  type ServerTableSettings,
  serverSettings,
  shownTable,
  TABLE_NAME,
} from './options.ts';
import { clientOf, type PostgresClient, type PostgresModule } from './postgres-client.ts';
import { insertedArrays, insertSql } from './postgres-rows.ts';

/** Options of `postgresTable`. */
export interface PostgresTableOptions extends Omit<ServerTableOptions, 'ttlDays'> {
  /**
   * The address of the database, as `psql` takes it: `postgres://user:password@host:5432/database?sslmode=verify-full`. Missing parts come
   * from `PGUSER`, `PGPASSWORD`, `PGDATABASE` and `PGPORT`. @default 'postgres://localhost'
   */
  readonly url?: string;
}

const OWNER: OptionsOwner<PostgresTableOptions> = {
  name: 'postgresTable',
  names: {
    url: true,
    user: CREDENTIAL,
    password: CREDENTIAL,
    table: TABLE_NAME,
    create: flag,
    timeoutMs: milliseconds(),
  },
  call: "postgresTable({ url: 'postgres://localhost/metrics', table: 'history' })",
};

/**
 * A table of PostgreSQL for `openHistory`, tested with PostgreSQL 15. Rows are inserted by the package `pg`, which is loaded when the
 * history is opened, and a row that the table has is left out. There is a connection only while rows are written. PostgreSQL has no U+0000:
 * U+FFFD replaces it.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside the range stated on it.
 *   A history reports a server that does not take rows as `ERR_HISTORY_TABLE`.
 * @example
 * ```ts
 * import { postgresTable } from '@hdrscope/history';
 *
 * const table = postgresTable({ url: 'postgres://shop:secret@db.example/metrics', create: true });
 * table.name; //=> 'history of PostgreSQL at postgres://db.example/metrics'
 * // openHistory(registry, { table })
 * ```
 */
export function postgresTable(options: PostgresTableOptions = {}): HistoryTable {
  return postgresTableOf(options, () => import('pg'));
}

/** @param load Loads the client; tests have one of their own. */
export function postgresTableOf(options: PostgresTableOptions, load: () => Promise<unknown>): HistoryTable {
  assertOptions(options, OWNER);
  const { url = 'postgres://localhost' } = options;
  const settings = serverSettings(options, url, ['postgres:', 'postgresql:'], 'postgres://localhost/metrics');
  const target = {
    ...settings,
    name: shownTable('PostgreSQL', settings),
    quoted: tableNameOf('postgres', settings.table),
    made: historyTableSql('postgres', settings.table),
  };
  return {
    name: target.name,
    async open() {
      const module = await loadPackage(load, 'a history in PostgreSQL', 'pg');
      return new PostgresTarget(target, module as PostgresModule);
    },
  };
}

interface PostgresSettings extends ServerTableSettings {
  readonly name: string;
  /** The name of the table in statements. */
  readonly quoted: string;
  /** The statements that make the table. */
  readonly made: string;
}

// Sent in one message, which is copied at once: about 2 MB.
const MAX_BATCH_BYTES = 2 ** 22;

// Several services may start at the same moment, and `IF NOT EXISTS` alone fails then.
const ALONE = "SELECT pg_advisory_xact_lock(hashtext('hdrscope history'))";

// What people can do about codes of the server: https://www.postgresql.org/docs/15/errcodes-appendix.html
const CURES: Readonly<Record<string, string>> = {
  '28000': 'check user and password, and pg_hba.conf',
  '28P01': 'check user and password',
  '3D000': 'make the database first: CREATE DATABASE',
  '3F000': 'make the schema first: CREATE SCHEMA',
  '42501': 'grant the user INSERT on the table, and CREATE on the schema if create is set',
  '42703': 'give the table the columns of historyTableSql',
  '42P01': 'make the table with historyTableSql, or set create',
  '53300': 'raise max_connections of the server, or put a pool before it',
};

class PostgresTarget implements HistoryTarget {
  readonly name: string;
  readonly maxBatchBytes: number = MAX_BATCH_BYTES;
  readonly #settings: PostgresSettings;
  readonly #module: PostgresModule;
  readonly #insert: string;
  /** The client of the work that runs. */
  #client: PostgresClient | undefined;
  /** Rejects when the history closes: `pg` never settles a `connect` that is ended meanwhile. */
  readonly #closed: Promise<never>;
  #cutOff: (error: Error) => void = () => {};

  constructor(settings: PostgresSettings, module: PostgresModule) {
    this.name = settings.name;
    this.#settings = settings;
    this.#module = module;
    this.#insert = insertSql(settings.quoted);
    this.#closed = new Promise((_, reject) => {
      this.#cutOff = reject;
    });
    this.#closed.catch(() => {});
  }

  async prepare(): Promise<void> {
    const { create, made } = this.#settings;
    await this.#connected(async (client) => {
      // One transaction.
      if (create) await client.query(`${ALONE};\n${made}`);
      await client.query(this.#insert, await insertedArrays([]));
    });
  }

  async write({ rows }: RowBatch): Promise<number> {
    const arrays = await insertedArrays(rows);
    await this.#connected((client) => client.query(this.#insert, arrays));
    return arrays.reduce((sum, array) => sum + Buffer.byteLength(array), 0);
  }

  errorOf(cause: unknown): HdrscopeError {
    const { code } = (cause ?? {}) as { readonly code?: unknown };
    return tableError(this.name, cause, CURES[String(code)]);
  }

  async close(): Promise<void> {
    this.#cutOff(new Error('the history is closed'));
    // The socket of a client that works is destroyed.
    void this.#client?.end().catch(() => {});
  }

  async #connected(work: (client: PostgresClient) => Promise<unknown>): Promise<void> {
    const client = clientOf(this.#module, this.#settings);
    this.#client = client;
    try {
      await Promise.race([client.connect().then(() => work(client)), this.#closed]);
    } finally {
      this.#client = undefined;
      void client.end().catch(() => {});
    }
  }
}
