/** Threads, child processes and the workers of a cluster are ended without a word, and frozen. */
import { Arrivals } from '../arrived.js';
import { afterTheLast, compare, nothing } from '../ledger.js';

/** @import { HostSettings } from '../host.js' */
/** @import { Process } from '../processes.js' */
/** @import { Round, Scenario } from '../scenario.js' */

/** A host with workers. */
class Host {
  #round;
  #host;

  /**
   * @param {Round} round
   * @param {HostSettings['kind']} kind
   */
  constructor(round, kind) {
    this.#round = round;
    this.#host = round.script('host', { kind });
  }

  /** Starts a worker. */
  async add() {
    const recorder = this.#round.recorder();
    this.#host.write(JSON.stringify(recorder));
    const [, pid] = await this.#host.printed(
      new RegExp(`^${recorder.run} is ready(?:, process (\\d+))?$`, 'm'),
    );
    return { run: recorder.run, pid: Number(pid) };
  }

  /** @param {string} run */
  endThread(run) {
    this.#host.write(`end ${run}`);
  }

  /** Ends the host, and returns what it has collected. */
  async finish() {
    this.#host.signal('SIGTERM');
    const [, json] = await this.#host.printed(/^counts: (.*)$/m);
    const arrivals = new Arrivals();
    for (const { attributes, counts } of JSON.parse(/** @type {string} */ (json))) {
      for (const [value, count] of counts) arrivals.add(attributes, value, count);
    }
    const end = await this.#host.ended();
    const problems = end === 0 ? [] : [`the host has ended with ${end}: ${this.#host.output}`];
    return { arrivals, problems };
  }
}

/**
 * @param {HostSettings['kind']} kind
 * @param {string} name
 * @param {string} promise
 * @returns {Scenario}
 */
function killWorkers(kind, name, promise) {
  return {
    name,
    promise,
    window: 'since the last answer of the worker',
    mostWindowMs: 3000,
    async run(round) {
      const host = new Host(round, kind);
      /** @type {Set<string>} */
      const killed = new Set();
      let workers = [await host.add(), await host.add()];
      const kills = 8;
      for (let i = 0; i < kills; i++) {
        await round.pause(400);
        const victim = round.random.of(workers);
        killed.add(victim.run);
        if (kind === 'thread') host.endThread(victim.run);
        else process.kill(victim.pid, 'SIGKILL');
        workers = [...workers.filter((worker) => worker !== victim), await host.add()];
      }
      await round.pause(300, 100);
      const { arrivals, problems } = await host.finish();
      const outcomes = round.ledgers().map((ledger) => {
        const arrived = arrivals.of(ledger.run);
        return compare(ledger, arrived, killed.has(ledger.run) ? afterTheLast(ledger, arrived) : nothing);
      });
      return { tries: kills, outcomes, problems };
    },
  };
}

export const killThread = killWorkers(
  'thread',
  'kill-thread',
  'a registry has each value of a thread that is ended from outside at most once, and goes on',
);
export const killChild = killWorkers(
  'child',
  'kill-child',
  'a registry has each value of a child process that is killed at most once, and goes on',
);
export const killCluster = killWorkers(
  'cluster',
  'kill-cluster',
  'a registry has each value of a worker of a cluster that is killed at most once, and goes on',
);

/** @type {Scenario} */
export const stopWorker = {
  name: 'stop-worker',
  promise: 'a worker that is frozen (`SIGSTOP`, longer than a gather waits) loses nothing',
  window: 'nothing',
  mostWindowMs: 0,
  async run(round) {
    const host = new Host(round, round.random.of(['child', 'cluster']));
    const workers = [await host.add(), await host.add()];
    const stops = 3;
    for (let i = 0; i < stops; i++) {
      await round.pause(300);
      const { pid } = round.random.of(workers);
      process.kill(pid, 'SIGSTOP');
      await round.pause(2000);
      process.kill(pid, 'SIGCONT');
    }
    await round.pause(300, 100);
    const { arrivals, problems } = await host.finish();
    const outcomes = round.ledgers().map((ledger) => compare(ledger, arrivals.of(ledger.run), nothing));
    return { tries: stops, outcomes, problems };
  },
};
