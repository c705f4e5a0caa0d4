import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import {
  type AskDaemon,
  askHistograms,
  daemonAt,
  type ImportedHistogram,
  parseHistogramDump,
} from '@hdrscope/ceph';
import {
  axisNames,
  histogramKey,
  type ParseDumpOptions,
  type SourcedHistogram,
  type SourcedIncrease,
  socketsIn,
  type UnitOverrides,
  watchDaemons,
  withSource,
} from '@hdrscope/ceph/internal';
import { HdrscopeError } from '@hdrscope/core';
import { AXIS_UNITS } from '@hdrscope/core/joint';
import { readText, withName } from '@hdrscope/inputs/internal';
import { wrongOption } from '../../arguments.ts';
import { type Io, Refusal, UsageError } from '../../command.ts';
import { defineOption, defineOptions, type OptionsOf } from '../../define-command.ts';
import { amountIn } from '../../options.ts';
import { refusing } from '../../system-error.ts';

export const CEPH_INPUTS = {
  '<socket|file...>': 'admin sockets of daemons, folders of sockets, and files with answers',
} as const;

export const HISTOGRAM_OPTIONS = defineOptions({
  logger: { value: '<name>', help: 'only the logger of this name' },
  counter: { value: '<name>', help: 'only counters of this name' },
  units: {
    value: '<axis=unit>',
    help: `the unit of an axis (${AXIS_UNITS.join(', ')}), by its name`,
    parse: addUnit,
  },
  lenient: { help: "accepts broken dumps like the one in Ceph's documentation" },
});

export type HistogramOptions = OptionsOf<typeof HISTOGRAM_OPTIONS>;

export type Sourced = SourcedHistogram;

function addUnit(text: string, name: string, others: UnitOverrides = {}): UnitOverrides {
  const at = text.lastIndexOf('=');
  const unit = AXIS_UNITS.find((one) => one === text.slice(at + 1));
  if (at < 1 || unit === undefined) {
    throw wrongOption(name, `an axis and one of ${AXIS_UNITS.join(', ')}, as in 'Latency (usec)=us'`, text);
  }
  return { ...others, [text.slice(0, at)]: unit };
}

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
  return numbered(histograms.map((one) => withSource(one, input.name)));
}

/** Histograms of one name, as several dumps in a file have them, get numbers after their sources. */
function numbered(histograms: readonly Sourced[]): readonly Sourced[] {
  const counts = new Map<string, number>();
  const places = histograms.map((one) => {
    const key = histogramKey(one);
    const place = (counts.get(key) ?? 0) + 1;
    counts.set(key, place);
    return place;
  });
  if (places.every((place) => place === 1)) return histograms;
  return histograms.map((one, at) => ({ ...one, source: `${one.source} ${places[at]}` }));
}

async function fromText(input: CephInput, options: ParseDumpOptions): Promise<ImportedHistogram[]> {
  const text = await input.ask('perf histogram dump', {});
  return withName(input.name, () => parseHistogramDump(text, options));
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

export function haveSeveralSources(histograms: readonly Sourced[]): boolean {
  return new Set(histograms.map(({ source }) => source)).size > 1;
}

/** Makes a function that writes the notes of histograms to standard error, each note once. */
export function noteWriter(io: Pick<Io, 'stderr'>): (histograms: readonly Sourced[]) => Promise<void> {
  const written = new Set<string>();
  return async (histograms) => {
    for (const note of histograms.flatMap(notesOf)) {
      if (written.has(note)) continue;
      written.add(note);
      await io.stderr.write(`hdrscope: ${note}\n`);
    }
  };
}

/** Writes the notes of a text to standard error. */
export async function writeNotes({ name }: CephInput, notes: readonly string[] = [], io: Io): Promise<void> {
  for (const note of notes) await io.stderr.write(`hdrscope: ${name}: ${note}\n`);
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

/** An operand of the command line: the socket of a daemon, or a text with its answer. */
export interface CephInput {
  /** The name for people: `ceph-osd.0` for its socket, or the name of the file. */
  readonly name: string;
  readonly path: string;
  readonly isSocket: boolean;
  /** The answer of the daemon to a command. A text is the answer to every command. */
  readonly ask: AskDaemon;
  /** Names the present life of a daemon: see `AskHistogramsOptions`. */
  readonly life?: (() => Promise<string | undefined>) | undefined;
}

/**
 * Opens the operands of the command line, without asking a daemon. A folder stands for the sockets in it.
 *
 * @throws Refusal; UsageError.
 */
export async function openInputs(operands: readonly string[], io: Io): Promise<CephInput[]> {
  if (operands.filter((path) => path === '-').length > 1) {
    throw new UsageError('- is standard input, which can be read only once');
  }
  const paths = (await Promise.all(operands.map(pathsOf))).flat();
  const names = paths.map(shortName);
  return Promise.all(
    paths.map((path, at) => {
      const isUnique = names.indexOf(names[at]!) === names.lastIndexOf(names[at]!);
      return openInput(path, isUnique ? names[at]! : path, io);
    }),
  );
}

/** @throws UsageError when an input is not a socket, as only a daemon can be read again. */
export function assertSockets(inputs: readonly CephInput[], option: string): void {
  const text = inputs.find(({ isSocket }) => !isSocket);
  if (text !== undefined) throw new UsageError(`${option} needs admin sockets, and ${text.name} is not one`);
}

/** The sockets in a folder, or the path itself. */
async function pathsOf(path: string): Promise<string[]> {
  if (path === '-' || (await kindOf(path)) !== 'folder') return [path];
  const sockets = await socketsIn(path);
  if (sockets.length === 0)
    throw new Refusal(`${path} has no sockets: no file in it is a socket whose name ends in .asok`);
  return sockets;
}

async function openInput(path: string, name: string, io: Io): Promise<CephInput> {
  if (path === '-') return { name, path, isSocket: false, ask: () => readText(io.stdin, 'a dump', { name }) };
  if ((await kindOf(path)) === 'socket') return { ...daemonAt(path), name, path, isSocket: true };
  const ask = (): Promise<string> =>
    readText(createReadStream(path, { signal: io.signal }), 'a dump', { name });
  return { name, path, isSocket: false, ask };
}

/** @throws Refusal when there is no such path. */
export async function kindOf(path: string): Promise<'folder' | 'socket' | 'file'> {
  const found = await refusing(path, () => stat(path));
  if (found.isDirectory()) return 'folder';
  return found.isSocket() ? 'socket' : 'file';
}

function shortName(path: string): string {
  return path === '-' ? 'standard input' : basename(path, '.asok');
}

interface FollowOptions extends HistogramOptions {
  /** In seconds. */
  readonly interval: number;
  readonly intervals?: number;
}

/**
 * What daemons count from now on, interval by interval. Standard error reports, once, when a daemon does not answer and when it is
 * back, and also counters that began anew.
 *
 * @throws Refusal when no daemon has such a histogram; HdrscopeError when none answers at first.
 */
export async function* followInputs(
  inputs: readonly CephInput[],
  options: FollowOptions,
  { monotonicMs, signal, ...io }: Io,
): AsyncGenerator<readonly SourcedIncrease[], void> {
  const { interval, intervals } = options;
  const note = (text: string): Promise<void> => io.stderr.write(`hdrscope: ${text}\n`);
  const watch = { intervalMs: interval * 1000, intervals, signal, monotonicMs, note };
  const onStart = async (histograms: readonly Sourced[]): Promise<void> => {
    assertSome(histograms, inputs, options);
    await noteWriter(io)(histograms);
  };
  for await (const all of watchDaemons(inputs, { ...parseOptions(options), ...watch, onStart })) {
    for (const one of all.filter(({ isReset }) => isReset)) {
      await note(`${titleOf(one, inputs.length > 1)}: the daemon began anew, so all its counts are new`);
    }
    yield all;
  }
}

const ALL_OSDS = 'osd.*';

/** The options of commands that may ask by the `ceph` program. */
export const TELL = defineOptions({
  tell: {
    value: '[daemons]',
    help: `asks with ceph tell, not through sockets (daemons by default: ${ALL_OSDS})`,
  },
  ceph: { value: '<program>', help: 'the ceph program for --tell', default: 'ceph' },
});

export function daemonsToTell(tell: string | true): string {
  return tell === true ? ALL_OSDS : tell;
}

/** `--sizes`: where classes of sizes begin, in bytes. */
export function sizesOption(note = '') {
  return defineOption({
    value: '<list>',
    help: `${note}where the classes of sizes begin: 512 bytes times powers of two`,
    allowed: 'ascending sizes, as in 4KiB,64KiB',
    parse: readSizes,
  });
}

function readSizes(text: string): readonly number[] | undefined {
  const sizes = text.split(',').map((part) => amountIn(part.trim(), 'bytes') ?? Number.NaN);
  return sizes.every((size, at) => size > (sizes[at - 1] ?? 0)) ? sizes : undefined;
}
