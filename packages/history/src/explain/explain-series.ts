import type { ChangeExplanation } from '@hdrscope/explain';
import { type ExplainLimits, explainChange, type SeriesChange } from '@hdrscope/explain/internal';
import type { Distribution } from '../rows/row.ts';
import { rowSlots } from './row-slots.ts';

/** What is asked of series whose slots are those of rows with equal `scale` and `bits`. */
export interface SeriesQuestion extends ExplainLimits, Pick<Distribution, 'scale' | 'bits'> {
  /** From 0 to 100. */
  readonly percentile: number;
}

/**
 * Explains why a percentile of some series has moved, by `explainChange`.
 *
 * @throws HdrscopeError as `explainChange` and `rowSlots`.
 */
export function explainSeries(series: readonly SeriesChange[], question: SeriesQuestion): ChangeExplanation {
  return explainChange(series, { ...question, slots: rowSlots(question) });
}
