// Entry `@hdrscope/history/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { describeExplanation, formatNames, formatPart, formatSide } from './explain/describe.ts';
export { explainChange } from './explain/explain-change.ts';
export { explainRows } from './explain/explain-rows.ts';
export type { AttributeSide, CauseVerdict, ExplainedCause, ExplainedSide } from './explain/explanation.ts';
export type { TimeRange } from './explain/question.ts';
export type { ObjectivePeriod } from './objective/objective-history.ts';
export { type RowKey, readRowKeys } from './parquet/decode.ts';
export { explainNothing, nothingSelected } from './query/explain-nothing.ts';
export type { SpanQuestion } from './query/history-span.ts';
export type { MergeQuestion } from './query/merged-rows.ts';
export { stretchFor } from './query/stretch-for.ts';
export { histogramsOfRow } from './rows/histograms-of-row.ts';
