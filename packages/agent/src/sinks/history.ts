import {
  clickHouseTable,
  type HistoryOptions,
  type HistorySink,
  openHistory,
  postgresTable,
} from '@hdrscope/history';
import { historyPlace } from '../config/history-place.ts';
import type { HistorySinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import type { EntryStorage } from '../health.ts';

/** Keeps the registry in a folder or a table. A place that is opened again is continued. */
export const startHistory: Start<HistorySinkConfig> = async (config, context) => {
  const { name, interval, batch, maxWaitingSize, producer } = config;
  const { collected, storages } = context.memory;
  const { text: place } = historyPlace(config);
  const since = collected.get(place);
  const before = storages.get(name) ?? NOTHING;
  const report = ({ health }: HistorySink): void => {
    const now = {
      waitingRows: health.waitingRows,
      writtenRows: before.writtenRows + health.writtenRows,
      lostRows: before.lostRows + health.lostRows,
    };
    storages.set(name, now);
    context.stored(now);
  };
  const sink = await openHistory(context.registry, {
    ...placeOf(config),
    intervalMs: interval,
    ...(batch !== undefined && { batchMs: batch }),
    maxWaitingBytes: maxWaitingSize,
    closeTimeoutMs: context.shutdownTimeoutMs,
    ...(producer !== undefined && { producer }),
    ...(since !== undefined && { since }),
    onCollected(snapshot) {
      collected.set(place, snapshot);
      report(sink);
      if (!sink.health.isFailing) context.succeeded();
    },
    onError: (error) => context.failed(error),
    onRecovery: () => context.succeeded(),
  });
  report(sink);
  return {
    note: sink.health.target,
    async stop() {
      await sink.close();
      report(sink);
      const { isFailing, lastError } = sink.health;
      if (isFailing && lastError !== undefined) throw lastError;
    },
  };
};

const NOTHING: EntryStorage = { waitingRows: 0, writtenRows: 0, lostRows: 0 };

function placeOf({
  folder,
  clickhouse,
  postgres,
}: HistorySinkConfig): Pick<HistoryOptions, 'folder' | 'table'> {
  if (folder !== undefined) return { folder };
  if (clickhouse !== undefined) {
    const { timeout, ...options } = clickhouse;
    return { table: clickHouseTable({ ...options, timeoutMs: timeout }) };
  }
  const { timeout, ...options } = postgres!;
  return { table: postgresTable({ ...options, timeoutMs: timeout }) };
}
