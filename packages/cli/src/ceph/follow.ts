import { setTimeout as sleep } from 'node:timers/promises';
import { dumpIncrease, type ImportedIncrease } from '@hdrscope/ceph';
import { HdrscopeError } from '@hdrscope/core';
import { type Io, Refusal } from '../command.ts';
import { type HistogramOptions, readHistograms, type Sourced, titleOf } from './histograms.ts';
import type { CephInput } from './input.ts';

/** The increase of a histogram in one interval. */
export interface FollowedIncrease extends ImportedIncrease, Sourced {
  /** The length of the interval. It is longer when the daemon did not answer in between. */
  readonly seconds: number;
}

interface FollowedDaemon {
  readonly input: CephInput;
  /** Its last answer. */
  last: { readonly histograms: readonly Sourced[]; readonly atMs: number } | undefined;
  isGone: boolean;
}

/**
 * Reads daemons again and again. It reports on standard error, once, when a daemon does not answer, and goes on asking. It
 * also reports counters that began anew.
 */
export class Follower {
  readonly #daemons: readonly FollowedDaemon[];
  readonly #options: HistogramOptions;
  readonly #io: Io;

  constructor(inputs: readonly CephInput[], options: HistogramOptions, io: Io) {
    this.#daemons = inputs.map((input) => ({ input, last: undefined, isGone: false }));
    this.#options = options;
    this.#io = io;
  }

  /**
   * Makes the first reading. Increases count from here.
   *
   * @returns The histograms so far.
   * @throws Refusal when no daemon answers.
   */
  async start(): Promise<readonly Sourced[]> {
    await Promise.all(this.#daemons.map((daemon) => this.#read(daemon)));
    const histograms = this.#daemons.flatMap(({ last }) => last?.histograms ?? []);
    if (this.#daemons.every(({ isGone }) => isGone)) throw new Refusal('no daemon answers');
    return histograms;
  }

  /** Waits, reads again, and returns the increases since the last reading. */
  async advance(intervalSec: number): Promise<FollowedIncrease[]> {
    await sleep(intervalSec * 1000, undefined, { signal: this.#io.signal });
    const increases = await Promise.all(this.#daemons.map((daemon) => this.#increaseOf(daemon, intervalSec)));
    const all = increases.flat();
    for (const one of all.filter(({ isReset }) => isReset)) {
      const title = titleOf(one, this.#daemons.length > 1);
      await this.#io.stderr.write(`hdrscope: ${title}: the daemon began anew, so all its counts are new\n`);
    }
    return all;
  }

  async #increaseOf(daemon: FollowedDaemon, intervalSec: number): Promise<FollowedIncrease[]> {
    const before = daemon.last;
    const now = await this.#read(daemon);
    // A first answer has no known start, so it yields no increase.
    if (now === undefined || before === undefined) return [];
    const seconds = (now.atMs - before.atMs) / 1000 || intervalSec;
    return dumpIncrease(before.histograms, now.histograms).map((one) => ({
      ...one,
      source: one.daemon ?? daemon.input.name,
      seconds,
    }));
  }

  async #read(daemon: FollowedDaemon): Promise<FollowedDaemon['last']> {
    const { input } = daemon;
    try {
      const histograms = await readHistograms(input, this.#options);
      daemon.last = { histograms, atMs: this.#io.monotonicMs() };
    } catch (error) {
      if (!(error instanceof HdrscopeError || error instanceof Refusal)) throw error;
      if (!daemon.isGone)
        await this.#io.stderr.write(`hdrscope: ${error.message}; hdrscope goes on asking\n`);
      daemon.isGone = true;
      return undefined;
    }
    if (daemon.isGone) await this.#io.stderr.write(`hdrscope: ${input.name} is back\n`);
    daemon.isGone = false;
    return daemon.last;
  }
}
