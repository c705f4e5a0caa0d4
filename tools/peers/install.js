/**
 * `node tools/peers/install.js [PEER...]`: gets the programs that the end-to-end tests talk to, into a cache of the
 * user, and prints which are there. Those that are there already stay. Exits 1 when one of them cannot be had; its tests
 * are then skipped, and say so. A large peer is installed only where it is named.
 *
 *   --list      installs nothing, and prints what is installed: a name, a tab, and the path of the program
 *
 * `prometheus-2` is Debian's. The others are built from Go modules, which takes minutes once, from a crate, or taken from
 * a Python package.
 */
import { isMain } from '../lib/workspace.js';
import { peersFolder } from './cache.js';
import { installPeer, PEERS, programOf } from './peers.js';

function printInstalled() {
  for (const peer of PEERS) {
    const program = programOf(peer);
    if (program !== undefined) console.log(`${peer.name}\t${program}`);
  }
}

/** @param {string[]} names */
function selectPeers(names) {
  for (const name of names) {
    if (PEERS.some((peer) => peer.name === name)) continue;
    throw new Error(`no peer is called '${name}', only ${PEERS.map((peer) => peer.name).join(', ')}`);
  }
  return PEERS.filter(({ name, isExtra }) => (names.length === 0 ? isExtra !== true : names.includes(name)));
}

/** @param {import('./peers.js').Peer} peer */
function install(peer) {
  const wasThere = programOf(peer) !== undefined;
  const start = performance.now();
  const report = (/** @type {string} */ outcome) =>
    console.log(`${peer.name.padEnd(15)} ${peer.version.padEnd(8)} ${outcome}`);
  try {
    const program = installPeer(peer);
    const seconds = ((performance.now() - start) / 1000).toFixed(0);
    report(`${wasThere ? 'was there' : `installed in ${seconds} s`}: ${program}`);
    return true;
  } catch (error) {
    report(`not installed: ${error instanceof Error ? error.message : error}`);
    return false;
  }
}

if (isMain(import.meta)) {
  const args = process.argv.slice(2);
  if (args.includes('--list')) {
    printInstalled();
  } else {
    try {
      const peers = selectPeers(args);
      console.log(`peers in ${peersFolder()}`);
      process.exitCode = peers.map(install).every(Boolean) ? 0 : 1;
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 2;
    }
  }
}
