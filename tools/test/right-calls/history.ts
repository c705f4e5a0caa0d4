import {
  clickHouseTable,
  compactHistory,
  countedOfRow,
  explainHistory,
  figureBounds,
  folderCompactSql,
  folderRollupSql,
  historyFunctionsSql,
  historyMetrics,
  historyRollupSql,
  historySpan,
  historySql,
  historyTableSql,
  historyUnits,
  mergeRows,
  objectiveHistory,
  openHistory,
  percentilesOf,
  postgresTable,
  queryExemplars,
  queryHistory,
  queryMergedRows,
  readRows,
  removeHistoryDays,
  rollUpHistory,
  rowsBetween,
  slotBounds,
  slotOfTick,
  snapshotsOfRows,
  uniqueRowsSql,
  verifyHistory,
  writeRows,
} from '@hdrscope/history';
import { EMPTY_SNAPSHOT, type Registry } from '@hdrscope/registry';
import { filled, snapshot } from './registry.ts';
import { first, flushOnce, type RightCalls, right } from './right-call.ts';

/** A folder of rows of the family `jobs`, in the working folder of the test. */
export const FOLDER = './history';

const rows = [...rowsBetween(EMPTY_SNAPSHOT, snapshot, { producer: 'a' })];
const [row] = rows;
const until = Date.now() + 3_600_000;

export const HISTORY: RightCalls = {
  'history.clickHouseTable': right(clickHouseTable, { url: 'http://127.0.0.1:1' }),
  'history.compactHistory': right(compactHistory, FOLDER, {}),
  'history.countedOfRow': right(countedOfRow, row),
  'history.explainHistory': right(
    explainHistory,
    FOLDER,
    { metric: 'jobs', before: { sinceMs: 0, untilMs: 1000 }, after: { sinceMs: 1000, untilMs: until } },
    {},
  ),
  'history.figureBounds': right(figureBounds, row),
  'history.folderCompactSql': right(folderCompactSql, 'duckdb', FOLDER, './compacted', {}),
  'history.folderRollupSql': right(folderRollupSql, 'duckdb', FOLDER, './rolled', {}),
  'history.historyFunctionsSql': right(historyFunctionsSql, 'duckdb'),
  'history.historyMetrics': right(historyMetrics, FOLDER, {}),
  'history.historyRollupSql': right(historyRollupSql, 'clickhouse', 'rows', {}),
  'history.historySpan': right(historySpan, FOLDER, {}, {}),
  'history.historySql': right(historySql, { metric: 'jobs' }, 'duckdb', {}),
  'history.historyTableSql': right(historyTableSql, 'clickhouse', 'rows', {}),
  'history.historyUnits': right(historyUnits, FOLDER, { metric: 'jobs', sinceMs: 0, untilMs: until }, {}),
  'history.mergeRows': right(mergeRows, rows),
  'history.objectiveHistory': right(
    objectiveHistory,
    FOLDER,
    { metric: 'jobs', threshold: 0.5, objective: 0.9, sinceMs: until - 1000, untilMs: until },
    {},
  ),
  'history.openHistory': right(
    (registry: Registry, options: object) => flushOnce(openHistory(registry, options)),
    filled(),
    { folder: './sunk', closeTimeoutMs: 1000 },
  ),
  'history.percentilesOf': right(percentilesOf, row, [50]),
  'history.postgresTable': right(postgresTable, { url: 'postgres://127.0.0.1:1' }),
  'history.queryHistory': right(queryHistory, FOLDER, { metric: 'jobs' }, {}),
  'history.queryExemplars': right(queryExemplars, FOLDER, { metric: 'jobs' }, {}),
  'history.queryMergedRows': right(queryMergedRows, FOLDER, {}, {}),
  'history.readRows': right(readRows, './rows.parquet'),
  'history.removeHistoryDays': right(removeHistoryDays, FOLDER, { keepMs: 86_400_000 }),
  'history.rollUpHistory': right(rollUpHistory, FOLDER, './rolled', {}),
  'history.rowsBetween': right(
    (...args: Parameters<typeof rowsBetween>) => first(rowsBetween(...args)),
    EMPTY_SNAPSHOT,
    snapshot,
    { producer: 'a' },
  ),
  'history.slotBounds': right(slotBounds, 1, 7),
  'history.slotOfTick': right(slotOfTick, 1, 7),
  'history.snapshotsOfRows': right(snapshotsOfRows, queryMergedRows(FOLDER)),
  'history.uniqueRowsSql': right(uniqueRowsSql, { metric: 'jobs' }, 'duckdb', {}),
  'history.verifyHistory': right(verifyHistory, FOLDER, {}),
  'history.writeRows': right(writeRows, './written.parquet', rows),
};
