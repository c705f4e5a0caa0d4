import { type Lack, lackOfPeer } from '@hdrscope/testing';
import { ClickHouse } from '@hdrscope/testing/clickhouse';
import { lackOfPostgres, Postgres } from '@hdrscope/testing/postgres';
import { clickHouseTable, postgresTable } from '../../src/index.ts';
import type { HistoryTable } from '../../src/sink/options.ts';
import type { TableDialect } from '../../src/sql/table-sql.ts';

/** A server whose tables take rows. */
export interface Engine {
  readonly dialect: TableDialect;
  /** Where a proxy finds it. */
  readonly address: { readonly path: string } | { readonly host: string; readonly port: number };
  /** A table of it. @param port That of a proxy. */
  table(name: string, options?: { readonly create?: boolean; readonly port?: number }): HistoryTable;
  run(sql: string): Promise<void>;
  ask(sql: string): Promise<Record<string, unknown>[]>;
  stop(): Promise<void>;
}

/** The engines that this machine may have. */
export const ENGINES: readonly {
  readonly name: string;
  readonly missing: Lack | undefined;
  readonly start: () => Promise<Engine>;
}[] = [
  {
    name: 'ClickHouse',
    missing: lackOfPeer('chdb'),
    start: startClickHouse,
  },
  { name: 'PostgreSQL', missing: lackOfPostgres(), start: startPostgres },
];

async function startClickHouse(): Promise<Engine> {
  const server = await ClickHouse.start('secret');
  const { hostname: host, port } = new URL(server.url);
  return {
    dialect: 'clickhouse',
    address: { host, port: Number(port) },
    table: (table, { create = true, port } = {}) =>
      clickHouseTable({
        url: port === undefined ? server.url : `http://127.0.0.1:${port}`,
        password: 'secret',
        table,
        create,
        timeoutMs: 5000,
      }),
    async run(sql) {
      await server.run(sql);
    },
    ask: (sql) => server.ask(sql),
    stop: () => server.stop(),
  };
}

async function startPostgres(): Promise<Engine> {
  const server = await Postgres.start();
  return {
    dialect: 'postgres',
    address: { path: server.socket },
    table: (table, { create = true, port } = {}) =>
      postgresTable({
        url: port === undefined ? server.url : `postgres://history@127.0.0.1:${port}/postgres`,
        table,
        create,
        timeoutMs: 5000,
      }),
    async run(sql) {
      server.run(sql);
    },
    ask: async (sql) => server.ask(sql),
    stop: () => server.stop(),
  };
}
