import { DIALECTS } from './dialects.ts';
import { END_EXPONENT, infinity } from './statement.ts';

const { shiftRight } = DIALECTS.duckdb;

const ENDLESS = `last > first AND ${shiftRight('(last + 1)', 'bits')} >= ${END_EXPONENT}`;

/**
 * The statements that make functions of DuckDB, for statements of your own. Each begins with `hdr_`, and a later run replaces it.
 *
 * | function | meaning |
 * |---|---|
 * | `hdr_percentile(k, c, w, bits, scale, p)` | an aggregate: the bounds of the percentile `p` of all rows of a group, in the unit, as `lower` and `upper` |
 * | `hdr_slot_start(k, bits)` | the first tick of a slot |
 * | `hdr_ticks_in_unit(ticks, scale)` | ticks in the unit |
 *
 * `hdr_percentile` answers as `historySql` does: at the fewest bits of the group, with an infinite upper bound where a bucket has no end. It
 * refuses a group of several scales. It keeps the slots of a group in memory, so `historySql` is for large groups.
 *
 * @returns Statements that are run in this order.
 * @example
 * ```ts
 * import { historyFunctionsSql } from '@hdrscope/history';
 *
 * historyFunctionsSql().at(-1)!.startsWith('CREATE OR REPLACE MACRO hdr_percentile(k, c, w, bits, scale, p) AS'); //=> true
 * ```
 */
export function historyFunctionsSql(): readonly string[] {
  return FUNCTIONS.map(([call, body]) => `CREATE OR REPLACE MACRO ${call} AS\n  ${body}`);
}

const FUNCTIONS: readonly (readonly [call: string, body: string])[] = [
  [
    'hdr_slot_start(slot, bits)',
    'CASE WHEN slot = 0 THEN CAST(0 AS DOUBLE) ELSE power(CAST(2 AS DOUBLE), (slot >> bits) - 1023) * (1 + (slot & ((1 << bits) - 1)) / power(CAST(2 AS DOUBLE), bits)) END',
  ],
  [
    'hdr_ticks_in_unit(ticks, scale)',
    'ticks / CASE WHEN abs(1 / scale - round(1 / scale)) <= 1e-9 / scale THEN round(1 / scale) ELSE 1 / scale END',
  ],
  // The percentage is the double below: see Percentiles in docs/formats/history.md.
  [
    'hdr_rank(slots, p)',
    'greatest(1, ceil(p * (1 - power(CAST(2 AS DOUBLE), -53)) * list_sum(list_transform(slots, lambda one: one.n)) / 100))',
  ],
  [
    'hdr_slot_of_rank(slots, rank)',
    'list_reduce(list_sort(slots), lambda upto, one: CASE WHEN upto.n >= rank THEN upto ELSE {slot: one.slot, n: upto.n + one.n} END).slot',
  ],
  [
    'hdr_bounds(first, last, bits, scale)',
    `{lower: hdr_ticks_in_unit(hdr_slot_start(first, bits), scale), upper: CASE WHEN ${ENDLESS} THEN ${infinity(DIALECTS.duckdb)} ELSE hdr_ticks_in_unit(ceil(hdr_slot_start(last + 1, bits)) - 1, scale) END}`,
  ],
  [
    'hdr_counts(k, c, w, bits)',
    'list_transform(k, lambda slot, i: {slot: slot, last: slot + coalesce(w[i], 0), n: CAST(c[i] AS HUGEINT), bits: bits})',
  ],
  [
    'hdr_ends(counts, bits, p)',
    `{first: hdr_slot_of_rank(list_transform(counts, lambda one: {slot: one.slot >> (one.bits - bits), n: one.n}), hdr_rank(counts, p)),
   last: hdr_slot_of_rank(list_transform(counts, lambda one: {slot: one.last >> (one.bits - bits), n: one.n}), hdr_rank(counts, p))}`,
  ],
  [
    'hdr_percentile(k, c, w, bits, scale, p)',
    `hdr_bounds(
    hdr_ends(flatten(list(hdr_counts(k, c, w, bits))), min(bits), p).first,
    hdr_ends(flatten(list(hdr_counts(k, c, w, bits))), min(bits), p).last,
    min(bits),
    CASE WHEN min(scale) = max(scale) THEN min(scale) ELSE error('rows of several scales have no percentile together: group by unit and scale') END)`,
  ],
];
