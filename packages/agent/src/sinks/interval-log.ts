import { type IntervalLogSink, openIntervalLog, type RotationOptions } from '@hdrscope/interval-log';
import type { Registry, Snapshot } from '@hdrscope/registry';
import type { IntervalLogSinkConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';

/** The registry as an interval log. One that is opened again goes on after what it has written. */
export const startIntervalLogSink: Start<IntervalLogSinkConfig> = async (config, context) => {
  const { path, interval, aligned, fsync, rotation } = config;
  const { memory, shutdownTimeoutMs } = context;
  const key = `interval-log sink ${path}`;
  let gathered: Snapshot | undefined;
  let sink: IntervalLogSink | undefined;
  // What is in the log cannot be asked of it, but until when: that is the time of a snapshot that it has taken.
  const remember = (): void => {
    if (gathered !== undefined && sink?.state.writtenUntilMs === gathered.timeMs) {
      memory.set(key, gathered);
      context.succeeded();
    }
  };
  const registry: Registry = {
    ...context.registry,
    async gather(options) {
      remember();
      gathered = await context.registry.gather(options);
      return gathered;
    },
  };
  const since = memory.get(key) as Snapshot | undefined;
  const opened = await openIntervalLog(registry, {
    path,
    intervalMs: interval,
    aligned,
    fsync,
    rotation: rotationOf(rotation),
    closeTimeoutMs: shutdownTimeoutMs,
    ...(since !== undefined && { since }),
    onError: (error) => context.failed(error),
    onRecovery: () => context.succeeded(),
  });
  sink = opened;
  return {
    note: path,
    async stop() {
      await opened.close();
      remember();
      const { isFailing, lastError } = opened.state;
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
