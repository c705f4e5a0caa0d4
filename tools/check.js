/**
 * `npm run check [-- PROJECT...]`: everything that must hold before a change is merged. It continues after a failure, so that one run
 * shows everything there is to mend. Steps run beside each other, two at a time. The last line is the sum of the tests.
 * `--static` leaves out the tests with this line, and what measures times: a machine that does other work can run the rest.
 */
import { execFile } from 'node:child_process';
import { promisify, stripVTControlCharacters } from 'node:util';
import { formatCounts } from './lib/counts.js';
import { workspaceRoot } from './lib/workspace.js';
import { runTests } from './run-tests.js';

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} command
 * @property {boolean} [quiet] Whether its output matters only when it fails.
 * @property {string} [needs] The step that must succeed before this one.
 * @property {boolean} [alone] Whether it runs after all others, because it measures times.
 *
 * @typedef {{ name: string, state: 'ok' | 'FAILED' | 'not run', seconds: number }} Outcome
 */

/** @type {Step[]} */
const STEPS = [
  { name: 'build', command: ['npm', 'run', '--silent', 'build'], quiet: true },
  // All files at once, including those outside packages. The `lint` scripts of the packages check one package.
  { name: 'format and lint', command: ['npx', 'biome', 'ci', '--error-on-warnings', '.'], quiet: true },
  { name: 'boundaries', command: ['node', 'tools/check-boundaries.js'] },
  { name: 'regexes', command: ['node', 'tools/check-regexes.js'] },
  { name: 'pitfalls', command: ['node', 'tools/check-pitfalls.js'] },
  { name: 'unused code', command: ['npx', 'knip', '--no-progress'], quiet: true },
  { name: 'types', command: ['npm', 'run', '--silent', 'typecheck'], quiet: true },
  { name: 'forms', command: ['npm', 'run', '--silent', 'forms', '--', '--check'] },
  { name: 'packaging', command: ['node', 'tools/check-packaging.js'], needs: 'build' },
  { name: 'public face', command: ['node', 'tools/api-reports.js', '--check'], needs: 'build' },
  { name: 'doc comments', command: ['node', 'tools/check-docs.js'], needs: 'build' },
  { name: 'examples', command: ['node', 'tools/check-examples.js'], needs: 'build' },
  { name: 'install scripts', command: ['node', 'tools/check-install-scripts.js'] },
  { name: 'size and start', command: ['node', 'tools/check-size.js'], needs: 'build', alone: true },
];

/** @type {Outcome[]} */
const outcomes = [];

/**
 * @param {string} name
 * @param {() => boolean | Promise<boolean>} run
 */
async function record(name, run) {
  const start = performance.now();
  const state = (await run()) ? 'ok' : 'FAILED';
  outcomes.push({ name, state, seconds: (performance.now() - start) / 1000 });
}

const runProgram = promisify(execFile);

/** @param {Step} step */
async function runStep({ name, command: [program = '', ...args], quiet = false }) {
  const options = { cwd: workspaceRoot, maxBuffer: Number.POSITIVE_INFINITY };
  let isOk = true;
  /** @type {{ stdout?: string, stderr?: string }} */
  const { stdout = '', stderr = '' } = await runProgram(program, args, options).catch((error) => {
    isOk = false;
    return error;
  });
  console.log(`== ${name}`);
  if (!quiet || !isOk) {
    const output = `${stdout}${stderr}`.trimEnd();
    // Some tools use colours even where the output is a file.
    console.log(process.stdout.isTTY ? output : stripVTControlCharacters(output));
  }
  return isOk;
}

/**
 * The steps that have begun, by name.
 *
 * @type {Map<string, Promise<void>>}
 */
const begun = new Map();

/** @param {Step} step */
async function run(step) {
  const { name, needs = '' } = step;
  await begun.get(needs);
  const needed = outcomes.find((outcome) => outcome.name === needs);
  if (needed === undefined || needed.state === 'ok') await record(name, () => runStep(step));
  else outcomes.push({ name, state: 'not run', seconds: 0 });
}

/** @param {Iterable<Step>} steps Several calls may share an iterator. */
async function runInTurn(steps) {
  for (const step of steps) {
    const running = run(step);
    begun.set(step.name, running);
    await running;
  }
}

const args = process.argv.slice(2);
const isStatic = args[0] === '--static';
const together = STEPS.filter(({ alone }) => !alone).values();
await Promise.all([runInTurn(together), runInTurn(together)]);
let counts = { passed: 0, failed: 0, skipped: 0 };
if (!isStatic) {
  await runInTurn(STEPS.filter(({ alone }) => alone));
  console.log('== tests');
  await record('tests', () => {
    const run = runTests(args);
    counts = run.counts;
    return run.ok;
  });
}

console.log('\nstep             result   time');
for (const { name, state, seconds } of outcomes) {
  console.log(`${name.padEnd(16)} ${state.padEnd(8)} ${seconds.toFixed(1)} s`);
}
if (!isStatic) console.log(formatCounts(counts));
process.exitCode = outcomes.every(({ state }) => state === 'ok') ? 0 : 1;
