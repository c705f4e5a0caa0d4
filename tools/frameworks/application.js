/** Services of frameworks, as applications with packages of their own, under `node --import @hdrscope/otel/register`. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { transformSync } from 'esbuild';
import { workspaceRoot } from '../lib/workspace.js';
import { PEERS, programOf } from '../peers/peers.js';
import { dependenciesOf } from './subjects.js';

/** @import { Modules, Subject } from './subjects.js' */

const SERVICES = join(workspaceRoot, 'e2e/test/services');
const ITEMS = 6;
const LIMIT_MS = 30_000;
const BUILD_LIMIT_MS = 180_000;

/** @type {Readonly<Record<Modules, string>>} */
const ENDINGS = { CommonJS: 'cjs', 'ES module': 'mjs', tsx: 'ts' };

/**
 * Where the packages of a peer are; `undefined` when it is not installed.
 *
 * @param {string} name
 */
export function packagesOf(name) {
  const peer = PEERS.find((one) => one.name === name);
  return peer && programOf(peer);
}

/** An application with one framework. */
export class FrameworkApplication {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-framework-'));
  /** @type {Subject} */
  #subject;

  /** @param {Subject} subject */
  constructor(subject) {
    this.#subject = subject;
    cpSync(SERVICES, this.folder, { recursive: true });
    const { folder } = this;
    const link = (/** @type {string} */ name, /** @type {string} */ from) => {
      const path = join(folder, 'node_modules', name);
      mkdirSync(dirname(path), { recursive: true });
      symlinkSync(join(from, name), path);
    };
    link('@hdrscope', join(workspaceRoot, 'node_modules'));
    const common = /** @type {string} */ (packagesOf('frameworks'));
    for (const name of ['@opentelemetry', '@fastify', 'tsx']) link(name, common);
    for (const name of subject.packages) link(name, /** @type {string} */ (packagesOf(subject.peer)));
    // Next.js 16 builds with Turbopack, which refuses links to packages elsewhere.
    const flags = subject.name === 'Next.js 16' ? ['--webpack'] : [];
    if (subject.isBuilt)
      execFileSync(process.execPath, ['node_modules/next/dist/bin/next', 'build', 'next', ...flags], {
        cwd: folder,
        env: { PATH: process.env.PATH, HOME: folder, NEXT_TELEMETRY_DISABLED: '1' },
        stdio: 'pipe',
        timeout: BUILD_LIMIT_MS,
      });
  }

  /**
   * Runs the service, asks for a few items, and looks for them on its page of metrics.
   *
   * @param {string} node The path of Node.js.
   * @param {Modules} modules
   * @param {boolean} isComplete Whether it has the instrumentation of the framework; or, when there is none, the patterns of its routes.
   */
  async run(node, modules, isComplete) {
    const { instrumentation, patterns, args = [], expected, perItem = 1 } = this.#subject;
    const dependencies = dependenciesOf(this.#subject).filter(
      (name) => isComplete || name !== instrumentation,
    );
    const manifest = {
      name: 'shop',
      dependencies: Object.fromEntries(dependencies.map((name) => [name, '*'])),
    };
    writeFileSync(join(this.folder, 'package.json'), JSON.stringify(manifest));
    const port = await freePort();
    const loader = modules === 'tsx' ? ['--import', 'tsx'] : [];
    const options = ['--import', '@hdrscope/otel/register', ...loader];
    const child = spawn(node, [...options, this.#writeService(modules), ...args], {
      cwd: this.folder,
      env: {
        PATH: process.env.PATH,
        HOME: this.folder,
        OTEL_METRICS_EXPORTER: 'prometheus',
        OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
        OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
        ...(patterns && (isComplete || instrumentation) && { HDRSCOPE_ROUTES: patterns }),
      },
      stdio: ['ignore', 'pipe', 'pipe'],
    });
    const ended = once(child, 'close');
    let [stdout, stderr] = ['', ''];
    child.stdout.setEncoding('utf8').on('data', (text) => {
      stdout += text;
    });
    child.stderr.setEncoding('utf8').on('data', (text) => {
      stderr += text;
    });
    const findUrl = () => {
      if (child.exitCode !== null) throw new Error(`the service has ended: ${stderr}`);
      const found = /listening on (\d+)/.exec(stdout);
      return found === null ? undefined : `http://127.0.0.1:${found[1]}`;
    };
    try {
      const url = await until('a service that listens', findUrl);
      for (let id = 1; id <= ITEMS; id++)
        await until('an answer of the service', () => textOf(`${url}/items/${id}`));
      const page = await until('a page of metrics', () => textOf(`http://127.0.0.1:${port}/metrics`));
      const lines = page.split('\n').filter((line) => expected.every((part) => line.includes(part)));
      const counted = lines.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
      await textOf(`${url}/quit`);
      return {
        isFound: counted === ITEMS * perItem,
        warnings: [...stderr.matchAll(/hdrscope: (.*)/g)].map(([, text = '']) => text),
      };
    } finally {
      const late = setTimeout(() => child.kill('SIGKILL'), 5000);
      child.kill('SIGTERM');
      await ended;
      clearTimeout(late);
    }
  }

  /**
   * Writes the service in a module system, and returns its file.
   *
   * @param {Modules} modules
   */
  #writeService(modules) {
    const { service } = this.#subject;
    const [name = ''] = service.split('.');
    const file = `${name}.${ENDINGS[modules]}`;
    if (file === service) return file;
    const source = readFileSync(join(SERVICES, service), 'utf8');
    const isCommon = modules === 'CommonJS';
    writeFileSync(join(this.folder, file), isCommon ? transformSync(source, { format: 'cjs' }).code : source);
    return file;
  }

  remove() {
    rmSync(this.folder, { recursive: true, force: true });
  }
}

/**
 * @param {string} url
 * @returns {Promise<string | undefined>} `undefined` while nobody answers.
 */
async function textOf(url) {
  try {
    const response = await fetch(url, {
      headers: { connection: 'close' },
      signal: AbortSignal.timeout(5000),
    });
    return response.ok ? await response.text() : undefined;
  } catch {
    return undefined;
  }
}

/**
 * @template Found
 * @param {string} what
 * @param {() => Found | undefined | Promise<Found | undefined>} find
 * @returns {Promise<Found>}
 */
async function until(what, find) {
  for (const endMs = performance.now() + LIMIT_MS; performance.now() < endMs; await sleep(50)) {
    const found = await find();
    if (found !== undefined) return found;
  }
  throw new Error(`there is not ${what} within ${LIMIT_MS / 1000} s`);
}

async function freePort() {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  server.close();
  await once(server, 'close');
  return port;
}
