import { createReadStream } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import type { DashboardTab } from '@hdrscope/dashboard';
import { type HistorySpan, historySpan, queryMergedRows, snapshotsOfRows } from '@hdrscope/history';
import {
  divideBy,
  explainNothing,
  nothingSelected,
  type RowSelection,
  stretchFor,
} from '@hdrscope/history/internal';
import { perMs, seriesFinder, withName } from '@hdrscope/inputs/internal';
import {
  followLog,
  type LogEntry,
  readEntries,
  readHistograms,
  snapshotsOfLogs,
} from '@hdrscope/interval-log';
import { followNoteText, isFollowNote, type RecordedLog } from '@hdrscope/interval-log/internal';
import { recogniseText } from '@hdrscope/interval-log/parser';
import { formatDurationParts, reasonOf } from '@hdrscope/kit';
import { type Plot, plotsOfLog } from '@hdrscope/plot';
import type { CountedUnit, Snapshot } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { sizeOf } from '../../inputs/input.ts';
import { DOUBLES, leftOutText } from '../../inputs/line-tally.ts';
import { openInputs } from '../../inputs/open-inputs.ts';
import { type SpanOptions, spanOf } from '../../moment.ts';
import { type ReadingProgress, startReading } from '../../screen/progress.ts';
import { lookAtPath } from '../../system-error.ts';
import { withEngine } from '../query/engine.ts';

/** A log that the page shows with all its intervals. */
interface ShownLog {
  readonly path: string;
  /** Its name on the page. */
  readonly title: string;
}

interface RecordOptions {
  /** The unit of values in logs that do not state it. */
  readonly unit: CountedUnit;
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
  const pace = options.follow ? { idleMs: IDLE_MS } : { maxSnapshots: MOST_SNAPSHOTS };
  return withWarning(snapshotsOfLogs(recorded, pace), io);
}

/** The page shows an error beside what was read before it. The person at the terminal reads it too. */
async function* withWarning(record: AsyncIterable<Snapshot>, io: Io): AsyncGenerator<Snapshot, void> {
  try {
    yield* record;
  } catch (error) {
    const isConflict = error instanceof HdrscopeError && error.code === 'ERR_ALREADY_REGISTERED';
    const cure = isConflict ? ': show the logs on two pages' : '';
    warn(io, `the page shows what was read before this: ${reasonOf(error)}${cure}`);
    throw error;
  }
}

function warn(io: Io, text: string): void {
  // A closed terminal ends the command in another way.
  io.stderr.write(`hdrscope: ${text}\n`).catch(() => {});
}

async function* followed(path: string, io: Io): AsyncGenerator<LogEntry, void> {
  for await (const entry of followLog(path, { signal: io.signal })) {
    const note = followNoteText(entry, path);
    if (note !== undefined) warn(io, note);
    if (!isFollowNote(entry)) yield entry;
  }
}

// Files.

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
  return withName(path, () => openDropped(unit, countedBytes(path, reading, io))).finally(reading.finish);
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

// Histories.

/** The options of a command line that are for histories, and those that go with none. */
export interface HistoryOptions extends SpanOptions {
  readonly metric?: string;
  readonly follow?: boolean;
}

/** The folder of a history, when the command line has one. @throws UsageError for operands and options that do not go with it. */
export async function historyFolder(
  operands: readonly string[],
  { follow, since, until, metric }: HistoryOptions,
): Promise<string | undefined> {
  const found = await Promise.all(operands.map(lookAtPath));
  const folder = operands[found.findIndex((one) => one?.isDirectory() === true)];
  if (folder === undefined) {
    if (since === undefined && until === undefined && metric === undefined) return undefined;
    throw new UsageError('--since, --until and --metric go with the folder of a history');
  }
  if (operands.length > 1)
    throw new UsageError(`${folder} is a folder: the page shows one history, and no files beside it`);
  if (follow === true) throw new UsageError('-f follows logs: a history is shown as it is now');
  return folder;
}

// The page has room for 1200 intervals. Fewer are read faster, and still fill a screen.
const MOST_STRETCHES = 480;

// The engine writes to the disk what is more.
const MEMORY_BYTES = 2 ** 30;

/**
 * The times of a history, one after the other, for a page: what each series counted in each stretch of time. The engine merges the
 * rows of a stretch, so the page takes as much memory for a large folder as for a small one.
 *
 * @throws Refusal when the history has no values, or cannot be asked.
 */
export async function recordOfHistory(
  folder: string,
  { metric, ...options }: HistoryOptions,
  io: Io,
): Promise<AsyncIterable<Snapshot>> {
  const question = { ...spanOf(options), ...(metric !== undefined && { metric }) };
  const span = await withEngine(folder, () => historySpan(folder, question));
  if (span === undefined) throw new Refusal(await whyEmpty(folder, question));
  const everyMs = stretchFor(span, MOST_STRETCHES);
  await io.stderr.write(coarsenessNote(span, everyMs));
  return snapshotsOfRows(
    queryMergedRows(folder, { ...question, ...divideBy(everyMs) }, { memoryBytes: MEMORY_BYTES }),
  );
}

// Late timers make intervals of a minute a little longer than a minute.
const NOT_COARSER = 1.1;

/** A line that says how coarse the page is; nothing when it shows the intervals of the history. */
function coarsenessNote({ intervalMs }: HistorySpan, everyMs: number): string {
  if (everyMs <= intervalMs * NOT_COARSER) return '';
  return `hdrscope: the page shows stretches of ${formatDurationParts(everyMs)}, because the time is long; --since and --until choose a shorter one\n`;
}

async function whyEmpty(folder: string, { metric }: RowSelection): Promise<string> {
  if (metric !== undefined) return withEngine(folder, () => explainNothing(folder, { metric }));
  const whole = await withEngine(folder, () => historySpan(folder));
  if (whole === undefined) return `${folder} has no rows of a history`;
  return nothingSelected(folder, whole.startMs, whole.endMs);
}
