import type { ExplainLimits, SeriesChange } from '@hdrscope/explain/internal';
import { MOST_BITS_OF_HDR } from '../rows/counted-of-row.ts';
import { SlotSums } from '../rows/merge-rows.ts';
import type { HistoryRow } from '../rows/row.ts';
import { largestWeight } from '../rows/row-weight.ts';
import { type HistoryExplanation, readForm } from './explain.ts';
import { explainSeries } from './explain-series.ts';

/** Which percentile of which rows is to be explained. */
export interface RowsQuestion extends ExplainLimits {
  /** The name of the metric. Rows of other metrics are left out. */
  readonly metric: string;
  /** From 0 to 100. */
  readonly percentile: number;
  /** Attributes that series must have, with their values. @default all series */
  readonly where?: Readonly<Record<string, string>>;
}

interface SeriesSums
  extends Readonly<Record<'before' | 'after', SlotSums>>,
    Pick<SeriesChange, 'attributes'> {
  weight: number;
}

/**
 * Explains why a percentile has moved from some rows to others, as `explainHistory` does for two times of a history.
 *
 * @param before What was usual. Each row counts, so none may be there twice.
 * @param after What is to be explained.
 * @throws HdrscopeError as `explainHistory`, but for the errors of files and of the engine.
 */
export function explainRows(
  before: readonly HistoryRow[],
  after: readonly HistoryRow[],
  question: RowsQuestion,
): HistoryExplanation {
  const { metric, where = {} } = question;
  const wanted = Object.entries(where);
  const isAsked = (row: HistoryRow): boolean =>
    row.metric === metric && wanted.every(([key, value]) => row.attributes[key] === value);
  const sides = { before: before.filter(isAsked), after: after.filter(isAsked) };
  const all = [...sides.before, ...sides.after];
  const { unit, scale, bits } = readForm(all, metric);
  const least = all.reduce((most, row) => Math.min(most, row.bits), Math.min(MOST_BITS_OF_HDR, bits));
  const series = new Map<string, SeriesSums>();
  for (const side of ['before', 'after'] as const) {
    for (const row of sides[side]) {
      const { attributes } = row;
      const identity = JSON.stringify(Object.entries(attributes));
      const known = series.get(identity) ?? {
        attributes,
        ...{ before: new SlotSums(), after: new SlotSums(), weight: 1 },
      };
      series.set(identity, known);
      known[side].addRow(row, least);
      known.weight = largestWeight([known, row]);
    }
  }
  const changes = [...series.values()].map((one) => ({
    attributes: one.attributes,
    before: one.before.lists(),
    after: one.after.lists(),
    weight: one.weight,
  }));
  return { unit, ...explainSeries(changes, { ...question, scale, bits: least }) };
}
