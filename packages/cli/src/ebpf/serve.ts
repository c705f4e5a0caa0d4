import { type KernelHistograms, kernelHistograms } from '@hdrscope/ebpf';
import { inUrl } from '@hdrscope/kit/server';
import { servePrometheus } from '@hdrscope/prometheus';
import { type CountedUnit, createRegistry } from '@hdrscope/registry';
import type { Command } from 'commander';
import { type Arguments, choiceOption, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { addGuard, type GuardingOptions, guardOf, schemeOf } from '../guard-options.ts';
import { NUMBER_UNITS } from '../numbers/number-unit.ts';
import { portOption } from '../shared-options.ts';
import { untilAborted } from '../until-aborted.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { addMapOptions, type MapOptions, openMap } from './map-argument.ts';

interface Options extends MapOptions, GuardingOptions {
  readonly port: number;
  readonly host: string;
  readonly unit: CountedUnit;
  readonly perCpu?: boolean;
}

const DESCRIPTION = `Serves the counts of maps to Prometheus, at /metrics, until Ctrl-C.

Each scrape reads the maps. A metric never falls, even when counters are reset or maps are replaced.
The bounds of classic buckets are the bounds of the slots in the map.`;

/** The arguments of `hdrscope ebpf serve`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf serve', DESCRIPTION, [
    'hdrscope ebpf serve /sys/fs/bpf/queue_hist --port 9435',
    'hdrscope ebpf serve name:latency_hist --unit ns --layout log-linear-8',
    'hdrscope ebpf serve id:42 --host 0.0.0.0 --token-file /etc/hdrscope/token',
  ])
    .argument('<map...>', 'paths of pins, id:N or name:X')
    .addOption(portOption(9435))
    .option('--host <name>', 'the address on which it listens', 'localhost')
    .addOption(
      choiceOption(
        '--unit <unit>',
        'unit of the values; times are served in seconds, sizes in bytes',
        NUMBER_UNITS,
      ).default('none'),
    )
    .option('--per-cpu', 'serves each CPU as separate series');
  return addGuard(addMapOptions(command));
}

/** `hdrscope ebpf serve` */
export async function run(
  { options, operands }: Arguments<Options>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const { port, host, unit, perCpu = false } = options;
  const guard = await guardOf(options, io);
  const registry = createRegistry();
  const opened: KernelHistograms[] = [];
  try {
    for (const which of operands) {
      const { source, guessed } = await openMap(which, options, kernel);
      if (guessed !== undefined) {
        await io.stderr.write(`hdrscope: the layout of ${which} is a guess: ${guessed.name}\n`);
      }
      opened.push(kernelHistograms(registry, source, { kernelUnit: unit, perCpu }));
    }
    const server = await servePrometheus(registry, { ...guard, port, host });
    try {
      await io.stdout.write(`${schemeOf(guard)}://${inUrl(host)}:${server.port}/metrics\n`);
      await untilAborted(io.signal);
    } finally {
      await server.stop();
    }
    return ExitCode.done;
  } finally {
    await Promise.all(opened.map((one) => one.close()));
  }
}
