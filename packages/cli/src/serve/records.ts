import {
  type FollowNote,
  followLog,
  type LogEntry,
  readEntries,
  snapshotsOfLogs,
} from '@hdrscope/interval-log';
import type { RecordedLog } from '@hdrscope/interval-log/internal';
import type { CountedUnit, Snapshot } from '@hdrscope/registry';
import type { Io } from '../command.ts';
import { DOUBLES, leftOutText, seriesFinder } from '../inputs/logged-series.ts';
import { followNoteText } from '../log/follow-note.ts';

/** A log that the page shows with all its intervals. */
export interface ShownLog {
  readonly path: string;
  /** Its name on the page. */
  readonly title: string;
}

/** How logs are shown. */
export interface RecordOptions {
  /** The unit of values in logs that do not state it. */
  readonly unit: CountedUnit;
  /** Whether the logs grow. */
  readonly follow: boolean;
}

// The page keeps about so many intervals.
const MOST_SNAPSHOTS = 1200;

// A writer writes the lines of an interval at once.
const IDLE_MS = 500;

/** The times of logs, one after the other, for a page. With several logs, each series has the name of its file. */
export function recordOf(logs: readonly ShownLog[], options: RecordOptions, io: Io): AsyncIterable<Snapshot> {
  const recorded = logs.map(({ path, title }): RecordedLog => {
    const entries = options.follow ? followed(path, io) : readEntries(path);
    return {
      entries,
      seriesOf: seriesFinder(options.unit),
      ...(logs.length > 1 && { attributes: { file: title } }),
      onEnd: ({ leftOut, malformed }) => {
        const notes = [
          leftOutText(leftOut, DOUBLES),
          leftOutText(malformed, ['malformed line', 'malformed lines']),
        ].filter((note) => note !== undefined);
        if (notes.length > 0) warn(io, `${path}: ${notes.join(', ')}`);
      },
    };
  });
  return snapshotsOfLogs(recorded, options.follow ? { idleMs: IDLE_MS } : { maxSnapshots: MOST_SNAPSHOTS });
}

function warn(io: Io, text: string): void {
  // A closed terminal ends the command in another way.
  io.stderr.write(`hdrscope: ${text}\n`).catch(() => {});
}

async function* followed(path: string, io: Io): AsyncGenerator<LogEntry, void> {
  for await (const entry of followLog(path, { signal: io.signal })) {
    const note = followNoteText(entry, path);
    if (note !== undefined) warn(io, note);
    if (isLogEntry(entry)) yield entry;
  }
}

// A record, so that the compiler demands every kind.
const NOTES: Readonly<Record<FollowNote['kind'], true>> = {
  missing: true,
  'caught-up': true,
  truncated: true,
  replaced: true,
  lost: true,
};

function isLogEntry(entry: LogEntry | FollowNote): entry is LogEntry {
  return !Object.hasOwn(NOTES, entry.kind);
}
