import { basename } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import {
  bpftoolMap,
  examineKernel,
  type Frame,
  type KernelSource,
  kernelMap,
  listMaps,
  type MapShape,
  parseKernelLayout,
  parseMapShape,
} from '@hdrscope/ebpf';
import {
  KERNEL_LAYOUT_SYNTAX,
  KERNEL_PROGRAMS,
  keptName,
  MAP_SHAPE_SYNTAX,
  type MapPlace,
  newestMapId,
  parseMapPlace,
  visibleMapIds,
} from '@hdrscope/ebpf/internal';
import { type KernelProgramName, measureCost, openKernelProgram } from '@hdrscope/ebpf/loader';
import { wrongOption } from '../../arguments.ts';
import { UsageError } from '../../command.ts';
import { defineOptions, type OptionsOf } from '../../define-command.ts';
import { type ExporterConfig, histogramOf } from './exporter-config.ts';

/** Access to the kernel. Tests replace it. */
export interface Kernel {
  readonly list: typeof listMaps;
  readonly newestMapId: typeof newestMapId;
  readonly mapIds: typeof visibleMapIds;
  readonly open: (...options: Parameters<typeof kernelMap>) => KernelSource;
  readonly openByTool: (...options: Parameters<typeof bpftoolMap>) => KernelSource;
  readonly examine: typeof examineKernel;
  readonly openProgram: typeof openKernelProgram;
  readonly measureCost: typeof measureCost;
}

export const THIS_KERNEL: Kernel = {
  list: listMaps,
  newestMapId,
  mapIds: visibleMapIds,
  open: kernelMap,
  openByTool: bpftoolMap,
  examine: examineKernel,
  openProgram: openKernelProgram,
  measureCost,
};

export interface MapOptions extends Omit<OptionsOf<typeof MAP_OPTIONS>, 'config'> {
  readonly config?: ExporterConfig;
}

export const MAP_ARGUMENT_HELP = 'the path of a pin, id:N or name:X';

export const MAP_OPTIONS = defineOptions({
  config: {
    value: '<file>',
    help: 'a configuration of ebpf_exporter, which has the maps, their layouts, labels and units',
  },
  layout: {
    value: '<layout>',
    help: `which values the slots hold: ${KERNEL_LAYOUT_SYNTAX}`,
    parse: (text: string, name: string) => parsed(() => parseKernelLayout(text), name),
    fallback: 'what the map shows; a map that does not show it is refused',
  },
  shape: {
    value: '<structs>',
    help: `types of keys and values: ${MAP_SHAPE_SYNTAX}`,
    parse: (text: string, name: string) => parsed(() => parseMapShape(text), name),
    fallback: 'the types of the map',
  },
  sum: {
    value: '<place>',
    help: 'the sum of the values: a field of the value, an index, after-last or none',
    parse: parseSum,
    fallback: 'the field called sum',
  },
  bpftool: { help: 'reads through bpftool, for machines without koffi; needs --layout or --config' },
});

function parseSum(text: string): NonNullable<MapShape['sum']> {
  return /^\d+$/.test(text) ? Number(text) : text;
}

function parsed<Value>(parse: () => Value, option: string): Value {
  try {
    return parse();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new UsageError(error.message.replace(/^the (layout|shape)/, option));
  }
}

/**
 * The map that the command line names. Each `read` of it opens the map when it is not open.
 *
 * @throws UsageError when the argument names no map, or bpftool is to read a map without a layout.
 */
export async function openMap(
  argument: string,
  { layout, shape, sum, config, bpftool = false }: MapOptions,
  kernel: Kernel,
): Promise<KernelSource> {
  const place = parseMapPlace(argument);
  if (place === undefined) throw wrongOption('the map', MAP_ARGUMENT_HELP, argument);
  if (config !== undefined) {
    if (layout !== undefined)
      throw new UsageError('--layout and --config exclude each other: both have the layout');
    if (shape !== undefined || sum !== undefined)
      throw new UsageError('--config excludes --shape and --sum, which it has');
    return openConfigured(argument, { place, config, bpftool }, kernel);
  }
  const described = { ...shape, ...(sum !== undefined && { sum }) };
  const options = { ...place, ...(Object.keys(described).length > 0 && { shape: described }) };
  if (!bpftool) return kernel.open(layout === undefined ? options : { ...options, layout });
  if (layout === undefined)
    throw new UsageError('--bpftool needs --layout, because finding a layout takes koffi');
  return kernel.openByTool({ ...options, layout });
}

/** Opens a map as a configuration of ebpf_exporter describes it. */
async function openConfigured(
  argument: string,
  {
    place,
    config,
    bpftool,
  }: { readonly place: MapPlace; readonly config: ExporterConfig; readonly bpftool: boolean },
  kernel: Kernel,
): Promise<KernelSource> {
  const shown = 'path' in place ? [basename(place.path)] : 'name' in place ? [place.name] : [];
  const isNamed = config.histograms.some(({ name }) => shown.includes(name));
  const found = isNamed || config.histograms.length === 1 ? [] : await namesAt(place, kernel);
  const { map: options, decode } = histogramOf(config, argument, [...shown, ...found]);
  const open = bpftool ? kernel.openByTool : kernel.open;
  return decode(open({ ...place, ...options }));
}

/** The name of the map at a place, when there is one. */
async function namesAt(place: MapPlace, kernel: Kernel): Promise<readonly string[]> {
  const { maps } = await kernel.list();
  const found = maps.find(({ id, name, pins }) => {
    if ('path' in place) return pins.includes(place.path);
    return 'id' in place ? id === place.id : [place.name, keptName(place.name)].includes(name);
  });
  return found === undefined ? [] : [found.name];
}

/** A note of what shows the layout of a map, for a command line without a layout. */
export function groundNote(argument: string, ground: string): string {
  return `hdrscope: the layout of ${argument} is known because ${ground}; --layout sets another one\n`;
}

const PREFIX = 'program:';

/** Help for an argument that may name a program of `@hdrscope/ebpf` in place of a map. */
export const PROGRAM_ARGUMENT_HELP = 'program:NAME[/BY[/HISTOGRAM]], such as program:runqueue/cgroup/latency';

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

/** Options that are for maps. A program knows its slots, units and names. */
const FOR_MAPS = ['layout', 'config', 'shape', 'sum', 'bpftool', 'unit', 'metric', 'description'] as const;

type GivenOptions = Readonly<Partial<Record<(typeof FOR_MAPS)[number] | 'perCpu', unknown>>>;

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
  const isGiven = (value: unknown): boolean => ![undefined, false, 'none'].includes(value as undefined);
  const wrong = FOR_MAPS.find((name) => isGiven(options[name]));
  if (wrong !== undefined) {
    throw new UsageError(`${argument} knows its slots, units and names: leave out ${wrong}`);
  }
  if (options.perCpu && by !== 'all') {
    throw new UsageError(`${argument} counts all CPUs together: leave out perCpu, or count by all`);
  }
}
