import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackWithDependencies, writeCommand } from './debian.js';
import { run } from './run.js';

const VERSION = '16.2.15';

// The only programs of the packages that tests run.
const PROGRAMS = ['ceph', 'ceph-mon', 'ceph-osd', 'monmaptool', 'rados'];

/**
 * Unpacks the monitor and the storage daemon of Ceph into a folder, with commands in `bin` that run them and their
 * tools.
 *
 * @param {string} folder
 */
export function unpackCephDaemons(folder) {
  run('/usr/bin/python3', ['--version'], { limitSeconds: 30 });
  const wanted = ['ceph-osd', 'ceph-mon', 'ceph-common'].map((name) => ({ name, version: VERSION }));
  unpackWithDependencies(wanted, folder);
  keepOnly(folder, ['lib', 'usr']);
  keepOnly(join(folder, 'usr'), ['bin', 'lib']);
  keepOnly(join(folder, 'usr/bin'), PROGRAMS);

  const libraries = readdirSync(join(folder, 'usr/lib')).find((name) => name.endsWith('-linux-gnu'));
  if (libraries === undefined) throw new Error('the packages have no folder of libraries');
  const plugins = [
    ['plugin-dir', 'ceph'],
    ['erasure-code-dir', 'ceph/erasure-code'],
    ['osd-class-dir', 'rados-classes'],
  ].map(([option, place]) => `--${option} "$here/usr/lib/${libraries}/${place}"`);
  for (const name of PROGRAMS) {
    const program = writeCommand(folder, name, invocationOf(name, plugins));
    run(program, ['--version'], { limitSeconds: 60 });
  }
}

/**
 * @param {string} name
 * @param {string[]} plugins Options with the folders of the plugins that daemons load.
 */
function invocationOf(name, plugins) {
  const program = `"$here/usr/bin/${name}"`;
  // As in `ceph.js`, the modules are built for Debian's Python.
  if (name === 'ceph')
    return `PYTHONPATH="$here/usr/lib/python3/dist-packages" exec /usr/bin/python3 ${program}`;
  return ['exec', program, ...(name === 'ceph-mon' || name === 'ceph-osd' ? plugins : [])].join(' ');
}

/**
 * @param {string} folder
 * @param {string[]} names
 */
function keepOnly(folder, names) {
  for (const name of readdirSync(folder)) {
    if (!names.includes(name)) rmSync(join(folder, name), { recursive: true });
  }
}
