import { DIALECTS } from '../dialects.ts';
import { firstTick, lastTick, ticksInUnit } from '../slot-sql.ts';
import { NO_PERCENTILE, SEVERAL_SCALES } from './refusals.ts';

const { duckdb } = DIALECTS;

const GROUP = `list({k: k, c: c, w: w, bits: bits}), min(bits) FILTER (len(k) > 0),
    CASE WHEN min(scale) < max(scale) THEN error(${duckdb.text(SEVERAL_SCALES)}) ELSE min(scale) END`;
// DuckDB puts arguments into the text of a macro, so no name inside a query or a lambda may be one of a column outside of it.
const SLOTS = `(SELECT unnest(hdr_row.k) AS hdr_slot, unnest(hdr_row.c) AS hdr_n, unnest(hdr_row.w) AS hdr_width, hdr_row.bits AS hdr_row_bits
        FROM (SELECT unnest(rows) AS hdr_row))`;
const SETTINGS = '(SELECT bits AS hdr_bits, scale AS hdr_scale)';

function countWhere(condition: string): string {
  return `CAST(coalesce(sum(list_sum(list_transform(k, lambda hdr_slot, hdr_i: CASE WHEN ${condition} THEN c[hdr_i] ELSE 0 END))), 0) AS BIGINT)`;
}

const MACROS: readonly (readonly [call: string, body: string])[] = [
  ['hdr_slot_start(slot, bits)', firstTick('slot', 'bits', duckdb)],
  ['hdr_slot_end(slot, width, bits)', lastTick('slot', '(slot + coalesce(width, 0))', 'bits', duckdb)],
  ['hdr_ticks_in_unit(ticks, scale)', ticksInUnit('ticks', 'scale')],
  // The percentage is the double below: see Percentiles in docs/formats/history.md.
  ['hdr_rank(n, p)', 'greatest(1, ceil(p * (1 - power(CAST(2 AS DOUBLE), -53)) * CAST(n AS DOUBLE) / 100))'],
  [
    'hdr_slot_of_rank(slots, rank)',
    'list_reduce(list_sort(slots), lambda hdr_upto, hdr_one: CASE WHEN hdr_upto.n >= rank THEN hdr_upto ELSE {slot: hdr_one.slot, n: hdr_upto.n + hdr_one.n} END).slot',
  ],
  [
    'hdr_bounds(slot, last, bits, scale)',
    '{lower: hdr_ticks_in_unit(hdr_slot_start(slot, bits), scale), upper: hdr_ticks_in_unit(hdr_slot_end(slot, last - slot, bits), scale)}',
  ],
  // The slots of all rows are at 20 bits: they become those of fewer bits at the end, because a shift keeps the order.
  [
    'hdr_percentile_of_rows(rows, bits, scale, p)',
    `(SELECT hdr_bounds(hdr_slot_of_rank(hdr_firsts, hdr_rank(hdr_total, p)) >> (20 - hdr_bits), hdr_slot_of_rank(hdr_lasts, hdr_rank(hdr_total, p)) >> (20 - hdr_bits), hdr_bits, hdr_scale)
    FROM (
      SELECT list({slot: hdr_first, n: hdr_n}) AS hdr_firsts, list({slot: hdr_last, n: hdr_n}) AS hdr_lasts, sum(hdr_n) AS hdr_total
      FROM (
        SELECT hdr_slot << (20 - hdr_row_bits) AS hdr_first, (hdr_slot + coalesce(hdr_width, 0)) << (20 - hdr_row_bits) AS hdr_last, sum(hdr_n) AS hdr_n
        FROM ${SLOTS} GROUP BY ALL
      )
    ), ${SETTINGS})`,
  ],
  [
    'hdr_percentile(k, c, w, bits, scale, p)',
    `CASE WHEN p BETWEEN 0 AND 100 THEN hdr_percentile_of_rows(${GROUP}, p) ELSE error(${duckdb.text(NO_PERCENTILE)}) END`,
  ],
  [
    'hdr_merge_rows(rows, bits, scale)',
    `(SELECT {k: hdr_k, c: hdr_c, w: hdr_w, bits: hdr_bits, scale: hdr_scale}
    FROM (
      SELECT list(hdr_first ORDER BY hdr_first, hdr_last) AS hdr_k, list(hdr_n ORDER BY hdr_first, hdr_last) AS hdr_c,
        list(hdr_last - hdr_first ORDER BY hdr_first, hdr_last) AS hdr_w
      FROM (
        SELECT hdr_first, hdr_last, CAST(sum(hdr_n) AS BIGINT) AS hdr_n
        FROM (SELECT hdr_slot >> (hdr_row_bits - bits) AS hdr_first, (hdr_slot + coalesce(hdr_width, 0)) >> (hdr_row_bits - bits) AS hdr_last, hdr_n FROM ${SLOTS})
        GROUP BY hdr_first, hdr_last
      )
    ), ${SETTINGS})`,
  ],
  ['hdr_merge(k, c, w, bits, scale)', `hdr_merge_rows(${GROUP})`],
  [
    'hdr_count_within(k, c, w, bits, scale, low, high)',
    `{lower: ${countWhere('hdr_ticks_in_unit(hdr_slot_start(hdr_slot, bits), scale) >= low AND hdr_ticks_in_unit(hdr_slot_end(hdr_slot, w[hdr_i], bits), scale) <= high')},
   upper: ${countWhere('hdr_ticks_in_unit(hdr_slot_end(hdr_slot, w[hdr_i], bits), scale) >= low AND hdr_ticks_in_unit(hdr_slot_start(hdr_slot, bits), scale) <= high')}}`,
  ],
];

/** Macros of DuckDB. */
export const DUCKDB_FUNCTIONS: readonly string[] = MACROS.map(
  ([call, body]) => `CREATE OR REPLACE MACRO ${call} AS\n  ${body}`,
);
