import { setTimeout as sleep } from 'node:timers/promises';
import { HdrscopeError } from '@hdrscope/core';
import { reasonOf } from '@hdrscope/kit';
import { errnoOf } from './errors.ts';
import { type KernelIncrease, KernelIncreases } from './increases.ts';
import type { Frame, KernelSource } from './source/source.ts';

/** A map, and who hears about it. */
export interface FollowedMapOptions {
  /** The map, as a person names it: the path of its pin, `id:N` or `name:X`. */
  readonly argument: string;
  /** The source, if it needs no map that is there. @default `open` makes it at the first read that can */
  readonly source?: KernelSource | undefined;
  readonly open: () => Promise<KernelSource>;
  /** Gets a sentence about each change. */
  readonly note: (text: string) => Promise<void>;
  /** Gets what shows the layout of the map, when that is new. */
  readonly onGround: (ground: string) => Promise<void>;
  /** Hears of each read that broke a law, or was refused for another reason than that of a system call. @default nobody hears */
  readonly onRefusal?: (() => void) | undefined;
}

/**
 * A map that need not be there yet, or a program: each `read` opens it when it is not open. Another map at the same place may have
 * another layout.
 */
export class FollowedMap implements KernelSource {
  /** The map, as a person names it. */
  readonly argument: string;
  readonly name: string;
  readonly #note: (text: string) => Promise<void>;
  readonly #open: () => Promise<KernelSource>;
  readonly #onGround: (ground: string) => Promise<void>;
  readonly #onRefusal: (() => void) | undefined;
  #source: KernelSource | undefined;
  #shownGround: string | undefined;
  #generation: string | undefined;
  #problem: string | undefined;

  constructor({ argument, source, open, note, onGround, onRefusal }: FollowedMapOptions) {
    this.argument = argument;
    this.name = source?.name ?? `the map ${argument}`;
    this.#source = source;
    this.#open = open;
    this.#note = note;
    this.#onGround = onGround;
    this.#onRefusal = onRefusal;
  }

  async read(): Promise<Frame> {
    this.#source ??= await this.#open();
    const frame = await this.#source.read();
    const { ground } = frame;
    if (ground !== undefined && ground !== this.#shownGround) await this.#onGround(ground);
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

  /** Whether an error says that the map is not there, and one may come. */
  isAwaited(error: unknown): boolean {
    return errnoOf(error) === 'ENOENT' && !this.#isOfId;
  }

  /** Whether an error says that the map has ended, and no other one can come: no other map gets the same id. */
  isOver(error: unknown): boolean {
    return errnoOf(error) === 'ENOENT' && this.#isOfId;
  }

  get #isOfId(): boolean {
    return this.argument.startsWith('id:');
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
    if (error instanceof HdrscopeError && errnoOf(error) === undefined) this.#onRefusal?.();
    const reason = reasonOf(error);
    if (this.#problem === reason) return;
    this.#problem = reason;
    if (!this.isAwaited(error)) await this.#note(reason);
    else if (this.#generation === undefined) await this.#note(`waits for ${this.argument}: ${reason}`);
    else await this.#note(`${this.argument} has gone; waits until it comes back`);
  }
}

/** What maps have counted in a time. */
export interface TimedIncreases {
  /** Histograms without counts are left out. */
  readonly increases: readonly KernelIncrease[];
  /** By the clock of the options. */
  readonly startMs: number;
  readonly endMs: number;
}

/** How long increases are taken, and how often. */
export interface WatchOptions {
  /** How long an interval is. Above 0. */
  readonly intervalMs: number;
  /** How many intervals there are. @default it never ends */
  readonly intervals?: number | undefined;
  readonly signal: AbortSignal;
  /** A clock that only goes forward. */
  readonly monotonicMs: () => number;
}

/** How one map is watched. */
export interface WatchMapOptions extends WatchOptions {
  /** See `newestMapId`. */
  readonly newestMapId: (after?: number) => Promise<number | undefined>;
  /** Whether an error of `open` or `read` may pass by itself, so that the watch goes on. @default those of this package */
  readonly mayPass?: (error: unknown) => boolean;
}

/**
 * What a map counts from now on, interval by interval. It waits for a map that is not there yet, and an interval without a map has
 * no counts. It closes the map at its end.
 *
 * @throws HdrscopeError when the map cannot be read at the start, and waiting does not help. An AbortError when the signal aborts.
 */
export async function* watchMap(
  map: FollowedMap,
  {
    intervalMs,
    intervals = Number.POSITIVE_INFINITY,
    signal,
    monotonicMs,
    newestMapId,
    mayPass = (error) => error instanceof HdrscopeError,
  }: WatchMapOptions,
): AsyncGenerator<TimedIncreases, void> {
  const frames = new KernelIncreases();
  /** When the map was read last, or the watch began, and the newest map then; without its id when this user may not see it. */
  let last: { readonly atMs: number; readonly newestId: number | undefined } | undefined;
  const look = async () => {
    const newestId = await newestMapId(last?.newestId);
    return { atMs: monotonicMs(), newestId };
  };

  /**
   * Reads what was counted since the map was read last. Counts of another map are new when it was made since then; otherwise
   * nobody knows which of them are new, and the result is `undefined`.
   */
  const read = async (): Promise<TimedIncreases | undefined> => {
    last ??= await look();
    const { atMs, newestId } = last;
    const { generation: before } = map;
    const frame = await map.read();
    last = await look();
    // The read began after the look before.
    const increases = frames.next(frame, { beganMs: atMs, endedMs: last.atMs });
    for (const increase of increases) await map.noteUncertain(increase);
    const isNew = newestId !== undefined && idOf(frame) > newestId;
    const counts = isNew ? 'counts from 0' : 'only what it counts from now on is shown';
    await map.noteRead(frame.generation, counts);
    const areKnown = frame.generation === before || isNew;
    return areKnown ? { increases, startMs: atMs, endMs: last.atMs } : undefined;
  };
  const waitIf = async (mayWait: boolean, error: unknown): Promise<undefined> => {
    if (!mayWait || !mayPass(error)) throw error;
    await map.noteFailure(error);
  };

  try {
    await read().catch((error) => waitIf(map.isAwaited(error), error));
    for (let left = intervals; left > 0; left--) {
      await sleep(intervalMs, undefined, { signal });
      // The map may come back, when its program is loaded again.
      const counted = await read().catch((error) => waitIf(!map.isOver(error), error));
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
