import type { LogInterval, LogSource, PercentileText, Selection } from '@hdrscope/interval-log';
import type { OperationOptions } from '@hdrscope/interval-log/internal';
import { type Io, Refusal } from '../../command.ts';
import { type InputKind, nameOf } from '../../inputs/input.ts';
import { MalformedTally } from '../../inputs/line-tally.ts';
import { openInputs, type Taking } from '../../inputs/open-inputs.ts';
import { readPercentileInput, type TextReading } from '../../inputs/percentile-input.ts';
import { writeLines } from '../../output-options.ts';
import type { ReadingProgress } from '../../screen/progress.ts';
import { lookAtPath } from '../../system-error.ts';

/** Logs that exist and were not read yet. */
interface OpenedLogs extends ReadingProgress {
  readonly sources: readonly LogSource[];
  /** The values of each source that was percentile text; it is now a log of one interval. `undefined` for other sources. */
  readonly texts: readonly (PercentileText | undefined)[];
}

type LogKind = Extract<InputKind, 'log' | 'percentiles'>;

/** How a command reads logs. */
interface LogReading {
  /** How percentile text is treated as a log. @default percentile text is refused */
  readonly text?: TextReading;
  /** The part of the logs that it takes. @default that of `text`, else all */
  readonly selection?: Selection;
  /** Other files that the command reads. @default none */
  readonly others?: readonly string[];
}

/** A command that takes only logs may have to print the first interval soon, so it does not wait for more than a chunk. */
const LOGS_ALONE: Taking<LogKind> = { takes: ['log'], otherwise: 'log', patience: 'first chunk' };

/**
 * Opens the logs that a command line names. Refuses what it can before the command prints its first line.
 *
 * @param isQuiet Whether the command prints nothing while it reads, so that progress can be shown.
 * @throws Refusal, UsageError
 */
export async function openLogs(
  paths: readonly string[],
  io: Io,
  isQuiet: boolean,
  { text, selection = text?.selection ?? {}, others = [] }: LogReading = {},
): Promise<OpenedLogs> {
  const { inputs, progress } = await openInputs<LogKind>(
    paths,
    {
      ...(text === undefined ? LOGS_ALONE : { takes: ['log', 'percentiles'], otherwise: 'log' }),
      ...{ selection, others, isQuiet: isQuiet || !io.stdout.isTerminal },
    },
    io,
  );
  const sources: LogSource[] = [];
  const texts: (PercentileText | undefined)[] = [];
  for (const input of inputs) {
    const isText = input.kind === 'percentiles' && text !== undefined;
    const read = isText
      ? await readPercentileInput(input, { ...text, onBytes: progress.onBytes })
      : undefined;
    sources.push(read?.log ?? input.source);
    texts.push(read?.values);
    for (const loss of read?.losses ?? []) await progress.note(loss);
  }
  return { sources, texts, ...progress };
}

/** @throws Refusal when the file exists and is not a log. */
export async function assertLog(path: string, io: Io): Promise<void> {
  const found = await lookAtPath(path);
  if (found?.isDirectory()) throw new Refusal(`${path} is a folder, and a file is needed`);
  if (found?.isFile()) await openInputs([path], { ...LOGS_ALONE, mayGrow: true }, io);
}

// Commands that write lines.

/** An option of operations that expect intervals in the order of time. */
interface OrderOptions {
  readonly onOutOfOrder: (interval: LogInterval, source?: LogSource) => void;
}

/** Turns logs into lines of output. */
type MakeLines = (
  sources: readonly LogSource[],
  options: OperationOptions,
  order: OrderOptions,
) => AsyncIterable<string>;

/**
 * Runs a command that turns logs into lines: reads, writes, and reports what it left out.
 */
export async function runLines(
  paths: readonly string[],
  outputPath: string | undefined,
  io: Io,
  makeLines: MakeLines,
  logs: LogReading = {},
): Promise<number> {
  const isQuiet = outputPath !== undefined && outputPath !== '-';
  const { sources, onBytes, finish } = await openLogs(paths, io, isQuiet, logs);
  const malformed = new MalformedTally();
  let outOfOrder = 0;
  let firstOutOfOrder = '';
  const onOutOfOrder: OrderOptions['onOutOfOrder'] = ({ lineNumber }, source = sources[0]!) => {
    outOfOrder += 1;
    firstOutOfOrder ||= `${nameOf(source)}: line ${lineNumber}`;
  };
  const lines = makeLines(sources, { onBytes, onMalformed: malformed.add }, { onOutOfOrder });
  await writeLines(lines, outputPath, io).finally(finish);
  if (outOfOrder > 0) {
    const more =
      outOfOrder === 1
        ? ''
        : `, and so ${outOfOrder - 1 === 1 ? 'does 1 more' : `do ${outOfOrder - 1} more`}`;
    await io.stderr.write(
      `hdrscope: ${firstOutOfOrder} starts before one above it${more}: all intervals are kept, but not in the order of time\n`,
    );
  }
  return malformed.report(io);
}
