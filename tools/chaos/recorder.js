/** Records batches of values into a registry, and writes them into a ledger. */
import { openSync, writeSync } from 'node:fs';

/** @import { Registry, Snapshot } from '@hdrscope/registry' */

/** The values of a series are numbers of batches, from 1 to this. */
export const BATCHES_PER_LANE = 400;

/** Every batch is the middle of an explicit bucket, so that every format keeps it apart from the others. */
const family = {
  name: 'chaos.batch',
  unit: '{batch}',
  resolution: 0.5,
  significantDigits: 3,
  boundaries: Array.from({ length: BATCHES_PER_LANE + 1 }, (_, i) => i + 0.5),
};

const everyMs = 10;
const mostValues = 20;

export class BatchRecorder {
  /** How many values were recorded. */
  recorded = 0;
  #number = 0;
  #series;
  #ledger;
  /** @type {NodeJS.Timeout | undefined} */ #timer;

  /**
   * @param {Registry} registry
   * @param {{ run: string, ledger: string }} options the name of this life of the process, and the file of its ledger
   */
  constructor(registry, { run, ledger }) {
    const all = registry.histogram(family);
    this.#ledger = openSync(ledger, 'a');
    this.#series = (/** @type {number} */ lane) => all.with({ run, lane });
  }

  start() {
    this.#timer = setInterval(() => this.record(), everyMs);
  }

  stop() {
    clearInterval(this.#timer);
  }

  /** Records the next batch. */
  record() {
    const index = this.#number++;
    const series = this.#series(Math.floor(index / BATCHES_PER_LANE));
    const value = (index % BATCHES_PER_LANE) + 1;
    const count = 1 + ((index * 7) % mostValues);
    for (let i = 0; i < count; i++) series.record(value);
    this.recorded += count;
    // Not `Date`, whose clock may be set.
    const us = Math.round((performance.timeOrigin + performance.now()) * 1000);
    this.#write(`b ${this.#number} ${count} ${us}`);
  }

  /**
   * Notes that all values of a snapshot are safe.
   *
   * @param {Snapshot} snapshot
   */
  safe(snapshot) {
    let values = 0;
    for (const { name, series } of snapshot.families) {
      if (name === family.name) for (const { counts } of series) values += counts.total;
    }
    this.#write(`w ${values}`);
  }

  /** @param {unknown} what */
  event(what) {
    const text = what instanceof Error ? what.message : String(what);
    this.#write(`e ${text.replaceAll('\n', ' ')}`);
  }

  /** @param {string} line */
  #write(line) {
    // At once: the next turn may not come.
    writeSync(this.#ledger, `${line}\n`);
  }
}
