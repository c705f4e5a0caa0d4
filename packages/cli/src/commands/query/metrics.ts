import type { HistoryMetric } from '@hdrscope/history';
import { formatCount, formatTime } from '@hdrscope/kit';
import type { Io } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { type Column, csvLine, shownTable } from '../../screen/table.ts';
import { type AskedHistory, missingJson } from './engine.ts';
import type { TableFormat } from './options.ts';

export function metricsText(
  metrics: readonly HistoryMetric[],
  history: AskedHistory,
  format: TableFormat,
  io: Io,
): string {
  if (format === 'json') {
    return jsonDocument({
      metrics: metrics.map(({ metric, unit, scale, keys, series, rows, count, startMs, endMs }) => ({
        ...{ metric, unit, resolution: scale, attributes: keys, series, rows, count },
        startSec: startMs / 1000,
        endSec: endMs / 1000,
      })),
      ...missingJson(history),
    });
  }
  const isCsv = format === 'csv';
  const countText = (count: number): string => (isCsv ? String(count) : formatCount(count));
  const timeText = (timeMs: number): string =>
    isCsv ? new Date(timeMs).toISOString() : formatTime(timeMs / 1000).slice(0, '2026-11-22 10:00:00'.length);
  const cells = metrics.map(({ metric, unit, keys, series, rows, count, startMs, endMs }) => [
    metric,
    unit === '' && !isCsv ? '-' : unit,
    ...[series, rows, count].map(countText),
    ...[startMs, endMs].map(timeText),
    keys.join(isCsv ? ' ' : ', '),
  ]);
  if (isCsv) {
    const header = ['metric', 'unit', 'series', 'rows', 'values', 'from', 'to', 'attributes'];
    return [header, ...cells].map(csvLine).join('');
  }
  return `${shownTable(COLUMNS, cells, io).join('\n')}\n`;
}

const COLUMNS: readonly Column[] = [
  { title: 'metric', isText: true },
  { title: 'unit', isText: true, spare: 1 },
  { title: 'series', spare: 4 },
  { title: 'rows', spare: 5 },
  { title: 'values' },
  { title: 'from', isText: true, spare: 2 },
  { title: 'to', isText: true, spare: 2 },
  { title: 'attributes', isText: true, spare: 3 },
];
