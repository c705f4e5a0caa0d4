import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

/**
 * Unpacks a Debian package into a folder. Nothing is installed on the machine and no service starts.
 *
 * @param {{ name: string, version: string }} wanted `version` is the start of the version.
 * @param {string} folder
 */
export function unpackDebianPackage({ name, version }, folder) {
  const file = join(folder, download(name, folder));
  assertVersion(file, { name, version });
  run('dpkg-deb', ['--extract', file, folder], { limitSeconds: 120 });
  rmSync(file);
}

/**
 * Unpacks Debian packages into a folder, together with the dependencies that this machine lacks. Nothing is installed on
 * the machine.
 *
 * @param {readonly { name: string, version: string }[]} wanted `version` is the start of the version.
 * @param {string} folder
 */
export function unpackWithDependencies(wanted, folder) {
  const archives = join(folder, 'archives');
  // apt keeps unfinished downloads here.
  mkdirSync(join(archives, 'partial'), { recursive: true });
  const names = wanted.map(({ name }) => name);
  const options = [`Dir::Cache::archives=${archives}`, 'Debug::NoLocking=1', 'APT::Sandbox::User=root'];
  withPackageLists(() =>
    run(
      'apt-get',
      [
        ...['install', '--yes', '--download-only', '--reinstall', '--no-install-recommends'],
        ...options.flatMap((option) => ['-o', option]),
        ...names,
      ],
      { limitSeconds: 600 },
    ),
  );
  const files = readdirSync(archives).filter((file) => file.endsWith('.deb'));
  for (const one of wanted) {
    const file = files.find((name) => name.startsWith(`${one.name}_`));
    if (file === undefined) throw new Error(`apt-get has downloaded no file for ${one.name}`);
    assertVersion(join(archives, file), one);
  }
  for (const file of files)
    run('dpkg-deb', ['--extract', join(archives, file), folder], { limitSeconds: 120 });
  rmSync(archives, { recursive: true });
}

/** @param {string} file @param {{ name: string, version: string }} wanted */
export function assertVersion(file, { name, version }) {
  const found = run('dpkg-deb', ['--field', file, 'Version'], { limitSeconds: 30 }).trim();
  if (!found.startsWith(version)) throw new Error(`the distribution has ${name} ${found}, not ${version}`);
}

/**
 * Writes a command that runs an unpacked program with the libraries that were unpacked with it.
 *
 * @param {string} folder
 * @param {string} name The command is in `bin` of the folder.
 * @param {string} invocation The shell command, to which the arguments are appended. `$here` is the folder.
 * @returns {string} The path of the command.
 */
export function writeCommand(folder, name, invocation) {
  // The folder gets its final name later, so the command finds it at run time.
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
 * Puts the files of Debian packages into a folder.
 *
 * @param {readonly string[]} names
 * @param {string} folder
 */
export function downloadPackages(names, folder) {
  withPackageLists(() => run('apt-get', ['download', ...names], { cwd: folder, limitSeconds: 180 }));
}

/**
 * @param {string} name
 * @param {string} folder
 */
function download(name, folder) {
  downloadPackages([name], folder);
  const file = readdirSync(folder).find((one) => one.endsWith('.deb'));
  if (file === undefined) throw new Error(`apt-get has downloaded no file for ${name}`);
  return file;
}

/** @param {() => void} attempt An action that needs the package lists of apt. */
function withPackageLists(attempt) {
  try {
    attempt();
  } catch (error) {
    // A new machine has no lists, and only root may fetch them.
    if (process.getuid?.() !== 0) throw error;
    run('apt-get', ['update'], { limitSeconds: 180 });
    attempt();
  }
}
