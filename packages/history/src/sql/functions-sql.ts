import { FORMAT_VERSION } from '../rows/row.ts';
import type { DialectName } from './dialects.ts';
import { CLICKHOUSE_FUNCTIONS } from './functions/clickhouse.ts';
import { DUCKDB_FUNCTIONS } from './functions/duckdb.ts';
import { POSTGRES_FUNCTIONS } from './functions/postgres.ts';
import { SPARK_FUNCTIONS } from './functions/spark.ts';
import { dialectOf } from './history-sql.ts';

/**
 * The statements that make functions of an engine, for statements of your own. Each name begins with `hdr_`, and a later run replaces it.
 *
 * | function | meaning |
 * |---|---|
 * | `hdr_percentile(k, c, w, bits, scale, p)` | an aggregate: the bounds of the percentile `p`, from 0 to 100, of all rows of a group, in the unit, as `lower` and `upper` |
 * | `hdr_merge(k, c, w, bits, scale)` | an aggregate: the rows of a group as one, with the fields `k`, `c`, `w`, `bits` and `scale` |
 * | `hdr_count_within(k, c, w, bits, scale, low, high)` | an aggregate: how many values of a group lie from `low` to `high`, in the unit, both included: certainly as `lower`, and possibly as `upper` |
 * | `hdr_slot_start(k, bits)` | the first tick of a slot |
 * | `hdr_ticks_in_unit(ticks, scale)` | ticks in the unit |
 *
 * `hdr_percentile` answers as `historySql` does: at the fewest bits of the rows with values, with an infinite upper bound where a bucket has no
 * end. Both bounds are NULL for a group without values. It refuses a group of several scales, as `hdr_merge` does, but cannot see units: group by
 * them. `hdr_count_within` reads each row at its own bits and scale. `w` may be NULL, except in ClickHouse. There, `p` is a constant, and `[]` for
 * `w` takes less time where no row has widths.
 *
 * In Spark, functions of SQL exist since version 4, and take no rows. So the columns of a row are there
 * `collect_list(struct(k, c, w, bits, scale))`, as in `hdr_percentile(collect_list(struct(k, c, w, bits, scale)), 99.9)`.
 *
 * The functions count a row as often as it is there: `uniqueRowsSql` makes the statement or the view that has each row once. DuckDB and Spark keep all
 * slots of a group in memory, so `historySql` is for large groups there.
 *
 * @param dialect @default 'duckdb'
 * @returns Statements that are run in this order. The first begins with a comment that says how to call the functions.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the dialect is not a documented one.
 * @example
 * ```ts
 * import { historyFunctionsSql } from '@hdrscope/history';
 *
 * const statements = historyFunctionsSql('postgres');
 * statements[0]!.startsWith('-- Functions of hdrscope for PostgreSQL, for histories of version 2.'); //=> true
 * statements.some((sql) => sql.startsWith('CREATE OR REPLACE AGGREGATE hdr_percentile(')); //=> true
 * ```
 */
export function historyFunctionsSql(dialect: DialectName = 'duckdb'): readonly string[] {
  dialectOf(dialect);
  const { engine, row, statements } = FILES[dialect];
  const [first = '', ...others] = statements;
  const comment = [
    `Functions of hdrscope for ${engine}, for histories of version ${FORMAT_VERSION}.`,
    `SELECT hdr_percentile(${row}, 99.9) FROM history WHERE metric = '...' GROUP BY unit, scale`,
    `(hdr_percentile(${row}, 99.9)).upper is the upper bound of the percentile, in the unit.`,
    `(hdr_count_within(${row}, 0, 0.25)).lower values certainly lie from 0 to 0.25.`,
    `hdr_merge(${row}) has the fields k, c, w, bits and scale of one row.`,
    'A row counts as often as it is there: "hdrscope history sql unique" prints a statement that has each row once.',
  ];
  return [`${comment.map((line) => `-- ${line}`).join('\n')}\n${first}`, ...others];
}

interface FunctionsFile {
  readonly engine: string;
  /** A row, or the rows of a group, as functions take them. */
  readonly row: string;
  readonly statements: readonly string[];
}

const COLUMNS = 'k, c, w, bits, scale';

const FILES: Readonly<Record<DialectName, FunctionsFile>> = {
  duckdb: { engine: 'DuckDB', row: COLUMNS, statements: DUCKDB_FUNCTIONS },
  clickhouse: { engine: 'ClickHouse', row: COLUMNS, statements: CLICKHOUSE_FUNCTIONS },
  postgres: { engine: 'PostgreSQL', row: COLUMNS, statements: POSTGRES_FUNCTIONS },
  spark: { engine: 'Spark 4', row: `collect_list(struct(${COLUMNS}))`, statements: SPARK_FUNCTIONS },
};
