/**
 * A process with a registry that collects from threads, child processes or a cluster. It gathers all the time. For each line on standard
 * input it starts a worker, or ends thread N (`end N`). At SIGTERM it lets the workers send their last counts, prints the counts of all
 * series as JSON, and ends.
 *
 * @typedef {object} HostSettings
 * @property {'thread' | 'child' | 'cluster'} kind
 */
import { fork } from 'node:child_process';
import cluster from 'node:cluster';
import { createInterface } from 'node:readline';
import { setTimeout as sleep } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Worker } from 'node:worker_threads';
import { collectFrom, collectFromCluster, createRegistry } from '@hdrscope/registry';

/** @type {HostSettings} */
const { kind } = JSON.parse(/** @type {string} */ (process.argv[2]));
const script = new URL('./worker.js', import.meta.url);
const registry = createRegistry();

/** Asks the workers to end in good order. @type {Map<string, () => void>} */
const ends = new Map();
/** @type {Map<string, Worker>} */
const threads = new Map();
if (kind === 'cluster') {
  cluster.setupPrimary({ exec: fileURLToPath(script) });
  collectFromCluster(registry, cluster);
}

/** @param {string} settings of a recorder, as JSON */
function start(settings) {
  const { run } = JSON.parse(settings);
  const environment = { ...process.env, CHAOS_RECORDER: settings };
  if (kind === 'thread') {
    const worker = new Worker(script, { env: environment });
    collectFrom(registry, worker);
    threads.set(run, worker);
    worker.on('exit', () => ends.delete(run));
    worker.on('message', (message) => {
      if (message === 'ready') console.log(`${run} is ready`);
    });
    ends.set(run, () => worker.postMessage('end'));
    return;
  }
  const child = kind === 'child' ? fork(script, { env: environment }) : cluster.fork(environment);
  if (kind === 'child')
    collectFrom(registry, /** @type {import('node:child_process').ChildProcess} */ (child));
  child.on('exit', () => ends.delete(run));
  child.on('error', () => {});
  child.on('message', (/** @type {unknown} */ message) => {
    const { pid } = 'process' in child ? child.process : child;
    if (message === 'ready') console.log(`${run} is ready, process ${pid}`);
  });
  ends.set(run, () => child.send('end'));
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const [, run] = /^end (.*)/.exec(line) ?? [];
  if (run === undefined) start(line);
  else threads.get(run)?.terminate();
});

let isEnding = false;
process.on('SIGTERM', () => {
  isEnding = true;
});
for (;;) {
  await registry.gather();
  await sleep(20);
  if (isEnding) break;
}
for (const end of ends.values()) end();
while (ends.size > 0) await sleep(10);
const { families } = await registry.gather();
const series = families.flatMap((family) =>
  family.series.map(({ attributes, histogram }) => ({
    attributes,
    counts: [...histogram.recordedValues()].map((step) => [
      (Number(step.valueIteratedTo) * family.resolution.unitsPerTick) / family.resolution.ticksPerUnit,
      step.countAddedInThisIterationStep,
    ]),
  })),
);
process.stdout.write(`counts: ${JSON.stringify(series)}\n`, () => process.exit(0));
