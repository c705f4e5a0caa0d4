import { HdrscopeError } from '@hdrscope/core';
import { assertFollows, listOf, text } from '@hdrscope/core/internal';
import { type ProcessorArguments, parseProcessorArgs } from './arguments.ts';
import type { ProcessorIo } from './io.ts';
import { processLog } from './process.ts';
import { PROCESSOR_USAGE } from './usage.ts';

/**
 * Runs the processor as a program: takes the arguments of Java's `HistogramLogProcessor` and writes error messages to
 * `io.stderr`. An error of `io` itself is thrown unchanged, unless it has a `path` as errors of files do.
 *
 * @returns The exit code: 0, or 1 when an argument is wrong, a file cannot be read or written, a line is malformed, or
 *   the log has no interval to process.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when the arguments are not texts.
 */
export async function runProcessor(args: readonly string[], io: ProcessorIo): Promise<number> {
  assertFollows('args', listOf(text, 'texts'), args);
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
    const message = parsed.options.verbose === true ? withCauses(error) : error.message;
    await io.stderr.write(`${NAME}: ${message}\n`);
    return 1;
  }
}

const NAME = 'hdrscope log process';

function isExpected(error: unknown): error is Error {
  if (error instanceof HdrscopeError) return true;
  // An error of a file has a path. An error of standard output has no path, and is the caller's to handle.
  return error instanceof Error && 'path' in error;
}

function withCauses(error: Error): string {
  const { stack = error.message, cause } = error;
  return cause instanceof Error ? `${stack}\ncaused by ${withCauses(cause)}` : stack;
}
