import type { KernelIncrease } from '@hdrscope/ebpf';
import type { CountedUnit } from '@hdrscope/registry';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../../arguments.ts';
import { ExitCode, type Io } from '../../command.ts';
import {
  type ColumnOptions,
  columnsFor,
  columnsOption,
  type FigureColumn,
  percentilesFor,
} from '../../figures.ts';
import { addFormat, formatOf, type OutputOptions } from '../../output-options.ts';
import { RateRows } from '../../rate-rows.ts';
import { screenOf } from '../../screen.ts';
import { addAscii, intervalOption, intervalsOption, percentilesOption } from '../../shared-options.ts';
import { exporterConfigOption, operandOf, shownUnit, type Unread, withConfig } from './exporter-config.ts';
import { type WatchOptions, watchMap } from './follow.ts';
import {
  acrossCpus,
  formatMapBounds,
  histogramJson,
  kernelFigures,
  mapUnitOption,
  merged,
  type ShownAs,
  titleOf,
} from './histogram.ts';
import { addMapOptions, type Kernel, MAP_ARGUMENT_HELP, PROGRAM_ARGUMENT_HELP, THIS_KERNEL } from './map.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends WatchOptions, ColumnOptions, OutputOptions<(typeof FORMATS)[number]> {
  readonly unit: CountedUnit;
  readonly ascii?: boolean;
}

const DESCRIPTION = `Shows what a map counts from now on, until Ctrl-C: a line for each histogram with counts in an interval.

A map that is not there yet is waited for. A count is never negative, even when counters are reset or
the map is replaced. Standard error reports such events, each once.`;

/** The arguments of `hdrscope ebpf watch`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf watch', DESCRIPTION, [
    'hdrscope ebpf watch /sys/fs/bpf/queue_hist',
    'hdrscope ebpf watch /sys/fs/bpf/latency_hist --unit ns --json',
    'hdrscope ebpf watch name:hists --layout libbpf-tools --interval 10s --intervals 6',
    'hdrscope ebpf watch program:blockio',
  ])
    .argument('[map]', `${MAP_ARGUMENT_HELP}; or ${PROGRAM_ARGUMENT_HELP}`)
    .allowExcessArguments(false)
    .addOption(intervalOption().default(1, '1s'))
    .addOption(exporterConfigOption())
    .addOption(intervalsOption());
  addFormat(command, FORMATS, 'json is a line for each histogram with counts');
  return addAscii(
    addMapOptions(command.addOption(columnsOption('text', ['stdev'])))
      .addOption(percentilesOption())
      .addOption(mapUnitOption()),
  );
}

/** `hdrscope ebpf watch` */
export async function run(
  { options: given, operands }: Arguments<Unread<Options>>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const options = await withConfig(given);
  const which = operandOf(operands, options.config);
  const unit = shownUnit(options.unit, options.config);
  const isJson = formatOf(options, FORMATS) === 'json';
  const shownAs = { unit, ...screenOf(io, options), percentiles: percentilesFor(options, !isJson) };
  const write = isJson
    ? jsonWriter(io, shownAs)
    : writer(io, shownAs, columnsFor(options, ['count', 'rate'], []));
  for await (const { increases, startMs, endMs } of watchMap(which, options, io, kernel)) {
    await write(merged(increases), (endMs - startMs) / 1000 || options.interval);
  }
  return ExitCode.done;
}

type Writer = (increases: readonly KernelIncrease[], seconds: number) => Promise<void>;

function jsonWriter(io: Io, { percentiles, unit }: ShownAs): Writer {
  return async (increases, seconds) => {
    for (const increase of increases) {
      const histogram = acrossCpus(increase);
      const { isReset } = increase;
      const row = {
        seconds,
        ratePerSec: histogram.counts.total / seconds,
        isReset,
        ...histogramJson(histogram, percentiles, unit),
      };
      await io.stdout.write(`${JSON.stringify(row)}\n`);
    }
  };
}

function writer(io: Io, shownAs: ShownAs, columns: readonly FigureColumn[]): Writer {
  const rows = new RateRows(columns, 'histogram', io);
  return async (increases, seconds) => {
    for (const increase of increases.filter(({ isReset }) => isReset)) {
      await io.stderr.write(`hdrscope: ${titleOf(increase)}: counters were reset\n`);
    }
    const all = increases.map((increase) => {
      const figures = kernelFigures(acrossCpus(increase), shownAs, seconds);
      return rows.lines(titleOf(increase), figures, (bounds) =>
        formatMapBounds(bounds, { ...shownAs, ...figures }),
      );
    });
    await io.stdout.write(rows.interval(all));
  };
}
