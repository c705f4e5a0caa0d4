import type { LogInterval, LogSource } from '@hdrscope/interval-log';
import type { OperationOptions } from '@hdrscope/interval-log/internal';
import type { Io } from '../command.ts';
import { MalformedTally } from '../inputs/malformed-tally.ts';
import type { TextReading } from '../inputs/percentile-input.ts';
import { nameOf } from '../inputs/recognise.ts';
import { writeLines } from '../output-file.ts';
import { openLogs } from './input.ts';

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
 *
 * @param text How percentile text is treated as a log. Without it, percentile text is refused.
 */
export async function runLines(
  paths: readonly string[],
  outputPath: string | undefined,
  io: Io,
  makeLines: MakeLines,
  text?: TextReading,
): Promise<number> {
  const isQuiet = outputPath !== undefined && outputPath !== '-';
  const { sources, onBytes, finish } = await openLogs(paths, io, isQuiet, text);
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
      `hdrscope: ${firstOutOfOrder} starts before one above it${more}: all is kept, but the result is not in the order of time\n`,
    );
  }
  return malformed.report(io);
}
