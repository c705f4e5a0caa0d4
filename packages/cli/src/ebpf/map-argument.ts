import { HdrscopeError } from '@hdrscope/core';
import {
  KERNEL_LAYOUT_SYNTAX,
  type KernelLayout,
  type KernelSource,
  kernelLayoutOf,
  type MapShape,
  type VisibleMap,
} from '@hdrscope/ebpf';
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
        .default(undefined, 'a guess'),
    )
    .option('--bpftool', 'reads through bpftool, for machines without koffi; needs --layout or --config');
}

/** @throws UsageError when the text does not name a layout. */
function parseLayout(text: string): KernelLayout {
  try {
    return kernelLayoutOf(text);
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    throw new UsageError(error.message.replace(/^the layout/, '--layout'));
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

/** A map that a command reads. */
export interface OpenMap {
  readonly source: KernelSource;
  /** The guess for the layout; `undefined` when the command line has a layout. */
  readonly guessed: KernelLayout | undefined;
}

/**
 * Opens the map that the command line names.
 *
 * @throws UsageError when the command line has no layout, and the map does not look like a known one.
 */
export async function openMap(
  argument: string,
  { layout, config, bpftool = false }: MapOptions,
  kernel: Kernel,
): Promise<OpenMap> {
  const place = parsePlace(argument);
  if (config !== undefined) {
    if (layout !== undefined)
      throw new UsageError('--layout and --config exclude each other: both have the layout');
    return openConfigured(argument, { place, config, bpftool }, kernel);
  }
  if (bpftool) {
    if (layout === undefined)
      throw new UsageError('--bpftool needs --layout, because guessing a layout takes koffi');
    return { source: kernel.openByTool({ ...place, layout }), guessed: undefined };
  }
  const map = await lookUp(place, kernel);
  const guess = map?.guess;
  const chosen = layout ?? guess?.layout;
  if (chosen === undefined) {
    const title = map === undefined ? argument : `${argument} (${describe(map)})`;
    throw new UsageError(
      `${title} does not look like a known histogram: add --layout\n${KERNEL_LAYOUT_SYNTAX}`,
    );
  }
  // The position of the counts depends on the program, and so does the layout.
  const shape: MapShape = guess !== undefined && guess.layout.name === chosen.name ? guess.shape : {};
  return {
    source: kernel.open({ ...place, layout: chosen, shape }),
    guessed: layout === undefined ? chosen : undefined,
  };
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
): Promise<OpenMap> {
  const shown = namesOfPlace(place);
  const isNamed = config.histograms.some(({ name }) => shown.includes(name));
  const map = isNamed || config.histograms.length === 1 ? undefined : await lookUp(place, kernel);
  const { map: options, decode } = histogramOf(config, argument, [...shown, ...(map ? [map.name] : [])]);
  const open = bpftool ? kernel.openByTool : kernel.open;
  return { source: decode(open({ ...place, ...options })), guessed: undefined };
}

/** The first map at a place. When several maps have the name, opening the map reports that. */
async function lookUp(place: MapPlace, kernel: Kernel): Promise<VisibleMap | undefined> {
  const { maps } = await kernel.list();
  return maps.find((map) => {
    if ('path' in place) return map.pins.includes(place.path);
    return 'id' in place ? map.id === place.id : map.name === place.name.slice(0, 15);
  });
}

function describe({ type = 'another type', keySize, valueSize, maxEntries }: VisibleMap): string {
  return `${type}, keys of ${keySize} and values of ${valueSize} bytes, ${maxEntries} entries`;
}
