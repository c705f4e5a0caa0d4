import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { formatDecimal } from '@hdrscope/core/internal';
import { type Frame, type KernelIncrease, KernelIncreases, type KernelSource } from '@hdrscope/ebpf';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io } from '../command.ts';
import { formatCount, percentileTitle } from '../format.ts';
import { intervalOption, intervalsOption, percentilesOption } from '../shared-options.ts';
import type { ValueUnit } from '../value-scale.ts';
import { formatBounds, histogramJson, percentilesOf, type ShownAs, titleOf } from './histogram-text.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { addMapOptions, MAP_ARGUMENT_HELP, type MapOptions, openMap } from './map-argument.ts';
import { acrossCpus } from './shown-histogram.ts';
import { mapUnitOption } from './unit.ts';

interface Options extends MapOptions {
  readonly interval: number;
  readonly intervals?: number;
  readonly percentiles: readonly number[];
  readonly unit: ValueUnit;
  readonly json?: boolean;
}

const DESCRIPTION = `Shows what a map counts from now on, until Ctrl-C: a line for each histogram with counts in an interval.

A count is never negative, even when counters are reset or the map is replaced. Standard error
reports such events.`;

/** The arguments of `hdrscope ebpf watch`. */
export function parser(): Command {
  const command = createParser('hdrscope ebpf watch', DESCRIPTION, [
    'hdrscope ebpf watch /sys/fs/bpf/queue_hist',
    'hdrscope ebpf watch /sys/fs/bpf/latency_hist --unit ns --json',
    'hdrscope ebpf watch name:hists --layout libbpf-tools --interval 10s --intervals 6',
  ])
    .argument('<map>', MAP_ARGUMENT_HELP)
    .allowExcessArguments(false)
    .addOption(intervalOption().default(1, '1s'))
    .addOption(intervalsOption())
    .option('--json', 'prints a line of JSON for each histogram with counts');
  return addMapOptions(command).addOption(percentilesOption()).addOption(mapUnitOption());
}

/** `hdrscope ebpf watch` */
export async function run(
  { options, operands }: Arguments<Options>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const which = operands[0]!;
  const { source, guessed } = await openMap(which, options, kernel);
  if (guessed !== undefined) {
    await io.stderr.write(`hdrscope: the layout is a guess: ${guessed.name}; --layout sets another one\n`);
  }
  const increases = new KernelIncreases();
  const write = options.json === true ? jsonWriter(io, options) : writer(io, options);
  try {
    let { generation } = await firstFrame(source, increases);
    let lastMs = io.monotonicMs();
    for (let left = options.intervals ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      await sleep(options.interval * 1000, undefined, { signal: io.signal });
      let counted: KernelIncrease[];
      const before = generation;
      try {
        const frame = await source.read();
        counted = increases.next(frame);
        generation = frame.generation;
      } catch (error) {
        if (!(error instanceof HdrscopeError)) throw error;
        // The map may come back, when its program is loaded again.
        await io.stderr.write(`hdrscope: ${error.message}\n`);
        continue;
      }
      if (generation !== before) {
        await io.stderr.write(`hdrscope: ${which} is another map now, and counts from 0\n`);
      }
      const nowMs = io.monotonicMs();
      await write(counted, (nowMs - lastMs) / 1000 || options.interval);
      lastMs = nowMs;
    }
    return ExitCode.done;
  } finally {
    await source.close();
  }
}

/** Reads the frame that later ones are compared with. */
async function firstFrame(source: KernelSource, increases: KernelIncreases): Promise<Frame> {
  const frame = await source.read();
  increases.next(frame);
  return frame;
}

type Writer = (increases: readonly KernelIncrease[], seconds: number) => Promise<void>;

function jsonWriter(io: Io, { percentiles }: ShownAs): Writer {
  return async (increases, seconds) => {
    for (const increase of increases) {
      const histogram = acrossCpus(increase);
      const { isReset } = increase;
      const row = {
        seconds,
        ratePerSec: histogram.counts.total / seconds,
        isReset,
        ...histogramJson(histogram, percentiles),
      };
      await io.stdout.write(`${JSON.stringify(row)}\n`);
    }
  };
}

/** Prints a table line by line, so its columns have fixed widths. */
function writer(io: Io, { percentiles, unit }: ShownAs): Writer {
  let hasTitles = false;
  const row = (count: string, rate: string, cells: readonly string[], title: string): string =>
    `${count.padStart(11)} ${rate.padStart(11)}${cells.map((cell) => ` ${cell.padStart(19)}`).join('')}  ${title}`;
  return async (increases, seconds) => {
    if (!hasTitles) {
      hasTitles = true;
      const titles = row('count', 'rate/s', percentiles.map(percentileTitle), 'histogram');
      await io.stdout.write(`${painter(io, io.stdout)('bold', titles)}\n`);
    }
    if (increases.length === 0) {
      const dashes = percentiles.map(() => '-');
      await io.stdout.write(`${row('0', '0.0', dashes, '').trimEnd()}\n`);
    }
    for (const increase of increases) {
      const title = titleOf(increase);
      if (increase.isReset) await io.stderr.write(`hdrscope: ${title}: counters were reset\n`);
      const histogram = acrossCpus(increase);
      const { total } = histogram.counts;
      const cells = percentilesOf(histogram, percentiles).map((quantile) => formatBounds(quantile, unit));
      await io.stdout.write(`${row(formatCount(total), formatDecimal(total / seconds, 1), cells, title)}\n`);
    }
  };
}
