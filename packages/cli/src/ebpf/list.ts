import type { VisibleMap } from '@hdrscope/ebpf';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io } from '../command.ts';
import { formatTable } from '../table.ts';
import { type ExporterConfig, exporterConfigOption, histogramsOf } from './exporter-config.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';

interface Options {
  readonly all?: boolean;
  readonly config?: ExporterConfig;
  readonly json?: boolean;
}

const DESCRIPTION = `Lists the maps that look like histograms, with their pins.

The kernel does not know what its maps hold, so the layout is a guess by name and sizes. Without
CAP_SYS_ADMIN the list has only pinned maps whose pins this user may read.`;

/** The arguments of `hdrscope ebpf list`. */
export function parser(): Command {
  return createParser('hdrscope ebpf list', DESCRIPTION, [
    'hdrscope ebpf list',
    'hdrscope ebpf list --all --json',
    'hdrscope ebpf list --config biolatency.yaml',
  ])
    .option('-a, --all', 'lists all maps that this user can see')
    .addOption(exporterConfigOption())
    .option('--json', 'prints JSON')
    .allowExcessArguments(false);
}

/** `hdrscope ebpf list` */
export async function run(
  { options: { all = false, config, json = false } }: Arguments<Options>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const { maps: visible, incomplete } = await kernel.list();
  const maps = config === undefined ? visible : withLayouts(visible, config);
  const shown = maps.filter(({ guess }) => all || guess !== undefined);
  if (incomplete !== undefined)
    await io.stderr.write(`hdrscope: only pins are listed: ${incomplete.message}\n`);
  if (json) {
    await io.stdout.write(`${JSON.stringify(shown.map(toJson), undefined, 2)}\n`);
    return ExitCode.done;
  }
  if (shown.length === 0) {
    const others = all || maps.length === 0 ? '' : `; --all lists ${maps.length} more`;
    await io.stderr.write(`hdrscope: no ${all ? 'maps' : 'maps that look like histograms'}${others}\n`);
    return ExitCode.done;
  }
  const rows = shown.map(({ id, type = '-', name, keySize, valueSize, maxEntries, pins, guess }) => [
    ...[id, type, name || '-', keySize, valueSize, maxEntries, guess?.layout.name ?? '-'].map(String),
    pins.join(', ') || '-',
  ]);
  const isText = (title: string) => ['type', 'name', 'layout?', 'pinned at'].includes(title);
  const titles = ['id', 'type', 'name', 'key B', 'value B', 'entries', 'layout?', 'pinned at'];
  const columns = titles.map((title) => ({ title, isText: isText(title) }));
  const [head = '', ...lines] = formatTable(columns, rows);
  await io.stdout.write(`${[painter(io, io.stdout)('bold', head), ...lines].join('\n')}\n`);
  return ExitCode.done;
}

/** The maps that a configuration has, with its layouts. A name of 15 bytes may be that of several. */
function withLayouts(maps: readonly VisibleMap[], config: ExporterConfig): readonly VisibleMap[] {
  return maps.flatMap((map) =>
    histogramsOf(config, map.name).map(({ map: { layout } }) => ({ ...map, guess: { layout, shape: {} } })),
  );
}

function toJson({ type, guess, ...map }: VisibleMap): object {
  return { ...map, type: type ?? null, layout: guess?.layout.name ?? null };
}
