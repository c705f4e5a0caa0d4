import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { freePort } from '../lib/free-port.js';
import { PEERS, programOf } from '../peers/peers.js';
import { run } from '../peers/run.js';

const LIMIT_MS = 60_000;

/** A registry of packages on loopback. It has what is published to it, and takes all else from the registry that npm uses. */
export class LocalRegistry {
  /** @type {string} */
  url;
  /** Settings of npm, with which it uses the registry. */
  npmrc;
  #child;
  #folder;

  /**
   * @param {string} url
   * @param {import('node:child_process').ChildProcess} child
   * @param {string} folder
   */
  constructor(url, child, folder) {
    this.url = url;
    this.#child = child;
    this.#folder = folder;
    this.npmrc = join(folder, '.npmrc');
    // The registry lets everybody publish. npm wants a token all the same.
    writeFileSync(
      this.npmrc,
      `registry=${url}\n${url.replace('http:', '')}:_authToken=local\naudit=false\nfund=false\n`,
    );
  }

  /**
   * @param {number} [port] A free one when it is left out.
   * @throws Error when the peer is not installed, the port is in use, or the registry does not answer.
   */
  static async start(port) {
    const peer = PEERS.find(({ name }) => name === 'verdaccio');
    const packages = peer && programOf(peer);
    if (packages === undefined)
      throw new Error('the registry is not installed: node tools/peers/install.js verdaccio');
    const folder = mkdtempSync(join(tmpdir(), 'hdrscope-registry-'));
    const config = join(folder, 'config.yaml');
    const upstream = run('npm', ['config', 'get', 'registry'], { limitSeconds: 30 }).trim();
    writeFileSync(config, configuration(folder, upstream));
    const address = `127.0.0.1:${await freePort(port)}`;
    const program = join(packages, 'verdaccio/bin/verdaccio');
    const child = spawn(process.execPath, [program, '--config', config, '--listen', address], {
      stdio: 'ignore',
    });
    const url = `http://${address}/`;
    const registry = new LocalRegistry(url, child, folder);
    const end = Date.now() + LIMIT_MS;
    for (;;) {
      const answer = await fetch(`${url}-/ping`).catch(() => undefined);
      if (answer?.ok) return registry;
      if (Date.now() > end || child.exitCode !== null) {
        await registry.close();
        throw new Error('the registry does not answer');
      }
      await setTimeout(100);
    }
  }

  /**
   * @param {string} tarball
   * @throws Error when npm refuses the package.
   */
  publish(tarball) {
    const args = [
      'publish',
      tarball,
      '--userconfig',
      this.npmrc,
      '--registry',
      this.url,
      '--provenance=false',
      '--loglevel=error',
    ];
    run('npm', args, { limitSeconds: 120 });
  }

  async close() {
    if (this.#child.exitCode === null) {
      this.#child.kill();
      await once(this.#child, 'exit');
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} folder
 * @param {string} upstream
 */
function configuration(folder, upstream) {
  return `storage: ${join(folder, 'storage')}
uplinks:
  upstream:
    url: ${upstream}
    maxage: 60m
packages:
  '@hdrscope/*':
    access: $all
    publish: $all
  hdrscope:
    access: $all
    publish: $all
  '**':
    access: $all
    proxy: upstream
max_body_size: 100mb
log: { type: file, path: ${join(folder, 'log')}, level: error }
`;
}
