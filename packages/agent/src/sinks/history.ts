import { type HistorySink, openHistory } from '@hdrscope/history';
import type { HistorySinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import type { EntryStorage } from '../health.ts';

/** Keeps the registry in the Parquet files of a folder. A folder that is opened again is continued. */
export const startHistory: Start<HistorySinkConfig> = async (config, context) => {
  const { name, folder, every, rotate, maxWaiting, producer } = config;
  const { collected, storages } = context.memory;
  const since = collected.get(folder);
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
    folder,
    everyMs: every,
    rotateMs: rotate,
    maxWaitingBytes: maxWaiting,
    closeTimeoutMs: context.shutdownTimeoutMs,
    ...(producer !== undefined && { producer }),
    ...(since !== undefined && { since }),
    onInterval(snapshot) {
      collected.set(folder, snapshot);
      report(sink);
      if (!sink.health.isFailing) context.succeeded();
    },
    onError: (error) => context.failed(error),
    onRecovery: () => context.succeeded(),
  });
  report(sink);
  return {
    note: folder,
    async stop() {
      await sink.close();
      report(sink);
      const { isFailing, lastError } = sink.health;
      if (isFailing && lastError !== undefined) throw lastError;
    },
  };
};

const NOTHING: EntryStorage = { waitingRows: 0, writtenRows: 0, lostRows: 0 };
