/**
 * `npm run check [-- PROJECT...]`: everything that must hold before a change is merged. It continues after a failure, so that one run
 * shows everything there is to mend. The last line is the sum of the tests.
 */
import { spawnSync } from 'node:child_process';
import { stripVTControlCharacters } from 'node:util';
import { formatCounts } from './lib/counts.js';
import { workspaceRoot } from './lib/workspace.js';
import { runTests } from './run-tests.js';

/**
 * @typedef {object} Step
 * @property {string} name
 * @property {string[]} command
 * @property {boolean} [quiet] Whether its output matters only when it fails.
 * @property {string} [needs] The step that must succeed before this one.
 *
 * @typedef {{ name: string, state: 'ok' | 'FAILED' | 'not run', seconds: number }} Outcome
 */

/** @type {Step[]} */
const STEPS = [
  // All files at once, including those outside packages. The `lint` scripts of the packages check one package.
  { name: 'format and lint', command: ['npx', 'biome', 'ci', '--error-on-warnings', '.'], quiet: true },
  { name: 'boundaries', command: ['node', 'tools/check-boundaries.js'] },
  { name: 'regexes', command: ['node', 'tools/check-regexes.js'] },
  { name: 'pitfalls', command: ['node', 'tools/check-pitfalls.js'] },
  { name: 'unused code', command: ['npx', 'knip', '--no-progress'], quiet: true },
  { name: 'build', command: ['npm', 'run', '--silent', 'build'], quiet: true },
  { name: 'types', command: ['npm', 'run', '--silent', 'typecheck'], quiet: true },
  { name: 'doc comments', command: ['node', 'tools/check-docs.js'] },
  { name: 'examples', command: ['node', 'tools/check-examples.js'] },
  { name: 'install scripts', command: ['node', 'tools/check-install-scripts.js'] },
  { name: 'public face', command: ['node', 'tools/api-reports.js', '--check'], needs: 'build' },
  { name: 'packaging', command: ['node', 'tools/check-packaging.js'], needs: 'build' },
  { name: 'size and start', command: ['node', 'tools/check-size.js'], needs: 'build' },
];

/** @type {Outcome[]} */
const outcomes = [];

/**
 * @param {string} name
 * @param {() => boolean | Promise<boolean>} run
 */
async function record(name, run) {
  console.log(`== ${name}`);
  const start = performance.now();
  const state = (await run()) ? 'ok' : 'FAILED';
  outcomes.push({ name, state, seconds: (performance.now() - start) / 1000 });
}

/** @param {Step} step */
function runStep({ command: [program = '', ...args], quiet = false }) {
  const { status, stdout, stderr } = spawnSync(program, args, { cwd: workspaceRoot, encoding: 'utf8' });
  if (!quiet || status !== 0) {
    const output = `${stdout ?? ''}${stderr ?? ''}`.trimEnd();
    // Some tools use colours even where the output is a file.
    console.log(process.stdout.isTTY ? output : stripVTControlCharacters(output));
  }
  return status === 0;
}

for (const step of STEPS) {
  const needed = outcomes.find(({ name }) => name === step.needs);
  if (needed === undefined || needed.state === 'ok') await record(step.name, () => runStep(step));
  else outcomes.push({ name: step.name, state: 'not run', seconds: 0 });
}
let counts = { passed: 0, failed: 0, skipped: 0 };
await record('tests', async () => {
  const run = runTests(process.argv.slice(2));
  counts = run.counts;
  return run.ok;
});

console.log('\nstep             result   time');
for (const { name, state, seconds } of outcomes) {
  console.log(`${name.padEnd(16)} ${state.padEnd(8)} ${seconds.toFixed(1)} s`);
}
console.log(formatCounts(counts));
process.exitCode = outcomes.every(({ state }) => state === 'ok') ? 0 : 1;
