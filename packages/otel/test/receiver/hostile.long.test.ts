import { gzipSync } from 'node:zlib';
import {
  explicitPoints,
  field,
  JSON_ATTACKS,
  MOST_BYTES,
  manyCounts,
  PROTOBUF_ATTACKS,
  repeated,
} from './support/attacks.ts';
import { JSON_TYPE, PROTOBUF } from './support/http.ts';
import { CUMULATIVE, exponentialPoint } from './support/receiving.ts';
import { attributesJson, type RequestJson, requestBytes, requestJson } from './support/request.ts';
import {
  expectCpuTime,
  expectRefusedEarly,
  MOST_CPU_MS,
  MOST_MB,
  type Result,
  Victim,
  zipped,
} from './support/victim.ts';

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

describe.each([
  ['protobuf', PROTOBUF, PROTOBUF_ATTACKS],
  ['JSON', JSON_TYPE, JSON_ATTACKS],
])('a body in %s', (_, headers, attacks) => {
  const victim = new Victim();
  beforeAll(() => victim.start());
  afterAll(() => victim.stop());

  test.each(Object.entries(attacks))('of 16 MiB of %s is refused early', async (_name, make) => {
    await expectRefusedEarly(victim, make(MOST_BYTES), headers);
  });
});

test('a request of as many points as are accepted costs what its points cost', async () => {
  const points = explicitPoints(repeated(Buffer.from('0a00', 'hex'), 2 * 230_000));
  const { answer, cpuMs, grownMb, ...state } = await sent(gzipSync(points), zipped(PROTOBUF));
  expect([answer.status, state.points]).toEqual([200, 230_000]);
  // A point takes 5 µs.
  expectCpuTime(cpuMs, 4 * MOST_CPU_MS);
  expect(grownMb).toBeLessThan(2 * MOST_MB);
});

test('a point of millions of counts is refused', async () => {
  const { answer, cpuMs, grownMb } = await sent(gzipSync(manyCounts(MOST_BYTES)), zipped(JSON_TYPE));
  expect(answer.body.toString()).toContain('counts for 0 bounds');
  expectCpuTime(cpuMs, 2 * MOST_CPU_MS);
  expect(grownMb).toBeLessThan(2 * MOST_MB);
});

test.each<[what: string, body: () => Uint8Array, refusal: string]>([
  ['an attribute of its resource', () => longResource('service.name'), 'has attributes of more than 16384'],
  ['the version of its scope', () => longScope(), 'has a name, a unit or a scope of more than 1024'],
])('a long text does not count again for each point: %s', async (_, body, refusal) => {
  const { answer, cpuMs, grownMb } = await sent(gzipSync(body()), zipped(PROTOBUF));
  expect(answer.status).toBe(200);
  expect(answer.body.toString()).toContain(refusal);
  expectCpuTime(cpuMs, MOST_CPU_MS);
  expect(grownMb).toBeLessThan(MOST_MB);
});

test('a long attribute that no series has is no part of each key', async () => {
  const { answer, cpuMs, grownMb, points } = await sent(
    gzipSync(longResource('process.command_line')),
    zipped(PROTOBUF),
  );
  expect([answer.status, points]).toEqual([200, 10_000]);
  expectCpuTime(cpuMs, 2 * MOST_CPU_MS);
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
