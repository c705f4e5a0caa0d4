import { spawnSync } from 'node:child_process';
import { PEERS, programOf } from '../../peers/peers.js';

/**
 * Values with their counts, the same in each run: spread over `decades` powers of ten.
 *
 * @param {{ seed: number, n: number, least: number, decades: number }} wanted
 * @returns {[value: number, count: number][]}
 */
export function makeValues({ seed, n, least, decades }) {
  let state = seed;
  return Array.from({ length: n }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    const value = Number((least * 10 ** ((decades * state) / 2 ** 32)).toPrecision(6));
    return [value, 1 + (state % 5)];
  });
}

/** The path of a peer. @param {string} name */
export function pathOfPeer(name) {
  const peer = PEERS.find((one) => one.name === name);
  if (peer === undefined) throw new Error(`there is no peer ${name}`);
  const path = programOf(peer);
  if (path === undefined) throw new Error(`${name} is not installed: node tools/peers/install.js ${name}`);
  return path;
}

/** Gives lines to a peer and returns its answers. @param {string} name @param {readonly string[]} lines */
export function askPeer(name, lines) {
  const { status, stdout, stderr } = spawnSync(pathOfPeer(name), {
    input: `${lines.join('\n')}\n`,
    encoding: 'utf8',
  });
  if (status !== 0) throw new Error(`${name} failed: ${stderr}`);
  return stdout
    .trim()
    .split('\n')
    .map((line) => JSON.parse(line));
}
