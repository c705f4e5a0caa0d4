/**
 * `npm run test:executable`: makes the executable, and runs tests of the command on it: those of what an executable has in a way of its own,
 * and a run of each command. `-- --all` runs all tests of the command. A test that gives the command a clock or a terminal runs no program: it is
 * skipped, with the reason.
 */
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { runJest } from '../jest.js';
import { formatCounts, formatSkips, RESULTS_FILE, SUMMARY } from '../lib/counts.js';
import { readOptions, runTool } from '../lib/options.js';
import { workspaceRoot } from '../lib/workspace.js';
import { makeExecutable } from './main.js';

const CLI = join(workspaceRoot, 'packages/cli');

/** What differs from the package: how it starts and ends, its parts, files beside modules, and packages with a binary of their own. */
const CHOSEN = [
  'every-command',
  'process',
  'program',
  'readme',
  'completion/completion',
  'ceph/serve',
  'plot/output',
  'history/verify',
  'migrate/migrate',
].map((name) => `test/${name}.test.ts`);

await runTool(async () => {
  const { all } = readOptions('npm run test:executable --', { all: { flag: 'all tests of the command' } });
  const prefix = mkdtempSync(join(tmpdir(), 'hdrscope-tested-'));
  try {
    const { program } = await makeExecutable(prefix);
    // Packages with a binary of their own, as npm installs them globally.
    mkdirSync(join(prefix, 'lib'));
    symlinkSync(join(workspaceRoot, 'node_modules'), join(prefix, 'lib/node_modules'));
    const missing = CHOSEN.filter((file) => !existsSync(join(CLI, file)));
    if (missing.length > 0) throw new Error(`packages/cli has no ${missing.join(', ')}`);
    const files = all ? [] : ['--runTestsByPath', ...CHOSEN];
    const status = runJest([CLI], files, { HDRSCOPE_PROGRAM: program, [SUMMARY]: '1' });
    /** @type {import('../lib/counts.js').Results} */
    const { skips = [], ...counts } = JSON.parse(readFileSync(join(CLI, RESULTS_FILE), 'utf8'));
    for (const line of formatSkips(skips)) console.log(line);
    console.log(formatCounts(counts));
    process.exitCode = status;
  } finally {
    rmSync(prefix, { recursive: true });
  }
});
