import { HdrscopeError } from '@hdrscope/core';
import { assertFollows, assertOptions, mustBe, type OptionsOwner, oneOf } from '@hdrscope/core/internal';
import { DIALECTS } from './dialects.ts';
import { type HistorySource, sourceOf } from './history-sql.ts';

/** The engines that keep tables of rows. */
export type TableDialect = 'clickhouse' | 'postgres';

/** How a table of rows is made. */
export interface TableSqlOptions {
  /**
   * After how many days ClickHouse removes rows: an integer of at least 1. PostgreSQL has no such option: see docs/formats/history.md for
   * the statement that removes old rows. @default rows stay
   */
  readonly ttlDays?: number;
  /**
   * A cluster of ClickHouse, as `remote_servers` names it. Each shard then has its rows in a table with the ending `_shard`, and the table
   * itself is `Distributed`: it asks all shards, and an insert puts the rows of a series on one of them. The table must be named with its
   * database. @default the table is on one server
   */
  readonly cluster?: string;
}

const OWNER: OptionsOwner<TableSqlOptions> = {
  name: 'historyTableSql',
  names: { ttlDays: true, cluster: true },
  call: "historyTableSql('clickhouse', 'history', { ttlDays: 90 })",
};

/**
 * How many inserts ClickHouse remembers for each table, so that a repeated one has no effect. An insert is repeated at the next interval,
 * so this is enough for 1,000 producers that write each minute and repeat an insert within 100 minutes.
 */
const REMEMBERED_INSERTS = 100_000;

const COLUMNS = {
  postgres: `
  metric text NOT NULL,
  unit text NOT NULL,
  attributes jsonb NOT NULL,
  "start" timestamptz NOT NULL,
  "end" timestamptz NOT NULL,
  producer text NOT NULL,
  sequence bigint NOT NULL,
  count bigint NOT NULL,
  sum double precision NOT NULL,
  min double precision NOT NULL,
  max double precision NOT NULL,
  scale double precision NOT NULL,
  bits integer NOT NULL,
  k integer[] NOT NULL,
  c bigint[] NOT NULL,
  version integer NOT NULL,
  w integer[] NOT NULL DEFAULT '{}',
  sum_below double precision NOT NULL DEFAULT 0,
  sum_above double precision NOT NULL DEFAULT 0,
  min_above double precision NOT NULL DEFAULT 0,
  max_below double precision NOT NULL DEFAULT 0,
  revision bigint NOT NULL DEFAULT 0,
  exemplars text NOT NULL DEFAULT '',
  PRIMARY KEY (producer, sequence)
)`,
  clickhouse: `
  metric LowCardinality(String),
  unit LowCardinality(String),
  attributes Map(LowCardinality(String), String),
  start DateTime64(3, 'UTC'),
  \`end\` DateTime64(3, 'UTC'),
  producer LowCardinality(String),
  sequence Int64,
  count Int64,
  sum Float64,
  min Float64,
  max Float64,
  scale Float64,
  bits Int32,
  k Array(Int32) CODEC(Delta, LZ4),
  c Array(Int64) CODEC(T64, LZ4),
  version Int32,
  w Array(Int32),
  sum_below Float64,
  sum_above Float64,
  min_above Float64,
  max_below Float64,
  revision UInt64,
  exemplars String
) ENGINE = ReplacingMergeTree(revision) PARTITION BY toYYYYMM(start) ORDER BY (metric, attributes, start, producer, sequence)`,
} as const;

/**
 * The statement that makes a table for rows, in an engine that keeps them itself. For PostgreSQL it makes an index too, and
 * `(producer, sequence)` is the primary key, so `INSERT … ON CONFLICT DO NOTHING` writes a row once. ClickHouse ignores an insert that is repeated with its
 * `insert_deduplication_token`. It keeps the largest revision of other duplicates when it merges parts, and `historySql` drops the rest.
 *
 * With `cluster` there are two statements, separated by a semicolon. Servers make the tables by `ON CLUSTER`, for which they need a Keeper.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the dialect, the table or an option is not a documented one.
 * @example
 * ```ts
 * import { historyTableSql } from '@hdrscope/history';
 *
 * historyTableSql('clickhouse', 'history', { ttlDays: 90 }).includes('TTL toDateTime(start) + toIntervalDay(90)'); //=> true
 * historyTableSql('clickhouse', ['metrics', 'history'], { cluster: 'fleet' }).includes("Distributed('fleet', 'metrics', 'history_shard'"); //=> true
 * ```
 */
export function historyTableSql(
  dialect: TableDialect,
  table: NonNullable<HistorySource['table']> = 'history',
  options: TableSqlOptions = {},
): string {
  assertTableDialect(dialect);
  const name = tableNameOf(dialect, table);
  assertOptions(options, OWNER);
  const ttl = ttlOf(dialect, options.ttlDays, 'start');
  const shards = describeShards(dialect, table, options.cluster);
  if (dialect === 'clickhouse') {
    const made = `CREATE TABLE IF NOT EXISTS ${shards?.own ?? name}${shards?.onCluster ?? ''} (${COLUMNS.clickhouse}${ttl}${REMEMBERING}`;
    return shards === undefined ? made : `${made};\n${shards.distributed(SHARDING_KEY)}`;
  }
  const made = `CREATE TABLE IF NOT EXISTS ${name} (${COLUMNS.postgres}`;
  const index = DIALECTS.postgres.name(`${typeof table === 'string' ? table : table.at(-1)}_start`);
  return `${made};\nCREATE INDEX IF NOT EXISTS ${index} ON ${name} (metric, "start")`;
}

/** The settings of a table of ClickHouse in which a repeated insert has no effect. */
export const REMEMBERING: string = ` SETTINGS non_replicated_deduplication_window = ${REMEMBERED_INSERTS}`;

/** The quoted name of a table. @throws HdrscopeError `ERR_INVALID_OPTION` */
export function tableNameOf(dialect: TableDialect, table: NonNullable<HistorySource['table']>): string {
  return sourceOf({ table }, dialect, DIALECTS[dialect]);
}

/** The clause that removes old rows. @throws HdrscopeError `ERR_INVALID_OPTION` */
export function ttlOf(dialect: TableDialect, ttlDays: number | undefined, start: string): string {
  if (ttlDays === undefined) return '';
  if (dialect !== 'clickhouse') {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      'ttlDays is for ClickHouse: PostgreSQL removes old rows by a DELETE that you run, got ttlDays for postgres',
    );
  }
  if (!Number.isSafeInteger(ttlDays) || ttlDays < 1) {
    throw mustBe('ERR_INVALID_OPTION', 'ttlDays', 'an integer of at least 1', ttlDays);
  }
  return ` TTL toDateTime(${start}) + toIntervalDay(${ttlDays})`;
}

// A row is on one shard however often it is inserted, and a shard merges its copies. All rows of a series make one row of a rollup there.
const SHARDING_KEY = 'sipHash64(metric, toString(attributes))';

/** A table that lies on the shards of a cluster. Its members are SQL. */
export interface Shards {
  /** The name of the table of one shard. */
  readonly own: string;
  /** The clause by which a statement is run by all servers. */
  readonly onCluster: string;
  /** The statement that makes the table of all shards. Without a key by which rows are spread, nobody can insert into it. */
  readonly distributed: (shardingKey?: string) => string;
}

/** The shards of a table; `undefined` when it is on one server. @throws HdrscopeError `ERR_INVALID_OPTION` */
export function describeShards(
  dialect: TableDialect,
  table: NonNullable<HistorySource['table']>,
  cluster: string | undefined,
): Shards | undefined {
  if (cluster === undefined) return undefined;
  if (dialect !== 'clickhouse') {
    throw new HdrscopeError('ERR_INVALID_OPTION', `cluster is for ClickHouse, got cluster for ${dialect}`);
  }
  if (typeof cluster !== 'string' || cluster === '') {
    throw mustBe('ERR_INVALID_OPTION', 'cluster', 'the name of a cluster', cluster);
  }
  if (typeof table === 'string' || table.length !== 2) {
    throw mustBe(
      'ERR_INVALID_OPTION',
      'the table of a cluster',
      "the names of its database and of itself, as in ['metrics', 'history'], because servers may have other default databases",
      table,
    );
  }
  const { name, text } = DIALECTS.clickhouse;
  const [database, last] = table as [string, string];
  const own = `${last}_shard`;
  const onCluster = ` ON CLUSTER ${name(cluster)}`;
  const quotedOwn = tableNameOf(dialect, [database, own]);
  return {
    own: quotedOwn,
    onCluster,
    distributed(shardingKey) {
      const args = [
        ...[cluster, database, own].map(text),
        ...(shardingKey === undefined ? [] : [shardingKey]),
      ];
      return `CREATE TABLE IF NOT EXISTS ${tableNameOf(dialect, table)}${onCluster} AS ${quotedOwn} ENGINE = Distributed(${args.join(', ')})`;
    },
  };
}

const TABLE_DIALECT = oneOf(Object.keys(COLUMNS) as TableDialect[]);

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertTableDialect(dialect: string): asserts dialect is TableDialect {
  assertFollows('the dialect', TABLE_DIALECT, dialect);
}
