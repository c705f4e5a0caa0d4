import { type HistoryMetric, historyMetrics } from '@hdrscope/history';
import { formatCount, suggestion } from '@hdrscope/kit';
import { type Io, Refusal } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { formatTime } from '../../format.ts';
import { type Column, csvLine, shownTable } from '../../screen/table.ts';
import { type AskedHistory, missingJson, withEngine } from './engine.ts';
import type { Options, TableFormat } from './options.ts';

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

/**
 * Explains an answer without values.
 *
 * @returns What the person may not know.
 * @throws Refusal when the history has no such metric or attribute.
 */
export async function explainNothing(
  { folder, query }: Pick<AskedHistory, 'folder'> & Partial<Pick<AskedHistory, 'query'>>,
  options: Pick<Options, 'metric' | 'by' | 'where'>,
): Promise<string> {
  const { metric = '', by, where } = options;
  const metrics = await withEngine(folder, () => historyMetrics(folder, query));
  const names = [...new Set(metrics.map((one) => one.metric))];
  if (names.length === 0) throw new Refusal(`${folder} has no rows of a history`);
  const found = metrics.filter((one) => one.metric === metric);
  if (found.length === 0) throw new Refusal(noSuch(`${folder} has no metric`, metric, names));
  const keys = [...new Set(found.flatMap((one) => one.keys))];
  for (const key of [...by, ...Object.keys(where)]) {
    if (!keys.includes(key)) throw new Refusal(noSuch(`no series of ${metric} has an attribute`, key, keys));
  }
  const [from, to] = [
    found.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY),
    found.reduce((most, { endMs }) => Math.max(most, endMs), 0),
  ];
  return `no values are selected: ${metric} has values from ${formatTime(from / 1000)} to ${formatTime(to / 1000)}`;
}

const MOST_NAMES = 10;

function noSuch(what: string, name: string, names: readonly string[]): string {
  const hint = suggestion(name, names);
  if (hint !== '') return `${what} '${name}'${hint}`;
  if (names.length === 0) return `${what} '${name}', or any other one`;
  const more = names.length > MOST_NAMES ? ` and ${names.length - MOST_NAMES} more` : '';
  return `${what} '${name}': it has ${names.slice(0, MOST_NAMES).join(', ')}${more}`;
}
