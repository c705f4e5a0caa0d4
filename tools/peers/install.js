/**
 * `node tools/peers/install.js [PEER...]`: installs the programs and packages that tests use into a cache of the user,
 * and prints the state of each. Installed peers stay. Exits with 1 when a peer cannot be installed; its tests are then
 * skipped with a printed reason. A large peer is installed by its name only.
 *
 *   --list      installs nothing, and prints the name and the path of each installed peer, separated by a tab
 *
 * README.md describes where each peer comes from.
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
    report(`${wasThere ? 'is already installed' : `installed in ${seconds} s`}: ${program}`);
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
