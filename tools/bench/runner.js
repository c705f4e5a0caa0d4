/** The measuring side: starts a process per case, warms each up, then lets them take turns. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createInterface } from 'node:readline';
import { fileURLToPath } from 'node:url';
import { median } from './table.js';

/** @import { Case, CaseResult, Effort, Group, GroupResult } from './types.js' */

/** The samples that must agree before a warm-up ends, and their tolerance. */
const stableSamples = 3;
const stableWithin = 0.04;

/** However long they take, there are so many samples, unless the group asks for fewer. */
const LEAST_ROUNDS = 9;

const harness = fileURLToPath(new URL('./harness.js', import.meta.url));

/**
 * Measures the cases of a group, interleaved in rounds (A B C A B C …) so that a slow minute of the machine hits all.
 *
 * @param {Group} group
 * @param {string} file URL of the module that exports the group
 * @param {Effort} effort
 * @returns {Promise<GroupResult>}
 */
export async function runGroup(group, file, effort) {
  const { id, title, unit = 'ns', rounds = Number.POSITIVE_INFINITY } = group;
  const runs = Object.entries(group.cases).map(([name, body]) => new CaseRun(name, body, [file, id, name]));
  try {
    await Promise.all(runs.map((run) => run.start()));
    if (unit === 'bytes') await takeAmounts(runs, Math.min(effort.amounts, rounds));
    else await takeTurns(runs, { ...effort, rounds: Math.min(effort.rounds, rounds) });
  } finally {
    for (const run of runs) run.stop();
  }
  const cases = runs.map((run) => run.result());
  return { id, title, unit, cases, warnings: disagreements(cases, group.agree) };
}

/**
 * @param {readonly CaseRun[]} runs
 * @param {Effort} effort
 */
async function takeTurns(runs, effort) {
  // One after the other, because two warm-ups at a time would disturb each other.
  for (const run of runs) await run.warmUp(effort);
  const startMs = performance.now();
  for (let round = 0; round < effort.rounds; round++) {
    // Long samples are their own means, so fewer of them say as much.
    if (round >= LEAST_ROUNDS && performance.now() - startMs > effort.groupMs) break;
    for (const run of runs) await run.takeSample();
  }
}

/**
 * Amounts do not depend on the load of the machine, so they need fewer samples and no rounds.
 *
 * @param {readonly CaseRun[]} runs
 * @param {number} amounts
 */
async function takeAmounts(runs, amounts) {
  await Promise.all(
    runs.map(async (run) => {
      for (let round = 0; round < amounts; round++) await run.takeSample();
    }),
  );
}

class CaseRun {
  /** @type {number[]} */ #samples = [];
  /** @type {number[]} */ #warmUp = [];
  /** @type {number | undefined} */ #answer;
  /** @type {string | undefined} */ #missing;
  /** @type {Child | undefined} */ #child;
  #iterations = 1;
  #stable = true;

  /**
   * @param {string} name
   * @param {Case} body
   * @param {string[]} coordinates the arguments for the harness that identify the case
   */
  constructor(name, body, coordinates) {
    this.name = name;
    this.body = body;
    this.coordinates = coordinates;
  }

  async start() {
    const command = this.#command();
    if ('absent' in command) {
      this.#missing = command.absent;
      return;
    }
    await this.#guard(async () => {
      this.#child = await Child.start(command);
    });
  }

  /**
   * Runs a timed case until its samples agree, and chooses the iterations of a sample.
   *
   * @param {Effort} effort
   */
  async warmUp(effort) {
    await this.#withChild(async (child) => {
      if (!child.sized) await this.#warm(child, effort);
    });
  }

  async takeSample() {
    await this.#withChild(async (child) => this.#samples.push(await this.#sample(child)));
  }

  stop() {
    this.#child?.stop();
  }

  /** @returns {CaseResult} */
  result() {
    return {
      name: this.name,
      samples: this.#missing ? [] : this.#samples,
      warmUp: this.#warmUp,
      stable: this.#stable,
      iterations: this.#iterations,
      ...(this.#answer === undefined ? {} : { answer: this.#answer }),
      ...(this.#missing === undefined ? {} : { missing: this.#missing }),
    };
  }

  /** @returns {readonly [string, ...string[]] | { readonly absent: string }} */
  #command() {
    if ('command' in this.body) return this.body.command();
    const nodeOptions = 'nodeOptions' in this.body ? this.body.nodeOptions : [];
    return [process.execPath, '--expose-gc', '--no-warnings', ...nodeOptions, harness, ...this.coordinates];
  }

  /**
   * A case that fails is reported as missing; the others continue.
   *
   * @param {() => Promise<unknown>} action
   */
  async #guard(action) {
    try {
      await action();
    } catch (error) {
      this.#missing = /** @type {Error} */ (error).message;
    }
  }

  /** @param {(child: Child) => Promise<unknown>} action */
  async #withChild(action) {
    const child = this.#child;
    if (child && !this.#missing) await this.#guard(() => action(child));
  }

  /** @param {Child} child */
  async #sample(child) {
    const { elapsedNs, amount, answer } = await child.sample(this.#iterations);
    if (answer !== undefined) this.#answer = answer;
    return amount ?? (elapsedNs ?? Number.NaN) / this.#iterations;
  }

  /**
   * @param {Child} child
   * @param {Effort} effort
   */
  async #warm(child, { sampleMs, warmUpMs }) {
    // Half a sample, so that a case becomes stable in many short steps instead of a few long ones.
    const stepNs = (sampleMs * 1e6) / 2;
    const startMs = performance.now();
    for (;;) {
      const ns = await this.#sample(child);
      this.#warmUp.push(ns);
      // At most fourfold at a time: the first iterations are interpreted, so their time predicts little.
      this.#iterations = Math.max(1, Math.min(this.#iterations * 4, Math.round(stepNs / ns)));
      const spentMs = performance.now() - startMs;
      this.#stable = agree(this.#warmUp.slice(-stableSamples));
      if (spentMs >= 4 * warmUpMs || (spentMs >= warmUpMs && this.#stable)) break;
    }
    const ns = median(this.#warmUp.slice(-stableSamples));
    this.#iterations = Math.max(1, Math.round((sampleMs * 1e6) / ns));
  }
}

/** A process that speaks the protocol of `harness.js`. */
export class Child {
  /** Whether the case reports an amount. */
  sized = false;

  /**
   * @param {readonly [string, ...string[]]} command
   * @returns {Promise<Child>}
   */
  static async start([file, ...args]) {
    const child = new Child(spawn(file, args, { stdio: ['pipe', 'pipe', 'inherit'] }));
    const { missing, sized = false } = await child.#reply();
    if (missing !== undefined) throw new Error(missing);
    child.sized = sized;
    return child;
  }

  /** @param {import('node:child_process').ChildProcessByStdio<import('node:stream').Writable, import('node:stream').Readable, null>} process */
  constructor(process) {
    this.process = process;
    this.lines = createInterface({ input: process.stdout })[Symbol.asyncIterator]();
    // The end of the output shows that a child has died. Without listeners, these errors would end this process too.
    process.on('error', () => {});
    process.stdin.on('error', () => {});
  }

  /** @param {number} iterations */
  async sample(iterations) {
    this.process.stdin.write(`${iterations}\n`);
    return this.#reply();
  }

  stop() {
    this.process.stdin.end();
  }

  /** @returns {Promise<{ missing?: string, sized?: boolean, elapsedNs?: number, amount?: number, answer?: number }>} */
  async #reply() {
    const { value, done } = await this.lines.next();
    if (!done) return JSON.parse(value);
    const { exitCode, signalCode } = this.process;
    if (exitCode === null && signalCode === null) await once(this.process, 'close').catch(() => {});
    throw new Error(`the process ended early (${this.process.signalCode ?? this.process.exitCode})`);
  }
}

/** @param {readonly number[]} samples */
function agree(samples) {
  if (samples.length < stableSamples) return false;
  return Math.max(...samples) <= Math.min(...samples) * (1 + stableWithin);
}

/**
 * Cases whose answers differ from the first one's did not do the same work.
 *
 * @param {readonly CaseResult[]} cases
 * @param {number | null} [tolerance]
 */
function disagreements(cases, tolerance = 0.02) {
  const answered = cases.filter(({ answer, missing }) => answer !== undefined && !missing);
  const first = answered[0];
  if (tolerance === null || !first) return [];
  const expected = /** @type {number} */ (first.answer);
  return answered
    .filter(
      ({ answer }) =>
        !(Math.abs(/** @type {number} */ (answer) - expected) <= tolerance * Math.abs(expected)),
    )
    .map(
      ({ name, answer }) => `"${name}" answers ${answer}, "${first.name}" ${expected}: not the same work.`,
    );
}
