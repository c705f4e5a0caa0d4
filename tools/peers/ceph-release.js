import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { run } from './run.js';

/**
 * A release of Ceph in another release of a distribution. Its programs run here with the libraries and the loader that were
 * unpacked with them.
 *
 * @typedef {object} CephRelease
 * @property {string} version The start of the version of its packages.
 * @property {'debian' | 'ubuntu'} distribution Its keys sign the packages.
 * @property {readonly string[]} suites
 * @property {readonly string[]} packages
 * @property {readonly string[]} programs The programs that tests run.
 */

/** The archive of Ubuntu. A machine with a mirror names it in this variable. */
const UBUNTU = process.env.HDRSCOPE_UBUNTU_ARCHIVE ?? 'http://archive.ubuntu.com/ubuntu';
const DEBIAN_KEYS = '/usr/share/keyrings/debian-archive-keyring.gpg';
const DAEMONS = ['ceph-osd', 'ceph-mon', 'ceph-common'];
const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'rados'];

/** @type {Readonly<Record<'reef' | 'squid' | 'tentacle', CephRelease>>} */
export const CEPH_RELEASES = {
  reef: {
    version: '18.2.7',
    distribution: 'debian',
    suites: ['trixie'],
    packages: DAEMONS,
    programs: PROGRAMS,
  },
  squid: {
    version: '19.2.3',
    distribution: 'ubuntu',
    suites: ['noble', 'noble-updates'],
    packages: DAEMONS,
    programs: PROGRAMS,
  },
  tentacle: {
    version: '20.2.0',
    distribution: 'ubuntu',
    suites: ['resolute'],
    // Debian 12 to 14 build `ceph-exporter` and ship it in no package.
    packages: [...DAEMONS, 'ceph-exporter'],
    programs: [...PROGRAMS, 'ceph-exporter'],
  },
};

/**
 * Unpacks a release of Ceph into a folder, with commands in `bin` that run its programs.
 *
 * @param {CephRelease} release
 * @param {string} folder
 */
export function unpackCephRelease({ version, distribution, suites, packages, programs }, folder) {
  const work = join(folder, 'apt');
  const isDebian = distribution === 'debian';
  const key = isDebian ? DEBIAN_KEYS : fetchUbuntuKeys(join(work, 'keys'));
  const archive = isDebian ? debianArchive() : UBUNTU;
  const sources = suites.map((suite) => `${archive} ${suite} ${isDebian ? 'main' : 'main universe'}`);
  const archives = aptFolder(join(work, 'packages'), sources, key);
  archives.download(['install', '--yes', '--download-only', '--no-install-recommends', ...packages]);
  for (const file of archives.files()) {
    if (packages.some((name) => file.includes(`/${name}_`))) assertVersion(file, version);
    run('dpkg-deb', ['--extract', file, folder], { limitSeconds: 120 });
  }
  rmSync(work, { recursive: true });

  const libraries = readdirSync(join(folder, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
  if (libraries === undefined) throw new Error('the packages have no folder of libraries');
  const python = readdirSync(join(folder, 'usr/bin')).find((name) => /^python3\.\d+$/.test(name));
  for (const name of readdirSync(folder)) {
    if (!['usr', 'lib', 'lib64'].includes(name)) rmSync(join(folder, name), { recursive: true });
  }
  const unused = readdirSync(join(folder, 'usr')).filter((name) => !['bin', 'lib', 'lib64'].includes(name));
  for (const name of unused) rmSync(join(folder, 'usr', name), { recursive: true });
  for (const name of readdirSync(join(folder, 'usr/bin'))) {
    if (!programs.includes(name) && name !== python)
      rmSync(join(folder, 'usr/bin', name), { recursive: true });
  }
  const loader = readdirSync(join(folder, 'usr/lib', libraries)).find((name) =>
    /^ld-linux.*\.so\.\d$/.test(name),
  );
  for (const name of programs) {
    const command = writeLoaderCommand(folder, name, { libraries, loader, python });
    run(command, ['--version'], { limitSeconds: 60 });
  }
}

/**
 * Fetches the keys of Ubuntu in a package of Debian, whose signature this machine can check.
 *
 * @param {string} folder
 * @returns {string} The path of the keys.
 */
function fetchUbuntuKeys(folder) {
  const archives = aptFolder(folder, [`${debianArchive()} trixie main`], DEBIAN_KEYS);
  archives.download(['install', '--yes', '--download-only', '--no-install-recommends', 'ubuntu-keyring']);
  for (const file of archives.files()) run('dpkg-deb', ['--extract', file, folder], { limitSeconds: 30 });
  return join(folder, 'usr/share/keyrings/ubuntu-archive-keyring.gpg');
}

/** The archive of Debian from which this machine gets its own packages. */
function debianArchive() {
  const format = '$(ORIGIN)|$(COMPONENT)|$(CODENAME)|$(REPO_URI)';
  const targets = run('apt-get', ['indextargets', '--format', format, 'Identifier: Packages'], {
    limitSeconds: 30,
  });
  const found = targets
    .split('\n')
    .map((line) => line.split('|'))
    .find(
      ([origin, component, codename = '']) =>
        origin === 'Debian' && component === 'main' && !codename.includes('-'),
    );
  if (found === undefined) throw new Error('the package lists of this machine name no archive of Debian');
  return /** @type {string} */ (found[3]);
}

/**
 * An apt of its own: it knows the given sources only, and that nothing is installed.
 *
 * @param {string} folder
 * @param {readonly string[]} sources
 * @param {string} key
 */
function aptFolder(folder, sources, key) {
  const archives = join(folder, 'archives');
  for (const path of [join(archives, 'partial'), join(folder, 'lists/partial')])
    mkdirSync(path, { recursive: true });
  const list = join(folder, 'sources.list');
  const status = join(folder, 'status');
  const config = join(folder, 'apt.conf');
  writeFileSync(list, sources.map((source) => `deb [signed-by=${key}] ${source}\n`).join(''));
  writeFileSync(status, '');
  const settings = {
    'Dir::State::Lists': join(folder, 'lists'),
    'Dir::State::status': status,
    'Dir::Cache': folder,
    'Dir::Cache::archives': archives,
    'Dir::Etc::SourceList': list,
    'Dir::Etc::SourceParts': join(folder, 'none'),
    'Dir::Etc::Preferences': join(folder, 'none'),
    'Dir::Etc::PreferencesParts': join(folder, 'none'),
    'APT::Sandbox::User': '',
    'Debug::NoLocking': '1',
    'Acquire::Languages': 'none',
  };
  writeFileSync(
    config,
    Object.entries(settings)
      .map(([name, value]) => `${name} "${value}";\n`)
      .join(''),
  );
  const apt = (/** @type {string[]} */ args) =>
    run('apt-get', args, { limitSeconds: 900, env: { APT_CONFIG: config } });
  return {
    /** @param {string[]} args */
    download(args) {
      apt(['update']);
      apt(args);
    },
    files: () =>
      readdirSync(archives)
        .filter((name) => name.endsWith('.deb'))
        .map((name) => join(archives, name)),
  };
}

/**
 * @param {string} file
 * @param {string} version
 */
function assertVersion(file, version) {
  const found = run('dpkg-deb', ['--field', file, 'Version'], { limitSeconds: 30 }).trim();
  if (!found.startsWith(version)) throw new Error(`the distribution has ${file} ${found}, not ${version}`);
}

/**
 * Writes a command that runs an unpacked program with its own loader: its libraries need a newer one than this machine's.
 *
 * @param {string} folder
 * @param {string} name
 * @param {{ libraries: string, loader: string | undefined, python: string | undefined }} places
 * @returns {string} The path of the command.
 */
function writeLoaderCommand(folder, name, { libraries, loader, python }) {
  const options =
    name === 'ceph-mon' || name === 'ceph-osd'
      ? [
          ['plugin-dir', 'ceph'],
          ['erasure-code-dir', 'ceph/erasure-code'],
          ['osd-class-dir', 'rados-classes'],
        ].map(([option, place]) => `--${option} "$here/usr/lib/${libraries}/${place}"`)
      : [];
  const program =
    name === 'ceph' ? `"$here/usr/bin/${python}" "$here/usr/bin/ceph"` : `"$here/usr/bin/${name}"`;
  const script = `#!/bin/sh
here="$(cd "$(dirname "$0")/.." && pwd)"
libraries="$here/usr/lib/${libraries}:$here/lib/${libraries}:$here/usr/lib/${libraries}/ceph"
export PYTHONHOME="$here/usr" PYTHONPATH="$here/usr/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1
exec "$here/usr/lib/${libraries}/${loader}" --library-path "$libraries" ${[program, ...options].join(' ')} "$@"
`;
  const command = join(folder, 'bin', name);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(command, script, { mode: 0o755 });
  return command;
}
