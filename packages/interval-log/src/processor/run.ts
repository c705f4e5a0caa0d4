import { HdrscopeError } from '@hdrscope/core';
import { type ProcessorArguments, parseProcessorArgs } from './arguments.ts';
import type { ProcessorIo } from './io.ts';
import { processLog } from './process.ts';
import { PROCESSOR_USAGE } from './usage.ts';

/**
 * Runs the processor as a program: by the arguments of Java's, with its messages on standard error.
 *
 * @returns The exit code: 1 where an argument is wrong, a file cannot be read or written, a line is malformed, or there
 *   is nothing to process. What fails while it writes to `io` is thrown.
 */
export async function runProcessor(args: readonly string[], io: ProcessorIo): Promise<number> {
  let parsed: ProcessorArguments;
  try {
    parsed = parseProcessorArgs(args);
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    await io.stderr.write(`${NAME}: ${error.message}\n\n${PROCESSOR_USAGE}`);
    return 1;
  }
  if (parsed.kind === 'help') {
    await io.stdout.write(PROCESSOR_USAGE);
    return 0;
  }
  try {
    await processLog(parsed.options, io);
    return 0;
  } catch (error) {
    if (!isExpected(error)) throw error;
    const text = parsed.options.verbose === true ? whole(error) : error.message;
    await io.stderr.write(`${NAME}: ${text}\n`);
    return 1;
  }
}

const NAME = 'hdrscope log process';

function isExpected(error: unknown): error is Error {
  if (error instanceof HdrscopeError) return true;
  // A file that is not there, or may not be read; where output ends is for the caller to judge.
  return error instanceof Error && 'path' in error;
}

function whole(error: Error): string {
  const { stack = error.message, cause } = error;
  return cause instanceof Error ? `${stack}\ncaused by ${whole(cause)}` : stack;
}
