import { resolve } from 'node:path';
import { openIntervalLog } from '@hdrscope/interval-log';
import type { RotationOptions } from '@hdrscope/interval-log/internal';
import type { Snapshot } from '@hdrscope/registry';
import { duration, mapping, oneOf, size, text, wholeNumber, yesOrNo } from '../config/values.ts';
import { MemoryKind } from '../memory.ts';
import { type ConfigOf, defineSink, entry, type SinkPart } from '../part.ts';

const schema = entry('interval-log', 'The registry as an interval log.', {
  path: text('the path of a log').describe('The path of the log.'),
  interval: duration.prefault('10s').describe('The length of an interval.'),
  aligned: yesOrNo(true).describe('Whether intervals begin at multiples of their length.'),
  fsync: oneOf('never', 'rotation', 'interval')
    .default('rotation')
    .describe('When the system must have the log on the disk.'),
  rotation: mapping({
    every: duration.optional().describe('The age that closes a log. Default: any age.'),
    size: size.optional().describe('The size that closes a log. Default: any size.'),
    keep: wholeNumber(0).optional().describe('How many closed logs stay. Default: all.'),
    gzip: yesOrNo(false).describe('Whether closed logs are compressed.'),
  })
    .prefault({})
    .describe('When a log is closed and a new one begun, and what becomes of closed ones.'),
});

type Config = ConfigOf<typeof schema>;

/** The last snapshot in each log, by the path of the log. */
const WRITTEN = new MemoryKind<Snapshot>();

/** Writes the registry to an interval log. A log that is opened again is continued. */
export const intervalLog: SinkPart = defineSink({
  schema,
  example: `
# A log that all tools of HdrHistogram read.
- type: interval-log
  path: /var/log/hdrscope/all.hlog
  interval: 10s
  rotation:
    every: 1d
    keep: 14
    gzip: true
`,
  target: ({ path }) => ({ key: 'path', what: 'log', id: resolve(path) }),
  async start(config, context) {
    const { path, interval, aligned, fsync, rotation } = config;
    const written = context.memory.of(WRITTEN);
    const since = written.get(path);
    const sink = await openIntervalLog(context.registry, {
      path,
      intervalMs: interval,
      aligned,
      fsync,
      rotation: rotationOptions(rotation),
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
  },
});

function rotationOptions({ every, size, keep, gzip }: Config['rotation']): RotationOptions {
  return {
    gzip,
    ...(every !== undefined && { everyMs: every }),
    ...(size !== undefined && { sizeBytes: size }),
    ...(keep !== undefined && { keep }),
  };
}
