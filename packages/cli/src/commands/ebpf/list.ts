import { HdrscopeError } from '@hdrscope/core';
import type { ExporterHistogram } from '@hdrscope/ebpf';
import {
  listMapHistograms,
  mergeNamed,
  type NamedCounts,
  sumNamed,
  type VisibleMap,
} from '@hdrscope/ebpf/internal';
import { figuresJson } from '@hdrscope/inputs/internal';
import { formatCount, reasonOf } from '@hdrscope/kit';
import { ExitCode, type Io } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { shownTable } from '../../screen/table.ts';
import { type ExporterConfig, withConfig } from './exporter-config.ts';
import { formatMapBounds, kernelFigures, percentilesOf } from './histogram.ts';
import { type Kernel, MAP_OPTIONS, THIS_KERNEL } from './map.ts';

const DESCRIPTION = `Lists the maps that hold histograms or look like it, with their pins, and what those
with a known layout have counted: all values of a map, and their p99 as bounds.

The evidence of a layout is a type that states it, the script of a running bpftrace, the instructions
of the program that counts in the map, or the configuration of --config. A name is no evidence. A map
without evidence is read with --layout only: hdrscope ebpf read shows the layouts that fit its
numbers. Without CAP_SYS_ADMIN the list has only pinned maps whose pins this user may read, and no
program is asked.`;

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
    const maps: readonly DescribedMap[] = config === undefined ? visible : withLayouts(visible, config);
    const wanted = maps.filter(({ known, guesses }) => all || known !== undefined || guesses.length > 0);
    const shown: ListedMap[] = [];
    for (const { described, ...map } of wanted)
      shown.push({ ...map, ...(await readCounts(map, described, kernel)) });
    if (incomplete !== undefined)
      await io.stderr.write(`hdrscope: only pins are listed: ${incomplete.message}\n`);
    if (format === 'json') await io.stdout.write(jsonDocument(shown.map(toJson)));
    else if (shown.length > 0) await io.stdout.write(`${mapTable(shown, io).join('\n')}\n`);
    else {
      const others = all || maps.length === 0 ? '' : `; --all lists ${maps.length} more`;
      await io.stderr.write(`hdrscope: no ${all ? 'maps' : 'maps that hold histograms'}${others}\n`);
    }
    const failed = shown.filter(({ failure }) => failure !== undefined);
    for (const { id, name, failure } of failed)
      await io.stderr.write(`hdrscope: the map ${name || id}: ${failure}\n`);
    return failed.length > 0 ? ExitCode.refused : ExitCode.done;
  },
});

interface DescribedMap extends VisibleMap {
  /** How a configuration describes it. */
  readonly described?: ExporterHistogram['map'];
}

interface ListedMap extends VisibleMap {
  /** All histograms of the map together; `undefined` when its layout is unknown, or it cannot be read. */
  readonly histogram?: NamedCounts;
  /** Why it cannot be read. */
  readonly failure?: string;
}

/** Reads a map with a known layout. One that is gone by now has no counts, and is no failure. */
async function readCounts(
  { id, pins: [path], known }: VisibleMap,
  described: DescribedMap['described'],
  kernel: Kernel,
): Promise<Pick<ListedMap, 'histogram' | 'failure'>> {
  if (known === undefined) return {};
  const source = kernel.open({ ...(path === undefined ? { id } : { path }), ...(described ?? { known }) });
  try {
    const { histograms } = await source.read();
    const [histogram] = mergeNamed(histograms.map((one) => ({ ...one, name: '', attributes: {} })));
    return histogram === undefined ? {} : { histogram: sumNamed(histogram) };
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    return error.details.errno === 'ENOENT' ? {} : { failure: reasonOf(error) };
  } finally {
    await source.close();
  }
}

function mapTable(maps: readonly ListedMap[], io: Io): string[] {
  const rows = maps.map(({ id, type = '-', name, keySize, valueSize, maxEntries, pins, ...map }) => [
    ...[id, type, name || '-', keySize, valueSize, maxEntries, map.known?.layout.name ?? '-'].map(String),
    ...countCells(map.histogram),
    map.known?.ground ?? (map.guesses.length > 0 ? `needs --layout: ${map.why}` : '-'),
    pins.join(', ') || '-',
  ]);
  const isText = (title: string) => ['type', 'name', 'layout', 'evidence', 'pinned at'].includes(title);
  const titles = [
    ...['id', 'type', 'name', 'key B', 'value B', 'entries', 'layout'],
    ...['count', 'p99', 'evidence', 'pinned at'],
  ];
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
function withLayouts(maps: readonly VisibleMap[], config: ExporterConfig): readonly DescribedMap[] {
  const ground = `${config.path} has it`;
  return maps.flatMap((map) =>
    listMapHistograms(config.histograms, map.name).map(({ map: described }) => ({
      ...map,
      known: { layout: described.layout, shape: {}, ground },
      guesses: [],
      why: '',
      described,
    })),
  );
}

function countCells(histogram: NamedCounts | undefined): [count: string, p99: string] {
  if (histogram === undefined) return ['-', '-'];
  const { total } = histogram.counts;
  const [p99] = percentilesOf(histogram, P99.percentiles);
  return [formatCount(total), total === 0 ? '-' : formatMapBounds(p99!, P99)];
}

/** A unit belongs to one map. */
const P99 = { percentiles: [99], unit: 'none' } as const;

function toJson({ type, known, guesses: _, histogram, failure: __, ...map }: ListedMap): object {
  return {
    ...map,
    type: type ?? null,
    layout: known?.layout.name ?? null,
    ground: known?.ground ?? null,
    why: map.why || null,
    ...(histogram !== undefined && figuresOfMap(histogram)),
  };
}

function figuresOfMap(histogram: NamedCounts): object {
  const { count, percentiles } = figuresJson(kernelFigures(histogram, P99));
  return { count, percentiles };
}
