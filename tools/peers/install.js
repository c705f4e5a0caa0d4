/**
 * `node tools/peers/install.js [PEER...]`: installs the programs and packages that tests use into a cache of the user,
 * and prints the state of each. Programs are compiled while other peers are downloaded. Installed peers stay. Exits with 1 when a peer cannot be installed; its tests are then
 * skipped with a printed reason. A large peer is installed by its name only.
 *
 *   --list      installs nothing, and prints the name and the path of each installed peer, separated by a tab
 *   --download  compiles nothing: peers that have to be compiled are left out
 *
 * README.md describes where each peer comes from.
 */
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
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

/**
 * Installs peers in another process. Here all other work waits for a program that runs.
 *
 * @param {readonly import('./peers.js').Peer[]} peers
 * @returns {Promise<boolean>}
 */
async function installBeside(peers) {
  const names = peers.map(({ name }) => name);
  const [exitCode] = await once(fork(fileURLToPath(import.meta.url), names), 'exit');
  return exitCode === 0;
}

/** @param {readonly import('./peers.js').Peer[]} peers */
async function installAll(peers) {
  const others = peers.filter(({ isCompiled }) => !isCompiled);
  const compiled = peers.filter(({ isCompiled }) => isCompiled);
  if (others.length === 0 || compiled.length === 0) return peers.map(install).every(Boolean);
  const beside = installBeside(compiled);
  const isInstalled = others.map(install).every(Boolean);
  return (await beside) && isInstalled;
}

if (isMain(import.meta)) {
  const args = process.argv.slice(2);
  if (args.includes('--list')) {
    printInstalled();
  } else {
    try {
      const isDownload = args.includes('--download');
      const names = args.filter((name) => name !== '--download');
      const peers = selectPeers(names).filter(({ isCompiled }) => !(isDownload && isCompiled));
      const isBeside = process.send !== undefined;
      if (!isBeside) console.log(`peers in ${peersFolder()}`);
      process.exitCode = (await installAll(peers)) ? 0 : 1;
    } catch (error) {
      console.error(error instanceof Error ? error.message : error);
      process.exitCode = 2;
    }
  }
}
