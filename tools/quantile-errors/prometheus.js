/** Processes of Prometheus that scrape this one over the loopback interface. Each keeps its data in a folder that is removed at its end. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { freePort } from '../lib/free-port.js';
import { PEERS, programOf } from '../peers/peers.js';

/** The options with which each version scrapes native histograms. */
const VERSIONS = {
  'prometheus-2': { args: ['--enable-feature=native-histograms'], scrape: {} },
  'prometheus-3': { args: [], scrape: { scrape_native_histograms: true } },
};

/** Whatever happens to this process, no Prometheus runs longer. */
const DEADLINE_SECONDS = 600;
const READY_MS = 60_000;

/** @typedef {keyof typeof VERSIONS} Version */

/**
 * @typedef {object} Job
 * @property {string} name The label `job` of its series.
 * @property {string} target A host and a port.
 * @property {string} path
 */

/**
 * @typedef {object} InstalledVersion
 * @property {Version} version
 * @property {string} program
 */

/** @returns {{ installed: InstalledVersion[], absent: Version[] }} */
export function findVersions() {
  /** @type {ReturnType<typeof findVersions>} */
  const found = { installed: [], absent: [] };
  for (const version of /** @type {Version[]} */ (Object.keys(VERSIONS))) {
    const peer = PEERS.find(({ name }) => name === version);
    const program = peer && programOf(peer);
    if (program === undefined) found.absent.push(version);
    else found.installed.push({ version, program });
  }
  return found;
}

/** @type {Set<Prometheus>} */
const running = new Set();

/** Stops every Prometheus that still runs. */
export async function stopAll() {
  await Promise.all([...running].map((prometheus) => prometheus.stop()));
}

export class Prometheus {
  #child;
  #folder;
  #url;

  /**
   * @param {import('node:child_process').ChildProcess} child
   * @param {string} folder
   * @param {string} url
   */
  constructor(child, folder, url) {
    this.#child = child;
    this.#folder = folder;
    this.#url = url;
    running.add(this);
  }

  /**
   * @param {InstalledVersion} installed
   * @param {readonly Job[]} jobs
   * @param {number} intervalSeconds Time between two scrapes.
   */
  static async start({ version, program }, jobs, intervalSeconds) {
    const { args, scrape } = VERSIONS[version];
    const folder = mkdtempSync(join(tmpdir(), 'hdrscope-quantile-errors-'));
    const interval = `${intervalSeconds}s`;
    const config = {
      global: { scrape_interval: interval, scrape_timeout: interval },
      scrape_configs: jobs.map(({ name, target, path }) => ({
        ...{ job_name: name, metrics_path: path, static_configs: [{ targets: [target] }] },
        ...scrape,
      })),
    };
    writeFileSync(join(folder, 'prometheus.json'), JSON.stringify(config));
    const address = `127.0.0.1:${await freePort()}`;
    const child = spawn(
      'timeout',
      [
        ...['--signal=KILL', `${DEADLINE_SECONDS}`, program],
        ...[
          `--config.file=${join(folder, 'prometheus.json')}`,
          `--storage.tsdb.path=${join(folder, 'data')}`,
        ],
        ...[`--web.listen-address=${address}`, '--web.enable-admin-api', '--log.level=error', ...args],
      ],
      // A process group, so that both processes end together.
      { stdio: 'ignore', detached: true },
    );
    const prometheus = new Prometheus(child, folder, `http://${address}`);
    try {
      await waitFor(`${version} to be ready`, READY_MS, () => prometheus.#isReady());
    } catch (error) {
      await prometheus.stop();
      throw error;
    }
    return prometheus;
  }

  async #isReady() {
    if (this.#child.exitCode !== null) throw new Error('Prometheus has ended');
    try {
      return (await fetch(`${this.#url}/-/ready`)).ok;
    } catch {
      return false;
    }
  }

  /**
   * @param {string} expression
   * @returns {Promise<{ labels: Readonly<Record<string, string>>, value: number }[]>} The series of the result, now.
   */
  async query(expression) {
    const response = await fetch(`${this.#url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
    /** @type {any} */
    const answer = await response.json();
    if (answer.status !== 'success') throw new Error(`${expression}: ${JSON.stringify(answer)}`);
    return answer.data.result.map((/** @type {any} */ { metric, value }) => ({
      labels: metric,
      value: Number(value[1]),
    }));
  }

  /** Bytes of objects that are alive after a collection of garbage. */
  async liveBytes() {
    await (await fetch(`${this.#url}/debug/pprof/heap?gc=1`)).arrayBuffer();
    const text = await (await fetch(`${this.#url}/metrics`)).text();
    return Number(/^go_memstats_heap_alloc_bytes (\S+)/m.exec(text)?.[1]);
  }

  /** Bytes of all samples so far, as they are on disk. */
  async storedBytes() {
    const response = await fetch(`${this.#url}/api/v1/admin/tsdb/snapshot`, { method: 'POST' });
    if (!response.ok) throw new Error(`no snapshot: ${response.status}`);
    const snapshots = join(this.#folder, 'data', 'snapshots');
    return readdirSync(snapshots, { recursive: true, encoding: 'utf8' })
      .filter((path) => path.includes('chunks/'))
      .reduce((sum, path) => sum + statSync(join(snapshots, path)).size, 0);
  }

  async stop() {
    running.delete(this);
    if (this.#child.pid !== undefined && this.#child.exitCode === null && this.#child.signalCode === null) {
      const exit = once(this.#child, 'exit');
      process.kill(-this.#child.pid, 'SIGKILL');
      await exit;
    }
    rmSync(this.#folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} what
 * @param {number} timeoutMs
 * @param {() => Promise<boolean>} isTrue Asked again until it is.
 */
export async function waitFor(what, timeoutMs, isTrue) {
  const deadlineMs = performance.now() + timeoutMs;
  while (!(await isTrue())) {
    if (performance.now() > deadlineMs) throw new Error(`waited ${timeoutMs} ms in vain for ${what}`);
    await sleep(100);
  }
}
