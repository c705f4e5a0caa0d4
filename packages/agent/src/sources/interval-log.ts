import {
  type FollowNote,
  type FollowOptions,
  followLog,
  ingestLogEntries,
  type LogEntry,
} from '@hdrscope/interval-log';
import { isFamilyNote } from '@hdrscope/interval-log/internal';
import { SHOWN_UNITS } from '@hdrscope/registry';
import type { IntervalLogSourceConfig } from '../config/types.ts';
import type { EntryContext, Start } from '../entry.ts';
import type { FollowedLog } from '../memory.ts';
import { familyOf } from './metric-family.ts';

/** How long the end of a source may take. */
const LAST_LOOK_MS = 1000;

const LOSSES = {
  truncated: 'was truncated, and no rotated file has the lines before: some may be lost',
  replaced: 'was replaced more often than it was read: some lines may be lost',
} satisfies Record<NonNullable<FollowNote['reason']>, string>;

/** Follows an interval log as it grows. Waits for a log that does not exist yet. */
export const startIntervalLog: Start<IntervalLogSourceConfig> = async (config, context) => {
  const [ending, abortion] = [new AbortController(), new AbortController()];
  const { path } = config;
  const following = follow(config, context, { finishSignal: ending.signal, signal: abortion.signal }).then(
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
  { path, poll, since, metric, attributes }: IntervalLogSourceConfig,
  context: EntryContext,
  ends: Pick<FollowOptions, 'finishSignal' | 'signal'>,
): Promise<void> {
  const log = context.memory.logOf(path);
  log.isSkipping ??= since === 'now';
  const registered = metric && familyOf(metric);
  let isNew = false;
  const entries = ingestLogEntries(context.registry, {
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
  // The earlier source has read the comments above the lines that come now.
  for (const comment of log.families.values()) entries.take(comment);
  const take = (entry: LogEntry): void => {
    isNew = log.isSkipping !== true;
    try {
      // Comments describe families, so they are read even when the lines below are not counted.
      if (isNew || entry.kind === 'comment') entries.take(entry);
      if (entry.kind === 'comment') rememberFamily(log, entry);
    } catch (error) {
      // This line is not counted, and later lines are.
      context.failed(error);
      return;
    }
    if (!isNew) return;
    if (entry.kind === 'malformed') context.failed(entry.error);
    else if (entry.kind === 'interval') context.succeeded();
  };
  for await (const entry of followLog(path, { ...ends, pollMs: poll, memory: log.memory })) {
    if (!isNote(entry)) take(entry);
    else if (entry.kind === 'missing') {
      context.info(`${path} does not exist yet: waiting for it`);
      log.isSkipping = false;
    } else if (entry.kind === 'caught-up') {
      log.isSkipping = false;
      context.succeeded();
    } else if (entry.kind === 'lost')
      context.failed(new Error(`${path} ${LOSSES[entry.reason ?? 'truncated']}`));
    else context.info(`${path} was ${entry.kind}: reading it from its start`);
  }
}

/** The length of all comments that are remembered. Families beyond it need their comment in the next file. */
const MOST_FAMILY_CHARS = 2 ** 24;

function rememberFamily(log: FollowedLog, comment: LogEntry & { readonly text: string }): void {
  const { text } = comment;
  if (!isFamilyNote(text) || log.families.has(text)) return;
  if (log.familyChars + text.length > MOST_FAMILY_CHARS) return;
  log.familyChars += text.length;
  log.families.set(text, comment);
}

function isNote(entry: LogEntry | FollowNote): entry is FollowNote {
  return !('lineNumber' in entry);
}
