import type { Frame, KernelSource } from '@hdrscope/ebpf';
import { KERNEL_PROGRAMS } from '@hdrscope/ebpf/internal';
import type { KernelProgramName } from '@hdrscope/ebpf/loader';
import { wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import type { Kernel } from './kernel.ts';

const PREFIX = 'program:';

/** Help for an argument that may name a program of `@hdrscope/ebpf` in place of a map. */
export const PROGRAM_ARGUMENT_HELP = 'program:NAME[/BY[/HISTOGRAM]], such as program:runqueue/cgroup/latency';

/** Whether an argument names a program, and not a map. */
export function isProgram(argument: string): boolean {
  return argument.startsWith(PREFIX);
}

/** @throws UsageError when an argument names a program, which has counted nothing before it is loaded. */
export function assertNoProgram(argument: string): void {
  if (!isProgram(argument)) return;
  throw new UsageError(
    `${argument} counts from when it is loaded on: hdrscope ebpf watch shows it, and so do ${Object.keys(KERNEL_PROGRAMS).join(', ')}`,
  );
}

/** @throws UsageError when an argument names a program with several histograms, but no histogram of it. */
export function assertOneHistogram(argument: string): void {
  if (!isProgram(argument)) return;
  const { name, by, wanted } = parseProgram(argument);
  const parts = partsOf(name);
  if (wanted !== undefined || parts.length === 1) return;
  const choices = parts.map((part) => `${PREFIX}${name}/${by}/${part}`);
  throw new UsageError(
    `${argument} counts several histograms, and a picture shows one: name ${choices.join(' or ')}`,
  );
}

/** Options of maps. A program knows its slots, units and names. */
interface GivenOptions {
  readonly layout?: unknown;
  readonly config?: unknown;
  readonly shape?: unknown;
  readonly sum?: unknown;
  readonly bpftool?: boolean;
  readonly unit?: string;
  readonly metric?: string;
  readonly description?: string;
  readonly perCpu?: boolean;
}

/**
 * The histograms of a program, which the first `read` loads.
 *
 * @param onNote Gets the note of a program that counts less on this kernel than on others.
 * @throws UsageError when the argument names no program, or an option is only for maps.
 */
export function programOf(
  argument: string,
  options: GivenOptions,
  kernel: Pick<Kernel, 'openProgram'>,
  onNote: (note: string) => Promise<void>,
): KernelSource {
  const { name, by, wanted } = parseProgram(argument);
  assertNoMapOptions(argument, options, by);
  const open = async (): Promise<KernelSource> => {
    const { source, note } = await kernel.openProgram(name, { by });
    if (note !== undefined) await onNote(note);
    return source;
  };
  let opened: Promise<KernelSource> | undefined;
  return {
    name: argument,
    read: async (): Promise<Frame> => {
      opened ??= open();
      const frame = await (await opened).read();
      return wanted === undefined ? frame : only(frame, wanted, argument);
    },
    // A program that could not be loaded needs no closing.
    close: async () => (await opened?.catch(() => undefined))?.close(),
  };
}

interface ProgramArgument {
  readonly name: KernelProgramName;
  readonly by: string;
  /** Last part of the name of a histogram. @default all histograms of the program */
  readonly wanted: string | undefined;
}

function parseProgram(argument: string): ProgramArgument {
  const [name = '', by, wanted, ...more] = argument.slice(PREFIX.length).split('/');
  if (more.length > 0) throw wrongOption('the program', PROGRAM_ARGUMENT_HELP, argument);
  const programs = Object.keys(KERNEL_PROGRAMS);
  if (!programs.includes(name)) throw wrongOption('the program', `one of ${programs.join(', ')}`, name);
  const known = Object.keys(KERNEL_PROGRAMS[name as KernelProgramName].by);
  if (by !== undefined && !known.includes(by)) {
    throw wrongOption(`what ${name} counts by`, `one of ${known.join(', ')}`, by);
  }
  const parts = partsOf(name as KernelProgramName);
  if (wanted !== undefined && !parts.includes(wanted)) throw wrongHistogram(argument, parts, wanted);
  return { name: name as KernelProgramName, by: by ?? known[0]!, wanted };
}

/** The last parts of the names of the histograms of a program. */
function partsOf(program: KernelProgramName): readonly string[] {
  return KERNEL_PROGRAMS[program].histograms.map(({ name }) => partOf(name));
}

/** The last part of the name of a histogram. */
function partOf(name: string): string {
  return name.split('.').at(-1)!;
}

function wrongHistogram(argument: string, parts: readonly string[], wanted: string): UsageError {
  return wrongOption(`the histogram of ${argument}`, `one of ${parts.join(', ')}`, wanted);
}

/**
 * The histograms of a frame whose name ends with the given part. A program that counts by keys has none before its first count, and a
 * kernel may not have all of them.
 */
function only(frame: Frame, wanted: string, argument: string): Frame {
  const histograms = frame.histograms.filter(({ name }) => partOf(name) === wanted);
  if (histograms.length === 0 && frame.histograms.length > 0) {
    const parts = [...new Set(frame.histograms.map(({ name }) => partOf(name)))];
    throw wrongHistogram(argument, parts, wanted);
  }
  return { ...frame, histograms };
}

function assertNoMapOptions(argument: string, options: GivenOptions, by: string): void {
  const { layout, config, shape, sum, bpftool, unit, metric, description, perCpu } = options;
  const given = Object.entries({
    layout: layout !== undefined,
    config: config !== undefined,
    shape: shape !== undefined,
    sum: sum !== undefined,
    bpftool,
    unit: unit !== undefined && unit !== 'none',
    metric: metric !== undefined,
    description: description !== undefined,
  });
  const [wrong] = given.find(([, isGiven]) => isGiven) ?? [];
  if (wrong !== undefined) {
    throw new UsageError(`${argument} knows its slots, units and names: leave out ${wrong}`);
  }
  if (perCpu && by !== 'all') {
    throw new UsageError(`${argument} counts all CPUs together: leave out perCpu, or count by all`);
  }
}
