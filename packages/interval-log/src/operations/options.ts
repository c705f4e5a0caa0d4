import type { OptionNames } from '@hdrscope/core/internal';
import type { MalformedLine } from '../reader/entry.ts';
import type { LogSource } from '../reader/input.ts';
import { READ_NAMES, type ReadOptions } from '../reader/read.ts';

/** Options of every operation on logs. */
export interface OperationOptions extends ReadOptions {
  /** Receives every malformed line, and the operation leaves it out. @default the error of the line is thrown */
  readonly onMalformed?: (line: MalformedLine, source: LogSource) => void;
}

/** The names of `OperationOptions`. */
export const OPERATION_NAMES: OptionNames<OperationOptions> = { ...READ_NAMES, onMalformed: true };

/** Passes a malformed line to `onMalformed`, or throws its error if there is no listener. */
export function reportMalformed(
  { onMalformed }: OperationOptions,
  line: MalformedLine,
  source: LogSource,
): void {
  if (onMalformed === undefined) throw line.error;
  onMalformed(line, source);
}
