import { resolve } from 'node:path';
import { withoutUser } from '../sinks/without-user.ts';
import type { HistorySinkConfig } from './types.ts';

/** Where the rows of a history go. */
interface HistoryPlace {
  readonly key: 'folder' | 'clickhouse' | 'postgres';
  readonly what: 'folder' | 'table';
  /** Equal for equal places. It has no password. */
  readonly text: string;
}

export function historyPlace({
  folder,
  clickhouse,
  postgres,
}: Pick<HistorySinkConfig, 'folder' | 'clickhouse' | 'postgres'>): HistoryPlace {
  if (folder !== undefined) return { key: 'folder', what: 'folder', text: resolve(folder) };
  const key = clickhouse === undefined ? 'postgres' : 'clickhouse';
  const { url, table } = (clickhouse ?? postgres)!;
  return { key, what: 'table', text: `${[table].flat().join('.')} at ${withoutUser(url)}` };
}
