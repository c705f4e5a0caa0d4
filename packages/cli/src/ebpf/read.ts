import { createParser, readArguments } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { percentilesOption } from '../shared-options.ts';
import { apart, type Counted, together } from './counted.ts';
import { countedJson, formatCounted } from './counted-text.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { type ShownUnit, shownUnit } from './unit.ts';
import { addMapOptions, type MapOptions, openMap } from './which-map.ts';

interface Options extends MapOptions {
  readonly json?: boolean;
  readonly perCpu?: boolean;
  readonly percentiles: readonly number[];
  readonly unit: ShownUnit;
}

const DESCRIPTION = `What a map has counted since its program was loaded: a bar for each slot, and percentiles.

A percentile is told as the slot that contains it: that is certain, and more is not known.`;

/** `hdrscope ebpf read` */
export async function run(args: readonly string[], io: Io, kernel: Kernel = THIS_KERNEL): Promise<number> {
  const parser = createParser('hdrscope ebpf read', DESCRIPTION, [
    'hdrscope ebpf read /sys/fs/bpf/queue_hist',
    'hdrscope ebpf read id:42 --layout libbpf-tools --per-cpu',
    'hdrscope ebpf read name:AT_usecs --json',
  ])
    .argument('<map>', 'the path of a pin, id:N or name:X')
    .allowExcessArguments(false)
    .option('--json', 'prints JSON')
    .option('--per-cpu', 'each CPU for itself');
  addMapOptions(parser).addOption(percentilesOption()).addOption(shownUnit());
  const given = await readArguments<Options>(parser, args, io);
  if (given === undefined) return ExitCode.done;
  const { options, operands } = given;
  const { source, guessed } = await openMap(operands[0]!, options, kernel);
  try {
    const frame = await source.read();
    const counted = frame.histograms.flatMap((histogram): Counted[] =>
      options.perCpu ? apart(histogram) : [together(histogram)],
    );
    if (options.json) {
      const histograms = counted.map((each) => countedJson(each, options.percentiles));
      await io.stdout.write(
        `${JSON.stringify({ generation: frame.generation, histograms }, undefined, 2)}\n`,
      );
      return ExitCode.done;
    }
    if (guessed !== undefined) {
      await io.stderr.write(`hdrscope: the layout is a guess: ${guessed.name}; --layout tells another\n`);
    }
    const texts = counted.map((each) => formatCounted(each, options));
    await io.stdout.write(texts.length === 0 ? 'nothing was counted\n' : texts.join('\n'));
    return ExitCode.done;
  } finally {
    await source.close();
  }
}
