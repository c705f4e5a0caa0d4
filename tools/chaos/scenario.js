/** What a scenario is, and what it may use. */
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Random } from '../lib/random.js';
import { readLedger } from './ledger.js';
import { Process, startAgent, startCommand, startScript } from './processes.js';

/** @import { Ledger, Outcome } from './ledger.js' */

/**
 * @typedef {object} RoundResult
 * @property {number} tries How often something was harmed.
 * @property {readonly Outcome[]} outcomes One for each ledger and each way out.
 * @property {readonly string[]} problems What is wrong besides lost values.
 */

/**
 * @typedef {object} Scenario
 * @property {string} name
 * @property {string} promise A sentence.
 * @property {string} window The loss that is allowed, as a phrase.
 * @property {number} mostWindowMs How long this loss may take on a busy machine.
 * @property {() => string | undefined} [skipped] Why it cannot run here.
 * @property {(round: Round) => Promise<RoundResult>} run
 */

/** One round of a scenario: its folder, its processes and its random numbers. */
export class Round {
  /** @type {Process[]} */
  #processes = [];
  /** @type {(() => unknown)[]} */
  #ends = [];
  #runs = 0;

  /**
   * @param {string} folder
   * @param {Random} random
   */
  constructor(folder, random) {
    this.folder = folder;
    this.random = random;
  }

  /**
   * Runs a scenario in a new folder, which is removed afterwards, and ends all of its processes.
   *
   * @param {Scenario} scenario
   * @param {{ seed: number, index: number, keep?: boolean | undefined, signal?: AbortSignal }} options
   */
  static async run(scenario, { seed, index, keep = false, signal }) {
    const folder = await mkdtemp(join(tmpdir(), 'hdrscope-chaos-'));
    const round = new Round(folder, new Random(seed, index));
    const end = () => round.#killAll();
    signal?.addEventListener('abort', end);
    try {
      return await scenario.run(round);
    } finally {
      signal?.removeEventListener('abort', end);
      await round.#end();
      if (keep) console.log(`the files are in ${folder}`);
      else await rm(folder, { recursive: true, force: true });
    }
  }

  /** @param {string} name */
  path(name) {
    return join(this.folder, name);
  }

  /** The name of the next life of a process. */
  nextRun() {
    return `r${++this.#runs}`;
  }

  /**
   * The options of a recorder: the name of a new life, and its ledger.
   *
   * @param {string} [run]
   */
  recorder(run = this.nextRun()) {
    return { run, ledger: this.path(`${run}.ledger`) };
  }

  /**
   * @param {string} run
   * @returns {Ledger}
   */
  ledger(run) {
    return readLedger(run, this.path(`${run}.ledger`));
  }

  /** The ledgers of all lives so far. */
  ledgers() {
    return Array.from({ length: this.#runs }, (_, i) => this.ledger(`r${i + 1}`));
  }

  /**
   * Starts a service, and waits until it is ready.
   *
   * @param {Omit<import('./service.js').ServiceSettings, 'run' | 'ledger'>} settings
   * @param {{ environment?: NodeJS.ProcessEnv, before?: readonly string[] }} [options]
   */
  async service(settings, options) {
    const service = this.startService(settings, options);
    await service.printed(/ready/);
    return service;
  }

  /**
   * Starts a service.
   *
   * @param {Omit<import('./service.js').ServiceSettings, 'run' | 'ledger'>} settings
   * @param {{ environment?: NodeJS.ProcessEnv, before?: readonly string[] }} [options]
   */
  startService(settings, options = {}) {
    const recorder = this.recorder();
    const service = this.start(
      startScript('service', { settings: { ...recorder, ...settings }, ...options }),
    );
    return Object.assign(service, { run: recorder.run });
  }

  /** @param {string} config The path of a configuration. */
  agent(config) {
    return this.start(startAgent(config));
  }

  /**
   * Runs a command of hdrscope.
   *
   * @param {readonly string[]} args
   */
  async command(args) {
    const command = this.start(startCommand(args));
    return { exitCode: await command.ended(), output: command.output };
  }

  /**
   * Ends a process at the end of the round.
   *
   * @template {Process} P
   * @param {P} process
   * @returns {P}
   */
  start(process) {
    this.#processes.push(process);
    return process;
  }

  /**
   * Starts a script of this folder.
   *
   * @param {string} name
   * @param {object} settings
   */
  script(name, settings) {
    return this.start(startScript(name, { settings }));
  }

  /**
   * Runs at the end of the round, after its processes have ended.
   *
   * @param {() => unknown} end
   */
  atEnd(end) {
    this.#ends.push(end);
  }

  /**
   * Waits for a random time.
   *
   * @param {number} mostMs
   * @param {number} [leastMs]
   */
  async pause(mostMs, leastMs = 0) {
    await sleep(leastMs + this.random.below(mostMs - leastMs));
  }

  #killAll() {
    for (const process of this.#processes) if (!process.hasEnded) process.signal('SIGKILL');
  }

  async #end() {
    this.#killAll();
    // A command that did not start rejects; the others must still end.
    await Promise.allSettled(this.#processes.map((process) => process.ended()));
    for (const end of this.#ends.reverse()) await end();
  }
}
