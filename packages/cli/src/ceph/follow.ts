import { setTimeout as sleep } from 'node:timers/promises';
import type { ClusterFollower, DaemonAnswer, ImportedIncrease } from '@hdrscope/ceph';
import { followAnswers } from '@hdrscope/ceph/internal';
import { HdrscopeError } from '@hdrscope/core';
import { type Io, Refusal } from '../command.ts';
import { type HistogramOptions, readHistograms, type Sourced, titleOf } from './histograms.ts';
import type { CephInput } from './input.ts';

/** The increase of a histogram in one interval. */
export interface FollowedIncrease extends ImportedIncrease, Sourced {
  /** The length of the interval. It is longer when the daemon did not answer in between. */
  readonly seconds: number;
}

/**
 * Reads daemons again and again. It reports on standard error, once, when a daemon does not answer, and goes on asking. It
 * also reports counters that began anew.
 */
export class Follower {
  readonly #inputs: readonly CephInput[];
  readonly #follower: ClusterFollower;
  readonly #io: Io;
  /** The names of the daemons that did not answer last. */
  readonly #gone = new Set<string>();

  constructor(inputs: readonly CephInput[], options: HistogramOptions, io: Io) {
    this.#inputs = inputs;
    this.#io = io;
    this.#follower = followAnswers(
      () => Promise.all(inputs.map((input) => this.#read(input, options))),
      io.monotonicMs,
    );
  }

  /**
   * Makes the first reading. Increases count from here.
   *
   * @returns The histograms so far.
   * @throws Refusal when no daemon answers.
   */
  async start(): Promise<readonly Sourced[]> {
    const answers = await this.#follower.start();
    if (this.#gone.size === this.#inputs.length) throw new Refusal('no daemon answers');
    return answers.flatMap(({ name, histograms = [] }) => histograms.map((one) => sourced(one, name)));
  }

  /** Waits, reads again, and returns the increases since the last reading. */
  async advance(intervalSec: number): Promise<FollowedIncrease[]> {
    await sleep(intervalSec * 1000, undefined, { signal: this.#io.signal });
    const { daemons } = await this.#follower.advance();
    const byName = new Map(daemons.map((daemon) => [daemon.name, daemon]));
    const all = this.#inputs.flatMap(({ name }) => {
      const { increases, seconds } = byName.get(name)!;
      return increases.map((one) => ({ ...sourced(one, name), seconds: seconds || intervalSec }));
    });
    for (const one of all.filter(({ isReset }) => isReset)) {
      const title = titleOf(one, this.#inputs.length > 1);
      await this.#io.stderr.write(`hdrscope: ${title}: the daemon began anew, so all its counts are new\n`);
    }
    return all;
  }

  async #read(input: CephInput, options: HistogramOptions): Promise<DaemonAnswer> {
    const { name } = input;
    try {
      const histograms = await readHistograms(input, options);
      const atMs = this.#io.monotonicMs();
      if (this.#gone.delete(name)) await this.#io.stderr.write(`hdrscope: ${name} is back\n`);
      return { name, histograms, atMs };
    } catch (error) {
      if (!(error instanceof HdrscopeError || error instanceof Refusal)) throw error;
      const { message } = error;
      if (!this.#gone.has(name))
        await this.#io.stderr.write(`hdrscope: ${message}; hdrscope goes on asking\n`);
      this.#gone.add(name);
      return { name, histograms: undefined, problem: message };
    }
  }
}

/** A histogram with its source: the daemon that it names, or the input. */
function sourced<One extends Omit<Sourced, 'source'>>(one: One, name: string): One & Sourced {
  return { ...one, source: one.daemon ?? name };
}
