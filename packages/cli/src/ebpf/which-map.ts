import type { KernelLayout, KernelSource, MapShape, VisibleMap } from '@hdrscope/ebpf';
import { type Command, Option } from 'commander';
import { wrongOption } from '../arguments.ts';
import { UsageError } from '../command.ts';
import type { Kernel } from './kernel.ts';
import { LAYOUTS_HELP, parseLayout } from './layouts.ts';

/** How a map is named: one of the three. */
export type WhichMap = { readonly path: string } | { readonly id: number } | { readonly name: string };

/** Options of every command that reads a map. */
export interface MapOptions {
  readonly layout?: KernelLayout;
  readonly bpftool?: boolean;
}

/** Adds the options of a command that reads maps. */
export function addMapOptions(parser: Command): Command {
  return parser
    .addOption(
      new Option('--layout <layout>', `which values the slots stand for: ${LAYOUTS_HELP}`)
        .argParser(parseLayout)
        .default(undefined, 'a guess'),
    )
    .option('--bpftool', 'reads through bpftool, where koffi is not installed; needs --layout');
}

/** @throws UsageError */
export function parseWhich(text: string): WhichMap {
  const [, kind, rest = ''] = /^(id|name):(.*)$/.exec(text) ?? [];
  if (kind === undefined) return { path: text };
  if (kind === 'name') {
    if (rest === '') throw wrongOption('the map', 'the path of a pin, id:N or name:X', text);
    return { name: rest };
  }
  if (!/^[1-9]\d*$/.test(rest)) throw wrongOption('the map', 'the path of a pin, id:N or name:X', text);
  return { id: Number(rest) };
}

/** A map that is to be read. */
export interface OpenMap {
  readonly source: KernelSource;
  /** `undefined` where the command line told the layout. */
  readonly guessed: KernelLayout | undefined;
}

/**
 * Opens what the command line names.
 *
 * @throws UsageError where no layout is told, and none can be guessed.
 */
export async function openMap(
  which: string,
  { layout, bpftool = false }: MapOptions,
  kernel: Kernel,
): Promise<OpenMap> {
  const named = parseWhich(which);
  if (bpftool) {
    if (layout === undefined)
      throw new UsageError('--bpftool needs --layout: maps are looked at through koffi');
    return { source: kernel.openByTool({ ...named, layout }), guessed: undefined };
  }
  const known = await lookUp(named, kernel);
  const guess = known?.guess;
  const chosen = layout ?? guess?.layout;
  if (chosen === undefined) {
    const what = known === undefined ? which : `${which} (${describe(known)})`;
    throw new UsageError(
      `${what} does not look like a histogram that is known: say its --layout\n${LAYOUTS_HELP}`,
    );
  }
  // Where the counts are in a map is a matter of the program that numbers the slots so.
  const shape: MapShape = guess !== undefined && guess.layout.name === chosen.name ? guess.shape : {};
  return {
    source: kernel.open({ ...named, layout: chosen, shape }),
    guessed: layout === undefined ? chosen : undefined,
  };
}

async function lookUp(which: WhichMap, kernel: Kernel): Promise<VisibleMap | undefined> {
  const { maps } = await kernel.list();
  const found = maps.filter((map) => {
    if ('path' in which) return map.pins.includes(which.path);
    return 'id' in which ? map.id === which.id : map.name === which.name.slice(0, 15);
  });
  // Of several that are called alike the kernel map tells.
  return found[0];
}

function describe({ type = 'another type', keySize, valueSize, maxEntries }: VisibleMap): string {
  return `${type}, keys of ${keySize} and values of ${valueSize} bytes, ${maxEntries} entries`;
}
