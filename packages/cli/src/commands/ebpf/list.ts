import type { VisibleMap } from '@hdrscope/ebpf';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../../arguments.ts';
import { ExitCode, type Io } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../../output-options.ts';
import { shownTable } from '../../table.ts';
import {
  type ExporterConfig,
  exporterConfigOption,
  histogramsOf,
  type Unread,
  withConfig,
} from './exporter-config.ts';
import { type Kernel, THIS_KERNEL } from './map.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends OutputOptions<(typeof FORMATS)[number]> {
  readonly all?: boolean;
  readonly config?: ExporterConfig;
}

const DESCRIPTION = `Lists the maps that hold histograms or look like it, with their pins.

A map shows its layout by the names of its types, by its own name, or by the script of bpftrace.
For other maps the column has the layouts that fit their sizes, each with a question mark: such a
map is read with --layout only. Without CAP_SYS_ADMIN the list has only pinned maps whose pins this
user may read.`;

/** The arguments of `hdrscope ebpf list`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf list', DESCRIPTION, [
    'hdrscope ebpf list',
    'hdrscope ebpf list --all --json',
    'hdrscope ebpf list --config biolatency.yaml',
  ])
    .option('-a, --all', 'lists all maps that this user can see')
    .addOption(exporterConfigOption())
    .allowExcessArguments(false);
  return addFormat(addOutput(command), FORMATS);
}

/** `hdrscope ebpf list` */
export async function run(
  { options: given }: Arguments<Unread<Options>>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const options = await withConfig(given);
  return withOutput(options.output, io, (out) => list(options, out, kernel));
}

async function list(options: Options, io: Io, kernel: Kernel): Promise<number> {
  const { all = false, config } = options;
  const { maps: visible, incomplete } = await kernel.list();
  const maps = config === undefined ? visible : withLayouts(visible, config);
  const shown = maps.filter(({ known, guesses }) => all || known !== undefined || guesses.length > 0);
  if (incomplete !== undefined)
    await io.stderr.write(`hdrscope: only pins are listed: ${incomplete.message}\n`);
  if (formatOf(options, FORMATS) === 'json') {
    await io.stdout.write(jsonDocument(shown.map(toJson)));
    return ExitCode.done;
  }
  if (shown.length === 0) {
    const others = all || maps.length === 0 ? '' : `; --all lists ${maps.length} more`;
    await io.stderr.write(`hdrscope: no ${all ? 'maps' : 'maps that hold histograms'}${others}\n`);
    return ExitCode.done;
  }
  const rows = shown.map(({ id, type = '-', name, keySize, valueSize, maxEntries, pins, ...map }) => [
    ...[id, type, name || '-', keySize, valueSize, maxEntries, layoutText(map)].map(String),
    pins.join(', ') || '-',
  ]);
  const isText = (title: string) => ['type', 'name', 'layout', 'pinned at'].includes(title);
  const titles = ['id', 'type', 'name', 'key B', 'value B', 'entries', 'layout', 'pinned at'];
  const columns = titles.map((title) => ({
    title,
    isText: isText(title),
    ...(SPARE.includes(title) && { spare: 1 + SPARE.indexOf(title) }),
  }));
  await io.stdout.write(`${shownTable(columns, rows, io).join('\n')}\n`);
  return ExitCode.done;
}

/** On a narrow screen, the last of these is left out first. */
const SPARE = ['type', 'entries', 'value B', 'key B'];

/** The maps that a configuration has, with its layouts. A name of 15 bytes may be that of several. */
function withLayouts(maps: readonly VisibleMap[], config: ExporterConfig): readonly VisibleMap[] {
  const ground = `${config.path} has it`;
  return maps.flatMap((map) =>
    histogramsOf(config, map.name).map(({ map: { layout } }) => ({
      ...map,
      known: { layout, shape: {}, ground },
      guesses: [],
    })),
  );
}

const MOST_GUESSES = 3;

function layoutText({ known, guesses }: Pick<VisibleMap, 'known' | 'guesses'>): string {
  if (known !== undefined) return known.layout.name;
  const shown = guesses.slice(0, MOST_GUESSES).map(({ layout }) => `${layout}?`);
  return shown.length === 0 ? '-' : [...shown, ...(guesses.length > MOST_GUESSES ? ['…'] : [])].join(' ');
}

function toJson({ type, known, ...map }: VisibleMap): object {
  return { ...map, type: type ?? null, layout: known?.layout.name ?? null, ground: known?.ground ?? null };
}
