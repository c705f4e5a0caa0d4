/**
 * `npm run contention`: threads record into one histogram at once, ours and those of others, and the table shows what a
 * record costs. `docs/benchmarks.md` describes the results.
 */
import { availableParallelism, cpus } from 'node:os';
import { readOptions, runTool } from '../lib/options.js';
import { measure } from './measure.js';
import { findPeers, ourPrograms } from './programs.js';
import { costTable, rateTable } from './table.js';

const { seconds } = readOptions('npm run contention --', {
  seconds: {
    help: 'length of a sample; there are 3 for each program and number of writers',
    least: 0.001,
    default: 2,
  },
});

const WRITERS = [1, 2, 4, 8];
const ROUNDS = 3;
const WARM_UP_MS = 500;

await runTool(main);

async function main() {
  const sampleMs = Math.round(seconds * 1000);
  const { programs: peers, absent } = findPeers();
  for (const { name, reason } of absent) console.log(`skipped: ${name}: ${reason}`);
  /** @type {import('./measure.js').Result[]} */
  const results = [];
  const programs = [...ourPrograms(), ...peers];
  const effort = { sampleMs, warmUpMs: WARM_UP_MS, rounds: ROUNDS };
  for (const writers of WRITERS) results.push(...(await measure(programs, writers, effort)));
  console.log(`${heading(results)}\n\n${rateTable(results)}\n\n${costTable(results)}`);
}

/** @param {readonly import('./measure.js').Result[]} results */
function heading(results) {
  const runtimes = new Set(results.map(({ runtime }) => runtime));
  const machine = `${process.platform} ${process.arch}, ${(cpus()[0]?.model ?? 'unknown').trim()}`;
  return `${[...runtimes].join(', ')}, ${machine}, ${availableParallelism()} cores`;
}
