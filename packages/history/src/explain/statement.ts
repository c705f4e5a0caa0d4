import { MOST_BITS_OF_HDR } from '../rows/counted-of-row.ts';
import { DIALECTS } from '../sql/dialects.ts';
import type { RowSource } from '../sql/row-source.ts';
import { conditionOf, slotsOf, spanConditions, WEIGHT_COLUMN, WEIGHT_TOTAL } from '../sql/statement.ts';
import type { CheckedExplain, TimeRange } from './question.ts';

const { duckdb } = DIALECTS;

/**
 * A statement for DuckDB: the merged counts of each series in both ranges, all at the bits of the coarsest row, or at the most that
 * `countedOfRow` takes. Its rows have the columns `attribute_keys`, `attribute_values`, `unit`, `scale`, `bits`, `is_after`, `weight`, `k`, `c` and
 * `w`, which has a number for each slot.
 */
export function seriesStatement({ span, before, after }: CheckedExplain, source: RowSource): string {
  const inRange = (range: TimeRange): string => `(${spanConditions(range, duckdb).join(' AND ')})`;
  const columns = `attributes, unit, scale, bits, ${inRange(after)} AS is_after, ${WEIGHT_COLUMN}, k, c, w`;
  const condition = `${conditionOf(span, duckdb)} AND (${inRange(before)} OR ${inRange(after)})`;
  const coarse = (slot: string): string => duckdb.shiftRight(slot, '(bits - least_bits)');
  const key = 'attributes, unit, scale, is_after';
  return `WITH asked AS ${duckdb.readTwice}(
  ${duckdb.once(columns, source, condition)}
), coarsest AS (
  SELECT least(${MOST_BITS_OF_HDR}, min(bits)) AS least_bits FROM asked
), slots AS (
  SELECT ${key}, least_bits, ${coarse('slot')} AS slot, ${coarse('slot_to')} AS slot_to, sum(n) AS n, ${WEIGHT_TOTAL} AS row_weight
  FROM ${slotsOf('asked', source, duckdb)}, coarsest
  GROUP BY ${key}, least_bits, ${coarse('slot')}, ${coarse('slot_to')}
)
SELECT map_keys(attributes) AS attribute_keys, map_values(attributes) AS attribute_values, unit, scale,
  least_bits AS bits, is_after, ${WEIGHT_TOTAL} AS weight, list(slot ORDER BY slot, slot_to) AS k, list(${duckdb.double('n')} ORDER BY slot, slot_to) AS c,
  list(slot_to - slot ORDER BY slot, slot_to) AS w
FROM slots
GROUP BY ${key}, least_bits`;
}
