import type { HistoryRow } from '../../src/index.ts';
import { DIALECTS } from '../../src/sql/dialects.ts';

/** Inserts rows into the table `history`. Rows that it has already are left out. */
export function insertSql(rows: readonly HistoryRow[]): string {
  const json = DIALECTS.postgres.text(JSON.stringify(rows));
  const integers = (name: string, type: string): string =>
    `ARRAY(SELECT jsonb_array_elements_text(${name})::${type})`;
  return `INSERT INTO history SELECT metric, unit, attributes, to_timestamp("startMs" / 1000.0), to_timestamp("endMs" / 1000.0), producer, sequence, count, sum, min, max, scale, bits, ${integers('k', 'integer')}, ${integers('c', 'bigint')}, version
FROM jsonb_to_recordset(${json}::jsonb) AS r(metric text, unit text, attributes jsonb, "startMs" bigint, "endMs" bigint, producer text, sequence bigint, count bigint, sum float8, min float8, max float8, scale float8, bits integer, k jsonb, c jsonb, version integer)
ON CONFLICT DO NOTHING`;
}
