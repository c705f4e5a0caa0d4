import { cpSync, mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

const LIMIT_SECONDS = 300;

/**
 * Installs a Python script and the packages of its `requirements.txt` into a folder, with a command in `bin` that runs it.
 *
 * @param {{ module: string, script: string, program: string, isSource?: boolean }} wanted `module` is the folder of the script,
 *   and `isSource` lets pip build packages that are published as sources only.
 * @param {string} folder
 */
export function installWithPip({ module, script, program, isSource = false }, folder) {
  cpSync(module, folder, { recursive: true });
  const packages = join(folder, 'packages');
  const requirements = join(module, 'requirements.txt');
  run(
    'python3',
    [
      ...[
        '-m',
        'pip',
        'install',
        '--quiet',
        '--disable-pip-version-check',
        '--no-deps',
        ...(isSource ? [] : ['--only-binary=:all:']),
      ],
      ...['--target', packages, '--requirement', requirements],
    ],
    { limitSeconds: LIMIT_SECONDS },
  );
  mkdirSync(join(folder, 'bin'));
  // The folder gets its final name later, so the command finds it at run time.
  const command = `#!/bin/sh\nhere="$(dirname "$0")/.."\nPYTHONPATH="$here/packages" exec python3 "$here/${script}" "$@"\n`;
  writeFileSync(join(folder, 'bin', program), command, { mode: 0o755 });
}
