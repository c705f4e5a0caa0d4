import { gzipSync } from 'node:zlib';
import { JSON_ATTACKS, MOST_BYTES, PROTOBUF_ATTACKS } from './support/attacks.ts';
import { JSON_TYPE, PROTOBUF } from './support/http.ts';
import { decodedJson, decodedProtobuf } from './support/receiving.ts';
import { expectCpuTime, expectRefusedEarly, MOST_CPU_MS, MOST_MB, Victim, zipped } from './support/victim.ts';

const LIMIT = 2000;

describe.each([
  ['protobuf', PROTOBUF_ATTACKS, (body: Buffer) => decodedProtobuf(body, LIMIT)],
  ['JSON', JSON_ATTACKS, (body: Buffer) => decodedJson(body.toString(), LIMIT)],
])('a body in %s', (_, attacks, decode) => {
  test.each(Object.entries(attacks))('of many %s is refused before it is read', (_name, make) => {
    expect(() => decode(make(2 ** 16))).toThrow(/^the body must have at most (2000 elements|160 levels)/);
  });
});

describe('a receiver in a process of its own', () => {
  const victim = new Victim();
  beforeAll(() => victim.start());
  afterAll(() => victim.stop());

  test.each([
    ['protobuf', PROTOBUF, PROTOBUF_ATTACKS],
    ['JSON', JSON_TYPE, JSON_ATTACKS],
  ])('refuses 16 MiB of empty points early: %s', async (_, headers, attacks) => {
    await expectRefusedEarly(victim, attacks['empty points']!(MOST_BYTES), headers);
  });

  test('inflates a gzip of gigabytes up to the limit only', async () => {
    // 13 members of 80 MiB each.
    const bomb = Buffer.concat(new Array(13).fill(gzipSync(Buffer.alloc(80 * 2 ** 20))));
    const { answer, cpuMs, grownMb } = await victim.send(bomb, zipped(JSON_TYPE));
    expect(answer.status).toBe(413);
    expect(answer.body.toString()).toContain('the body must have at most 16777216 bytes');
    expectCpuTime(cpuMs, MOST_CPU_MS);
    expect(grownMb).toBeLessThan(MOST_MB);
  });
});
