import { openIntervalLog, type RotationOptions } from '@hdrscope/interval-log';
import type { IntervalLogSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** Writes the registry to an interval log. A log that is opened again is continued. */
export const startIntervalLogSink: Start<IntervalLogSinkConfig> = async (config, context) => {
  const { path, interval, aligned, fsync, rotation } = config;
  const { written } = context.memory;
  const since = written.get(path);
  const sink = await openIntervalLog(context.registry, {
    path,
    intervalMs: interval,
    aligned,
    fsync,
    rotation: rotationOf(rotation),
    closeTimeoutMs: context.shutdownTimeoutMs,
    ...(since !== undefined && { since }),
    onWritten(snapshot) {
      written.set(path, snapshot);
      context.succeeded();
    },
    onError: (error) => context.failed(error),
    onRecovery: () => context.succeeded(),
  });
  return {
    note: path,
    async stop() {
      await sink.close();
      const { isFailing, lastError } = sink.health;
      if (isFailing && lastError !== undefined) throw lastError;
    },
  };
};

function rotationOf({ every, size, keep, gzip }: IntervalLogSinkConfig['rotation']): RotationOptions {
  return {
    gzip,
    ...(every !== undefined && { everyMs: every }),
    ...(size !== undefined && { sizeBytes: size }),
    ...(keep !== undefined && { keep }),
  };
}
