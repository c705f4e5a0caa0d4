import { formatDecimal } from '@hdrscope/core/internal';
import type { KernelIncrease } from '@hdrscope/ebpf';
import type { CountedUnit } from '@hdrscope/registry';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { formatCount } from '../format.ts';
import { addFormat, formatOf, type OutputOptions } from '../output-options.ts';
import { RateRows } from '../rate-rows.ts';
import { screenOf } from '../screen.ts';
import { addAscii, intervalOption, intervalsOption, percentilesOption } from '../shared-options.ts';
import { exporterConfigOption, operandOf, shownUnit, type Unread, withConfig } from './exporter-config.ts';
import { formatBounds, histogramJson, percentilesOf, type ShownAs, titleOf } from './histogram-text.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { addMapOptions, MAP_ARGUMENT_HELP } from './map-argument.ts';
import { PROGRAM_ARGUMENT_HELP } from './program-argument.ts';
import { acrossCpus, merged } from './shown-histogram.ts';
import { mapUnitOption } from './unit.ts';
import { type WatchOptions, watchMap } from './watched-map.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends WatchOptions, OutputOptions<(typeof FORMATS)[number]> {
  readonly percentiles: readonly number[];
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
  return addAscii(addMapOptions(command).addOption(percentilesOption()).addOption(mapUnitOption()));
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
  const shownAs = { ...options, unit, ...screenOf(io, options) };
  const write = formatOf(options, FORMATS) === 'json' ? jsonWriter(io, shownAs) : writer(io, shownAs);
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

function writer(io: Io, shownAs: ShownAs): Writer {
  const { percentiles } = shownAs;
  const rows = new RateRows(percentiles, 'histogram', io);
  let hasTitles = false;
  const write = (lines: readonly string[]): Promise<void> =>
    io.stdout.write(lines.map((line) => `${line}\n`).join(''));
  return async (increases, seconds) => {
    if (!hasTitles) await write(rows.titles);
    hasTitles = true;
    if (increases.length === 0) await write(rows.nothing);
    for (const increase of increases) {
      const title = titleOf(increase);
      if (increase.isReset) await io.stderr.write(`hdrscope: ${title}: counters were reset\n`);
      const histogram = acrossCpus(increase);
      const { total } = histogram.counts;
      const unit = histogram.unit ?? shownAs.unit;
      const cells = percentilesOf(histogram, percentiles).map((quantile) =>
        formatBounds(quantile, { ...shownAs, unit }),
      );
      await write(
        rows.lines({ count: formatCount(total), rate: formatDecimal(total / seconds, 1), cells, title }),
      );
    }
  };
}
