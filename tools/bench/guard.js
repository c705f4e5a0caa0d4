/**
 * `npm run bench:guard`: measures some rows of the benchmark beside those of an earlier commit, in one run, and fails where one takes more than a
 * quarter longer in each of several tries. `docs/benchmarks.md` describes it.
 */
import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readlinkSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { readOptions, runTool } from '../lib/options.js';
import { table } from '../lib/table.js';
import { listProjects, workspaceRoot } from '../lib/workspace.js';
import { runGroup } from './runner.js';

/** @import { Effort, External } from './types.js' */

/** What services and their scrapes wait for. @type {readonly (readonly [file: string, group: string, name: string])[]} */
const ROWS = [
  ['record', 'record', 'hdrscope dense'],
  ['record', 'record', 'hdrscope sparse'],
  ['otel', 'otel-plain', 'hdrscope view'],
  ['collect', 'collect-unchanged', 'hdrscope view'],
  ['collect', 'collect-all', 'hdrscope view'],
  ['collect', 'collect-scrape-all', 'hdrscope exporter, native buckets'],
  ['otlp', 'otlp-export', 'hdrscope sender'],
  ['logs', 'log-read', 'hdrscope reader'],
];

const MOST_TIMES = 1.25;
/** V8 compiles a process once, well or less well, so a further try has other processes. */
const TRIES = 5;
/** @type {Effort} */
const EFFORT = { rounds: 9, amounts: 1, groupMs: 5000, sampleMs: 6, warmUpMs: 60 };

const options = readOptions('npm run bench:guard --', {
  against: { text: 'REVISION', help: 'the earlier commit', default: 'HEAD~1' },
  'no-build': { flag: 'measure the packages as they were built last' },
});

await runTool(main);

async function main() {
  const { status } = git('rev-parse', '--verify', '--quiet', `${options.against}^{commit}`);
  if (status !== 0) {
    console.log(`not measured: the history here does not have ${options.against}`);
    return;
  }
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-guard-'));
  try {
    checkOut(options.against, folder);
    if (!options['no-build']) bundle(workspaceRoot);
    bundle(folder);
    await compareRows(folder);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

/** @param {string} earlier The folder of the earlier commit. */
async function compareRows(earlier) {
  const lines = [];
  for (const row of ROWS) {
    const name = `${row[1]}: ${row[2]}`;
    /** @type {number | string} */
    let ratio = Number.POSITIVE_INFINITY;
    let tries = 0;
    while (ratio > MOST_TIMES && tries < TRIES) {
      const measured = await measure(row, earlier);
      if (typeof measured === 'string') {
        ratio = measured;
        break;
      }
      ratio = Math.min(ratio, measured);
      tries++;
    }
    const isSlower = typeof ratio === 'number' && ratio > MOST_TIMES;
    if (isSlower) process.exitCode = 1;
    const shown = typeof ratio === 'number' ? ratio.toFixed(2) : ratio;
    lines.push([name, shown, String(tries), isSlower ? 'SLOWER' : '']);
  }
  console.log(table([['row', 'times as long', 'tries', ''], ...lines]));
}

/**
 * @param {readonly [file: string, group: string, name: string]} row
 * @param {string} earlier
 * @returns {Promise<number | string>} How many times as long the row takes now, or why that is not known.
 */
async function measure([file, id, name], earlier) {
  /** @type {(root: string) => External} */
  const caseOf = (root) => {
    const bench = join(root, 'tools/bench');
    const url = pathToFileURL(join(bench, 'cases', `${file}.js`)).href;
    const harness = join(bench, 'harness.js');
    return {
      command: () => [process.execPath, '--expose-gc', '--no-warnings', harness, url, id, name],
    };
  };
  const cases = { now: caseOf(workspaceRoot), earlier: caseOf(earlier) };
  const result = await runGroup({ id, title: id, cases }, '', EFFORT);
  const [now, before] = result.cases;
  if (now === undefined || before === undefined) throw new Error('a case is missing');
  if (now.missing !== undefined) throw new Error(`${id}: ${name} did not run: ${now.missing}`);
  if (before.missing !== undefined) return 'the earlier commit has no such row';
  // Other work of the machine only adds to the least time.
  return Math.min(...now.samples) / Math.min(...before.samples);
}

/**
 * Checks out a commit, with the packages of others that are installed here.
 *
 * @param {string} revision
 * @param {string} folder
 */
function checkOut(revision, folder) {
  const steps = [
    ['clone', '--quiet', '--shared', '--no-checkout', workspaceRoot, folder],
    ['-C', folder, 'checkout', '--quiet', git('rev-parse', revision).stdout.trim()],
  ];
  for (const step of steps) {
    const { status, stderr } = git(...step);
    if (status !== 0) throw new Error(`git ${step[0]} failed: ${stderr}`);
  }
  linkModules(join(workspaceRoot, 'node_modules'), join(folder, 'node_modules'));
  for (const { path } of listProjects(folder)) {
    const modules = join(workspaceRoot, path, 'node_modules');
    if (existsSync(modules)) linkModules(modules, join(folder, path, 'node_modules'));
  }
}

/**
 * Links what a folder of modules has. Its links to packages of the workspace are relative, so their copies lead to the other checkout.
 *
 * @param {string} from
 * @param {string} to
 */
function linkModules(from, to) {
  mkdirSync(to);
  for (const entry of readdirSync(from, { withFileTypes: true })) {
    const [source, target] = [join(from, entry.name), join(to, entry.name)];
    if (entry.isSymbolicLink()) symlinkSync(readlinkSync(source), target);
    else if (entry.name === '@hdrscope') linkModules(source, target);
    else symlinkSync(source, target);
  }
}

/** @param {string} root */
function bundle(root) {
  const { status, stderr } = spawnSync(process.execPath, [join(root, 'tools/bundle.js')], {
    cwd: root,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`the packages of ${root} cannot be built: ${stderr}`);
}

/** @param {string[]} args */
function git(...args) {
  return spawnSync('git', args, { cwd: workspaceRoot, encoding: 'utf8' });
}
