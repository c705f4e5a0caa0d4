import { createHash } from 'node:crypto';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fillFolder, peersFolder } from './cache.js';
import { buildWithCargo } from './cargo.js';
import { unpackCeph } from './ceph.js';
import { unpackCephDaemons } from './ceph-daemons.js';
import { unpackCollectd } from './collectd.js';
import { unpackDebianPackage } from './debian.js';
import { buildWithGo } from './go.js';
import { installWithPip } from './python.js';
import { run } from './run.js';

/**
 * A program that the end-to-end tests talk to.
 *
 * @typedef {object} Peer
 * @property {string} name
 * @property {string} version
 * @property {string} folder In the cache; its name changes with all that the peer is made of.
 * @property {string} program Relative to its folder.
 * @property {(folder: string) => void} make Fills an empty folder.
 * @property {boolean} [isExtra] Whether it is so large that it is installed only where it is named.
 */

/** @type {readonly Peer[]} */
export const PEERS = [
  {
    name: 'prometheus-2',
    version: '2.42.0',
    folder: 'prometheus-2.42.0',
    program: 'usr/bin/prometheus',
    make: (folder) => unpackDebianPackage({ name: 'prometheus', version: '2.42.0' }, folder),
  },
  {
    name: 'hdrhistogram-java',
    version: '2.1.11',
    folder: 'libhdrhistogram-java-2.1.11',
    program: 'usr/share/java/hdrhistogram.jar',
    make: (folder) => {
      run('java', ['-version'], { limitSeconds: 30 });
      unpackDebianPackage({ name: 'libhdrhistogram-java', version: '2.1.11' }, folder);
    },
  },
  {
    name: 'ceph-client',
    version: '16.2.15',
    folder: 'ceph-client-16.2.15',
    program: 'bin/ceph',
    make: unpackCeph,
  },
  {
    name: 'ceph-cluster',
    version: '16.2.15',
    folder: 'ceph-cluster-16.2.15',
    program: 'bin/ceph-osd',
    make: unpackCephDaemons,
    isExtra: true,
  },
  {
    name: 'collectd',
    version: '5.12.0',
    folder: 'collectd-5.12.0',
    program: 'bin/collectd',
    make: unpackCollectd,
  },
  builtPeer({ name: 'collector', version: '0.155.0', target: '.', program: 'collector' }),
  builtPeer({
    name: 'prometheus-3',
    version: '3.15.0',
    target: 'github.com/prometheus/prometheus/cmd/prometheus',
    program: 'prometheus',
    // Discovery in clouds is most of Prometheus' code. Without `builtinassets` there are no pages for browsers.
    tags: 'remove_all_sd',
  }),
  builtPeer({ name: 'log-go', version: '1.4.0', target: '.', program: 'log-peer' }),
  madePeer('log-rust', '7.5.4', 'log-peer', buildWithCargo),
  madePeer('log-python', '0.10.8', 'log-peer', (module, folder) =>
    installWithPip({ module, script: 'log_peer.py', program: 'log-peer' }, folder),
  ),
];

/**
 * @param {{ name: string, version: string, target: string, program: string, tags?: string }} build
 * @returns {Peer}
 */
function builtPeer({ name, version, ...build }) {
  const make = (/** @type {string} */ module, /** @type {string} */ folder) =>
    buildWithGo({ module, ...build }, folder);
  return madePeer(name, version, build.program, make, JSON.stringify(build));
}

/**
 * @param {string} name
 * @param {string} version
 * @param {string} program
 * @param {(module: string, folder: string) => void} make Of the sources that are in a folder of this name.
 * @param {string} [settings] What it is made of besides.
 * @returns {Peer}
 */
function madePeer(name, version, program, make, settings = '') {
  const module = join(import.meta.dirname, name);
  return {
    name,
    version,
    folder: `${name}-${version}-${hashOf(module, settings)}`,
    program: `bin/${program}`,
    make: (folder) => make(module, folder),
  };
}

/**
 * @param {string} dir
 * @param {string} text
 */
function hashOf(dir, text) {
  const hash = createHash('sha256').update(text);
  for (const file of readdirSync(dir).sort()) hash.update(file).update(readFileSync(join(dir, file)));
  return hash.digest('hex').slice(0, 8);
}

/**
 * The program of a peer that is installed.
 *
 * @param {Peer} peer
 * @returns {string | undefined}
 */
export function programOf({ folder, program }) {
  const file = join(peersFolder(), folder, program);
  return existsSync(file) ? file : undefined;
}

/**
 * @param {Peer} peer
 * @returns {string} Its program.
 * @throws {Error} Whose message says why it cannot be had.
 */
export function installPeer(peer) {
  fillFolder(peer.folder, peer.make);
  const program = programOf(peer);
  if (program === undefined)
    throw new Error(`${peer.folder} has no ${peer.program}: delete it from the cache`);
  return program;
}
