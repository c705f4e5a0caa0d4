import { cpSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

const LIMIT_SECONDS = 300;

/** The files that determine what npm installs. */
export const MANIFESTS = ['package-lock.json', 'package.json'];

/**
 * Installs the packages of a lock file into `node_modules` of a folder. Their install scripts do not run.
 *
 * @param {string} module The folder of `package.json` and `package-lock.json`.
 * @param {string} folder
 */
export function installWithNpm(module, folder) {
  for (const file of MANIFESTS) cpSync(join(module, file), join(folder, file));
  // Not `npm ci`: a lock file may have the binaries of one platform.
  run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund', '--loglevel=error'], {
    cwd: folder,
    limitSeconds: LIMIT_SECONDS,
  });
}
