import { createReadStream } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import type { DashboardTab } from '@hdrscope/dashboard';
import { readHistograms } from '@hdrscope/interval-log';
import { recogniseText } from '@hdrscope/interval-log/internal';
import { type Plot, plotsOfLog } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { type Io, Refusal, UsageError } from '../command.ts';
import { sizeOf } from '../inputs/input-file.ts';
import { openInputs } from '../inputs/open-inputs.ts';
import { perMs } from '../numbers/number-unit.ts';
import { type ReadingProgress, startReading } from '../progress.ts';
import type { RecordOptions, ShownLog } from './records.ts';

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
