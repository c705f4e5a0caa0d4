export type { ChangeExplanation } from '@hdrscope/explain';
export { type CompactedDay, compactHistory } from './compact/compact.ts';
export type { HistoryErrorCode } from './errors.ts';
export { explainHistory, type HistoryExplanation } from './explain/explain.ts';
export { historyUnits, type ObjectiveHistory, objectiveHistory } from './objective/objective-history.ts';
export { readRows } from './parquet/decode.ts';
export type { WrittenFile } from './parquet/write-file.ts';
export { writeRows } from './parquet/write-rows.ts';
export { type HistoryMetric, historyMetrics } from './query/history-metrics.ts';
export { type HistorySpan, historySpan } from './query/history-span.ts';
export { type MergedRow, queryMergedRows } from './query/merged-rows.ts';
export { type HistoryExemplar, queryExemplars } from './query/query-exemplars.ts';
export { type HistoryGroup, queryHistory } from './query/query-history.ts';
export type { DamagedFile } from './query/whole-files.ts';
export {
  type RemovedDay,
  type RemovedHistory,
  type RetainedDay,
  removeHistoryDays,
} from './retention/remove-days.ts';
export type { RolledDay } from './rollup/day.ts';
export { rollUpHistory } from './rollup/rollup.ts';
export { countedOfRow } from './rows/counted-of-row.ts';
export { type FigureBounds, figureBounds } from './rows/margins.ts';
export { mergeRows } from './rows/merge-rows.ts';
export { type PercentileValue, percentilesOf } from './rows/percentiles.ts';
export type { Distribution, HistoryRow, Margins, RowExemplar } from './rows/row.ts';
export { rowsBetween } from './rows/rows-between.ts';
export { slotBounds, slotOfTick } from './rows/slots.ts';
export { snapshotsOfRows } from './rows/snapshots-of-rows.ts';
export type { HistoryHealth } from './sink/health.ts';
export { openHistory } from './sink/open.ts';
export type { HistoryOptions, HistoryTable } from './sink/options.ts';
export type { HistorySink } from './sink/sink.ts';
export type { HistoryTarget, RowBatch } from './sink/target.ts';
export type { DialectName } from './sql/dialects.ts';
export { folderCompactSql, folderRollupSql } from './sql/folder-sql.ts';
export { historyFunctionsSql } from './sql/functions-sql.ts';
export { historySql } from './sql/history-sql.ts';
export type { HistoryQuestion } from './sql/question.ts';
export { historyRollupSql } from './sql/rollup-sql.ts';
export { historyTableSql } from './sql/table-sql.ts';
export { uniqueRowsSql } from './sql/unique-sql.ts';
export type { CalendarLength } from './stretches.ts';
export { clickHouseTable } from './tables/clickhouse.ts';
export { postgresTable } from './tables/postgres.ts';
export { type VerifiedHistory, verifyHistory } from './verify/verify-history.ts';
