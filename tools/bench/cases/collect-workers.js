/** A gather of the registries of several threads. */
import { once } from 'node:events';
import { MessageChannel, Worker } from 'node:worker_threads';

/** @import { FamilyOptions } from '@hdrscope/registry' */
/** @import { Group, Setup } from '../types.js' */

const workerCount = 4;
const series = 2000;
const warmUps = 10;

/** @type {FamilyOptions} */
const family = { name: 'job.duration', unit: 's', significantDigits: 2, cardinalityLimit: 2 * series };

/**
 * The time of the main thread: the active time of its event loop from the call of `gather` to its snapshot. Threads that
 * encode, and the wait for them, do not count.
 *
 * @type {Setup}
 */
const gathering = async () => {
  const { collectFrom, createRegistry } = await import('@hdrscope/registry');
  const registry = createRegistry();
  registry.histogram(family);
  const workers = Array.from({ length: workerCount }, () => {
    const { port1, port2: control } = new MessageChannel();
    const worker = new Worker(new URL('../gather-worker.js', import.meta.url), {
      workerData: { control, family, series },
      transferList: [control],
    });
    collectFrom(registry, worker, { timeoutMs: 60_000 });
    return { worker, control: port1 };
  });

  const measure = async () => {
    const recorded = await Promise.all(workers.map(({ control }) => change(control)));
    const start = performance.eventLoopUtilization();
    const snapshot = await registry.gather();
    const { active } = performance.eventLoopUtilization(start);
    const gathered = snapshot.families[0]?.series.map(({ histogram }) => histogram.totalCount) ?? [];
    const [values, expected] = [sum(gathered), sum(recorded)];
    if (values !== expected) throw new Error(`must gather ${expected} values, gathered ${values}`);
    return active * 1e6;
  };
  for (let i = 0; i < warmUps; i++) await measure();
  for (const { worker, control } of workers) {
    worker.unref();
    control.unref();
  }
  return { measure };
};

/** @param {import('node:worker_threads').MessagePort} control */
async function change(control) {
  control.postMessage('change');
  const [recorded] = await once(control, 'message');
  return /** @type {number} */ (recorded);
}

/** @param {readonly number[]} numbers */
function sum(numbers) {
  return numbers.reduce((total, number) => total + number, 0);
}

/** @type {readonly Group[]} */
export default [
  {
    id: 'collect-workers',
    title:
      'active time of the main thread during a gather of 4 worker threads, each with 2,000 series that have all changed',
    rounds: 21,
    cases: { hdrscope: gathering },
  },
];
