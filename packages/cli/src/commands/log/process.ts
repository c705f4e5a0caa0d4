import { createProcessorFiles, runProcessor } from '@hdrscope/interval-log';
import { PROCESSOR_ARGUMENTS } from '@hdrscope/interval-log/internal';
import type { RawCommand, ValueNode } from '../../group.ts';

/** `hdrscope log process`, which takes the arguments of Java's `HistogramLogProcessor`. */
export const command: RawCommand = {
  run: (args, { stdin, stdout, stderr, signal }) =>
    runProcessor(args, { stdin, stdout, stderr, files: createProcessorFiles({ signal }) }),
  options: PROCESSOR_ARGUMENTS.map(({ name, value, description }) => ({
    flags: [name],
    value: value === undefined ? undefined : valueNode(value),
    description: description.split(/[\n:;[]/)[0]!.trim(),
  })),
};

function valueNode(value: string): ValueNode {
  return value === 'LOG' || value === 'FILE' ? 'file' : 'anything';
}
