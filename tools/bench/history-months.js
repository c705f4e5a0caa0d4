/**
 * `node tools/bench/history-months.js`: makes a month of a history (21.6 million rows), rolls it up by the hour and by the day, and
 * asks each for a percentile. `docs/benchmarks.md` describes it.
 */
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, statfsSync } from 'node:fs';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { buildPackages } from '../lib/build-packages.js';

/**
 * What a process of `months/step.js` does.
 *
 * @typedef {{ name: string, folder: string, series: number, days: number, part?: number, parts?: number, from?: string, of?: string }} Step
 */
/** @typedef {{ ms: number, cpuMs: number, peakBytes: number, rows?: number, bytes?: number, answer?: string }} Facts */

const help = `node tools/bench/history-months.js [options]

  --series N      series of the history (500)
  --days N        days of it, with a row for each series and minute (30)
  --folder DIR    keep the history there, and go on with one that is there; otherwise it is removed at the end
  --rounds N      how often each question is asked (3)
  --no-build      measure the packages as they were built last

The default makes 21.6 million rows: about 1.5 GB in the folder for temporary files, and 15 minutes of two cores.
`;

const STEP = new URL('./months/step.js', import.meta.url).pathname;
const BYTES_OF_ROW = 100;

const { values: options } = parseArgs({
  options: {
    series: { type: 'string', default: '500' },
    days: { type: 'string', default: '30' },
    folder: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    'no-build': { type: 'boolean', default: false },
    help: { type: 'boolean', short: 'h', default: false },
  },
});
if (options.help) console.log(help);
else await main();

async function main() {
  const [series, days, rounds] = [options.series, options.days, options.rounds].map(Number);
  if (!(Number(series) >= 1 && Number(days) >= 1 && Number(rounds) >= 1))
    throw new Error('counts must be at least 1');
  if (!options['no-build']) buildPackages(['@hdrscope/history']);
  const folder = options.folder ?? mkdtempSync(join(tmpdir(), 'hdrscope-months-'));
  try {
    assertRoom(folder, Number(series) * Number(days) * 1440 * BYTES_OF_ROW);
    await measure({ folder, series: Number(series), days: Number(days) }, Number(rounds));
  } finally {
    if (options.folder === undefined) rmSync(folder, { recursive: true, force: true });
  }
}

/**
 * @param {Omit<Step, 'name'>} task
 * @param {number} rounds
 */
async function measure(task, rounds) {
  const parts = availableParallelism();
  const made = await Promise.all(
    Array.from({ length: parts }, (_, part) => run({ name: 'generate', ...task, part, parts })),
  );
  const rows = made.reduce((sum, one) => sum + (one.rows ?? 0), 0);
  const largest = made.reduce((most, one) => (one.ms > most.ms ? one : most));
  show(`${count(rows)} rows made, by ${parts} processes`, largest);
  show('rolled up by the hour', await run({ name: 'rollup', ...task }));
  const daily = { name: 'rollup', from: 'hours', of: 'days' };
  show('hours rolled up by the day', await run({ ...daily, ...task }));
  for (const of of ['minutes', 'hours', 'days']) {
    const { bytes = 0 } = await run({ name: 'weigh', of, ...task });
    console.log(`${of}: ${count(bytes)} bytes`);
  }
  const answers = new Set();
  for (const of of ['days', 'hours', 'minutes']) {
    for (let round = 0; round < rounds; round++) {
      const facts = await run({ name: 'ask', of, ...task });
      answers.add(facts.answer);
      show(`p99.9 of ${task.series} groups, from ${of}`, facts);
    }
  }
  console.log(answers.size === 1 ? 'All answers are equal.' : 'FAILED: the answers differ.');
  process.exitCode = answers.size === 1 ? 0 : 1;
}

/**
 * Runs a step in a process of its own.
 *
 * @param {Step} step
 * @returns {Promise<Facts>}
 */
async function run(step) {
  const child = spawn(process.execPath, [STEP, JSON.stringify(step)], {
    cwd: new URL('.', import.meta.url).pathname,
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  const parts = [];
  for await (const part of child.stdout) parts.push(part);
  if (parts.length === 0) throw new Error(`the step ${step.name} failed`);
  return JSON.parse(Buffer.concat(parts).toString());
}

/**
 * @param {string} what
 * @param {Facts} facts
 */
function show(what, { ms, cpuMs, peakBytes }) {
  const seconds = (/** @type {number} */ time) => `${(time / 1000).toFixed(2)} s`;
  console.log(
    `${what}: ${seconds(ms)}, ${seconds(cpuMs)} of processors, ${Math.round(peakBytes / 2 ** 20)} MiB at most`,
  );
}

/** @param {number} number */
function count(number) {
  return number.toLocaleString('en');
}

/**
 * @param {string} folder
 * @param {number} bytes
 */
function assertRoom(folder, bytes) {
  const { bavail, bsize } = statfsSync(options.folder === undefined ? folder : tmpdir());
  if (bavail * bsize > bytes) return;
  throw new Error(`${folder} must have room for ${count(bytes)} bytes, and has ${count(bavail * bsize)}`);
}
