import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import type { Frame, KernelSource } from '@hdrscope/ebpf';
import { type KernelIncrease, KernelIncreases } from '@hdrscope/ebpf/internal';
import { reasonOf } from '@hdrscope/kit';
import { type Io, UsageError } from '../../command.ts';
import { groundNote, isProgram, type Kernel, type MapOptions, openMap, programOf } from './map.ts';

/** Which map is watched, and how often. */
export interface WatchOptions extends MapOptions {
  /** In seconds. */
  readonly interval: number;
  /** How many intervals the watch takes. @default it never ends */
  readonly intervals?: number;
}

/** What maps have counted in a time. */
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
  const { interval, intervals = Number.POSITIVE_INFINITY } = options;
  const map = new FollowedMap(argument, options, io, kernel);
  const frames = new KernelIncreases();
  /** When the map was read last, or the watch began, and the newest map then; without its id when this user may not see it. */
  let last: { readonly atMs: number; readonly newestId: number | undefined } | undefined;
  const look = async () => {
    const newestId = await kernel.newestMapId(last?.newestId);
    return { atMs: io.monotonicMs(), newestId };
  };

  /**
   * Reads what was counted since the map was read last. Counts of another map are new when it was made since then; otherwise
   * nobody knows which of them are new, and the result is `undefined`.
   */
  const read = async (): Promise<Increases | undefined> => {
    last ??= await look();
    const { atMs, newestId } = last;
    const { generation: before } = map;
    const frame = await map.read();
    last = await look();
    const increases = frames.next(frame, last.atMs);
    for (const increase of increases) await map.noteUncertain(increase);
    const isNew = newestId !== undefined && idOf(frame) > newestId;
    const counts = isNew ? 'counts from 0' : 'only what it counts from now on is shown';
    await map.noteRead(frame.generation, counts);
    const areKnown = frame.generation === before || isNew;
    return areKnown ? { increases, startMs: atMs, endMs: last.atMs } : undefined;
  };
  const waitIf = async (mayWait: boolean, error: unknown): Promise<undefined> => {
    if (!mayWait || !(error instanceof HdrscopeError || error instanceof UsageError)) throw error;
    await map.noteFailure(error);
  };

  try {
    await read().catch((error) => waitIf(isAwaited(error, argument), error));
    for (let left = intervals; left > 0; left--) {
      await sleep(interval * 1000, undefined, { signal: io.signal });
      // The map may come back, when its program is loaded again.
      const counted = await read().catch((error) => waitIf(!isOver(error, argument), error));
      if (counted !== undefined) yield counted;
    }
  } finally {
    await map.close();
  }
}

/** The id of the map of a frame: see `newestMapId`. */
function idOf({ generation }: Frame): number {
  return Number(/^map (\d+)$/.exec(generation)?.[1] ?? 0);
}

/**
 * A map that need not be there yet, or a program: each `read` opens it when it is not open. Another map at the same place may have
 * another layout. Standard error has a note of each change, and of what shows the layout when the options have none.
 */
export class FollowedMap implements KernelSource {
  /** The map, as the command line names it. */
  readonly argument: string;
  readonly name: string;
  readonly #write: (text: string) => Promise<void>;
  readonly #open: () => Promise<KernelSource>;
  #source: KernelSource | undefined;
  #shownGround: string | undefined;
  #generation: string | undefined;
  #problem: string | undefined;

  /** @throws UsageError when the argument names a program, and an option is only for maps. */
  constructor(argument: string, options: MapOptions, io: Io, kernel: Kernel) {
    this.argument = argument;
    this.#write = (text) => io.stderr.write(text);
    if (isProgram(argument)) {
      this.#source = programOf(argument, options, kernel, (text) => this.#note(`${argument}: ${text}`));
    }
    this.#open = () => openMap(argument, options, kernel);
    this.name = this.#source?.name ?? `the map ${argument}`;
  }

  async read(): Promise<Frame> {
    this.#source ??= await this.#open();
    const frame = await this.#source.read();
    const { ground } = frame;
    if (ground !== undefined && ground !== this.#shownGround) {
      await this.#write(groundNote(this.argument, ground));
    }
    this.#shownGround = ground;
    return frame;
  }

  close(): void | Promise<void> {
    return this.#source?.close();
  }

  /** Why the map cannot be read now; `undefined` when it can. */
  get problem(): string | undefined {
    return this.#problem;
  }

  /** The generation that was read last; `undefined` before the first one. */
  get generation(): string | undefined {
    return this.#generation;
  }

  /**
   * The map was read.
   *
   * @param counts What happens to the counts of a map that was not read before: `counts from 0`.
   */
  async noteRead(generation: string, counts: string): Promise<void> {
    const [before, problem] = [this.#generation, this.#problem];
    this.#generation = generation;
    this.#problem = undefined;
    if (before !== undefined && before !== generation) {
      await this.#note(`${this.argument} is another map now, and ${counts}`);
    } else if (problem !== undefined) {
      const state = before === undefined ? `is there now, and ${counts}` : 'is there again';
      await this.#note(`${this.argument} ${state}`);
    }
  }

  /** Counters of 32 bits fell in a way that has two explanations. */
  async noteUncertain({ name, uncertain }: KernelIncrease): Promise<void> {
    if (uncertain === 0) return;
    await this.#note(
      `${name}: counters of 32 bits passed 2^32 − 1 or were set to 0, nobody knows which: what ${uncertain} of them counted in this interval is left out`,
    );
  }

  /** The map could not be read. */
  async noteFailure(error: unknown): Promise<void> {
    const reason = reasonOf(error);
    if (this.#problem === reason) return;
    this.#problem = reason;
    if (!isAwaited(error, this.argument)) await this.#note(reason);
    else if (this.#generation === undefined) await this.#note(`waits for ${this.argument}: ${reason}`);
    else await this.#note(`${this.argument} has gone; waits until it comes back`);
  }

  #note(text: string): Promise<void> {
    return this.#write(`hdrscope: ${text}\n`);
  }
}

/** Whether an error says that a map is not there, and one may come. */
function isAwaited(error: unknown, argument: string): boolean {
  return isMissing(error) && !isId(argument);
}

/** Whether an error says that a map has ended, and no other one can come: no other map gets the same id. */
export function isOver(error: unknown, argument: string): boolean {
  return isMissing(error) && isId(argument);
}

function isMissing(error: unknown): boolean {
  return error instanceof HdrscopeError && error.details.errno === 'ENOENT';
}

function isId(argument: string): boolean {
  return argument.startsWith('id:');
}
