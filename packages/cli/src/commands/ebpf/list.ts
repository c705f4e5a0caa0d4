import type { VisibleMap } from '@hdrscope/ebpf/internal';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { shownTable } from '../../screen/table.ts';
import { type ExporterConfig, histogramsOf, withConfig } from './exporter-config.ts';
import { type Kernel, MAP_OPTIONS, THIS_KERNEL } from './map.ts';

const DESCRIPTION = `Lists the maps that hold histograms or look like it, with their pins.

A map shows its layout by the names of its types, by its own name, or by the script of bpftrace.
For other maps the column has the layouts that fit their sizes, each with a question mark: such a
map is read with --layout only. Without CAP_SYS_ADMIN the list has only pinned maps whose pins this
user may read.`;

/** `hdrscope ebpf list` */
export const command = defineCommand({
  path: 'hdrscope ebpf list',
  description: DESCRIPTION,
  examples: [
    'hdrscope ebpf list',
    'hdrscope ebpf list --all --json',
    'hdrscope ebpf list --config biolatency.yaml',
  ],
  options: {
    all: { short: '-a', help: 'lists all maps that this user can see' },
    config: MAP_OPTIONS.config,
  },
  formats: ['text', 'json'],
  output: 'when done',
  async run({ options, format }, io, kernel: Kernel = THIS_KERNEL) {
    const { all = false, config } = await withConfig(options);
    const { maps: visible, incomplete } = await kernel.list();
    const maps = config === undefined ? visible : withLayouts(visible, config);
    const shown = maps.filter(({ known, guesses }) => all || known !== undefined || guesses.length > 0);
    if (incomplete !== undefined)
      await io.stderr.write(`hdrscope: only pins are listed: ${incomplete.message}\n`);
    if (format === 'json') await io.stdout.write(jsonDocument(shown.map(toJson)));
    else if (shown.length > 0) await io.stdout.write(`${mapTable(shown, io).join('\n')}\n`);
    else {
      const others = all || maps.length === 0 ? '' : `; --all lists ${maps.length} more`;
      await io.stderr.write(`hdrscope: no ${all ? 'maps' : 'maps that hold histograms'}${others}\n`);
    }
    return ExitCode.done;
  },
});

function mapTable(maps: readonly VisibleMap[], io: Io): string[] {
  const rows = maps.map(({ id, type = '-', name, keySize, valueSize, maxEntries, pins, ...map }) => [
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
  return shownTable(columns, rows, io);
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
