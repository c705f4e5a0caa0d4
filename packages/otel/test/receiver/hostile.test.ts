import { fork } from 'node:child_process';
import { once } from 'node:events';
import { gzipSync } from 'node:zlib';
import { BuiltPackages } from '@hdrscope/testing';
import {
  explicitPoints,
  field,
  JSON_ATTACKS,
  manyCounts,
  PROTOBUF_ATTACKS,
  repeated,
} from './support/attacks.ts';
import { type Answer, ask, JSON_TYPE, PROTOBUF } from './support/http.ts';
import { CUMULATIVE, exponentialPoint } from './support/receiving.ts';
import { attributesJson, type RequestJson, requestBytes, requestJson } from './support/request.ts';

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

/** A receiver in a process of its own. */
class Victim {
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

interface Result extends Omit<State, 'peakMb'> {
  readonly answer: Answer;
  /** How much more memory than at the start. */
  readonly grownMb: number;
}

/** Sends a body to a receiver that gets no other one. */
async function sent(body: Uint8Array, headers: Readonly<Record<string, string>>): Promise<Result> {
  const victim = new Victim();
  try {
    await victim.start();
    return await victim.send(body, headers);
  } finally {
    victim.stop();
  }
}

// On Node.js 20 and 24, alone on a machine of 2 cores, the worst one takes 150 ms and 60 MB.
const MOST_CPU_MS = 500;
const MOST_MB = 100;

const zipped = (headers: Readonly<Record<string, string>>) => ({ ...headers, 'content-encoding': 'gzip' });

describe.each([
  ['protobuf', PROTOBUF, PROTOBUF_ATTACKS],
  ['JSON', JSON_TYPE, JSON_ATTACKS],
])('a body in %s', (_, headers, attacks) => {
  const victim = new Victim();
  beforeAll(() => victim.start());
  afterAll(() => victim.stop());

  test.each(Object.entries(attacks))('of 16 MiB of %s is refused early', async (_name, make) => {
    const { answer, cpuMs, grownMb } = await victim.send(gzipSync(make(), { level: 1 }), zipped(headers));
    expect([400, 413]).toContain(answer.status);
    expect(answer.body.toString()).toMatch(/the body must have at most (500000 elements: send|160 levels)/);
    expect(cpuMs).toBeLessThan(MOST_CPU_MS);
    expect(grownMb).toBeLessThan(MOST_MB);
  });
});

test('a gzip of gigabytes is not inflated beyond the limit', async () => {
  // 13 members of 80 MiB each.
  const bomb = Buffer.concat(new Array(13).fill(gzipSync(Buffer.alloc(80 * 2 ** 20))));
  const { answer, cpuMs, grownMb } = await sent(bomb, zipped(JSON_TYPE));
  expect(answer.status).toBe(413);
  expect(answer.body.toString()).toContain('the body must have at most 16777216 bytes');
  expect(cpuMs).toBeLessThan(MOST_CPU_MS);
  expect(grownMb).toBeLessThan(MOST_MB);
});

test('a request of as many points as are accepted costs little more', async () => {
  const points = explicitPoints(repeated(Buffer.from('0a00', 'hex'), 2 * 230_000));
  const { answer, cpuMs, grownMb, ...state } = await sent(gzipSync(points), zipped(PROTOBUF));
  expect([answer.status, state.points]).toEqual([200, 230_000]);
  expect(cpuMs).toBeLessThan(2 * MOST_CPU_MS);
  expect(grownMb).toBeLessThan(2 * MOST_MB);
});

test('a point of millions of counts is refused', async () => {
  const { answer, cpuMs, grownMb } = await sent(gzipSync(manyCounts()), zipped(JSON_TYPE));
  expect(answer.body.toString()).toContain('counts for 0 bounds');
  expect(cpuMs).toBeLessThan(2 * MOST_CPU_MS);
  expect(grownMb).toBeLessThan(2 * MOST_MB);
});

test.each<[what: string, body: () => Uint8Array, refusal: string]>([
  ['an attribute of its resource', () => longResource('service.name'), 'has attributes of more than 16384'],
  ['the version of its scope', () => longScope(), 'has a name, a unit or a scope of more than 1024'],
])('a long text does not count again for each point: %s', async (_, body, refusal) => {
  const { answer, cpuMs, grownMb } = await sent(gzipSync(body()), zipped(PROTOBUF));
  expect(answer.status).toBe(200);
  expect(answer.body.toString()).toContain(refusal);
  expect(cpuMs).toBeLessThan(MOST_CPU_MS);
  expect(grownMb).toBeLessThan(MOST_MB);
});

test('a long attribute that no series has is no part of each key', async () => {
  const { answer, cpuMs, grownMb, points } = await sent(
    gzipSync(longResource('process.command_line')),
    zipped(PROTOBUF),
  );
  expect([answer.status, points]).toEqual([200, 10_000]);
  expect(cpuMs).toBeLessThan(2 * MOST_CPU_MS);
  expect(grownMb).toBeLessThan(MOST_MB);
});

const LONG_TEXT = 'x'.repeat(4 * 2 ** 20);
const POINTS = Array.from({ length: 10_000 }, (_, i) =>
  exponentialPoint(0, 0, [1], { attributes: attributesJson({ i }) }),
);
const METRIC = {
  name: 'm',
  exponentialHistogram: { aggregationTemporality: CUMULATIVE, dataPoints: POINTS },
};

function longResource(key: string): Uint8Array {
  return requestBytes(requestJson([METRIC], { [key]: LONG_TEXT }));
}

function longScope(): Uint8Array {
  const metric = field(2, field(1, Buffer.from('m')), field(9, Buffer.from('10010a00', 'hex')));
  const metrics = new Array<Buffer>(10_000).fill(metric);
  return field(1, field(2, field(1, field(2, Buffer.from(LONG_TEXT))), ...metrics));
}

const MANY_SERIES = manySeries();

describe('an export of 10,000 series of 160 buckets', () => {
  test.each<
    [encoding: string, headers: Readonly<Record<string, string>>, (request: RequestJson) => Uint8Array]
  >([
    ['protobuf', PROTOBUF, requestBytes],
    ['JSON', JSON_TYPE, (request) => Buffer.from(JSON.stringify(request))],
  ])('is accepted by default, and others run meanwhile: %s', async (encoding, headers, encode) => {
    const { answer, longestCpuMs, points } = await sent(encode(MANY_SERIES), headers);
    expect([answer.status, points]).toEqual([200, 10_000]);
    // JSON is parsed in one go. Collections of garbage on other processors count too.
    expect(longestCpuMs).toBeLessThan(encoding === 'protobuf' ? 100 : 600);
  });
});

function manySeries(): RequestJson {
  const dataPoints = Array.from({ length: 10_000 }, (_, i) =>
    exponentialPoint(
      3,
      -80,
      Array.from({ length: 160 }, (_count, bucket) => (i * bucket * 7919) % 300),
      {
        attributes: attributesJson({
          'http.route': `/route/${i}`,
          'http.request.method': 'GET',
          'http.response.status_code': 200,
          'server.address': `host${i % 7}`,
          'url.scheme': 'https',
        }),
        startTimeUnixNano: '1700000000000000001',
        timeUnixNano: '1700000060000000003',
        sum: 1234.5 + i,
        min: 0.001,
        max: 1000,
        zeroCount: '0',
      },
    ),
  );
  return requestJson([
    { name: 'm', unit: 's', exponentialHistogram: { aggregationTemporality: CUMULATIVE, dataPoints } },
  ]);
}
