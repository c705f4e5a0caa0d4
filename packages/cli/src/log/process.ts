import { createProcessorFiles, runProcessor } from '@hdrscope/interval-log';
import type { Io } from '../command.ts';

/** `hdrscope log process`, which takes the arguments of Java's `HistogramLogProcessor`. */
export function run(args: readonly string[], { stdin, stdout, stderr, signal }: Io): Promise<number> {
  return runProcessor(args, { stdin, stdout, stderr, files: createProcessorFiles({ signal }) });
}
