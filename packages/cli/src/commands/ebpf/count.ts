import { setTimeout as sleep } from 'node:timers/promises';
import type { KernelHistogram } from '@hdrscope/ebpf';
import {
  KERNEL_PROGRAMS,
  listNamed,
  type NamedCounts,
  type ProgramCost,
  sumNamed,
} from '@hdrscope/ebpf/internal';
import type { KernelProgram, KernelProgramName } from '@hdrscope/ebpf/loader';
import { formatCount, percentileName } from '@hdrscope/kit';
import { ExitCode, type Io, UsageError } from '../../command.ts';
import { defineCommand, defineOptions, type OptionsOf } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { DURATION } from '../../moment.ts';
import { ASCII, integer, percentilesOption } from '../../options.ts';
import { screenOf } from '../../screen/screen.ts';
import { shownTable } from '../../screen/table.ts';
import {
  formatHistogram,
  formatMapBounds,
  formatMapValue,
  formatTextForm,
  histogramJson,
  percentilesOf,
  type ShownAs,
  TEXT_FORM,
  titleOf,
} from './histogram.ts';
import { type Kernel, THIS_KERNEL } from './map.ts';

/** A command that counts with a program of `@hdrscope/ebpf` for some seconds. */
interface CountingCommand {
  readonly program: KernelProgramName;
  readonly description: string;
  readonly examples: readonly string[];
}

const NEEDS = `It loads a program into the kernel until the command ends. This takes root (or CAP_BPF and
CAP_PERFMON), Linux 5.5 with BTF, and libbpf.so.1. hdrscope ebpf doctor shows what is missing.`;

function countingCommand({ program, description, examples }: CountingCommand) {
  const [by = 'all', ...others] = Object.keys(KERNEL_PROGRAMS[program].by);
  return defineCommand({
    path: `hdrscope ebpf ${program}`,
    description: `${description}\n\n${NEEDS}`,
    examples,
    options: {
      ...COUNTING_OPTIONS,
      by: { value: '<what>', help: 'what has a histogram of its own', choices: [by, ...others], default: by },
    },
    formats: ['text', 'json'],
    output: 'when done',
    run: ({ options, format }, io, kernel: Kernel = THIS_KERNEL) =>
      countNow(program, options, format, io, kernel),
  });
}

const COUNTING_OPTIONS = defineOptions({
  duration: { ...DURATION, help: 'how long it counts; Ctrl-C ends it early', default: 10, fallback: '10s' },
  perCpu: { help: 'shows each CPU separately; takes --by all' },
  top: {
    value: '<count>',
    help: 'how many rows a table shows: those with the largest sum, or without sums the largest count',
    parse: integer(1),
    default: 20,
  },
  text: TEXT_FORM,
  cost: { help: 'measures how long the program ran for these counts; takes CAP_SYS_ADMIN' },
  percentiles: percentilesOption(),
  ...ASCII,
});

type CountingOptions = OptionsOf<typeof COUNTING_OPTIONS>;

export const runqueue = countingCommand({
  program: 'runqueue',
  description: `Counts for some seconds how many tasks each CPU has to run, and how long tasks wait for a CPU.`,
  examples: [
    'hdrscope ebpf runqueue',
    'hdrscope ebpf runqueue --duration 1m --by cgroup',
    'hdrscope ebpf runqueue --per-cpu --json',
  ],
});

export const blockio = countingCommand({
  program: 'blockio',
  description: `Counts for some seconds how long block devices take for requests, by device and operation.`,
  examples: ['hdrscope ebpf blockio', 'hdrscope ebpf blockio --duration 1m --json'],
});

export const tcprtt = countingCommand({
  program: 'tcprtt',
  description: `Counts for some seconds the round-trip times of TCP connections: the smoothed time of the kernel, at each
segment that a connection receives.`,
  examples: ['hdrscope ebpf tcprtt', 'hdrscope ebpf tcprtt --duration 1m --by remote'],
});

async function countNow(
  name: KernelProgramName,
  options: CountingOptions & { readonly by: string },
  format: 'text' | 'json',
  io: Io,
  kernel: Kernel,
): Promise<number> {
  const { by, duration, perCpu: isPerCpu = false } = options;
  if (isPerCpu && by !== 'all') throw new UsageError(`--per-cpu takes --by all, got --by ${by}`);
  const program = await kernel.openProgram(name, { by });
  // Ctrl-C ends the counting early, and the command shows its result.
  io.endSlowly?.();
  try {
    const meter = options.cost ? await kernel.measureCost(program.program) : undefined;
    try {
      const startMs = io.monotonicMs();
      await sleep(duration * 1000, undefined, { signal: io.signal }).catch(() => {});
      const { histograms, missed = 0 } = await program.source.read();
      const counted: Counted = {
        program,
        seconds: Math.round(io.monotonicMs() - startMs) / 1000,
        shown: histograms.flatMap((histogram: KernelHistogram) =>
          isPerCpu ? listNamed(histogram) : [sumNamed(histogram)],
        ),
        missed,
        cost: meter?.read(),
      };
      await io.stdout.write(format === 'json' ? jsonOf(counted, options) : textOf(counted, options, io));
    } finally {
      meter?.close();
    }
    return ExitCode.done;
  } finally {
    program.close();
  }
}

interface Counted {
  readonly program: KernelProgram;
  /** Time that it took. */
  readonly seconds: number;
  readonly shown: readonly NamedCounts[];
  readonly missed: number;
  readonly cost: readonly ProgramCost[] | undefined;
}

function jsonOf(
  { program, seconds, shown, missed, cost }: Counted,
  { percentiles }: Pick<CountingOptions, 'percentiles'>,
): string {
  const histograms = shown.map((histogram) => histogramJson(histogram, percentiles, 'none'));
  const { name, by, note } = program;
  const result = {
    program: name,
    by,
    seconds,
    histograms,
    missed,
    ...(note && { note }),
    ...(cost && { cost }),
  };
  return jsonDocument(result);
}

function textOf(
  { program, seconds, shown, missed, cost }: Counted,
  options: CountingOptions,
  io: Io,
): string {
  const { percentiles, text, top } = options;
  const shownAs: ShownAs = { percentiles, unit: 'none', ...screenOf(io, options) };
  const parts =
    text !== undefined
      ? shown.map((histogram) => `${titleOf(histogram)}\n${formatTextForm(histogram, text, percentiles)}\n`)
      : program.by === 'all'
        ? shown.map((histogram) => formatHistogram(histogram, shownAs))
        : tablesOf(shown, shownAs, top, io);
  if (parts.length === 0) parts.push('nothing was counted\n');
  const facts = [
    `counted for ${seconds} s`,
    ...(missed > 0 ? [`${KERNEL_PROGRAMS[program.name].missed}: ${formatCount(missed)}`] : []),
    ...(program.note === undefined ? [] : [program.note]),
    ...(cost === undefined ? [] : costLines(cost, seconds)),
  ];
  return `${parts.join('\n')}\n${facts.join('\n')}\n`;
}

/** A table for each histogram of the program: a row for each key, the largest sum first, or without sums the largest count. */
function tablesOf(shown: readonly NamedCounts[], shownAs: ShownAs, top: number, io: Io): string[] {
  const names = [...new Set(shown.map(({ name }) => name))];
  return names.map((name) => tableOf(name, shown, shownAs, top, io));
}

function tableOf(name: string, shown: readonly NamedCounts[], shownAs: ShownAs, top: number, io: Io): string {
  const mine = shown.filter((histogram) => histogram.name === name && histogram.counts.total > 0);
  const sizeOf = ({ sum, counts }: NamedCounts): number => sum ?? counts.total;
  mine.sort((a, b) => sizeOf(b) - sizeOf(a));
  const keys = [...new Set(mine.flatMap(({ attributes }) => Object.keys(attributes)))].filter(
    (key) => key !== OVERFLOW,
  );
  const hasSums = mine.some(({ sum }) => sum !== undefined);
  const columns = [
    ...keys.map((title) => ({ title, isText: true })),
    { title: 'count' },
    ...(hasSums ? [{ title: 'total' }, { title: 'mean' }] : []),
    ...shownAs.percentiles.map((percentile) => ({ title: percentileName(percentile) })),
  ];
  const rows = mine.slice(0, top).map((histogram) => {
    const { attributes, counts, sum = 0, unit = 'none' } = histogram;
    const value = (number: number): string =>
      formatMapValue(Number(number.toPrecision(3)), unit, shownAs.ascii);
    const isOthers = attributes[OVERFLOW] !== undefined;
    return [
      ...keys.map((key, at) => (isOthers ? (at === 0 ? '(others)' : '') : String(attributes[key] ?? ''))),
      formatCount(counts.total),
      ...(hasSums ? [value(sum), value(sum / counts.total)] : []),
      ...percentilesOf(histogram, shownAs.percentiles).map((quantile) =>
        formatMapBounds(quantile, { ...shownAs, unit }),
      ),
    ];
  });
  const more = mine.length > top ? [`… ${formatCount(mine.length - top)} more`] : [];
  return `${[name, ...shownTable(columns, rows, io), ...more].join('\n')}\n`;
}

/** Values of keys that had no room in the kernel. */
const OVERFLOW = 'otel.metric.overflow';

function costLines(cost: readonly ProgramCost[], seconds: number): string[] {
  const lines = cost.map(({ section, runs, runNs }) => {
    const each = runs === 0 ? 0 : Math.round(runNs / runs);
    return `cost: ${section} ran ${formatCount(runs)} times, ${each} ns each`;
  });
  const all = cost.reduce((sum, { runNs }) => sum + runNs, 0);
  const share = seconds === 0 ? 0 : all / (seconds * 1e7);
  return [...lines, `cost: ${share.toFixed(2)} % of one CPU in all`];
}
