import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { formatDecimal } from '@hdrscope/core/internal';
import { type Frame, type KernelIncrease, KernelIncreases, type KernelSource } from '@hdrscope/ebpf';
import type { CountedUnit } from '@hdrscope/registry';
import type { Command } from 'commander';
import { type Arguments, createParser } from '../arguments.ts';
import { painter } from '../colour.ts';
import { ExitCode, type Io, UsageError } from '../command.ts';
import { formatCount, percentileTitle } from '../format.ts';
import { addAscii, screenOf } from '../screen.ts';
import { intervalOption, intervalsOption, percentilesOption } from '../shared-options.ts';
import { formatBounds, histogramJson, percentilesOf, type ShownAs, titleOf } from './histogram-text.ts';
import { type Kernel, THIS_KERNEL } from './kernel.ts';
import { addMapOptions, MAP_ARGUMENT_HELP, type MapOptions } from './map-argument.ts';
import { isAwaited, isOver, MapState } from './map-state.ts';
import { patientMap } from './patient-map.ts';
import { acrossCpus } from './shown-histogram.ts';
import { mapUnitOption } from './unit.ts';

interface Options extends MapOptions {
  readonly interval: number;
  readonly intervals?: number;
  readonly percentiles: readonly number[];
  readonly unit: CountedUnit;
  readonly json?: boolean;
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
  ])
    .argument('<map>', MAP_ARGUMENT_HELP)
    .allowExcessArguments(false)
    .addOption(intervalOption().default(1, '1s'))
    .addOption(intervalsOption())
    .option('--json', 'prints a line of JSON for each histogram with counts');
  return addAscii(addMapOptions(command).addOption(percentilesOption()).addOption(mapUnitOption()));
}

/** `hdrscope ebpf watch` */
export async function run(
  { options, operands }: Arguments<Options>,
  io: Io,
  kernel: Kernel = THIS_KERNEL,
): Promise<number> {
  const which = operands[0]!;
  const note = (line: string): Promise<void> => io.stderr.write(`hdrscope: ${line}\n`);
  const source = patientMap(which, options, kernel, ({ name }) =>
    note(`the layout is a guess: ${name}; --layout sets another one`),
  );
  const watched = new WatchedMap(source, new MapState(which, note), kernel, io);
  const shownAs = { ...options, ...screenOf(io, options) };
  const write = options.json === true ? jsonWriter(io, options) : writer(io, shownAs);
  try {
    try {
      await watched.next();
    } catch (error) {
      if (!isAwaited(error, which)) throw error;
      await watched.failed(error);
    }
    for (let left = options.intervals ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      await sleep(options.interval * 1000, undefined, { signal: io.signal });
      try {
        const counted = await watched.next();
        if (counted !== undefined) await write(counted.increases, counted.ms / 1000 || options.interval);
      } catch (error) {
        if (isOver(error, which)) throw error;
        // The map may come back, when its program is loaded again.
        await watched.failed(error);
      }
    }
    return ExitCode.done;
  } finally {
    await source.close();
  }
}

/** What a map has counted in a time. */
interface Increases {
  readonly increases: readonly KernelIncrease[];
  readonly ms: number;
}

/** A map whose counts are shown from now on. */
class WatchedMap {
  readonly #source: KernelSource;
  readonly #state: MapState;
  readonly #kernel: Kernel;
  readonly #io: Pick<Io, 'monotonicMs'>;
  readonly #increases = new KernelIncreases();
  /** When the map was read last, or the watch began. `newestId` is the newest map then; `undefined` when this user may not see it. */
  #last: { readonly atMs: number; readonly newestId: number | undefined } | undefined;

  constructor(source: KernelSource, state: MapState, kernel: Kernel, io: Pick<Io, 'monotonicMs'>) {
    this.#source = source;
    this.#state = state;
    this.#kernel = kernel;
    this.#io = io;
  }

  /**
   * Reads what was counted since the map was read last. Counts of another map are new when it was made since then; otherwise
   * nobody knows which of them are new, and the result is `undefined`.
   */
  async next(): Promise<Increases | undefined> {
    this.#last ??= await this.#now();
    const { atMs, newestId } = this.#last;
    const { generation: before } = this.#state;
    const frame = await this.#source.read();
    const increases = this.#increases.next(frame);
    this.#last = await this.#now();
    const isNew = newestId !== undefined && idOf(frame) > newestId;
    const counts = isNew ? 'counts from 0' : 'only what it counts from now on is shown';
    await this.#state.readAs(frame.generation, counts);
    return frame.generation === before || isNew ? { increases, ms: this.#last.atMs - atMs } : undefined;
  }

  /** Notes why the map cannot be read. @throws The error, when it is not about the map. */
  async failed(error: unknown): Promise<void> {
    if (!(error instanceof HdrscopeError || error instanceof UsageError)) throw error;
    await this.#state.failed(error);
  }

  async #now(): Promise<{ readonly atMs: number; readonly newestId: number | undefined }> {
    const newestId = await this.#kernel.newestMapId(this.#last?.newestId);
    return { atMs: this.#io.monotonicMs(), newestId };
  }
}

/** The id of the map of a frame: see `newestMapId`. */
function idOf({ generation }: Frame): number {
  return Number(/^map (\d+)$/.exec(generation)?.[1] ?? 0);
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
function writer(io: Io, shownAs: ShownAs): Writer {
  const { percentiles } = shownAs;
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
      const cells = percentilesOf(histogram, percentiles).map((quantile) => formatBounds(quantile, shownAs));
      await io.stdout.write(`${row(formatCount(total), formatDecimal(total / seconds, 1), cells, title)}\n`);
    }
  };
}
