import { stat } from 'node:fs/promises';
import type { LogSource, PercentileText } from '@hdrscope/interval-log';
import { type Io, Refusal } from '../command.ts';
import type { InputKind } from '../inputs/kinds.ts';
import { openInputs, type Taking } from '../inputs/open-inputs.ts';
import { readPercentileInput, type TextReading } from '../inputs/percentile-input.ts';
import { type ReadingProgress, startReading } from '../progress.ts';

/** Logs that exist and were not read yet. */
interface OpenedLogs extends ReadingProgress {
  readonly sources: readonly LogSource[];
  /** The values of each source that was percentile text; it is now a log of one interval. `undefined` for other sources. */
  readonly texts: readonly (PercentileText | undefined)[];
}

type LogKind = Extract<InputKind, 'log' | 'percentiles'>;

/** A command that takes only logs may have to print the first interval soon, so it does not wait for more than a chunk. */
const LOGS_ALONE: Taking<LogKind> = { takes: ['log'], otherwise: 'log', patience: 'first chunk' };

/**
 * Opens the logs that a command line names. Refuses what it can before the command prints its first line.
 *
 * @param isQuiet Whether the command prints nothing while it reads, so that progress can be shown.
 * @param text How percentile text is treated as a log. Without it, percentile text is refused.
 * @throws Refusal, UsageError
 */
export async function openLogs(
  paths: readonly string[],
  io: Io,
  isQuiet: boolean,
  text?: TextReading,
): Promise<OpenedLogs> {
  const { inputs, totalBytes } = await openInputs<LogKind>(
    paths,
    text === undefined ? LOGS_ALONE : { takes: ['log', 'percentiles'], otherwise: 'log' },
    io,
  );
  const sources: LogSource[] = [];
  const texts: (PercentileText | undefined)[] = [];
  for (const input of inputs) {
    const isText = input.kind === 'percentiles' && text !== undefined;
    const read = isText ? await readPercentileInput(input, text) : undefined;
    sources.push(read?.log ?? input.source);
    texts.push(read?.values);
    for (const loss of read?.losses ?? []) await io.stderr.write(`hdrscope: ${loss}\n`);
  }
  const progress = startReading(io, totalBytes, isQuiet || !io.stdout.isTerminal);
  return { sources, texts, ...progress };
}

/** @throws Refusal when the file exists and is not a log. */
export async function assertLog(path: string, io: Io): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isDirectory()) throw new Refusal(`${path} is a folder, and a file is needed`);
  if (found?.isFile()) await openInputs([path], LOGS_ALONE, io);
}
