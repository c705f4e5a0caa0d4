import { execFile } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { Worker } from 'node:worker_threads';

/** @import { Model, ModelRun } from '@hdrscope/testing/load-models' */

/**
 * Measures runs of autocannon against one server, one after the other.
 *
 * @param {{ runs: number, seconds: number, rate: number, hasNeighbour: boolean }} shape With a neighbour, another program is busy for
 *   some seconds, and then silent for some.
 * @returns {Promise<ModelRun[]>}
 */
export async function measureRealRuns({ runs, seconds, rate, hasNeighbour }) {
  const neighbour = hasNeighbour ? new Worker(NEIGHBOUR, { eval: true }) : undefined;
  const run = promisify(execFile);
  const program = fileURLToPath(new URL('./real-run.js', import.meta.url));
  /** @type {ModelRun[]} */
  const found = [];
  try {
    while (found.length < runs) {
      const args = [program, String(seconds), String(rate)];
      const { stdout } = await run(process.execPath, args, {
        timeout: 1000 * seconds + 60_000,
        maxBuffer: 2 ** 28,
      });
      const values = Float64Array.from(JSON.parse(stdout));
      found.push({ values, rate: Math.max(1, Math.round(values.length / seconds)) });
    }
  } finally {
    await neighbour?.terminate();
  }
  return found;
}

const NEIGHBOUR = `
  const pause = new Int32Array(new SharedArrayBuffer(4));
  for (;;) {
    const endMs = performance.now() + 4000 * Math.random();
    while (performance.now() < endMs);
    Atomics.wait(pause, 0, 0, 4000 * Math.random());
  }`;

/**
 * A model that draws from measured runs. Runs of more than one are joined from successive ones.
 *
 * @param {readonly ModelRun[]} pool
 * @param {number} poolSeconds How long one of the pool is.
 * @returns {Model}
 */
export function drawFrom(pool, poolSeconds) {
  return (draws, slower, { seconds }) => {
    const count = Math.min(Math.ceil(seconds / poolSeconds), pool.length);
    const first = Math.floor(draws.uniform() * (pool.length - count + 1));
    const parts = pool.slice(first, first + count);
    const values = new Float64Array(parts.reduce((sum, part) => sum + part.values.length, 0));
    let at = 0;
    for (const part of parts) {
      values.set(
        part.values.map((value) => value * slower),
        at,
      );
      at += part.values.length;
    }
    return { values, rate: Math.round(values.length / count / poolSeconds) };
  };
}
