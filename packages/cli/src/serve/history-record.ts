import { stat } from 'node:fs/promises';
import {
  type HistorySpan,
  historySpan,
  queryMergedRows,
  type SpanQuestion,
  snapshotsOfRows,
} from '@hdrscope/history';
import type { Snapshot } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../command.ts';
import { durationText } from '../duration.ts';
import { formatTime } from '../format.ts';
import { type SpanOptions, spanOf, stretchFor } from '../history/options.ts';
import { withEngine } from '../query/engine.ts';

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
  const areFolders = await Promise.all(operands.map(isFolder));
  const folder = operands[areFolders.indexOf(true)];
  if (folder === undefined) {
    if (since === undefined && until === undefined && metric === undefined) return undefined;
    throw new UsageError('--since, --until and --metric go with the folder of a history');
  }
  if (operands.length > 1)
    throw new UsageError(`${folder} is a folder: the page shows one history, and no files beside it`);
  if (follow === true) throw new UsageError('-f follows logs: a history is shown as it is now');
  return folder;
}

async function isFolder(path: string): Promise<boolean> {
  return (await stat(path).catch(() => undefined))?.isDirectory() === true;
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
  return snapshotsOfRows(queryMergedRows(folder, { ...question, everyMs }, { memoryBytes: MEMORY_BYTES }));
}

// Late timers make intervals of a minute a little longer than a minute.
const NOT_COARSER = 1.1;

/** A line that says how coarse the page is; nothing when it shows the intervals of the history. */
function coarsenessNote({ intervalMs }: HistorySpan, everyMs: number): string {
  if (everyMs <= intervalMs * NOT_COARSER) return '';
  return `hdrscope: the page shows stretches of ${durationText(everyMs)}, because the time is long; --since and --until choose a shorter one\n`;
}

async function whyEmpty(folder: string, { metric }: SpanQuestion): Promise<string> {
  if (metric !== undefined) {
    const { explainNothing } = await import('../query/metrics.ts');
    return explainNothing(folder, { metric, by: [], where: {} });
  }
  const whole = await withEngine(folder, () => historySpan(folder));
  if (whole === undefined) return `${folder} has no rows of a history`;
  const [from, to] = [whole.startMs, whole.endMs].map((timeMs) => formatTime(timeMs / 1000));
  return `no values are selected: ${folder} has values from ${from} to ${to}`;
}
