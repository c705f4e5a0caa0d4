import {
  type AxisUnit,
  type ImportedHistogram,
  type ParseDumpOptions,
  parseHistogramDump,
  type UnitOverrides,
} from '@hdrscope/ceph';
import { HdrscopeError } from '@hdrscope/core';
import { type Command, Option } from 'commander';
import { wrongOption } from '../arguments.ts';
import { type Io, Refusal } from '../command.ts';
import type { CephInput } from './input.ts';

/** Options of every command that reads histograms. */
export interface HistogramOptions {
  readonly logger?: string;
  readonly counter?: string;
  readonly units?: UnitOverrides;
  readonly lenient?: boolean;
}

/** A histogram, and whose it is. */
export interface Sourced extends ImportedHistogram {
  /** The daemon that the text names, or else the input. */
  readonly source: string;
}

const UNITS: readonly AxisUnit[] = ['ns', 'us', 'ms', 's', 'bytes', 'none'];

/** Adds the options of a command that reads histograms. */
export function addHistogramOptions(parser: Command): Command {
  return parser
    .option('--logger <name>', 'only the logger of this name')
    .option('--counter <name>', 'only counters of this name')
    .addOption(
      new Option('--units <axis=unit>', `what an axis counts (${UNITS.join(', ')}), by its name`).argParser(
        addUnit,
      ),
    )
    .option('--lenient', 'takes what is nearly a dump, as that in the documentation of Ceph');
}

function addUnit(text: string, others: UnitOverrides = {}): UnitOverrides {
  const at = text.lastIndexOf('=');
  const unit = UNITS.find((one) => one === text.slice(at + 1));
  if (at < 1 || unit === undefined) {
    throw wrongOption('--units', `an axis and one of ${UNITS.join(', ')}, as in 'Latency (usec)=us'`, text);
  }
  return { ...others, [text.slice(0, at)]: unit };
}

/** How texts are parsed. */
export function parseOptions({ logger, counter, units, lenient }: HistogramOptions): ParseDumpOptions {
  return {
    ...(logger !== undefined && { logger }),
    ...(counter !== undefined && { counter }),
    ...(units !== undefined && { units }),
    ...(lenient !== undefined && { lenient }),
  };
}

/** The text of a dump. A daemon is asked for what is wanted only. */
export function askDump(input: CephInput, { logger, counter }: HistogramOptions): Promise<string> {
  return input.ask('perf histogram dump', {
    ...(logger !== undefined && { logger }),
    ...(counter !== undefined && { counter }),
  });
}

/**
 * Reads the histograms of an input.
 *
 * @throws HdrscopeError where a daemon does not answer, Refusal where its answer is no dump.
 */
export async function readHistograms(
  input: CephInput,
  options: HistogramOptions,
): Promise<readonly Sourced[]> {
  const text = await askDump(input, options);
  const histograms = explained(input, () => parseHistogramDump(text, parseOptions(options)));
  return histograms.map((one) => ({ ...one, source: one.daemon ?? input.name }));
}

/** What is wrong with a text says little where nobody says which. */
export function explained<Result>(input: CephInput, parse: () => Result): Result {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof HdrscopeError)) throw cause;
    throw new Refusal(`${input.name}: ${cause.message}`, { cause });
  }
}

/** @throws Refusal where nothing is left to show. */
export function assertSome(histograms: readonly Sourced[], inputs: readonly CephInput[]): void {
  if (histograms.length > 0) return;
  const names = inputs.map(({ name }) => name).join(', ');
  throw new Refusal(
    `there is no such histogram in ${names}: hdrscope ceph schema lists them. Of Ceph's daemons OSDs have some`,
  );
}

/** `osd.op_r`; with its daemon, where there are several. */
export function titleOf({ source, logger, counter }: Sourced, hasSource: boolean): string {
  return `${hasSource ? `${source} ` : ''}${logger}.${counter}`;
}

export function haveSeveralSources(histograms: readonly Sourced[]): boolean {
  return new Set(histograms.map(({ source }) => source)).size > 1;
}

/** How many values were counted, to the last digit. */
export function exactTotal({ histogram }: Pick<Sourced, 'histogram'>): bigint {
  return histogram.cells.reduce((sum, count) => sum + count, 0n);
}

/** Tells on standard error what was decided to read histograms: each once, however often it is met. */
export function noteWriter(io: Io): (histograms: readonly Sourced[]) => Promise<void> {
  const told = new Set<string>();
  return async (histograms) => {
    for (const note of histograms.flatMap(notesOf)) {
      if (told.has(note)) continue;
      told.add(note);
      await io.stderr.write(`hdrscope: ${note}\n`);
    }
  };
}

function notesOf({ histogram, unitSources, notes, source }: Sourced): string[] {
  const mislabelled = histogram.axes.filter((_, at) => unitSources[at] === 'known-mislabel');
  return [
    ...mislabelled.map(
      ({ name }) =>
        `the axis "${name}" is taken for nanoseconds, as OSDs count these in it; --units '${name}=us' takes its word`,
    ),
    ...notes.map((note) => `${source}: ${note}`),
  ];
}
