import { stat } from 'node:fs/promises';
import type { LogSource, PercentileText, TextKind } from '@hdrscope/interval-log';
import { type Io, Refusal, UsageError } from '../command.ts';
import { sizeOf } from '../input-file.ts';
import { startProgress } from '../progress.ts';
import { readPercentileInput, type TextReading } from './percentile-input.ts';
import { nameOf, type Recognised, recognise } from './recognised.ts';

/** Logs that are there, and not read yet. */
export interface OpenedLogs {
  readonly sources: readonly LogSource[];
  /** For a source that was percentile text, and is a log of one interval now: its values, and how they are known. */
  readonly texts: readonly (PercentileText | undefined)[];
  /** Told of every byte: shows the progress, and ends the reading when the command is to end. */
  readonly onBytes: (bytes: number) => void;
  /** When all were read: takes the progress away. */
  finish(): void;
}

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
  if (paths.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  let total: number | undefined = 0;
  const sizes: (number | undefined)[] = [];
  for (const path of paths) {
    const size: number | undefined = path === '-' ? undefined : await sizeOf(path);
    total = total === undefined || size === undefined ? undefined : total + size;
    sizes.push(size);
  }
  const sources: LogSource[] = [];
  const texts: (PercentileText | undefined)[] = [];
  for (const [at, path] of paths.entries()) {
    // Whoever takes no such text may have to tell soon of what comes.
    const patience = text === undefined ? 'first chunk' : 'beginning';
    const recognised = await recognise(path, sizes[at] !== undefined, io, patience);
    const reading = readingOf(recognised, text);
    const read = reading && (await readPercentileInput(recognised, reading));
    sources.push(read?.log ?? recognised.source);
    texts.push(read?.values);
    for (const loss of read?.losses ?? []) await io.stderr.write(`hdrscope: ${loss}\n`);
  }
  const progress = startProgress(io, total, isQuiet || !io.stdout.isTerminal);
  return {
    sources,
    texts,
    onBytes: (bytes) => {
      io.signal.throwIfAborted();
      progress.add(bytes);
    },
    finish: progress.finish,
  };
}

/** @throws Refusal where a file is there and has something else than a log. */
export async function assertLog(path: string, io: Io): Promise<void> {
  const found = await stat(path).catch(() => undefined);
  if (found?.isFile()) readingOf(await recognise(path, true, io, 'beginning'), undefined);
}

/** How what is no log is taken for one; `undefined` for a log. */
function readingOf({ kind, source }: Recognised, text: TextReading | undefined): TextReading | undefined {
  if (kind === 'log') return undefined;
  if (kind === 'percentiles' && text !== undefined) return text;
  throw refusalOf(kind, nameOf(source));
}

/** Says why something is no log, and what may be done with it. */
export function refusalOf(kind: Exclude<TextKind, 'log'>, name: string): Refusal {
  return new Refusal(`${name} ${REFUSED[kind]}`);
}

const REFUSED: Readonly<Record<Exclude<TextKind, 'log'>, string>> = {
  percentiles:
    'is percentile text, which has neither times nor intervals: hdrscope log summary, compare and convert take it',
  'percentiles without counts':
    'has percentiles without counts: nothing tells how many values they are of. The .hgrm files of HdrHistogram tell it, and wrk2 --latency',
  'percentiles per interval':
    "is the table that HdrHistogram's log processor writes, with percentiles of each interval: those cannot be added up. Take the log that it was made of, or the .hgrm file beside it",
};
