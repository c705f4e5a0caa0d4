import {
  askHistograms,
  type ImportedHistogram,
  type ParseDumpOptions,
  parseHistogramDump,
  type UnitOverrides,
} from '@hdrscope/ceph';
import { axisNames } from '@hdrscope/ceph/internal';
import { HdrscopeError } from '@hdrscope/core';
import { AXIS_UNITS } from '@hdrscope/core/joint';
import { type Command, Option } from 'commander';
import { wrongOption } from '../arguments.ts';
import { type Io, Refusal } from '../command.ts';
import type { CephInput } from './input.ts';

/** The options of every command that reads histograms. */
export interface HistogramOptions {
  readonly logger?: string;
  readonly counter?: string;
  readonly units?: UnitOverrides;
  readonly lenient?: boolean;
}

/** A histogram and its source. */
export interface Sourced extends ImportedHistogram {
  /** The daemon that the text names, or the name of the input. */
  readonly source: string;
}

/** Adds the options of a command that reads histograms. */
export function addHistogramOptions(parser: Command): Command {
  return parser
    .option('--logger <name>', 'only the logger of this name')
    .option('--counter <name>', 'only counters of this name')
    .addOption(
      new Option(
        '--units <axis=unit>',
        `the unit of an axis (${AXIS_UNITS.join(', ')}), by its name`,
      ).argParser(addUnit),
    )
    .option('--lenient', "accepts broken dumps like the one in Ceph's documentation");
}

function addUnit(text: string, others: UnitOverrides = {}): UnitOverrides {
  const at = text.lastIndexOf('=');
  const unit = AXIS_UNITS.find((one) => one === text.slice(at + 1));
  if (at < 1 || unit === undefined) {
    throw wrongOption(
      '--units',
      `an axis and one of ${AXIS_UNITS.join(', ')}, as in 'Latency (usec)=us'`,
      text,
    );
  }
  return { ...others, [text.slice(0, at)]: unit };
}

/** The options for the parser. */
export function parseOptions({ logger, counter, units, lenient }: HistogramOptions): ParseDumpOptions {
  return {
    ...(logger !== undefined && { logger }),
    ...(counter !== undefined && { counter }),
    ...(units !== undefined && { units }),
    ...(lenient !== undefined && { lenient }),
  };
}

/** The text of a dump. A daemon sends only the selected logger and counter. */
export function askDump(input: CephInput, { logger, counter }: HistogramOptions): Promise<string> {
  return input.ask('perf histogram dump', {
    ...(logger !== undefined && { logger }),
    ...(counter !== undefined && { counter }),
  });
}

/**
 * Reads the histograms of an input.
 *
 * @throws HdrscopeError when a daemon does not answer; Refusal when its answer is not a dump.
 */
export async function readHistograms(
  input: CephInput,
  options: HistogramOptions,
): Promise<readonly Sourced[]> {
  const parsed = parseOptions(options);
  const histograms = await (input.isSocket ? fromDaemon(input, parsed) : fromText(input, parsed));
  return histograms.map((one) => ({ ...one, source: one.daemon ?? input.name }));
}

async function fromText(input: CephInput, options: ParseDumpOptions): Promise<ImportedHistogram[]> {
  const text = await input.ask('perf histogram dump', {});
  return withInputName(input, () => parseHistogramDump(text, options));
}

/** A daemon is also asked for its counters, which have the exact sums. */
async function fromDaemon(
  { name, ask, life }: CephInput,
  options: ParseDumpOptions,
): Promise<ImportedHistogram[]> {
  try {
    return await askHistograms(ask, { ...options, ...(life && { life }) });
  } catch (cause) {
    if (!(cause instanceof HdrscopeError) || cause.code === 'ERR_ADMIN_SOCKET') throw cause;
    throw new Refusal(`${name}: ${cause.message}`, { cause });
  }
}

/** Parses a text. An error gets the name of the input before its message. */
export function withInputName<Result>(input: CephInput, parse: () => Result): Result {
  try {
    return parse();
  } catch (cause) {
    if (!(cause instanceof HdrscopeError)) throw cause;
    throw new Refusal(`${input.name}: ${cause.message}`, { cause });
  }
}

/** @throws Refusal when there are no histograms; UsageError when `--units` names an axis that no histogram has. */
export function assertSome(
  histograms: readonly Sourced[],
  inputs: readonly CephInput[],
  { units = {} }: HistogramOptions,
): void {
  if (histograms.length > 0) {
    assertAxes(histograms, units);
    return;
  }
  const names = inputs.map(({ name }) => name).join(', ');
  throw new Refusal(
    `${names}: no such histogram; hdrscope ceph schema lists all; among Ceph's daemons, OSDs have some`,
  );
}

function assertAxes(histograms: readonly Sourced[], units: UnitOverrides): void {
  const axes = new Map(
    histograms.flatMap(({ histogram }) => histogram.axes.map((axis) => [axis.name, axis])),
  );
  const unknown = Object.keys(units).find((name) => !axes.has(name));
  if (unknown !== undefined)
    throw wrongOption('--units', `for one of the axes ${axisNames([...axes.values()])}`, unknown);
}

/** `osd.op_r`, or with its source `osd.0 osd.op_r`. */
export function titleOf({ source, logger, counter }: Sourced, hasSource: boolean): string {
  return `${hasSource ? `${source} ` : ''}${logger}.${counter}`;
}

/** Whether histograms come from different sources. */
export function haveSeveralSources(histograms: readonly Sourced[]): boolean {
  return new Set(histograms.map(({ source }) => source)).size > 1;
}

/** Makes a function that writes the notes of histograms to standard error, each note once. */
export function noteWriter(io: Io): (histograms: readonly Sourced[]) => Promise<void> {
  const written = new Set<string>();
  return async (histograms) => {
    for (const note of histograms.flatMap(notesOf)) {
      if (written.has(note)) continue;
      written.add(note);
      await io.stderr.write(`hdrscope: ${note}\n`);
    }
  };
}

function notesOf({ histogram, unitSources, notes, source }: Sourced): string[] {
  const mislabelled = histogram.axes.filter((_, at) => unitSources[at] === 'known-mislabel');
  return [
    ...mislabelled.map(
      ({ name }) =>
        `the axis "${name}" counts nanoseconds in OSDs, and is read so; --units '${name}=us' overrides this`,
    ),
    ...notes.map((note) => `${source}: ${note}`),
  ];
}
