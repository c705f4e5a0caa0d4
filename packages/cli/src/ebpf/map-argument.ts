import { HdrscopeError } from '@hdrscope/core';
import {
  type KernelLayout,
  type KernelSource,
  type MapShape,
  parseKernelLayout,
  parseMapShape,
} from '@hdrscope/ebpf';
import { KERNEL_LAYOUT_SYNTAX, keptName, MAP_SHAPE_SYNTAX } from '@hdrscope/ebpf/internal';
import { type Command, Option } from 'commander';
import { wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import { type ExporterConfig, histogramOf, namesOfPlace } from './exporter-config.ts';
import type { Kernel } from './kernel.ts';

/** The place of a map, from the command line. */
type MapPlace = { readonly path: string } | { readonly id: number } | { readonly name: string };

/** Options of every command that reads maps. */
export interface MapOptions {
  readonly layout?: KernelLayout;
  readonly config?: ExporterConfig;
  readonly shape?: MapShape;
  readonly sum?: NonNullable<MapShape['sum']>;
  readonly bpftool?: boolean;
}

/** Help for the argument that names a map. */
export const MAP_ARGUMENT_HELP = 'the path of a pin, id:N or name:X';

/** Adds the options of a command that reads maps. */
export function addMapOptions(parser: Command): Command {
  return parser
    .addOption(
      new Option('--layout <layout>', `which values the slots hold: ${KERNEL_LAYOUT_SYNTAX}`)
        .argParser(parseLayout)
        .default(undefined, 'what the map shows; a map that does not show it is refused'),
    )
    .addOption(
      new Option('--shape <structs>', `types of keys and values: ${MAP_SHAPE_SYNTAX}`)
        .argParser(parseShape)
        .default(undefined, 'the types of the map'),
    )
    .addOption(
      new Option('--sum <place>', 'the sum of the values: a field of the value, an index, after-last or none')
        .argParser(parseSum)
        .default(undefined, 'the field called sum'),
    )
    .option('--bpftool', 'reads through bpftool, for machines without koffi; needs --layout or --config');
}

/** @throws UsageError when the text does not name a layout. */
function parseLayout(text: string): KernelLayout {
  return parsed(() => parseKernelLayout(text), '--layout');
}

/** @throws UsageError when the text does not describe types. */
function parseShape(text: string): MapShape {
  return parsed(() => parseMapShape(text), '--shape');
}

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

/** @throws UsageError when the text does not name a map. */
function parsePlace(text: string): MapPlace {
  const [, kind, rest = ''] = /^(id|name):(.*)$/.exec(text) ?? [];
  if (kind === undefined) return { path: text };
  if (kind === 'name' && rest !== '') return { name: rest };
  if (kind === 'id' && /^[1-9]\d*$/.test(rest)) return { id: Number(rest) };
  throw wrongOption('the map', MAP_ARGUMENT_HELP, text);
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
  const place = parsePlace(argument);
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
  const shown = namesOfPlace(place);
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
