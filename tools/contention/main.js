/**
 * `npm run contention`: threads record into one histogram at once, ours and those of others, and the table shows what a
 * record costs. `docs/benchmarks.md` describes the results.
 */
import { availableParallelism, cpus } from 'node:os';
import { parseArgs } from 'node:util';
import { measure } from './measure.js';
import { findPeers, ourPrograms } from './programs.js';
import { costTable, rateTable } from './table.js';

const help = `npm run contention -- [options]

  --seconds N   length of a sample, by default 2; there are 3 for each program and number of writers
`;

const WRITERS = [1, 2, 4, 8];
const ROUNDS = 3;
const WARM_UP_MS = 500;

try {
  await main();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}

async function main() {
  const { values: options } = parseArgs({
    options: {
      seconds: { type: 'string', default: '2' },
      help: { type: 'boolean', short: 'h', default: false },
    },
  });
  if (options.help) return void console.log(help);
  const sampleMs = Math.round(Number(options.seconds) * 1000);
  if (!(sampleMs >= 1)) throw new Error(`--seconds must be a number from 0.001, got ${options.seconds}`);

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
