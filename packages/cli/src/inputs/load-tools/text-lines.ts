import { HdrscopeError } from '@hdrscope/core';
import { readUtf8 } from '@hdrscope/interval-log/internal';
import { Slices } from '@hdrscope/kit';
import type { LineTally } from '../line-tally.ts';
import type { LoadInput } from './load-input.ts';

/** How lines are read. */
export interface LineReading {
  /** Gets the number of bytes of each chunk. An error that it throws ends the reading. */
  readonly onBytes?: ((bytes: number) => void) | undefined;
  /** Takes the lines that are left out. */
  readonly badLines: LineTally;
}

// A line is one request. Longer ones must not fill the memory.
const LONGEST_LINE = 2 ** 20;

/**
 * Reads the lines of a text, decompressed and without their ends. The end of a gzip stream that is cut short is a bad line.
 *
 * @param onLine Gets the number of the line, from 1.
 */
export async function readLines(
  { name, source }: Pick<LoadInput, 'name' | 'source'>,
  { onBytes, badLines }: LineReading,
  onLine: (line: string, lineNumber: number) => void,
): Promise<void> {
  const decoder = new TextDecoder();
  const slices = new Slices();
  let lineNumber = 0;
  let rest = '';
  const finish = (line: string): void => {
    lineNumber++;
    if (line.length > LONGEST_LINE) {
      const at = lineNumber;
      badLines.add(at, () => `${name}: line ${at} is longer than 1 MiB`);
    } else if (line !== '') onLine(line.endsWith('\r') ? line.slice(0, -1) : line, lineNumber);
  };
  try {
    for await (const chunk of readUtf8(source, onBytes)) {
      const text = decoder.decode(chunk, { stream: true });
      let from = 0;
      for (let to = text.indexOf('\n'); to !== -1; to = text.indexOf('\n', from)) {
        finish(rest + text.slice(from, to));
        rest = '';
        from = to + 1;
      }
      // Only the length of a line that is too long is of use.
      if (rest.length <= LONGEST_LINE) rest += text.slice(from);
      if (!slices.isOver()) continue;
      await slices.next();
      // Ends the work when the command has to end.
      onBytes?.(0);
    }
  } catch (error) {
    if (!(error instanceof HdrscopeError) || error.code !== 'ERR_LOG_FORMAT') throw error;
    badLines.add(lineNumber + 1, () => `${name}: line ${lineNumber + 1}: ${error.message}`);
    return;
  }
  if (rest !== '') finish(rest);
}
