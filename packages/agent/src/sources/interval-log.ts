import { stat } from 'node:fs/promises';
import {
  entriesIntoRegistry,
  type FollowNote,
  type FollowOptions,
  followLog,
  type LogEntry,
} from '@hdrscope/interval-log';
import { SHOWN_UNITS } from '@hdrscope/registry';
import type { IntervalLogSourceConfig } from '../config/types.ts';
import type { EntryContext, Start } from '../entry.ts';
import { familyOf } from './metric-family.ts';

/** How long the end of a source may take. */
const LAST_LOOK_MS = 1000;

/** Follows an interval log as it grows. Waits for a log that does not exist yet. */
export const startIntervalLog: Start<IntervalLogSourceConfig> = async (config, context) => {
  const [ending, abortion] = [new AbortController(), new AbortController()];
  const { path } = config;
  const following = follow(config, context, { ending: ending.signal, signal: abortion.signal }).then(
    () => {},
    (error: unknown) => {
      if (!ending.signal.aborted) context.died(error);
    },
  );
  return {
    note: path,
    async stop() {
      // Reads what the log has by now. A source that goes on after this one reads the rest of a long log.
      ending.abort();
      const late = setTimeout(() => abortion.abort(), LAST_LOOK_MS);
      await following;
      clearTimeout(late);
    },
  };
};

async function follow(
  { path, poll, from, metric, attributes }: IntervalLogSourceConfig,
  context: EntryContext,
  ends: Pick<FollowOptions, 'ending' | 'signal'>,
): Promise<void> {
  const progress = context.memory.progressOf(path);
  const registered = metric && familyOf(metric);
  let isNew = true;
  const entries = entriesIntoRegistry(context.registry, {
    observer: { added: context.added },
    onRefusedNote: (error) => {
      if (isNew) context.failed(error);
    },
    attributes,
    ...(registered !== undefined && {
      seriesOf: ({ tag }) => ({
        // A tick of this family is one unit of the log's values.
        family: { ...registered.family, resolution: SHOWN_UNITS[metric!.unit].scale },
        attributes: tag === undefined ? {} : { tag },
      }),
    }),
  });
  const isFirstLife = progress.file === undefined;
  let skipUntil = await fileOf(path).then((file) =>
    file !== undefined && file === progress.file ? progress.line : 0,
  );
  let isSkippingAll = isFirstLife && from === 'end';
  const take = async (entry: LogEntry): Promise<void> => {
    if (progress.line === 0 || progress.file === undefined) progress.file = await fileOf(path);
    isNew = !isSkippingAll && entry.lineNumber > skipUntil;
    progress.line = Math.max(progress.line, entry.lineNumber);
    try {
      // Comments describe families, so they are read again even when the lines below were counted.
      if (isNew || entry.kind === 'comment') entries.take(entry);
    } catch (error) {
      // This line is not counted, and later lines are.
      return context.failed(error);
    }
    if (!isNew) return;
    if (entry.kind === 'malformed') context.failed(entry.error);
    else if (entry.kind === 'interval') context.succeeded();
  };
  for await (const entry of followLog(path, { ...ends, pollMs: poll })) {
    if (isNote(entry)) {
      if (entry.kind === 'missing') {
        context.info(`${path} does not exist yet: waiting for it`);
        isSkippingAll = false;
      } else if (entry.kind === 'caught-up') {
        isSkippingAll = false;
        context.succeeded();
      } else {
        context.info(`${path} was ${entry.kind}: reading it from its start`);
        skipUntil = 0;
        Object.assign(progress, { file: undefined, line: 0 });
      }
    } else await take(entry);
  }
}

function isNote(entry: LogEntry | FollowNote): entry is FollowNote {
  return !('lineNumber' in entry);
}

async function fileOf(path: string): Promise<string | undefined> {
  const status = await stat(path).catch(() => undefined);
  return status && `${status.dev}:${status.ino}`;
}
