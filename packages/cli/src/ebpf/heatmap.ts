import { type Plot, plotToJson } from '@hdrscope/plot';
import type { CountedUnit } from '@hdrscope/registry';
import { type Command, Option } from 'commander';
import { type Arguments, createParser, integerParser } from '../arguments.ts';
import { terminalControl } from '../clean-output.ts';
import { hasColours } from '../colour.ts';
import { ExitCode, type Io } from '../command.ts';
import { jsonDocument } from '../figures.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../output-options.ts';
import { screenOf } from '../screen.ts';
import { addAscii, intervalOption } from '../shared-options.ts';
import { terminalPlot } from '../terminal-plot.ts';
import { exporterConfigOption, operandOf, shownUnit, type Unread, withConfig } from './exporter-config.ts';
import { KernelHeatMap } from './heat-map.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { addMapOptions, MAP_ARGUMENT_HELP } from './map-argument.ts';
import { assertOneHistogram, PROGRAM_ARGUMENT_HELP } from './program-argument.ts';
import { mapUnitOption } from './unit.ts';
import { type WatchOptions, watchMap } from './watched-map.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends WatchOptions, OutputOptions<(typeof FORMATS)[number]> {
  readonly intervals: number;
  readonly unit: CountedUnit;
  readonly ascii?: boolean;
}

const DEFAULT_INTERVALS = 60;
const MOST_INTERVALS = 1000;

const DESCRIPTION = `Draws what a map counts from now on over time: a column for each interval, a row for each slot, and a shade for
each count.

A terminal shows the picture as it grows. Ctrl-C ends it early. Histograms of several keys are added up.
A map that is not there yet is waited for.`;

/** The arguments of `hdrscope ebpf heatmap`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf heatmap', DESCRIPTION, [
    'hdrscope ebpf heatmap /sys/fs/bpf/latency_hist --unit ns',
    'hdrscope ebpf heatmap name:hists --layout libbpf-tools --interval 10s --intervals 30',
    'hdrscope ebpf heatmap id:42 --json | hdrscope plot - -o latency.svg',
    'hdrscope ebpf heatmap program:runqueue/all/latency',
  ])
    .argument('[map]', `${MAP_ARGUMENT_HELP}; or ${PROGRAM_ARGUMENT_HELP}`)
    .allowExcessArguments(false)
    .addOption(exporterConfigOption())
    .addOption(intervalOption().default(1, '1s'))
    .addOption(
      new Option('-n, --intervals <count>', 'how many columns it draws')
        .argParser(integerParser('--intervals', 1, MOST_INTERVALS))
        .default(DEFAULT_INTERVALS),
    );
  addFormat(addOutput(command), FORMATS, 'json is a plot, which hdrscope plot draws');
  return addAscii(addMapOptions(command).addOption(mapUnitOption()));
}

/** `hdrscope ebpf heatmap` */
export async function run(
  { options: given, operands }: Arguments<Unread<Options>>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const options = await withConfig(given);
  return withOutput(options.output, io, (out) => drawAll({ options, operands }, out, kernel));
}

async function drawAll({ options, operands }: Arguments<Options>, io: Io, kernel: Kernel): Promise<number> {
  const { config } = options;
  const json = formatOf(options, FORMATS) === 'json';
  const which = operandOf(operands, config);
  assertOneHistogram(which);
  const map = new KernelHeatMap(which, shownUnit(options.unit, config));
  const isLive = io.stdout.isTerminal && !json;
  let shown = '';
  const draw = async (): Promise<void> => {
    const text = drawing(map.plot(), options, io);
    await io.stdout.write(erased(shown) + text);
    shown = text;
  };
  // Ctrl-C ends the counting early, and the command shows its result.
  io.endSlowly?.();
  let problem: unknown;
  try {
    for await (const { increases, startMs, endMs } of watchMap(which, options, io, kernel)) {
      map.add(increases, startMs, endMs);
      if (isLive) await draw();
    }
  } catch (error) {
    if (!io.signal.aborted) problem = error;
  }
  if (problem === undefined || map.columns > 0) {
    if (json) await io.stdout.write(jsonDocument(JSON.parse(plotToJson(map.plot())) as object));
    else if (!isLive) await draw();
  }
  if (problem !== undefined) throw problem;
  return ExitCode.done;
}

/** A terminal may be lower than a picture with all slots. */
const LIVE_ROWS = 20;

function drawing(plot: Plot, options: Options, io: Io): string {
  const { columns, ascii } = screenOf(io, options);
  return terminalPlot(plot, {
    ascii,
    colours: hasColours(io, io.stdout),
    ...(columns !== undefined && { columns: Math.max(NARROWEST, columns) }),
    ...(io.stdout.isTerminal && { rows: LIVE_ROWS }),
  });
}

/** The narrowest plot. */
const NARROWEST = 40;

/** Makes a terminal forget lines that were written last. */
function erased(text: string): string {
  const lines = text.split('\n').length - 1;
  return lines === 0 ? '' : terminalControl(`\u001b[${lines}A\u001b[J`);
}
