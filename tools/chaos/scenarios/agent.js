/** The agent is killed, frozen and reloaded, and its sources vanish. */
import { rename, rm, writeFile } from 'node:fs/promises';
import { readLogs, totalsIn } from '../arrived.js';
import { afterTheLast, arrivedInOrder, compare, nothing, valuesOf, within } from '../ledger.js';
import { waitFor } from '../processes.js';
import { serveReceiver } from '../receiver.js';

/** @import { Process } from '../processes.js' */
/** @import { Round, Scenario } from '../scenario.js' */

/** How far a killed agent may be behind, and how long it may take until it follows again, on a busy machine. */
const SLACK_MS = 1500;

/**
 * Starts an agent, and waits until it works.
 *
 * @param {Round} round
 * @param {string} config
 */
async function startAgent(round, config) {
  const path = round.path('agent.yaml');
  await writeFile(path, config);
  const agent = round.agent(path);
  await agent.printed(/sink interval-log has started/);
  return agent;
}

/**
 * Waits until the agent has at least so many values, as a scrape shows them.
 *
 * @param {Process} agent
 * @param {number} values
 */
async function untilScraped(agent, values) {
  const [, url = ''] = await agent.printed(/prometheus has started: (\S+)/);
  const scraped = async () => {
    const text = await (await fetch(url)).text();
    return [...text.matchAll(/^chaos_batch\w*_count\S* (\d+)/gm)].reduce(
      (sum, [, count]) => sum + Number(count),
      0,
    );
  };
  await waitFor('all values in a scrape', async () => (await scraped()) >= values, 10_000).catch(() => {});
  return scraped();
}

/** @type {Scenario} */
export const killAgent = {
  name: 'kill-agent',
  promise:
    'an agent that is killed goes on: with `since: beginning` it has the whole log, with `since: now` its sinks have nothing twice',
  window: 'with `since: now`: while there is no agent, and its last interval',
  mostWindowMs: 10_000,
  async run(round) {
    const since = round.random.of(['beginning', 'now']);
    const log = round.path('service.hlog');
    const copy = round.path('agent.hlog');
    const config = `sources:
  - { type: interval-log, path: ${log}, since: ${since}, poll: 20ms }
sinks:
  - { type: prometheus, listen: '127.0.0.1:0' }
  - { type: interval-log, path: ${copy}, interval: 50ms }
`;
    let agent = await startAgent(round, config);
    const service = await round.service({ log: { path: log, intervalMs: 20 } });
    /** @type {[number, number][]} */
    const windows = [];
    const kills = 3;
    for (let i = 0; i < kills; i++) {
      await round.pause(800, 100);
      const killedMs = Date.now();
      await agent.kill();
      await round.pause(300);
      agent = await startAgent(round, config);
      windows.push([killedMs - SLACK_MS, Date.now() + SLACK_MS]);
    }
    await round.pause(2500, 2000);
    await service.stop();
    const ledger = round.ledger(service.run);
    if (since === 'beginning') {
      const sum = await untilScraped(agent, valuesOf(ledger.batches));
      await agent.stop();
      return {
        tries: kills,
        outcomes: [compare(ledger, arrivedInOrder(ledger, sum), nothing)],
        problems: [],
      };
    }
    await round.pause(600, 500);
    await agent.stop();
    const written = await readLogs(copy);
    return {
      tries: kills,
      outcomes: [compare(ledger, written.of(service.run), within(windows))],
      problems: written.malformed,
    };
  },
};

/** @type {Scenario} */
export const reload = {
  name: 'reload',
  promise:
    'an agent that is reloaded under load (`SIGHUP`, also with a wrong configuration) or frozen has every value in all sinks once',
  window: 'nothing',
  mostWindowMs: 0,
  async run(round) {
    const { random } = round;
    const receiver = await serveReceiver(round);
    const log = round.path('service.hlog');
    const copy = round.path('agent.hlog');
    const newConfig = () => {
      return `sources:
  - { name: service, type: interval-log, path: ${log}, poll: ${random.of(['20ms', '50ms', '250ms'])} }
  - { name: other, type: interval-log, path: ${round.path('other.hlog')}, poll: ${random.of(['20ms', '1s'])} }
sinks:
  - { type: prometheus, listen: '127.0.0.1:0', buckets: ${random.of(['native', 'classic'])} }
  - type: interval-log
    path: ${copy}
    interval: ${random.of(['30ms', '50ms', '100ms'])}
    rotation: { size: ${random.of(['8kB', '1MB'])} }
  - type: otlp
    url: http://127.0.0.1:${receiver.port}/v1/metrics
    temporality: delta
    interval: ${random.of(['50ms', '100ms'])}
    timeout: 50ms
    compression: ${random.of(['gzip', 'none'])}
`;
    };
    const agent = await startAgent(round, newConfig());
    const services = [
      await round.service({
        log: { path: log, intervalMs: 20, rotation: { sizeBytes: random.of([8000, 1e9]) } },
      }),
      await round.service({ log: { path: round.path('other.hlog'), intervalMs: 50 } }),
    ];
    const reloads = 10;
    for (let i = 0; i < reloads; i++) {
      await round.pause(400);
      if (random.oneIn(8)) {
        agent.signal('SIGSTOP');
        await round.pause(500);
        agent.signal('SIGCONT');
        continue;
      }
      const text = random.oneIn(4) ? `${newConfig()}  - { type: nothing }\n` : newConfig();
      // Whole at any moment, as editors and tools write files.
      await writeFile(round.path('next.yaml'), text);
      await rename(round.path('next.yaml'), round.path('agent.yaml'));
      agent.signal('SIGHUP');
    }
    await round.pause(300);
    for (const service of services) await service.stop();
    const ledgers = round.ledgers();
    // At once: the agent reads what the logs have by now.
    await agent.stop();
    const written = await readLogs(copy);
    const sums = await totalsIn(receiver.registry);
    return {
      tries: reloads,
      outcomes: ledgers.flatMap((ledger) => [
        compare(ledger, written.of(ledger.run), nothing),
        compare(ledger, arrivedInOrder(ledger, sums.get(ledger.run) ?? 0), nothing),
      ]),
      problems: [...written.malformed, ...receiver.problems()],
    };
  },
};

/** @type {Scenario} */
export const socketGone = {
  name: 'socket-gone',
  promise:
    'an agent reads a daemon again whose socket was removed, or which was killed or frozen, and has nothing twice',
  window: 'of a daemon that was killed: since it was read last',
  mostWindowMs: 3000,
  async run(round) {
    const { random } = round;
    const socket = round.path('daemon.asok');
    const copy = round.path('agent.hlog');
    /** @type {Set<string>} */
    const killed = new Set();
    let daemon = await round.service({ socket });
    const agent = await startAgent(
      round,
      `sources:
  - { type: ceph, socket: ${socket}, timeout: 500ms }
sinks:
  - { type: interval-log, path: ${copy}, interval: 50ms }
`,
    );
    const times = 5;
    for (let i = 0; i < times; i++) {
      await round.pause(600, 100);
      const harm = random.of(['kill', 'remove', 'freeze']);
      if (harm === 'kill') {
        killed.add(daemon.run);
        await daemon.kill();
        await round.pause(400);
        daemon = await round.service({ socket });
      } else if (harm === 'remove') {
        await rm(socket);
        await round.pause(400);
        daemon.signal('SIGUSR2');
      } else {
        daemon.signal('SIGSTOP');
        await round.pause(1000);
        daemon.signal('SIGCONT');
      }
    }
    await round.pause(1000, 700);
    // It is read once more before it ends.
    daemon.write('rest');
    await round.pause(1000, 900);
    await agent.stop();
    await daemon.stop();
    const sums = (await readLogs(copy)).sums;
    return {
      tries: times,
      outcomes: round.ledgers().map((ledger) => {
        const arrived = arrivedInOrder(ledger, sums.get(ledger.run) ?? 0);
        return compare(ledger, arrived, killed.has(ledger.run) ? afterTheLast(ledger, arrived) : nothing);
      }),
      problems: [],
    };
  },
};
