import { setTimeout as sleep } from 'node:timers/promises';
import { dumpIncrease, type ImportedIncrease } from '@hdrscope/ceph';
import { HdrscopeError } from '@hdrscope/core';
import { type Io, Refusal } from '../command.ts';
import { type HistogramOptions, readHistograms, type Sourced, titleOf } from './histograms.ts';
import type { CephInput } from './input.ts';

/** What a histogram has counted in an interval. */
export interface FollowedIncrease extends ImportedIncrease, Sourced {
  /** How long the interval was: longer, where the daemon did not answer in between. */
  readonly seconds: number;
}

interface Followed {
  readonly input: CephInput;
  /** What it had when it last answered. */
  last: { readonly histograms: readonly Sourced[]; readonly atMs: number } | undefined;
  isGone: boolean;
}

/**
 * Asks daemons again and again. One that does not answer is told on standard error, once, and asked again; a counter
 * that began anew is told too.
 */
export class Follower {
  readonly #daemons: readonly Followed[];
  readonly #options: HistogramOptions;
  readonly #io: Io;

  constructor(inputs: readonly CephInput[], options: HistogramOptions, io: Io) {
    this.#daemons = inputs.map((input) => ({ input, last: undefined, isGone: false }));
    this.#options = options;
    this.#io = io;
  }

  /**
   * The first reading, from which on is counted.
   *
   * @returns What the daemons have counted before.
   * @throws Refusal where none answers.
   */
  async start(): Promise<readonly Sourced[]> {
    await Promise.all(this.#daemons.map((daemon) => this.#read(daemon)));
    const histograms = this.#daemons.flatMap(({ last }) => last?.histograms ?? []);
    if (this.#daemons.every(({ isGone }) => isGone)) throw new Refusal('no daemon answers');
    return histograms;
  }

  /** What was counted since the reading before, after so many seconds. */
  async advance(intervalSec: number): Promise<FollowedIncrease[]> {
    await sleep(intervalSec * 1000, undefined, { signal: this.#io.signal });
    const increases = await Promise.all(this.#daemons.map((daemon) => this.#increaseOf(daemon, intervalSec)));
    const all = increases.flat();
    for (const one of all.filter(({ isReset }) => isReset)) {
      const title = titleOf(one, this.#daemons.length > 1);
      await this.#io.stderr.write(`hdrscope: ${title}: the daemon began anew, and all that it has is new\n`);
    }
    return all;
  }

  async #increaseOf(daemon: Followed, intervalSec: number): Promise<FollowedIncrease[]> {
    const before = daemon.last;
    const now = await this.#read(daemon);
    // Of a daemon that answers for the first time nobody knows since when it has counted.
    if (now === undefined || before === undefined) return [];
    const seconds = (now.atMs - before.atMs) / 1000 || intervalSec;
    return dumpIncrease(before.histograms, now.histograms).map((one) => ({
      ...one,
      source: one.daemon ?? daemon.input.name,
      seconds,
    }));
  }

  async #read(daemon: Followed): Promise<Followed['last']> {
    const { input } = daemon;
    try {
      const histograms = await readHistograms(input, this.#options);
      daemon.last = { histograms, atMs: this.#io.monotonicMs() };
    } catch (error) {
      if (!(error instanceof HdrscopeError || error instanceof Refusal)) throw error;
      if (!daemon.isGone) await this.#io.stderr.write(`hdrscope: ${error.message}; it is asked again\n`);
      daemon.isGone = true;
      return undefined;
    }
    if (daemon.isGone) await this.#io.stderr.write(`hdrscope: ${input.name} is back\n`);
    daemon.isGone = false;
    return daemon.last;
  }
}
