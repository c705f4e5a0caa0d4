import type { Command } from 'commander';
import type { Arguments } from '../arguments.ts';
import type { Io } from '../command.ts';
import { type CountingCommand, type CountingOptions, count, countingParser } from './count-program.ts';
import type { Kernel } from './kernel.ts';

const COMMAND: CountingCommand = {
  program: 'runqueue',
  description: `Counts for some seconds how many tasks each CPU has to run, and how long tasks wait for a CPU.`,
  examples: [
    'hdrscope ebpf runqueue',
    'hdrscope ebpf runqueue --duration 1m --by cgroup',
    'hdrscope ebpf runqueue --per-cpu --json',
  ],
};

/** The arguments of `hdrscope ebpf runqueue`. */
export function parser(): Command {
  return countingParser(COMMAND);
}

/** `hdrscope ebpf runqueue` */
export function run(given: Arguments<CountingOptions>, io: Io, kernel?: Kernel): Promise<number> {
  return count(COMMAND, given, io, kernel);
}
