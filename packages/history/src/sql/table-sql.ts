import { mustBe } from '@hdrscope/core/internal';
import { DIALECTS } from './dialects.ts';
import { type HistorySource, sourceOf } from './history-sql.ts';

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
  version Int32
) ENGINE = ReplacingMergeTree PARTITION BY toYYYYMM(start) ORDER BY (metric, attributes, start, producer, sequence)`,
} as const;

/**
 * The statement that makes a table for rows, in an engine that keeps them itself. In PostgreSQL, `(producer, sequence)` is the primary
 * key, so `INSERT … ON CONFLICT DO NOTHING` writes a row once. ClickHouse drops duplicates when it merges parts, and `historySql` those
 * that are left.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the dialect or the table is not a documented one.
 */
export function historyTableSql(
  dialect: 'clickhouse' | 'postgres',
  table: NonNullable<HistorySource['table']> = 'history',
): string {
  if (!Object.hasOwn(COLUMNS, dialect)) {
    throw mustBe('ERR_INVALID_OPTION', 'the dialect', Object.keys(COLUMNS).join(' or '), dialect);
  }
  return `CREATE TABLE IF NOT EXISTS ${sourceOf({ table }, dialect, DIALECTS[dialect])} (${COLUMNS[dialect]}`;
}
