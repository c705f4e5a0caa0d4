/** Gateways: processes of `hdrscope run` that receive OTLP and keep a history. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { workspaceRoot } from '../lib/workspace.js';

/** @typedef {'http' | 'grpc'} Protocol */

/**
 * @typedef {object} GatewayOptions
 * @property {string} folder Of the history.
 * @property {string} work Of the configuration.
 * @property {string} name
 * @property {Protocol} protocol
 * @property {number} intervalMs
 * @property {number} series The largest number of streams and series.
 * @property {boolean} drop Whether series have no host.
 * @property {readonly string[]} [nodeOptions] Such as `--cpu-prof`.
 * @property {number} [port] Where it receives. @default one that is free
 */

const TICKS_PER_SECOND = 100;
const isOfSources = process.execArgv.some((arg) => arg.includes('@hdrscope/source'));
const PROGRAM = join(workspaceRoot, 'packages/cli', isOfSources ? 'src/main.ts' : 'bin/hdrscope.js');

/** @param {GatewayOptions} options */
function configuration({ folder, name, protocol, intervalMs, series, drop, port = 0 }) {
  const sources = [
    {
      type: 'otlp',
      listen: `127.0.0.1:${port}`,
      protocol,
      resourceAttributes: ['service.name', 'host.name'],
      ...{ maxStreams: series, cardinalityLimit: series, since: 'now' },
      ...(drop && { dropAttributes: { 'http.*': ['host.name'] } }),
    },
  ];
  const sinks = [{ type: 'history', folder, interval: `${intervalMs}ms`, producer: name }];
  return { sources, sinks, shutdownTimeout: '60s' };
}

/** A running gateway. */
export class Gateway {
  #options;
  #child;
  #log = '';
  /** Where it receives. */
  port = 0;

  /**
   * @param {GatewayOptions} options
   * @param {import('node:child_process').ChildProcessByStdio<null, null, import('node:stream').Readable>} child
   */
  constructor(options, child) {
    this.#options = options;
    this.#child = child;
    child.stderr.setEncoding('utf8').on('data', (text) => (this.#log += text));
  }

  /** @param {GatewayOptions} options */
  static async start(options) {
    const config = join(options.work, `${options.name}.json`);
    writeFileSync(config, JSON.stringify(configuration(options)));
    const args = [...process.execArgv, ...(options.nodeOptions ?? []), PROGRAM, 'run', config];
    const child = spawn(process.execPath, args, { cwd: options.work, stdio: ['ignore', 'ignore', 'pipe'] });
    const gateway = new Gateway(options, child);
    await gateway.#started();
    return gateway;
  }

  async #started() {
    for (const endMs = performance.now() + 60_000; ; ) {
      const [, port] = /source otlp has started: \S*:(\d+)/.exec(this.#log) ?? [];
      if (port !== undefined && this.#log.includes('sink history has started')) {
        this.port = Number(port);
        return;
      }
      if (this.#child.exitCode !== null || performance.now() > endMs)
        throw new Error(`the gateway has not started:\n${this.#log}`);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  }

  /** What it has logged. */
  get log() {
    return this.#log;
  }

  /** The time of processors that it has taken, in seconds. */
  get cpuSeconds() {
    const [, fields = ''] = readFileSync(`/proc/${this.#child.pid}/stat`, 'utf8').split(') ');
    const [user, system] = fields.split(' ').slice(11, 13).map(Number);
    return (Number(user) + Number(system)) / TICKS_PER_SECOND;
  }

  /** The most memory that it has had, in bytes. */
  get peakBytes() {
    const [, kib] = /VmHWM:\s+(\d+)/.exec(readFileSync(`/proc/${this.#child.pid}/status`, 'utf8')) ?? [];
    return Number(kib) * 1024;
  }

  /** Ends it as systemd does: it writes what it holds. */
  async stop() {
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGTERM');
    const [code] = await ended;
    if (code !== 0) throw new Error(`the gateway has ended with ${code}:\n${this.#log}`);
  }

  /** Ends it at once, as a machine that fails, and starts another one in its place. */
  async replace() {
    const ended = once(this.#child, 'exit');
    this.kill();
    await ended;
    return Gateway.start({ ...this.#options, port: this.port });
  }

  /** Ends it at once, if it runs. */
  kill() {
    this.#child.kill('SIGKILL');
  }
}
