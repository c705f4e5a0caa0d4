import { resolve } from 'node:path';
import { FollowMemory, followLog, ingestLogEntries, type LogEntry } from '@hdrscope/interval-log';
import {
  type FollowOptions,
  followNoteText,
  isFamilyNote,
  isFollowNote,
} from '@hdrscope/interval-log/internal';
import { SHOWN_UNITS } from '@hdrscope/registry';
import { duration, text } from '../config/values.ts';
import { MemoryKind } from '../memory.ts';
import {
  type ConfigOf,
  defineSource,
  type EntryContext,
  entry,
  noKernelMaps,
  type SourcePart,
} from '../part.ts';
import { attributes, dropAttributes, familyOf, metric, since } from './shared.ts';

const schema = entry('interval-log', 'An interval log, followed as it grows.', {
  path: text('the path of a log').describe('The path of the log, which may appear later.'),
  since,
  poll: duration.prefault('250ms').describe('The time between two looks at the file.'),
  metric: metric
    .optional()
    .describe(
      'The family of intervals of other writers than hdrscope. Their tags become the attribute tag. Default: such intervals are left out.',
    ),
  attributes,
  dropAttributes,
});

type Config = ConfigOf<typeof schema>;

/** How long the end of a source may take. */
const LAST_LOOK_MS = 1000;

/** A log that was followed: a source that is started anew goes on there. */
interface FollowedLog {
  readonly memory: FollowMemory;
  /** Whether its lines are not counted yet, because its end was not reached; `undefined` before its first source. */
  isSkipping: boolean | undefined;
  /** The comments that describe its families, by their text. */
  readonly families: Map<string, LogEntry>;
  /** The length of these texts. */
  familyChars: number;
}

/** By the path of the log. */
const LOGS = new MemoryKind<FollowedLog>();

function newLog(): FollowedLog {
  return { memory: new FollowMemory(), isSkipping: undefined, families: new Map(), familyChars: 0 };
}

/** Follows an interval log as it grows. Waits for a log that does not exist yet. */
export const intervalLog: SourcePart = defineSource({
  schema,
  example: `
# An interval log, followed as it grows. The metric is for logs of other writers than hdrscope.
- name: service
  type: interval-log
  path: /var/log/service/latency.hlog
  since: now          # beginning: what is there already counts, too
  metric:
    name: service.duration
    unit: ns
`,
  origin: ({ path }) => ({ key: 'path', what: 'log', id: resolve(path) }),
  async start(config, context) {
    const [ending, abortion] = [new AbortController(), new AbortController()];
    const { path } = config;
    const following = follow(config, context, { finishSignal: ending.signal, signal: abortion.signal }).then(
      () => {},
      (error: unknown) => {
        if (!ending.signal.aborted) context.died(error);
      },
    );
    return {
      kernelMaps: noKernelMaps,
      note: path,
      async stop() {
        // Reads what the log has by now. A source that goes on after this one reads the rest of a long log.
        ending.abort();
        const late = setTimeout(() => abortion.abort(), LAST_LOOK_MS);
        await following;
        clearTimeout(late);
      },
    };
  },
});

async function follow(
  { path, poll, since, metric, attributes, dropAttributes }: Config,
  context: EntryContext,
  ends: Pick<FollowOptions, 'finishSignal' | 'signal'>,
): Promise<void> {
  const log = context.memory.ensure(LOGS, path, newLog);
  log.isSkipping ??= since === 'now';
  const registered = metric && familyOf(metric);
  let isNew = false;
  const entries = ingestLogEntries(context.registry, {
    observer: { added: context.added },
    onRefusedNote: (error) => {
      if (isNew) context.failed(error);
    },
    attributes,
    dropAttributes,
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
    if (!isFollowNote(entry)) take(entry);
    else if (entry.kind === 'missing') {
      context.info(followNoteText(entry, path)!);
      log.isSkipping = false;
    } else if (entry.kind === 'caught-up') {
      log.isSkipping = false;
      context.succeeded();
    } else if (entry.kind === 'lost') context.failed(new Error(followNoteText(entry, path)));
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
