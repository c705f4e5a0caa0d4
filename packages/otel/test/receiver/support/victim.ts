import { fork } from 'node:child_process';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { BuiltPackages } from '@hdrscope/testing';
import { slowdown } from '@hdrscope/testing/cost';
import { type Answer, ask } from './http.ts';

const packages = new BuiltPackages(['otel', 'registry']);
afterAll(() => packages.remove());

const server = packages.script(
  'server',
  `
  import { readFileSync, writeFileSync } from 'node:fs';
  import { serveOtlp } from '@hdrscope/otel/receiver';
  import { createRegistry } from '@hdrscope/registry';

  const otlp = await serveOtlp(createRegistry(), { host: '127.0.0.1', port: 0, unref: false });
  let longestCpuMs = 0;
  let before = process.cpuUsage();
  setInterval(() => {
    const { user, system } = process.cpuUsage(before);
    longestCpuMs = Math.max(longestCpuMs, (user + system) / 1000);
    before = process.cpuUsage();
  }, 1);
  const peak = () => {
    if (process.platform !== 'linux') return 0;
    return Number(/VmHWM:\\s+(\\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))[1]) / 1024;
  };
  process.on('message', () => {
    const { user, system } = process.cpuUsage();
    process.send({ cpuMs: (user + system) / 1000, peakMb: peak(), longestCpuMs, points: otlp.health.points });
    gc();
    // The most memory is counted anew: https://man7.org/linux/man-pages/man5/proc_pid_clear_refs.5.html
    if (process.platform === 'linux') writeFileSync('/proc/self/clear_refs', '5');
    before = process.cpuUsage();
    longestCpuMs = 0;
  });
  process.send(otlp.port);
  `,
);

interface State {
  readonly cpuMs: number;
  /** The most memory that the process has had since the state before, in MB. 0 where the system does not say it. */
  readonly peakMb: number;
  /** The most processor time between two turns of a timer. Other work of the machine does not change it. */
  readonly longestCpuMs: number;
  readonly points: number;
}

/** A receiver in a process of its own. A file of tests that imports it removes its packages at the end. */
export class Victim {
  readonly #child = fork(server, { execArgv: ['--expose-gc'] });
  #port = 0;
  #idleMb = 0;

  async start(): Promise<void> {
    const [port] = await once(this.#child, 'message');
    this.#port = port as number;
    this.#idleMb = (await this.#state()).peakMb;
  }

  async send(body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Result> {
    const before = await this.#state();
    const answer = await ask(this.#port, { headers, body });
    const { cpuMs, peakMb, ...state } = await this.#state();
    return { ...state, answer, cpuMs: cpuMs - before.cpuMs, grownMb: peakMb - this.#idleMb };
  }

  stop(): void {
    this.#child.kill('SIGKILL');
  }

  async #state(): Promise<State> {
    this.#child.send('state');
    const [state] = await once(this.#child, 'message');
    return state as State;
  }
}

export interface Result extends Omit<State, 'peakMb'> {
  readonly answer: Answer;
  /** How much more memory than at the start. */
  readonly grownMb: number;
}

// On Node.js 20 and 24, alone on a machine of 2 cores, the worst body takes 150 ms and 60 MB.
export const MOST_CPU_MS = 500;
export const MOST_MB = 100;

/** A busy machine gets as much more time as it is slower. */
export function expectCpuTime(cpuMs: number, mostMs: number): void {
  expect(cpuMs < mostMs ? cpuMs : cpuMs / slowdown()).toBeLessThan(mostMs);
}

export const zipped = (headers: Readonly<Record<string, string>>): Readonly<Record<string, string>> => ({
  ...headers,
  'content-encoding': 'gzip',
});

/** Expects that a receiver refuses a body early. */
export async function expectRefusedEarly(
  victim: Victim,
  body: Uint8Array,
  headers: Readonly<Record<string, string>>,
): Promise<void> {
  const { answer, cpuMs, grownMb } = await victim.send(gzipSync(body, { level: 1 }), zipped(headers));
  expect([400, 413]).toContain(answer.status);
  expect(answer.body.toString()).toMatch(/the body must have at most (500000 elements: send|160 levels)/);
  expectCpuTime(cpuMs, MOST_CPU_MS);
  expect(grownMb).toBeLessThan(MOST_MB);
}
