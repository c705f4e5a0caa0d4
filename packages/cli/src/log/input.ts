import { stat } from 'node:fs/promises';
import type { LogSource, PercentileText } from '@hdrscope/interval-log';
import type { Io } from '../command.ts';
import type { InputKind } from '../inputs/kinds.ts';
import { openInputs, type Taking } from '../inputs/open-inputs.ts';
import { readPercentileInput, type TextReading } from '../inputs/percentile-input.ts';
import { type ReadingProgress, startReading } from '../progress.ts';

/** Logs that are there, and not read yet. */
export interface OpenedLogs extends ReadingProgress {
  readonly sources: readonly LogSource[];
  /** For a source that was percentile text, and is a log of one interval now: its values, and how they are known. */
  readonly texts: readonly (PercentileText | undefined)[];
}

type LogKind = Extract<InputKind, 'log' | 'percentiles'>;

/** Whoever takes no percentile text may have to tell soon of what comes. */
const LOGS_ALONE: Taking<LogKind> = { takes: ['log'], otherwise: 'log', patience: 'first chunk' };

/**
 * Looks at the logs that a command line names. What can be refused is refused before the first line is printed.
 *
 * @param isQuiet Whether nothing is printed to standard output while they are read, so that progress may be shown.
 * @param text How percentile text is taken for a log, and its loss told; without it, it is refused.
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

/** @throws Refusal where a file is there and has something else than a log. */
export async function assertLog(path: string, io: Io): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) await openInputs([path], LOGS_ALONE, io);
}
