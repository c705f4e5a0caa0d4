/** Ceph: the command of Debian, its daemons, and later releases of other distributions. */
import { mkdirSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { assertVersion, unpackDebianPackage, unpackWithDependencies, writeCommand } from './debian.js';
import { run } from './run.js';

// The extension modules are built for Debian's Python.
const PYTHON = '/usr/bin/python3';
const PYTHON_MODULES = 'PYTHONPATH="$here/usr/lib/python3/dist-packages"';

/** The version that Debian 12 has. */
const VERSION = '16.2.15';

const DAEMONS = ['ceph-osd', 'ceph-mon', 'ceph-common'];
/** The only programs of the packages that tests run. */
const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'rados'];

// The modules that the command imports, and libraries that they need and a small Debian lacks.
const PACKAGES = [
  { name: 'python3-ceph-argparse', version: VERSION },
  { name: 'python3-rados', version: VERSION },
  { name: 'librados2', version: VERSION },
  { name: 'python3-prettytable', version: '3.6' },
  { name: 'python3-wcwidth', version: '0.2.5' },
  { name: 'libboost-iostreams1.74.0', version: '1.74' },
  { name: 'libboost-thread1.74.0', version: '1.74' },
  { name: 'libfmt9', version: '9.1' },
  { name: 'libibverbs1', version: '44' },
  { name: 'libnl-3-200', version: '3.7' },
  { name: 'libnl-route-3-200', version: '3.7' },
  { name: 'librdmacm1', version: '44' },
];

/**
 * Unpacks the `ceph` command and its Python modules into a folder, with a command in `bin` that runs it.
 *
 * @param {string} folder
 */
export function unpackCeph(folder) {
  run(PYTHON, ['--version'], { limitSeconds: 30 });
  unpackDebianPackage({ name: 'ceph-common', version: VERSION }, folder);
  const programs = join(folder, 'usr/bin');
  for (const program of readdirSync(programs)) {
    if (program !== 'ceph') rmSync(join(programs, program));
  }
  for (const wanted of PACKAGES) unpackDebianPackage(wanted, folder);

  const program = writeCommand(folder, 'ceph', `${PYTHON_MODULES} exec ${PYTHON} "$here/usr/bin/ceph"`);
  run(program, ['--version'], { limitSeconds: 60 });
}

/**
 * Unpacks the monitor and the storage daemon of Ceph into a folder, with commands in `bin` that run them and their
 * tools.
 *
 * @param {string} folder
 */
export function unpackCephDaemons(folder) {
  run(PYTHON, ['--version'], { limitSeconds: 30 });
  const wanted = DAEMONS.map((name) => ({ name, version: VERSION }));
  unpackWithDependencies(wanted, folder);
  keepOnly(folder, ['lib', 'usr']);
  keepOnly(join(folder, 'usr'), ['bin', 'lib']);
  keepOnly(join(folder, 'usr/bin'), PROGRAMS);

  const libraries = librariesIn(folder);
  for (const name of PROGRAMS) {
    const program = `"$here/usr/bin/${name}"`;
    const invocation =
      name === 'ceph'
        ? `${PYTHON_MODULES} exec ${PYTHON} ${program}`
        : `exec ${program} ${pluginOptions(name, libraries)}`;
    run(writeCommand(folder, name, invocation.trimEnd()), ['--version'], { limitSeconds: 60 });
  }
}

/** @param {string} folder @returns {string} The name of the folder of libraries in `usr/lib`. */
function librariesIn(folder) {
  const libraries = readdirSync(join(folder, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
  if (libraries === undefined) throw new Error('the packages have no folder of libraries');
  return libraries;
}

/** Options with the folders of the plugins that daemons load. @param {string} name @param {string} libraries */
function pluginOptions(name, libraries) {
  if (name !== 'ceph-mon' && name !== 'ceph-osd') return '';
  return [
    ['plugin-dir', 'ceph'],
    ['erasure-code-dir', 'ceph/erasure-code'],
    ['osd-class-dir', 'rados-classes'],
  ]
    .map(([option, place]) => `--${option} "$here/usr/lib/${libraries}/${place}"`)
    .join(' ');
}

/** @param {string} folder @param {string[]} names */
function keepOnly(folder, names) {
  for (const name of readdirSync(folder)) {
    if (!names.includes(name)) rmSync(join(folder, name), { recursive: true });
  }
}

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
    const name = packages.find((one) => file.includes(`/${one}_`));
    if (name !== undefined) assertVersion(file, { name, version });
    run('dpkg-deb', ['--extract', file, folder], { limitSeconds: 120 });
  }
  rmSync(work, { recursive: true });

  const libraries = librariesIn(folder);
  const python = readdirSync(join(folder, 'usr/bin')).find((name) => /^python3\.\d+$/.test(name));
  keepOnly(folder, ['usr', 'lib', 'lib64']);
  keepOnly(join(folder, 'usr'), ['bin', 'lib', 'lib64']);
  keepOnly(join(folder, 'usr/bin'), [...programs, ...(python === undefined ? [] : [python])]);
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
 * Writes a command that runs an unpacked program with its own loader: its libraries need a newer one than this machine's.
 *
 * @param {string} folder
 * @param {string} name
 * @param {{ libraries: string, loader: string | undefined, python: string | undefined }} places
 * @returns {string} The path of the command.
 */
function writeLoaderCommand(folder, name, { libraries, loader, python }) {
  const program =
    name === 'ceph' ? `"$here/usr/bin/${python}" "$here/usr/bin/ceph"` : `"$here/usr/bin/${name}"`;
  const script = `#!/bin/sh
here="$(cd "$(dirname "$0")/.." && pwd)"
libraries="$here/usr/lib/${libraries}:$here/lib/${libraries}:$here/usr/lib/${libraries}/ceph"
export PYTHONHOME="$here/usr" PYTHONPATH="$here/usr/lib/python3/dist-packages" PYTHONDONTWRITEBYTECODE=1
exec "$here/usr/lib/${libraries}/${loader}" --library-path "$libraries" ${program} ${pluginOptions(name, libraries)} "$@"
`;
  const command = join(folder, 'bin', name);
  mkdirSync(join(folder, 'bin'), { recursive: true });
  writeFileSync(command, script, { mode: 0o755 });
  return command;
}
