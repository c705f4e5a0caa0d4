export type { SenderTlsFiles } from '@hdrscope/kit/delivery';
export { type CompactedDay, type CompactOptions, compactHistory } from './compact/compact.ts';
export type { HistoryErrorCode } from './errors.ts';
export { explainHistory, type HistoryExplanation } from './explain/explain.ts';
export { explainChange } from './explain/explain-change.ts';
export type {
  AttributeSide,
  CauseVerdict,
  ChangeExplanation,
  ChangeKind,
  ChangeQuestion,
  ExplainedCause,
  ExplainedSide,
  ExplainLimits,
  ExplanationVerdict,
} from './explain/explanation.ts';
export type { ExplainQuestion, TimeRange } from './explain/question.ts';
export type { AttributeValue, SeriesChange, SlotCounts } from './explain/series-change.ts';
export {
  historyUnits,
  type ObjectiveHistory,
  type ObjectivePeriod,
  objectiveHistory,
} from './objective/objective-history.ts';
export type { ObjectiveQuestion } from './objective/question.ts';
export { readRows } from './parquet/decode.ts';
export type { WrittenFile } from './parquet/write-file.ts';
export { writeRows } from './parquet/write-rows.ts';
export { type HistoryMetric, historyMetrics } from './query/history-metrics.ts';
export { type HistorySpan, historySpan, type SpanQuestion } from './query/history-span.ts';
export { type MergedRow, type MergeQuestion, queryMergedRows } from './query/merged-rows.ts';
export { type HistoryGroup, type QueryOptions, queryHistory } from './query/query-history.ts';
export type { RolledDay } from './rollup/day.ts';
export { type RollupOptions, rollUpHistory } from './rollup/rollup.ts';
export { countedOfRow } from './rows/counted-of-row.ts';
export { type FigureBounds, figureBounds } from './rows/margins.ts';
export { mergeRows } from './rows/merge-rows.ts';
export { type PercentileValue, percentilesOf } from './rows/percentiles.ts';
export type { Distribution, HistoryRow, Margins } from './rows/row.ts';
export { type RowFacts, rowsBetween } from './rows/rows-between.ts';
export { slotBounds, slotOfTick } from './rows/slots.ts';
export { snapshotsOfRows } from './rows/snapshots-of-rows.ts';
export type { HistoryHealth } from './sink/health.ts';
export { openHistory } from './sink/open.ts';
export type { HistoryOptions, HistoryTable } from './sink/options.ts';
export type { HistorySink } from './sink/sink.ts';
export type { HistoryTarget, RowBatch } from './sink/target.ts';
export type { DialectName } from './sql/dialects.ts';
export { type HistorySource, historySql } from './sql/history-sql.ts';
export type { HistoryQuestion } from './sql/question.ts';
export { historyRollupSql, type RollupSqlOptions } from './sql/rollup-sql.ts';
export { historyTableSql, type TableDialect, type TableSqlOptions } from './sql/table-sql.ts';
export { type ClickHouseTableOptions, clickHouseTable } from './tables/clickhouse.ts';
export type { ServerTableOptions } from './tables/options.ts';
export { type PostgresTableOptions, postgresTable } from './tables/postgres.ts';
