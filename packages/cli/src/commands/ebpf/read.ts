import { listNamed, mergeNamed, type NamedCounts, sumNamed } from '@hdrscope/ebpf/internal';
import { ExitCode } from '../../command.ts';
import { defineCommand } from '../../define-command.ts';
import { jsonDocument } from '../../figures.ts';
import { ASCII, percentilesOption } from '../../options.ts';
import { screenOf } from '../../screen/screen.ts';
import { operandOf, shownUnit, withConfig } from './exporter-config.ts';
import { formatHistogram, formatTextForm, histogramJson, MAP_UNIT, TEXT_FORM, titleOf } from './histogram.ts';
import {
  assertNoProgram,
  groundNote,
  type Kernel,
  MAP_ARGUMENT_HELP,
  MAP_OPTIONS,
  openMap,
  THIS_KERNEL,
} from './map.ts';

const DESCRIPTION = `Shows what a map has counted since its program was loaded: a bar for each slot, and percentiles.

A percentile is shown as the slot that contains it, because the map has no finer values. --text and
JSON estimate a value in that slot.

The kernel does not know which values a slot holds. A type of the map shows it, the script of the
bpftrace that fills it, or the instructions of the program that counts in it. Any other map needs
--layout.`;

export const command = defineCommand({
  path: 'hdrscope ebpf read',
  description: DESCRIPTION,
  examples: [
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --layout queue-depth',
    'hdrscope ebpf read id:42 --layout libbpf-tools --per-cpu',
    'hdrscope ebpf read name:AT_usecs --layout bpftrace-lhist:0:1000:50 --json',
    "hdrscope ebpf read id:42 --layout libbpf-tools:27 --shape 'value { u32 slots[27]; }'",
    'hdrscope ebpf read --config biolatency.yaml',
    'hdrscope ebpf read /sys/fs/bpf/queue_hist --layout queue-depth --text inclusive',
  ],
  operands: { '[map]': MAP_ARGUMENT_HELP },
  options: {
    perCpu: { help: 'shows each CPU separately' },
    text: TEXT_FORM,
    ...MAP_OPTIONS,
    percentiles: percentilesOption(),
    unit: MAP_UNIT,
    ...ASCII,
  },
  formats: ['text', 'json'],
  output: 'when done',
  async run({ options: given, operands, format }, io, kernel: Kernel = THIS_KERNEL) {
    const options = await withConfig(given);
    const { config, text, percentiles } = options;
    const which = operandOf(operands, config);
    assertNoProgram(which);
    const source = await openMap(which, options, kernel);
    try {
      const { histograms: all, generation, ground } = await source.read();
      const shown = mergeNamed(all).flatMap((histogram): NamedCounts[] =>
        options.perCpu ? listNamed(histogram) : [sumNamed(histogram)],
      );
      const unit = shownUnit(options.unit, config);
      if (format === 'json') {
        const histograms = shown.map((histogram) => histogramJson(histogram, percentiles, unit));
        await io.stdout.write(jsonDocument({ generation, ground, histograms }));
        return ExitCode.done;
      }
      if (ground !== undefined) await io.stderr.write(groundNote(which, ground));
      const shownAs = { ...options, unit, ...screenOf(io, options) };
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
  },
});
