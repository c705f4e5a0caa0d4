import { setTimeout as sleep } from 'node:timers/promises';
import type { KernelSource } from '@hdrscope/ebpf';
import { type Command, Option } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { ExitCode, type Io } from '../command.ts';
import { parseDuration } from '../duration.ts';
import { formatCount } from '../format.ts';
import { percentilesOption } from '../shared-options.ts';
import { formatHistogram, histogramJson } from './histogram-text.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { acrossCpus, type ShownHistogram } from './shown-histogram.ts';

interface Options {
  readonly seconds: number;
  readonly json?: boolean;
  readonly percentiles: readonly number[];
}

const DESCRIPTION = `Counts for some seconds how many tasks each CPU has to run, and how long tasks wait for a CPU.

It loads a program into the kernel until the command ends. This takes root (or CAP_BPF and
CAP_PERFMON), Linux 5.5 with BTF, and libbpf.so.1. hdrscope ebpf doctor shows what is missing.`;

/** The arguments of `hdrscope ebpf runqueue`. */
export function parser(): Command {
  return createParser('hdrscope ebpf runqueue', DESCRIPTION, [
    'hdrscope ebpf runqueue',
    'hdrscope ebpf runqueue --seconds 60 --json',
  ])
    .allowExcessArguments(false)
    .addOption(
      new Option('--seconds <duration>', 'how long it counts; Ctrl-C ends it early')
        .argParser((text) => parseDuration(text, '--seconds'))
        .default(10, '10s'),
    )
    .option('--json', 'prints JSON')
    .addOption(percentilesOption());
}

/** `hdrscope ebpf runqueue` */
export async function run(
  { options: { seconds, json, percentiles } }: Arguments<Options>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const runQueue = await kernel.openRunQueue();
  try {
    // Ctrl-C ends the counting early, and the command shows its result.
    await sleep(seconds * 1000, undefined, { signal: io.signal }).catch(() => {});
    const depth = await read(runQueue.depth);
    const latency = await read(runQueue.latency);
    const missed = await runQueue.missed();
    if (json) {
      const [depths, waits] = [depth, latency].map((each) => histogramJson(each, percentiles));
      await io.stdout.write(
        `${JSON.stringify({ seconds, depth: depths, latencyNs: waits, missed }, undefined, 2)}\n`,
      );
      return ExitCode.done;
    }
    const parts = [
      formatHistogram({ ...depth, name: 'run-queue depth' }, { percentiles, unit: 'none' }),
      formatHistogram({ ...latency, name: 'run-queue latency' }, { percentiles, unit: 'ns' }),
    ];
    if (missed > 0) {
      parts.push(`waits not measured, because their beginning was not seen: ${formatCount(missed)}\n`);
    }
    await io.stdout.write(parts.join('\n'));
    return ExitCode.done;
  } finally {
    runQueue.close();
  }
}

async function read(source: KernelSource): Promise<ShownHistogram> {
  const { histograms } = await source.read();
  return acrossCpus(histograms[0]!);
}
