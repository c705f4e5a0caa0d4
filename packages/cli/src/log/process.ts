import { createProcessorFiles, runProcessor } from '@hdrscope/interval-log';
import { PROCESSOR_ARGUMENTS } from '@hdrscope/interval-log/internal';
import type { Io } from '../command.ts';
import type { OptionNode, ValueNode } from '../command-module.ts';

/** `hdrscope log process`, which takes the arguments of Java's `HistogramLogProcessor`. */
export function run(args: readonly string[], { stdin, stdout, stderr, signal }: Io): Promise<number> {
  return runProcessor(args, { stdin, stdout, stderr, files: createProcessorFiles({ signal }) });
}

/** The options that shells complete. */
export const options: readonly OptionNode[] = PROCESSOR_ARGUMENTS.map(({ name, value, description }) => ({
  flags: [name],
  value: value === undefined ? undefined : valueNode(value),
  description: description.split(/[\n:;[]/)[0]!.trim(),
}));

function valueNode(value: string): ValueNode {
  return value === 'LOG' || value === 'FILE' ? 'file' : 'anything';
}
