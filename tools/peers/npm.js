import { cpSync } from 'node:fs';
import { run } from './run.js';

const LIMIT_SECONDS = 300;

/**
 * Installs the packages of a lock file into `node_modules` of a folder. Their install scripts do not run.
 *
 * @param {string} module The folder of `package.json` and `package-lock.json`.
 * @param {string} folder
 */
export function installWithNpm(module, folder) {
  cpSync(module, folder, { recursive: true });
  run('npm', ['ci', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    limitSeconds: LIMIT_SECONDS,
  });
}
