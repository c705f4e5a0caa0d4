import { DIALECTS } from '../dialects.ts';
import { firstTick, lastTick, ticksInUnit } from '../slot-sql.ts';
import { NO_PERCENTILE, SEVERAL_SCALES } from './refusals.ts';

const { spark } = DIALECTS;

const ROWS =
  'hdr_rows ARRAY<STRUCT<k: ARRAY<INT>, c: ARRAY<BIGINT>, w: ARRAY<INT>, bits: INT, scale: DOUBLE>>';

/** An expression that uses another one several times, and computes it once. */
function using(value: string, name: string, expression: string): string {
  return `transform(array(${value}), ${name} -> ${expression})[0]`;
}

const FEWEST_BITS = 'array_min(transform(filter(hdr_rows, one -> size(one.k) > 0), one -> one.bits))';
const SCALES = 'transform(hdr_rows, one -> one.scale)';
const ONE_SCALE = `CASE WHEN array_min(${SCALES}) < array_max(${SCALES}) THEN CAST(raise_error(${spark.text(SEVERAL_SCALES)}) AS DOUBLE) ELSE array_min(${SCALES}) END`;

/** The slots of all rows, with what an expression makes of the slot `slot` at `i` of the row `one`. */
function slotsOfRows(slot: string): string {
  return `flatten(transform(hdr_rows, one -> transform(one.k, (slot, i) -> ${slot})))`;
}

// Slots at 20 bits: they become those of fewer bits at the end, because a shift keeps the order.
const FIRST = 'shiftleft(slot, 20 - one.bits)';
const LAST = 'shiftleft(slot + coalesce(get(one.w, i), 0), 20 - one.bits)';
const TOTAL = `aggregate(${slotsOfRows('one.c[i]')}, 0L, (sum, n) -> sum + n)`;
// The percentage is the double below: see Percentiles in docs/formats/history.md.
const RANK = `greatest(1D, CAST(ceil(p * (1 - power(2D, -53D)) * CAST(${TOTAL} AS DOUBLE) / 100) AS DOUBLE))`;

function slotOfRank(slot: string): string {
  const slots = `sort_array(${slotsOfRows(`named_struct('slot', ${slot}, 'n', one.c[i])`)})`;
  const upTo = `(upto, one) -> CASE WHEN upto.n >= it.rank THEN upto ELSE named_struct('slot', one.slot, 'n', upto.n + one.n) END`;
  return `shiftright(aggregate(${slots}, named_struct('slot', CAST(NULL AS INT), 'n', 0L), ${upTo}).slot, 20 - it.bits)`;
}

function boundsSql(first: string, last: string, bits: string, scale: string): string {
  const value = (tick: string): string => ticksInUnit(`(${tick})`, scale);
  return `named_struct('lower', ${value(firstTick(first, bits, spark))}, 'upper', ${value(lastTick(first, last, bits, spark))})`;
}

/** The counts of slots whose bounds `it` follow a condition. */
function countWhere(condition: string): string {
  const bounds = boundsSql('slot', '(slot + coalesce(get(one.w, i), 0))', 'one.bits', 'one.scale');
  const counts = slotsOfRows(using(bounds, 'it', `CASE WHEN ${condition} THEN one.c[i] ELSE 0L END`));
  return `aggregate(${counts}, 0L, (sum, n) -> sum + n)`;
}

const PERCENTILE = using(
  `named_struct('bits', ${FEWEST_BITS}, 'scale', ${ONE_SCALE}, 'rank', CASE WHEN p BETWEEN 0 AND 100 THEN ${RANK} ELSE CAST(raise_error(${spark.text(NO_PERCENTILE)}) AS DOUBLE) END)`,
  'it',
  using(
    `named_struct('first', ${slotOfRank(FIRST)}, 'last', ${slotOfRank(LAST)}, 'bits', it.bits, 'scale', it.scale)`,
    'at',
    boundsSql('at.first', 'at.last', 'at.bits', 'at.scale'),
  ),
);

const PAIR = `named_struct('slot', shiftright(${FIRST}, 20 - fewest), 'last', shiftright(${LAST}, 20 - fewest), 'n', one.c[i])`;
// Neighbours in the order of slots become one.
const MERGED = `aggregate(sort_array(${slotsOfRows(PAIR)}), CAST(array() AS ARRAY<STRUCT<slot: INT, last: INT, n: BIGINT>>),
    (all, one) -> CASE WHEN size(all) > 0 AND all[size(all) - 1].slot = one.slot AND all[size(all) - 1].last = one.last
      THEN concat(slice(all, 1, size(all) - 1), array(named_struct('slot', one.slot, 'last', one.last, 'n', all[size(all) - 1].n + one.n)))
      ELSE concat(all, array(one)) END)`;
const MERGE = using(
  FEWEST_BITS,
  'fewest',
  using(
    MERGED,
    'merged',
    `named_struct('k', transform(merged, one -> one.slot), 'c', transform(merged, one -> one.n), 'w', transform(merged, one -> one.last - one.slot), 'bits', fewest, 'scale', ${ONE_SCALE})`,
  ),
);

const FUNCTIONS: readonly (readonly [call: string, returns: string, body: string])[] = [
  ['hdr_slot_start(slot INT, bits INT)', 'DOUBLE', firstTick('slot', 'bits', spark)],
  ['hdr_ticks_in_unit(ticks DOUBLE, scale DOUBLE)', 'DOUBLE', ticksInUnit('ticks', 'scale')],
  [`hdr_percentile(${ROWS}, p DOUBLE)`, 'STRUCT<lower: DOUBLE, upper: DOUBLE>', PERCENTILE],
  [
    `hdr_merge(${ROWS})`,
    'STRUCT<k: ARRAY<INT>, c: ARRAY<BIGINT>, w: ARRAY<INT>, bits: INT, scale: DOUBLE>',
    MERGE,
  ],
  [
    `hdr_count_within(${ROWS}, low DOUBLE, high DOUBLE)`,
    'STRUCT<lower: BIGINT, upper: BIGINT>',
    `named_struct('lower', ${countWhere('it.lower >= low AND it.upper <= high')}, 'upper', ${countWhere('it.upper >= low AND it.lower <= high')})`,
  ],
];

/** SQL functions of Spark 4, whose functions take no rows: a group is a list of them. */
export const SPARK_FUNCTIONS: readonly string[] = FUNCTIONS.map(
  ([call, returns, body]) =>
    `CREATE OR REPLACE TEMPORARY FUNCTION ${call} RETURNS ${returns} RETURN\n  ${body}`,
);
