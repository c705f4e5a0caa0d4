import { HdrscopeError } from '@hdrscope/core';
import type { ChangeExplanation } from '@hdrscope/explain';
import type { SeriesChange, SlotCounts } from '@hdrscope/explain/internal';
import { askFolder, type QueryOptions } from '../query/query-history.ts';
import type { Distribution } from '../rows/row.ts';
import { checkedExplain, type ExplainQuestion } from './question.ts';
import { rowSlots } from './row-slots.ts';
import { seriesStatement } from './statement.ts';

/** Why a percentile of a metric has moved. All values are in its unit. */
export interface HistoryExplanation extends ChangeExplanation {
  /** UCUM code of the unit; `undefined` when there are no values. */
  readonly unit: string | undefined;
}

/**
 * Explains why a percentile has moved from one range of time to another: which attribute value it comes from, and how much of the
 * difference would not be there without. `explainChange` has the statistics. Counts are merged inside DuckDB, which needs the package
 * `@duckdb/node-api`.
 *
 * @param folder The folder that `openHistory` writes.
 * @throws HdrscopeError `ERR_INVALID_OPTION` and `ERR_INVALID_VALUE` when the question is outside its documented ranges;
 *   `ERR_INCOMPATIBLE` when the metric has several units or scales in these ranges: choose series with `where`; `ERR_HISTORY_FILE` and
 *   `ERR_HISTORY_ENGINE` as `queryHistory`.
 * @example
 * ```ts no-run there is no such folder
 * import { explainHistory } from '@hdrscope/history';
 *
 * const at = (time: string) => Date.parse(`2026-03-10T${time}Z`);
 * const { verdict, causes } = await explainHistory('history', {
 *   metric: 'http.server.request.duration',
 *   before: { sinceMs: at('14:00'), untilMs: at('15:10') },
 *   after: { sinceMs: at('15:10'), untilMs: at('15:18') },
 * });
 * if (verdict === 'explained') console.log(causes[0]!.attributes, causes[0]!.explains);
 * ```
 */
export async function explainHistory(
  folder: string,
  question: ExplainQuestion,
  options: QueryOptions = {},
): Promise<HistoryExplanation> {
  // Programs that only write a history start without it.
  const { checkedLimits, explainChange } = await import('@hdrscope/explain/internal');
  const checked = checkedExplain(question, checkedLimits);
  const rows = await askFolder(folder, checked.span, options, (source) => seriesStatement(checked, source));
  const { unit, scale, bits } = readForm(rows.map(asForm), checked.span.metric);
  return { unit, ...explainChange(seriesOf(rows), { ...checked, slots: rowSlots({ scale, bits }) }) };
}

type Row = Record<string, unknown>;

/** What rows say of their values. */
type Form = Pick<Distribution, 'unit' | 'scale' | 'bits'>;

function asForm({ unit, scale, bits }: Row): Form {
  return { unit: String(unit), scale: Number(scale), bits: Number(bits) };
}

/**
 * The unit and the scale of all rows of a metric, and the bits of the first one.
 *
 * @throws HdrscopeError `ERR_INCOMPATIBLE` when their units or scales differ.
 */
export function readForm(rows: readonly Form[], metric: string): Partial<Form> & Omit<Form, 'unit'> {
  const [first] = rows;
  if (first === undefined) return { scale: 1, bits: 0 };
  const other = rows.find(({ unit, scale }) => unit !== first.unit || scale !== first.scale);
  if (other === undefined) return first;
  const [units, scales] = [
    [first.unit, other.unit],
    [first.scale, other.scale],
  ];
  throw new HdrscopeError(
    'ERR_INCOMPATIBLE',
    `${metric} must have one unit and scale before and after, got "${units[0]}" in steps of ${scales[0]} and "${units[1]}" in steps of ${scales[1]}: choose series with where`,
    { details: { metric, units, scales } },
  );
}

const NOTHING: SlotCounts = { k: [], c: [] };

function seriesOf(rows: readonly Row[]): SeriesChange[] {
  const series = new Map<string, SeriesChange>();
  for (const row of rows) {
    const values = row.attribute_values as string[];
    const entries = (row.attribute_keys as string[]).map((key, i) => [key, values[i]!] as const);
    const identity = JSON.stringify(entries);
    const known = series.get(identity) ?? {
      attributes: Object.fromEntries(entries),
      before: NOTHING,
      after: NOTHING,
      weight: 1,
    };
    const counts = { k: row.k as number[], c: row.c as number[], w: row.w as number[] };
    const weight = Math.max(known.weight!, Number(row.weight));
    series.set(identity, { ...known, weight, [row.is_after === true ? 'after' : 'before']: counts });
  }
  return [...series.values()];
}
