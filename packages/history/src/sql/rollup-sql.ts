import { assertOptions, mustBe, type OptionsOwner } from '@hdrscope/core/internal';
import { wellFormed } from '../rows/attribute-texts.ts';
import { HOUR_MS } from '../times.ts';
import { DIALECTS } from './dialects.ts';
import type { HistorySource } from './history-sql.ts';
import {
  assertTableDialect,
  describeShards,
  REMEMBERING,
  type Shards,
  type TableDialect,
  tableNameOf,
  ttlOf,
} from './table-sql.ts';

/** Options of `historyRollupSql`. */
export interface RollupSqlOptions {
  /** The name of the rollup; it is in the schema or database of the table. @default the name of the table and `_rollup` */
  readonly into?: string;
  /**
   * The length of a stretch of time in milliseconds: an integer of at least 1. Stretches start at multiples of it since 1970, in UTC.
   * @default 3_600_000, an hour
   */
  readonly everyMs?: number;
  /**
   * Keys of attributes that the rows of the rollup lack, such as the host: series that differ in nothing else become one. Rows have a
   * column `series` then: how many series their values are of. @default each series has rows of its own
   */
  readonly drop?: readonly string[];
  /** After how many days ClickHouse removes its rows: an integer of at least 1. @default rows stay */
  readonly ttlDays?: number;
  /**
   * The cluster of ClickHouse that `historyTableSql` was given. Each shard then keeps the rollup of its rows, and the view adds those of
   * all shards. @default the table is on one server
   */
  readonly cluster?: string;
}

const OWNER: OptionsOwner<RollupSqlOptions> = {
  name: 'historyRollupSql',
  names: { into: true, everyMs: true, drop: true, ttlDays: true, cluster: true },
  call: "historyRollupSql('clickhouse', 'history', { into: 'history_hourly', drop: ['host.name'] })",
};

/**
 * The statements that make a rollup of a table: a view with the columns of a history, in which each series has one row for each hour, with
 * the merged slots of all its rows. Percentiles of whole hours are those of the table, and a question reads fewer rows:
 * `historySql(question, dialect, { table: 'history_rollup' })`.
 *
 * - ClickHouse keeps the rollup up to date at each insert, by a materialised view. It has the rows that are inserted from then on. A
 *   repeated insert counts once if it has its token and the server remembers it, as those of `clickHouseTable` do.
 * - PostgreSQL has the rows up to the last `REFRESH MATERIALIZED VIEW CONCURRENTLY`, each counted once, and loses those that were deleted
 *   from the table.
 *
 * With `drop`, series that differ in these attributes only are one series of the rollup, as far as their scales and bits are equal. Its
 * column `series` counts them: it is no column of a history, and readers may ignore it.
 *
 * The statements may be run again, which changes nothing. Where the rollup has another length or drops other keys, the last one is an error of
 * the engine.
 *
 * @param table The table of `historyTableSql`.
 * @returns Statements that are run in this order.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the dialect, the table or an option is not a documented one.
 * @example
 * ```ts
 * import { historyRollupSql } from '@hdrscope/history';
 *
 * historyRollupSql('clickhouse', ['metrics', 'history'], { into: 'history_hourly' }).length; //=> 4
 * historyRollupSql('clickhouse', 'history', { drop: ['host.name'] })[0]!.includes('series AggregateFunction(uniqExact'); //=> true
 * historyRollupSql('clickhouse', ['metrics', 'history'], { cluster: 'fleet' }).length; //=> 5
 * historyRollupSql('postgres')[0]!.startsWith('CREATE MATERIALIZED VIEW IF NOT EXISTS "history_rollup"'); //=> true
 * ```
 */
export function historyRollupSql(
  dialect: TableDialect,
  table: NonNullable<HistorySource['table']> = 'history',
  options: RollupSqlOptions = {},
): readonly string[] {
  assertTableDialect(dialect);
  const from = tableNameOf(dialect, table);
  assertOptions(options, OWNER);
  const parts = typeof table === 'string' ? [table] : table;
  const { into = `${parts.at(-1)}_rollup`, everyMs = HOUR_MS, drop = [], ttlDays, cluster } = options;
  if (typeof into !== 'string' || into === '') throw mustBe('ERR_INVALID_OPTION', 'into', 'a name', into);
  if (!Number.isSafeInteger(everyMs) || everyMs < 1) {
    throw mustBe('ERR_INVALID_OPTION', 'everyMs', 'an integer of at least 1', everyMs);
  }
  assertKeys(drop);
  const ttl = ttlOf(dialect, ttlDays, 'start');
  const partsOf = (ending: string): string[] => [...parts.slice(0, -1), `${into}${ending}`];
  const nameOf = (ending: string): string => tableNameOf(dialect, partsOf(ending));
  const shards = describeShards(dialect, table, cluster);
  const rollup = {
    from: shards?.own ?? from,
    nameOf,
    stretch: stretchOf(dialect, everyMs),
    drop,
    producer: describeRollup(everyMs, drop),
  };
  return dialect === 'clickhouse'
    ? clickhouseRollup({
        ...rollup,
        ttl,
        shards: describeShards(dialect, partsOf('_states'), cluster),
        parts: partsOf(''),
      })
    : postgresRollup(rollup, `${into}_key`);
}

/** Refuses a list of attributes to drop. @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertKeys(drop: readonly string[]): void {
  if (Array.isArray(drop) && drop.every((key) => typeof key === 'string')) return;
  throw mustBe('ERR_INVALID_OPTION', 'drop', 'an array of keys of attributes', drop);
}

interface Rollup {
  /** The quoted name of the table whose rows are added. */
  readonly from: string;
  /** The quoted name of the rollup with an ending. */
  readonly nameOf: (ending: string) => string;
  /** The start of the stretch of time that a row belongs to, in milliseconds since 1970. */
  readonly stretch: string;
  /** The keys of attributes that rows of the rollup lack. */
  readonly drop: readonly string[];
  /** What the producers of its rows begin with. No other rollup has it, and it needs no escaping in SQL. */
  readonly producer: string;
}

function describeRollup(everyMs: number, drop: readonly string[]): string {
  const keys = [...new Set(drop)]
    .sort()
    .map((key) => ` -${encodeURIComponent(wellFormed(key)).replaceAll("'", '%27')}`);
  return `rollup ${everyMs}${keys.join('')} `;
}

const OTHER_ROLLUP =
  'the rollup is there already, with another length or without other keys: drop it, or choose another name';

function stretchOf(name: TableDialect, everyMs: number): string {
  const dialect = DIALECTS[name];
  const ms = dialect.ms(dialect.name('start'));
  return `(${ms} - ${ms} % ${everyMs})`;
}

// Rows of different values in one of these are never added.
const KEY = ['metric', 'unit', 'attributes', 'scale', 'bits', 'version'];

// The slot and its width in one number, so that counts are added by both, and ascend by the slot.
const PLACES =
  'arrayMap((slot, width) -> bitShiftLeft(toInt64(slot), 32) + width, rows.k, arrayResize(rows.w, length(rows.k)))';

function numbersOf(place: string): string {
  return `arrayMap(place -> toInt32(${place}), tupleElement(sumMap(states.slots), 1))`;
}

interface ClickHouseRollup extends Rollup {
  readonly ttl: string;
  /** Those of the table of states. */
  readonly shards: Shards | undefined;
  /** The parts of its name. */
  readonly parts: readonly string[];
}

function clickhouseRollup(rollup: ClickHouseRollup): string[] {
  const { from, nameOf, stretch, drop, producer, ttl, shards, parts } = rollup;
  const { text } = DIALECTS.clickhouse;
  const states = nameOf('_states');
  const { own = states, onCluster = '' } = shards ?? {};
  const attributes = DIALECTS.clickhouse.without('rows.attributes', drop);
  // The text of a map has all its keys and values, so equal texts are one series.
  const series =
    drop.length === 0
      ? { column: '', state: '', total: '' }
      : {
          column: '\n  series AggregateFunction(uniqExact, String),',
          state: ' uniqExactState(toString(rows.attributes)) AS series,',
          total: ', toInt64(uniqExactMerge(states.series)) AS series',
        };
  const key = [...KEY, 'start'].join(', ');
  return [
    `CREATE TABLE IF NOT EXISTS ${own}${onCluster} (
  metric LowCardinality(String),
  unit LowCardinality(String),
  attributes Map(LowCardinality(String), String),
  start DateTime64(3, 'UTC'),
  \`end\` SimpleAggregateFunction(max, DateTime64(3, 'UTC')),
  count SimpleAggregateFunction(sum, Int64),
  sum SimpleAggregateFunction(sum, Float64),
  min SimpleAggregateFunction(min, Float64),
  max SimpleAggregateFunction(max, Float64),
  scale Float64,
  bits Int32,
  slots SimpleAggregateFunction(sumMap, Tuple(Array(Int64), Array(Int64))),
  sum_below SimpleAggregateFunction(sum, Float64),
  sum_above SimpleAggregateFunction(sum, Float64),
  min_upper SimpleAggregateFunction(min, Float64),
  max_lower SimpleAggregateFunction(max, Float64),${series.column}
  version Int32
) ENGINE = AggregatingMergeTree PARTITION BY toYYYYMM(start) ORDER BY (metric, attributes, start, unit, scale, bits, version)${ttl}${REMEMBERING}`,
    ...(shards === undefined ? [] : [shards.distributed()]),
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${nameOf('_insert')}${onCluster} TO ${own} AS
SELECT metric, unit, ${attributes} AS attributes, ${DIALECTS.clickhouse.time(stretch)} AS start, max(rows.\`end\`) AS \`end\`, sum(rows.count) AS count,
  sum(rows.sum) AS sum, min(rows.min) AS min, max(rows.max) AS max, scale, bits, sumMap((${PLACES}, rows.c)) AS slots,
  sum(rows.sum_below) AS sum_below, sum(rows.sum_above) AS sum_above, min(rows.min + rows.min_above) AS min_upper,
  max(rows.max - rows.max_below) AS max_lower,${series.state} version
FROM ${from} AS rows
WHERE rows.count > 0
GROUP BY ${key}`,
    `CREATE VIEW IF NOT EXISTS ${nameOf('')}${onCluster} AS
SELECT metric, unit, attributes, start, max(states.\`end\`) AS \`end\`, concat('${producer}', hex(sipHash128(${KEY.join(', ')}))) AS producer,
  toUnixTimestamp64Milli(start) AS sequence, sum(states.count) AS count, sum(states.sum) AS sum, min(states.min) AS min,
  max(states.max) AS max, scale, bits, ${numbersOf('bitShiftRight(place, 32)')} AS k,
  tupleElement(sumMap(states.slots), 2) AS c, version, ${numbersOf('bitAnd(place, 4294967295)')} AS w,
  sum(states.sum_below) AS sum_below, sum(states.sum_above) AS sum_above, min(states.min_upper) - min(states.min) AS min_above,
  max(states.max) - max(states.max_lower) AS max_below, toUInt64(0) AS revision, '' AS exemplars${series.total}
FROM ${states} AS states
GROUP BY ${key}`,
    `SELECT throwIf(count() = 0, ${text(OTHER_ROLLUP)}) FROM system.tables
WHERE database = ${parts.length > 1 ? text(parts.at(-2)!) : 'currentDatabase()'} AND name = ${text(parts.at(-1)!)} AND position(create_table_query, '${producer}') > 0`,
  ];
}

function postgresRollup({ from, nameOf, stretch, drop, producer }: Rollup, index: string): string[] {
  const key = [...KEY, 'stretch'].join(', ');
  const view = nameOf('');
  const { text } = DIALECTS.postgres;
  const attributes = DIALECTS.postgres.without('attributes', drop);
  const isMerged = drop.length > 0;
  return [
    `CREATE MATERIALIZED VIEW IF NOT EXISTS ${view} AS
WITH rows AS (
  SELECT metric, unit, ${attributes} AS attributes, attributes AS series_attributes, ${stretch} AS stretch, "end", count, sum, min, max,
    scale, bits, k, c, version, w, sum_below, sum_above, min_above, max_below
  FROM ${from} WHERE count > 0
), facts AS (
  SELECT ${key}, max("end") AS "end", sum(count)::bigint AS count, sum(sum) AS sum, min(min) AS min, max(max) AS max,
    sum(sum_below) AS sum_below, sum(sum_above) AS sum_above, min(min + min_above) - min(min) AS min_above,
    max(max) - max(max - max_below) AS max_below${isMerged ? ', count(DISTINCT series_attributes) AS series' : ''}
  FROM rows GROUP BY ${key}
), slots AS (
  SELECT ${key}, slot, slot_to, sum(n)::bigint AS n
  FROM ${DIALECTS.postgres.slots('rows')} GROUP BY ${key}, slot, slot_to
), lists AS (
  SELECT ${key}, array_agg(slot ORDER BY slot, slot_to) AS k, array_agg(n ORDER BY slot, slot_to) AS c,
    array_agg(slot_to - slot ORDER BY slot, slot_to) AS w
  FROM slots GROUP BY ${key}
)
SELECT metric, unit, attributes, ${DIALECTS.postgres.time('stretch')} AS "start", "end",
  '${producer}' || md5(jsonb_build_array(${KEY.join(', ')})::text) AS producer, stretch AS sequence, count, sum, min, max, scale, bits,
  coalesce(k, '{}') AS k, coalesce(c, '{}') AS c, version, coalesce(w, '{}') AS w,
  sum_below, sum_above, min_above, max_below, 0::bigint AS revision, '' AS exemplars${isMerged ? ', series' : ''}
FROM facts LEFT JOIN lists USING (${key})`,
    // Without it, a refresh locks out readers.
    `CREATE UNIQUE INDEX IF NOT EXISTS ${DIALECTS.postgres.name(index)} ON ${view} (producer, sequence)`,
    // A text that is no number is an error with this text. Without the definition in it, PostgreSQL would read it before the condition.
    `SELECT CASE WHEN position('${producer}' IN definition) = 0 THEN CAST(left(definition, 0) || ${text(OTHER_ROLLUP)} AS integer) END
FROM pg_get_viewdef(${text(view)}::regclass) AS definition`,
  ];
}
