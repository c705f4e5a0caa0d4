// Entry `@hdrscope/history/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { explainRows } from './explain/explain-rows.ts';
export { explainSeries } from './explain/explain-series.ts';
export type { ExplainQuestion, TimeRange } from './explain/question.ts';
export type { ObjectivePeriod } from './objective/objective-history.ts';
export { type RowKey, readRowKeys } from './parquet/decode.ts';
export { DAY, dayOf } from './parquet/names.ts';
export { explainMetrics, explainNothing, nothingSelected } from './query/explain-nothing.ts';
export type { MergeQuestion } from './query/merged-rows.ts';
export type { ExemplarQuestion } from './query/query-exemplars.ts';
export { divideBy, stretchFor } from './query/stretch-for.ts';
export { histogramsOfRow } from './rows/histograms-of-row.ts';
export { distinctRows } from './rows/merge-rows.ts';
export { type CheckedQuestion, checkedQuestion, type RowSelection } from './sql/question.ts';
export { type Division, type DivisionOptions, findStretch, listStretches } from './stretches.ts';
