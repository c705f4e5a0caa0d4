import type { Command } from 'commander';
import type { Arguments } from '../arguments.ts';
import type { Io } from '../command.ts';
import { type CountingCommand, type CountingOptions, count, countingParser } from './count-program.ts';
import type { Kernel } from './kernel.ts';

const COMMAND: CountingCommand = {
  program: 'blockio',
  description: `Counts for some seconds how long block devices take for requests, by device and operation.`,
  examples: ['hdrscope ebpf blockio', 'hdrscope ebpf blockio --duration 1m --json'],
};

/** The arguments of `hdrscope ebpf blockio`. */
export function parser(): Command {
  return countingParser(COMMAND);
}

/** `hdrscope ebpf blockio` */
export function run(given: Arguments<CountingOptions>, io: Io, kernel?: Kernel): Promise<number> {
  return count(COMMAND, given, io, kernel);
}
