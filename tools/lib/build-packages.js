import { spawnSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { workspaceRoot } from './workspace.js';

const require = createRequire(import.meta.url);

/**
 * Builds packages and their dependencies, because users run `dist` and not the sources.
 *
 * @param {readonly string[]} names
 */
export function buildPackages(names) {
  const { status, stdout, stderr } = spawnSync(
    process.execPath,
    [require.resolve('nx/bin/nx.js'), 'run-many', '-t', 'build', '-p', names.join()],
    { cwd: workspaceRoot, env: { ...process.env, NX_DAEMON: 'false' }, encoding: 'utf8' },
  );
  if (status === 0) return;
  process.stderr.write(`${stdout}${stderr}`);
  throw new Error('the build failed; --no-build takes the last one');
}
