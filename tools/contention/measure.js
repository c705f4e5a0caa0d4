/** Lets the programs take turns, and checks that no record is lost. */
import { Child } from '../bench/runner.js';

/** @import { Program } from './programs.js' */

/**
 * The answer of a program to a line with a number of milliseconds. Its writers record for that time, after a barrier.
 * The histogram keeps its counts from sample to sample.
 *
 * @typedef {object} Sample
 * @property {number[]} records How many values each writer has recorded.
 * @property {number[]} busyNs The time that each writer took, on the clock of the wall.
 * @property {number} wallNs From the first record of any writer to the last.
 * @property {number} counted All counts of the histogram, slot by slot, since the program started.
 * @property {number} checksum The sum of the replayed values, which are the same in all programs.
 * @property {string} runtime
 *
 * @typedef {object} Result
 * @property {string} name
 * @property {number} writers
 * @property {string} runtime
 * @property {readonly number[]} rates Million records a second of all writers together, one for each round.
 * @property {readonly number[]} costs Nanoseconds that a record takes in a writer, one for each round.
 *
 * @typedef {object} Effort
 * @property {number} sampleMs
 * @property {number} warmUpMs
 * @property {number} rounds
 */

/**
 * Measures programs with a number of writers. All programs warm up and then take one sample each in rounds
 * (A B C A B C …), so that a slow minute of the machine hits all of them.
 *
 * @param {readonly Program[]} programs
 * @param {number} writers
 * @param {Effort} effort
 * @returns {Promise<Result[]>}
 * @throws {Error} when a program lost a record, has another number of writers, or records other values.
 */
export async function measure(programs, writers, { sampleMs, warmUpMs, rounds }) {
  /** @type {Run[]} */
  const runs = [];
  try {
    for (const program of programs) runs.push(await Run.start(program, writers));
    for (const run of runs) await run.sample(warmUpMs);
    for (let round = 0; round < rounds; round++) {
      for (const run of runs) await run.keepSample(sampleMs);
    }
  } finally {
    for (const run of runs) run.stop();
  }
  const [first] = runs;
  const odd = runs.find(({ checksum }) => checksum !== first?.checksum);
  if (odd) throw new Error(`${odd.name} must record the same values as ${first?.name}`);
  return runs.map((run) => run.result());
}

class Run {
  checksum = Number.NaN;
  #runtime = '';
  #recorded = 0;
  /** @type {number[]} */ #rates = [];
  /** @type {number[]} */ #costs = [];

  /**
   * @param {Program} program
   * @param {number} writers
   */
  static async start({ name, command }, writers) {
    return new Run(name, writers, await Child.start(command(writers)));
  }

  /**
   * @param {string} name
   * @param {number} writers
   * @param {Child} child
   */
  constructor(name, writers, child) {
    this.name = name;
    this.writers = writers;
    this.child = child;
  }

  /**
   * @param {number} ms
   * @returns {Promise<Sample>}
   */
  async sample(ms) {
    const sample = /** @type {Sample} */ (/** @type {unknown} */ (await this.child.sample(ms)));
    const { records, counted } = sample;
    this.#recorded += sum(records);
    if (records.length !== this.writers)
      throw new Error(`${this.name} must have ${this.writers} writers, got ${records.length}`);
    if (counted !== this.#recorded)
      throw new Error(
        `${this.name} must count the ${this.#recorded} values that were recorded, got ${counted}`,
      );
    [this.checksum, this.#runtime] = [sample.checksum, sample.runtime];
    return sample;
  }

  /** @param {number} ms */
  async keepSample(ms) {
    const { records, busyNs, wallNs } = await this.sample(ms);
    this.#rates.push((sum(records) / wallNs) * 1000);
    this.#costs.push(sum(busyNs) / sum(records));
  }

  stop() {
    this.child.stop();
  }

  /** @returns {Result} */
  result() {
    const { name, writers } = this;
    return { name, writers, runtime: this.#runtime, rates: this.#rates, costs: this.#costs };
  }
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, one) => total + one, 0);
}
