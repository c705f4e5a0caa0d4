import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { type Frame, type KernelIncrease, KernelIncreases, type KernelSource } from '@hdrscope/ebpf';
import { type Io, UsageError } from '../command.ts';
import type { Kernel } from './kernel.ts';
import type { MapOptions } from './map-argument.ts';
import { isAwaited, isOver, MapState } from './map-state.ts';
import { patientMap } from './patient-map.ts';

/** Which map is watched, and how often. */
export interface WatchOptions extends MapOptions {
  /** In seconds. */
  readonly interval: number;
  /** How many intervals the watch takes. @default it never ends */
  readonly intervals?: number;
}

/** What a map has counted in a time. */
export interface Increases {
  /** Histograms without counts are left out. */
  readonly increases: readonly KernelIncrease[];
  /** By `io.monotonicMs`. */
  readonly startMs: number;
  readonly endMs: number;
}

/**
 * What a map counts from now on, interval by interval. It waits for a map that is not there yet, and an interval without a map has
 * no counts. Standard error has a note of each change.
 *
 * @throws UsageError, HdrscopeError when the map cannot be read at the start, and waiting does not help. An AbortError when the
 *   command ends.
 */
export async function* watchMap(
  argument: string,
  options: WatchOptions,
  io: Io,
  kernel: Kernel,
): AsyncGenerator<Increases, void> {
  const note = (line: string): Promise<void> => io.stderr.write(`hdrscope: ${line}\n`);
  const source = patientMap(argument, options, kernel, (line) => io.stderr.write(line));
  const watched = new WatchedMap(source, new MapState(argument, note), kernel, io);
  try {
    try {
      await watched.next();
    } catch (error) {
      if (!isAwaited(error, argument)) throw error;
      await watched.failed(error);
    }
    for (let left = options.intervals ?? Number.POSITIVE_INFINITY; left > 0; left--) {
      await sleep(options.interval * 1000, undefined, { signal: io.signal });
      let counted: Increases | undefined;
      try {
        counted = await watched.next();
      } catch (error) {
        if (isOver(error, argument)) throw error;
        // The map may come back, when its program is loaded again.
        await watched.failed(error);
      }
      if (counted !== undefined) yield counted;
    }
  } finally {
    await source.close();
  }
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
    return frame.generation === before || isNew
      ? { increases, startMs: atMs, endMs: this.#last.atMs }
      : undefined;
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
