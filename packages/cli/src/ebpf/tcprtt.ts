import type { Command } from 'commander';
import type { Arguments } from '../arguments.ts';
import type { Io } from '../command.ts';
import { type CountingCommand, type CountingOptions, count, countingParser } from './count-program.ts';
import type { Kernel } from './kernel.ts';

const COMMAND: CountingCommand = {
  program: 'tcprtt',
  description: `Counts for some seconds the round-trip times of TCP connections: the smoothed time of the kernel, at each
segment that a connection receives.`,
  examples: ['hdrscope ebpf tcprtt', 'hdrscope ebpf tcprtt --duration 1m --by remote'],
};

/** The arguments of `hdrscope ebpf tcprtt`. */
export function parser(): Command {
  return countingParser(COMMAND);
}

/** `hdrscope ebpf tcprtt` */
export function run(given: Arguments<CountingOptions>, io: Io, kernel?: Kernel): Promise<number> {
  return count(COMMAND, given, io, kernel);
}
