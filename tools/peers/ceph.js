import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { unpackDebianPackage, writeCommand } from './debian.js';
import { run } from './run.js';

// The extension modules are built for Debian's Python.
const PYTHON = '/usr/bin/python3';

// The modules that the command imports, and libraries that they need and a small Debian lacks.
const PACKAGES = [
  { name: 'python3-ceph-argparse', version: '16.2.15' },
  { name: 'python3-rados', version: '16.2.15' },
  { name: 'librados2', version: '16.2.15' },
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
  unpackDebianPackage({ name: 'ceph-common', version: '16.2.15' }, folder);
  const programs = join(folder, 'usr/bin');
  for (const program of readdirSync(programs)) {
    if (program !== 'ceph') rmSync(join(programs, program));
  }
  for (const wanted of PACKAGES) unpackDebianPackage(wanted, folder);

  const modules = 'PYTHONPATH="$here/usr/lib/python3/dist-packages"';
  const program = writeCommand(folder, 'ceph', `${modules} exec ${PYTHON} "$here/usr/bin/ceph"`);
  run(program, ['--version'], { limitSeconds: 60 });
}
