import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

/**
 * Unpacks a package of Debian into a folder. Nothing is installed on the machine and no service starts.
 *
 * @param {{ name: string, version: string }} wanted `version` is how the version begins.
 * @param {string} folder
 */
export function unpackDebianPackage({ name, version }, folder) {
  const file = join(folder, download(name, folder));
  const found = run('dpkg-deb', ['--field', file, 'Version'], { limitSeconds: 30 }).trim();
  if (!found.startsWith(version)) throw new Error(`this Debian has ${name} ${found}, not ${version}`);
  run('dpkg-deb', ['--extract', file, folder], { limitSeconds: 120 });
  rmSync(file);
}

/**
 * Writes a command that runs a program of unpacked packages with the libraries that are unpacked beside it.
 *
 * @param {string} folder
 * @param {string} name The command is in `bin` of the folder.
 * @param {string} invocation What a shell executes, with the command's arguments behind it. The folder is `$here`.
 * @returns {string} The command.
 */
export function writeCommand(folder, name, invocation) {
  // The folder is given its name when it is complete.
  const script = `#!/bin/sh
here="$(cd "$(dirname "$0")/.." && pwd)"
for libraries in "$here"/lib/*-linux-gnu "$here"/usr/lib/*-linux-gnu "$here"/usr/lib/*-linux-gnu/ceph; do
  if [ -d "$libraries" ]; then LD_LIBRARY_PATH="$libraries\${LD_LIBRARY_PATH:+:$LD_LIBRARY_PATH}"; fi
done
export LD_LIBRARY_PATH
${invocation} "$@"
`;
  const command = join(folder, 'bin', name);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(command, script, { mode: 0o755 });
  return command;
}

/**
 * @param {string} name
 * @param {string} folder
 */
function download(name, folder) {
  const attempt = () => run('apt-get', ['download', name], { cwd: folder, limitSeconds: 180 });
  try {
    attempt();
  } catch (error) {
    // A new machine has no package lists, and only root may fetch them.
    if (process.getuid?.() !== 0) throw error;
    run('apt-get', ['update'], { limitSeconds: 180 });
    attempt();
  }
  const file = readdirSync(folder).find((one) => one.endsWith('.deb'));
  if (file === undefined) throw new Error(`apt-get has downloaded no file for ${name}`);
  return file;
}
