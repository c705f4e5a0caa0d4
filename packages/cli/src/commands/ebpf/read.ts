import type { CountedUnit } from '@hdrscope/registry';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../../arguments.ts';
import { ExitCode, type Io } from '../../command.ts';
import { jsonDocument } from '../../figures.ts';
import { addFormat, addOutput, formatOf, type OutputOptions, withOutput } from '../../output-options.ts';
import { screenOf } from '../../screen.ts';
import { addAscii, percentilesOption } from '../../shared-options.ts';
import { exporterConfigOption, operandOf, shownUnit, type Unread, withConfig } from './exporter-config.ts';
import {
  acrossCpus,
  formatHistogram,
  formatTextForm,
  histogramJson,
  type Interpolation,
  mapUnitOption,
  merged,
  perCpu,
  type ShownHistogram,
  textFormOption,
  titleOf,
} from './histogram.ts';
import {
  addMapOptions,
  assertNoProgram,
  groundNote,
  type Kernel,
  MAP_ARGUMENT_HELP,
  type MapOptions,
  openMap,
  THIS_KERNEL,
} from './map.ts';

const FORMATS = ['text', 'json'] as const;

interface Options extends MapOptions, OutputOptions<(typeof FORMATS)[number]> {
  readonly ascii?: boolean;
  readonly perCpu?: boolean;
  readonly text?: Interpolation;
  readonly percentiles: readonly number[];
  readonly unit: CountedUnit;
}

const DESCRIPTION = `Shows what a map has counted since its program was loaded: a bar for each slot, and percentiles.

A percentile is shown as the slot that contains it, because the map has no finer values. --text and
JSON estimate a value in that slot.

The kernel does not know which values a slot holds. A map shows it by the names of its types, by
its own name, or by the script of the bpftrace that fills it. Any other map needs --layout.`;

/** The arguments of `hdrscope ebpf read`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf read', DESCRIPTION, [
    'hdrscope ebpf read /sys/fs/bpf/queue_hist',
    'hdrscope ebpf read id:42 --layout libbpf-tools --per-cpu',
    'hdrscope ebpf read name:AT_usecs --layout bpftrace-lhist:0:1000:50 --json',
    "hdrscope ebpf read id:42 --layout libbpf-tools:27 --shape 'value { u32 slots[27]; }'",
    'hdrscope ebpf read --config biolatency.yaml',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --text inclusive --percentiles 50,99',
  ])
    .argument('[map]', MAP_ARGUMENT_HELP)
    .allowExcessArguments(false)
    .addOption(exporterConfigOption())
    .option('--per-cpu', 'shows each CPU separately')
    .addOption(textFormOption());
  addFormat(addOutput(command), FORMATS);
  return addAscii(addMapOptions(command).addOption(percentilesOption()).addOption(mapUnitOption()));
}

/** `hdrscope ebpf read` */
export async function run(
  { options: given, operands }: Arguments<Unread<Options>>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const options = await withConfig(given);
  return withOutput(options.output, io, (out) => read({ options, operands }, out, kernel));
}

async function read({ options, operands }: Arguments<Options>, io: Io, kernel: Kernel): Promise<number> {
  const { config } = options;
  const which = operandOf(operands, config);
  assertNoProgram(which);
  const source = await openMap(which, options, kernel);
  try {
    const { histograms: all, generation, ground } = await source.read();
    const shown = merged(all).flatMap((histogram): ShownHistogram[] =>
      options.perCpu ? perCpu(histogram) : [acrossCpus(histogram)],
    );
    const unit = shownUnit(options.unit, config);
    if (formatOf(options, FORMATS) === 'json') {
      const histograms = shown.map((histogram) => histogramJson(histogram, options.percentiles, unit));
      await io.stdout.write(jsonDocument({ generation, ground, histograms }));
      return ExitCode.done;
    }
    if (ground !== undefined) await io.stderr.write(groundNote(which, ground));
    const shownAs = { ...options, unit, ...screenOf(io, options) };
    const { text, percentiles } = options;
    const texts = shown.map((histogram) =>
      text === undefined
        ? formatHistogram(histogram, shownAs)
        : `${titleOf(histogram)}\n${formatTextForm(histogram, text, percentiles)}\n`,
    );
    await io.stdout.write(texts.length === 0 ? 'nothing was counted\n' : texts.join('\n'));
    return ExitCode.done;
  } finally {
    await source.close();
  }
}
