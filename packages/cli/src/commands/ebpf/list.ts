import type { VisibleMap } from '@hdrscope/ebpf/internal';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { shownTable } from '../../screen/table.ts';
import { type ExporterConfig, histogramsOf, withConfig } from './exporter-config.ts';
import { type Kernel, MAP_OPTIONS, THIS_KERNEL } from './map.ts';

const DESCRIPTION = `Lists the maps that hold histograms or look like it, with their pins.

The evidence of a layout is a type that states it, the script of a running bpftrace, or the
configuration of --config. A name is no evidence. A map without evidence is read with --layout only:
hdrscope ebpf read shows the layouts that fit its numbers. Without CAP_SYS_ADMIN the list has only
pinned maps whose pins this user may read.`;

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
    ...[id, type, name || '-', keySize, valueSize, maxEntries, map.known?.layout.name ?? '-'].map(String),
    map.known?.ground ?? (map.guesses.length > 0 ? 'none: needs --layout' : '-'),
    pins.join(', ') || '-',
  ]);
  const isText = (title: string) => ['type', 'name', 'layout', 'evidence', 'pinned at'].includes(title);
  const titles = ['id', 'type', 'name', 'key B', 'value B', 'entries', 'layout', 'evidence', 'pinned at'];
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

function toJson({ type, known, guesses: _, ...map }: VisibleMap): object {
  return { ...map, type: type ?? null, layout: known?.layout.name ?? null, ground: known?.ground ?? null };
}
