import { createReadStream } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import type { DashboardTab } from '@hdrscope/dashboard';
import {
  type FollowNote,
  followLog,
  type LogEntry,
  readEntries,
  readHistograms,
  snapshotsOfLogs,
} from '@hdrscope/interval-log';
import { type RecordedLog, recogniseText } from '@hdrscope/interval-log/internal';
import { type Plot, plotsOfLog } from '@hdrscope/plot';
import type { CountedUnit, Snapshot } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../command.ts';
import { sizeOf } from '../inputs/kinds.ts';
import { DOUBLES, leftOutText, seriesFinder } from '../inputs/logged-series.ts';
import { openInputs } from '../inputs/open-inputs.ts';
import { followNoteText } from '../log/input.ts';
import { perMs } from '../numbers/number-unit.ts';
import { type ReadingProgress, startReading } from '../progress.ts';

/** A log that the page shows with all its intervals. */
interface ShownLog {
  readonly path: string;
  /** Its name on the page. */
  readonly title: string;
}

/** How logs are shown. */
interface RecordOptions {
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

// Files.

/** The files of a command line. */
interface ShownFiles {
  /** Logs are shown with all their intervals. */
  readonly logs: readonly ShownLog[];
  /** Any other file has a tab with its plots. */
  readonly others: readonly DashboardTab[];
}

/**
 * Looks at the files of a command line, and reads those that are no logs.
 *
 * @throws Refusal, UsageError
 */
export async function shownFiles(
  paths: readonly string[],
  { unit, follow }: RecordOptions,
  io: Io,
): Promise<ShownFiles> {
  if (paths.includes('-')) throw new UsageError('a page shows files, not standard input');
  // A file that grows is a log, and may not be there yet.
  if (follow) return { logs: paths.map((path) => ({ path, title: path })), others: [] };
  const { inputs } = await openInputs(paths, { takes: ['log', 'percentiles'], otherwise: 'log' }, io);
  const logs: ShownLog[] = [];
  const others: DashboardTab[] = [];
  for (const [at, { kind, title, beginning }] of inputs.entries()) {
    const path = paths[at]!;
    // A text without an interval is refused, with the reason, when it is read as a whole.
    if (kind === 'log' && recogniseText(beginning) === 'log') logs.push({ path, title });
    else others.push({ name: title, plots: await readFile(path, unit, io) });
  }
  return { logs, others };
}

/** The plots of a file that a person has dropped on the page. */
export function openDropped(unit: CountedUnit, bytes: AsyncIterable<Uint8Array>): Promise<readonly Plot[]> {
  return plotsOfLog(readHistograms(bytes, { valueScale: perMs(unit) }), { unit });
}

/** @throws Refusal */
async function readFile(path: string, unit: CountedUnit, io: Io): Promise<readonly Plot[]> {
  const reading = startReading(io, await sizeOf(path));
  try {
    return await openDropped(unit, countedBytes(path, reading, io));
  } catch (error) {
    if (error instanceof HdrscopeError) throw new Refusal(`${path}: ${error.message}`, { cause: error });
    throw error;
  } finally {
    reading.finish();
  }
}

async function* countedBytes(
  path: string,
  { onBytes }: ReadingProgress,
  { signal }: Io,
): AsyncGenerator<Uint8Array, void> {
  for await (const chunk of createReadStream(path, { signal }) as AsyncIterable<Uint8Array>) {
    onBytes(chunk.length);
    yield chunk;
  }
}
