import { wellFormed } from '../rows/attribute-texts.ts';
import { DIALECTS } from '../sql/dialects.ts';
import type { RowSource } from '../sql/row-source.ts';
import { conditionOf, slotsOf, stretchColumns, WEIGHT_COLUMN, WEIGHT_TOTAL } from '../sql/statement.ts';
import type { CheckedObjective } from './question.ts';
import type { ThresholdSlot } from './threshold.ts';

const { duckdb } = DIALECTS;

/** A statement for DuckDB: the units, scales and bits of the rows that a question asks for. */
export function formsStatement(
  question: Omit<CheckedObjective, 'threshold' | 'objective'>,
  source: RowSource,
): string {
  return `SELECT DISTINCT unit, scale, bits FROM ${source.all} WHERE ${condition(question)} ORDER BY unit, scale, bits`;
}

/**
 * A statement for DuckDB that counts values within a threshold. Its rows have the columns `group1`, …; `start_ms`; `total`, `crossing`, `least` and
 * `most`: all values, those of intervals that reach over the end of their period, those certainly within the threshold and those possibly within it; and `strange`: how many slots are of rows
 * whose scale is in no entry of `slots`; `weight`: the largest one of the rows. `wide_first`, `wide_last`, `wide_bits` and `wide_scale` are the widest bucket that a threshold
 * divides, or NULL.
 */
export function withinStatement(
  question: CheckedObjective,
  source: RowSource,
  slots: readonly ThresholdSlot[],
): string {
  const { by, stretches } = question;
  const groups = by.map((_, i) => `group${i + 1}`);
  const columns = [
    ...by.map((key, i) => `${duckdb.attribute(duckdb.text(wellFormed(key)))} AS ${groups[i]}`),
    ...stretchColumns(stretches, duckdb),
    'scale',
    'bits',
    'k',
    'c',
    'w',
    WEIGHT_COLUMN,
  ];
  const limits = slots.map(
    ({ scale, bits, lastCertain, lastPossible }) =>
      `(${duckdb.double(`'${scale}'`)}, ${bits}, ${lastCertain}, ${lastPossible})`,
  );
  const key = [...groups, 't'].join(', ');
  const isDivided = 'slot < slot_to AND slot <= last_possible AND slot_to > last_certain';
  const widest = (column: string): string => `max_by(${column}, slot_to - slot) FILTER (WHERE ${isDivided})`;
  const counted = (when: string): string => duckdb.double(`sum(CASE WHEN ${when} THEN n ELSE 0 END)`);
  return `WITH asked AS (
  ${duckdb.once(columns.join(', '), source, condition(question))}
), limits(scale, bits, last_certain, last_possible) AS (
  VALUES ${limits.join(', ')}
), limited AS (
  SELECT asked.*, last_certain, last_possible
  FROM asked LEFT JOIN limits ON asked.scale = limits.scale AND asked.bits = limits.bits
)
SELECT ${[...groups, 't AS start_ms'].join(', ')}, ${duckdb.double('sum(n)')} AS total, ${counted('row_crossing > 0')} AS crossing, ${counted('slot_to <= last_certain')} AS least,
  ${counted('slot <= last_possible')} AS most, ${counted('last_possible IS NULL')} AS strange, ${WEIGHT_TOTAL} AS weight,
  ${widest('slot')} AS wide_first, ${widest('slot_to')} AS wide_last, ${widest('bits')} AS wide_bits, ${widest('scale')} AS wide_scale
FROM ${slotsOf('limited', source, duckdb)}
GROUP BY ${key}
ORDER BY ${key}`;
}

function condition(question: Omit<CheckedObjective, 'threshold' | 'objective'>): string {
  const { unit } = question;
  const ofUnit = unit === undefined ? '' : ` AND unit = ${duckdb.text(wellFormed(unit))}`;
  return `${conditionOf(question, duckdb)}${ofUnit}`;
}
