import { HdrscopeError } from '@hdrscope/core';
import { formatTime, listNames, suggestion } from '@hdrscope/kit';
import type { HistoryQuestion } from '../sql/question.ts';
import { type HistoryMetric, historyMetrics } from './history-metrics.ts';
import type { QueryOptions } from './query-history.ts';

/**
 * Explains an answer without values.
 *
 * @returns What the person may not know.
 * @throws HdrscopeError `ERR_INVALID_VALUE` when the history has no such metric or attribute.
 */
export async function explainNothing(
  folder: string,
  question: Pick<HistoryQuestion, 'metric' | 'by' | 'where'>,
  options: QueryOptions = {},
): Promise<string> {
  return explainMetrics(folder, await historyMetrics(folder, options), question);
}

/** As `explainNothing`, when the metrics of the history are known. @throws HdrscopeError `ERR_INVALID_VALUE` */
export function explainMetrics(
  folder: string,
  metrics: readonly HistoryMetric[],
  { metric, by = [], where = {} }: Pick<HistoryQuestion, 'metric' | 'by' | 'where'>,
): string {
  const names = [...new Set(metrics.map((one) => one.metric))];
  if (names.length === 0) throw unknown(`${folder} has no rows of a history`);
  const found = metrics.filter((one) => one.metric === metric);
  if (found.length === 0) throw unknown(noSuch(`${folder} has no metric`, metric, names));
  const keys = [...new Set(found.flatMap((one) => one.keys))];
  for (const key of [...by, ...Object.keys(where)]) {
    if (!keys.includes(key)) throw unknown(noSuch(`no series of ${metric} has an attribute`, key, keys));
  }
  const from = found.reduce((least, { startMs }) => Math.min(least, startMs), Number.POSITIVE_INFINITY);
  const to = found.reduce((most, { endMs }) => Math.max(most, endMs), 0);
  return nothingSelected(metric, from, to);
}

/** Says when something has values. */
export function nothingSelected(name: string, startMs: number, endMs: number): string {
  return `no values are selected: ${name} has values from ${formatTime(startMs / 1000)} to ${formatTime(endMs / 1000)}`;
}

function unknown(message: string): HdrscopeError {
  return new HdrscopeError('ERR_INVALID_VALUE', message);
}

const MOST_NAMES = 10;

function noSuch(what: string, name: string, names: readonly string[]): string {
  const hint = suggestion(name, names);
  if (hint !== '') return `${what} '${name}'${hint}`;
  if (names.length === 0) return `${what} '${name}', or any other one`;
  return `${what} '${name}': it has ${listNames(names, MOST_NAMES)}`;
}
