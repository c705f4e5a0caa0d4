import { cp, mkdir, readdir, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { type OtlpSenderOptions, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { answering, PLAIN, pointsIn, takenThen, untilDelivered } from './fates.ts';
import { copyOf, newFolder } from './folders.ts';
import { atEnd, type Misbehave, startEndpoint } from './support.ts';

const deliveriesIn = async (folder: string): Promise<string[]> =>
  (await readdir(folder)).filter((name) => name.endsWith('.delivery'));

/** A sender with a queue to a receiver that fails as long as `state.fails` is set. */
async function start(folder: string, options: Partial<OtlpSenderOptions> = {}) {
  const state: { fails: Misbehave | undefined } = { fails: undefined };
  const endpoint = await startEndpoint(() => state.fails);
  const errors: string[] = [];
  const to = (registry: Registry, own: string, more: Partial<OtlpSenderOptions> = {}) => {
    const sender = sendOtlp(registry, {
      ...PLAIN,
      url: endpoint.url,
      queue: { folder: own },
      observer: { failed: ({ message }) => errors.push(message) },
      ...options,
      ...more,
    });
    atEnd(() => sender.close().catch(() => {}));
    return sender;
  };
  const registry = createRegistry();
  const series = registry.histogram({ name: 'job.duration', unit: 'ms' }).with({ job: 'a' });
  const record = (count: number): void => {
    for (let i = 0; i < count; i++) series.record(1 + i);
  };
  return { state, endpoint, errors, registry, record, to, sender: to(registry, folder) };
}

test('a delivery is on disk while its request is under way, and gone when it is taken', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint } = await start(folder);
  const seen: string[][] = [];
  state.fails = async (_, response, __, take) => {
    seen.push(await deliveriesIn(folder));
    await take();
    response.writeHead(200).end();
  };
  record(3);
  await sender.flush();
  expect(seen).toEqual([['0-1.delivery']]);
  await sender.close();
  expect(await readdir(folder)).toEqual([]);
  expect(await endpoint.values()).toBe(3);
});

test('the next process delivers what a killed one has left, with the same bytes, before anything of its own', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint, to } = await start(folder, { resource: { 'service.name': 'a' } });
  record(3);
  await sender.flush();
  state.fails = answering(503);
  record(5);
  await sender.flush().catch(() => {});
  record(7);
  await sender.flush().catch(() => {});
  // Nothing has been written of these.
  record(11);
  const left = await copyOf(folder);
  const first = endpoint.bodies[1]!;
  expect(endpoint.bodies[2]!.equals(first)).toBe(true);
  state.fails = undefined;
  endpoint.bodies.length = 0;
  const later = createRegistry();
  later.histogram({ name: 'job.duration', unit: 'ms' }).with({ job: 'a' }).record(1);
  const next = to(later, left, { resource: { 'service.name': 'b' } });
  await next.flush();
  expect(endpoint.bodies[0]!.equals(first)).toBe(true);
  expect(endpoint.bodies.map((body) => [...pointsIn(body).values()])).toEqual([[5], [7], [1]]);
  expect(endpoint.bodies.map((body) => body.includes('service.name\x12\x03\n\x01a'))).toEqual([
    true,
    true,
    false,
  ]);
  expect(await endpoint.values()).toBe(3 + 5 + 7 + 1);
  expect(await readdir(left)).toEqual([]);
  // The times of a series follow one another.
  const times = endpoint.bodies.flatMap((body) =>
    [...pointsIn(body).keys()].map((id) => JSON.parse(id).slice(2)),
  );
  expect(times[1]![0]).toBe(times[0]![1]);
});

test('a delivery that was taken before the kill comes again with its times, and counts once', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint, to } = await start(folder);
  state.fails = takenThen(answering(502));
  record(5);
  await sender.flush().catch(() => {});
  const left = await copyOf(folder);
  state.fails = undefined;
  await to(createRegistry(), left).flush();
  expect(endpoint.bodies[1]!.equals(endpoint.bodies[0]!)).toBe(true);
  expect(await endpoint.values()).toBe(5);
});

test('a delivery that was refused and is made again replaces what was to follow it', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint, to } = await start(folder);
  // Nobody has judged the points, then somebody refuses them.
  state.fails = answering(401);
  record(5);
  await sender.flush().catch(() => {});
  record(7);
  await sender.flush().catch(() => {});
  expect(await deliveriesIn(folder)).toEqual(['0-1.delivery', '0-2.delivery']);
  state.fails = answering(400);
  await sender.flush().catch(() => {});
  record(11);
  await sender.flush().catch(() => {});
  const left = await copyOf(folder);
  expect(await deliveriesIn(left)).toEqual(['0-1.delivery']);
  state.fails = undefined;
  endpoint.bodies.length = 0;
  await to(createRegistry(), left).flush();
  expect(await endpoint.values()).toBe(5 + 7 + 11);
  // The sender itself goes on, too.
  record(13);
  await untilDelivered(sender);
  expect(sender.health).toMatchObject({ pendingValues: 0, givenUpValues: 0, queueProblem: undefined });
  expect(await readdir(folder)).toEqual([]);
});

test('what a stop cannot deliver is on disk, for a sender with the same memory too', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint, registry, to } = await start(folder);
  state.fails = answering(503);
  record(5);
  await sender.flush().catch(() => {});
  record(7);
  await expect(sender.close()).rejects.toThrow('503');
  expect(await deliveriesIn(folder)).toEqual(['0-1.delivery', '0-2.delivery']);
  state.fails = undefined;
  record(11);
  const next = to(registry, folder, { memory: sender.memory });
  await next.flush();
  expect(await endpoint.values()).toBe(5 + 7 + 11);
  expect(await readdir(folder)).toEqual([]);
});

test('two senders with one folder have a place each, and the next one delivers what both have left', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint, to } = await start(folder);
  state.fails = answering(503);
  record(5);
  await sender.flush().catch(() => {});
  const other = createRegistry();
  other.histogram({ name: 'other', unit: 'ms' }).with({}).record(1);
  const second = to(other, folder);
  await second.flush().catch(() => {});
  expect(await deliveriesIn(folder)).toEqual(['0-1.delivery', '1-1.delivery']);
  const left = await copyOf(folder);
  state.fails = undefined;
  endpoint.bodies.length = 0;
  await second.flush();
  // The second one has not sent what the first one holds.
  expect(endpoint.bodies.map((body) => [...pointsIn(body).values()])).toEqual([[1]]);
  await sender.flush();
  expect(await endpoint.values()).toBe(6);
  endpoint.bodies.length = 0;
  await to(createRegistry(), left).flush();
  expect(endpoint.bodies.map((body) => [...pointsIn(body).values()])).toEqual([[5], [1]]);
});

test('points that were taken before a kill do not come again, and where it is not known which they are, all of them do', async () => {
  const folder = await newFolder();
  const { state, sender, endpoint, registry, to } = await start(folder, { maxRequestBytes: 1 });
  const family = registry.histogram({ name: 'job.duration', unit: 'ms' });
  for (let job = 0; job < 5; job++) for (let i = 0; i <= job; i++) family.with({ job }).record(1);
  let requests = 0;
  state.fails = (_, response, __, take) => {
    requests++;
    return requests > 3 ? answering(503)(_, response, __, take) : take().then(() => void response.end());
  };
  await sender.flush().catch(() => {});
  const left = await copyOf(folder);
  const torn = await copyOf(folder);
  const bytes = await readFile(join(torn, '0-1.delivery'));
  bytes[48]! ^= 1;
  await writeFile(join(torn, '0-1.delivery'), bytes);
  for (const [last, expected] of [
    [left, [4, 5]],
    [torn, [1, 2, 3, 4, 5]],
  ] as const) {
    state.fails = answering(503);
    const next = to(createRegistry(), last);
    await next.flush().catch(() => {});
    expect(next.health.pendingValues).toBe(expected.reduce((sum, count) => sum + count, 0));
    state.fails = undefined;
    endpoint.bodies.length = 0;
    await next.flush();
    expect(endpoint.bodies.map((body) => [...pointsIn(body).values()])).toEqual(expected.map((n) => [n]));
    expect(await readdir(last)).toEqual([]);
  }
});

test('a damaged file is set aside and counted, and one of a later version stays', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint, to, errors } = await start(folder);
  state.fails = answering(503);
  record(5);
  await sender.flush().catch(() => {});
  const whole = await readFile(join(folder, '0-1.delivery'));
  state.fails = undefined;
  for (let at = 0; at < whole.length; at += 7) {
    // How far the delivery is has a checksum of its own: without it, all points are sent.
    if (at >= 40 && at < 56) continue;
    const left = await newFolder();
    const flipped = Buffer.from(whole);
    flipped[at]! ^= 1 << (at % 8);
    await writeFile(join(left, '0-1.delivery'), flipped);
    await writeFile(join(left, '0-2.delivery'), whole.subarray(0, at));
    await writeFile(join(left, '0-3.delivery'), whole);
    errors.length = 0;
    const next = to(createRegistry(), left);
    await next.close();
    expect([at, next.health.damagedFiles, errors.length]).toEqual([at, 2, 2]);
    expect(await readdir(left)).toEqual(['0-1.delivery.damaged', '0-2.delivery.damaged']);
  }
  expect(errors[0]).toMatch(/0-1\.delivery is damaged: it is set aside/);
  expect(await endpoint.values()).toBe(5);
});

test.each([
  [
    'a file instead of the folder',
    async () => {
      const path = join(await newFolder(), 'file');
      await writeFile(path, '');
      return path;
    },
  ],
  [
    'a folder in a file',
    async () => {
      const path = join(await newFolder(), 'file');
      await writeFile(path, '');
      return join(path, 'folder');
    },
  ],
])('where the folder cannot be written, the sender says so once and goes on: %s', async (_, make) => {
  const { state, sender, record, endpoint, errors } = await start(await make());
  record(5);
  await sender.flush();
  state.fails = answering(503);
  record(7);
  await sender.flush().catch(() => {});
  state.fails = undefined;
  await sender.flush();
  expect(await endpoint.values()).toBe(12);
  expect(errors.filter((message) => message.includes('the queue in'))).toHaveLength(1);
  expect(sender.health.queueProblem).toMatch(/^the queue in .* cannot be opened/);
});

test('a folder that is removed is reported once, and the queue goes on when it is there again', async () => {
  const folder = await newFolder();
  const { sender, record, endpoint, errors } = await start(folder);
  record(1);
  await sender.flush();
  await rm(folder, { recursive: true });
  for (let i = 0; i < 3; i++) {
    record(1);
    await sender.flush();
  }
  expect(errors).toEqual([
    expect.stringMatching(/cannot write a delivery: .*; what is not on disk would be lost/),
  ]);
  expect(sender.health.queueProblem).toBeDefined();
  await cp(await newFolder(), folder, { recursive: true });
  record(1);
  await sender.flush();
  expect(sender.health.queueProblem).toBeUndefined();
  expect(await endpoint.values()).toBe(5);
});

test('what is in a file that cannot be replaced is sent as it is, so that nobody sends it once more', async () => {
  const folder = await newFolder();
  const { state, sender, record, endpoint, to } = await start(folder);
  state.fails = answering(503);
  record(5);
  await sender.flush().catch(() => {});
  record(7);
  await sender.flush().catch(() => {});
  // Nothing can be written in place of the second file.
  await mkdir(join(folder, '0-2.delivery.partial'));
  record(11);
  state.fails = undefined;
  endpoint.bodies.length = 0;
  const left = await copyOf(folder);
  await sender.flush();
  expect(endpoint.bodies.map((body) => [...pointsIn(body).values()])).toEqual([[5], [7], [11]]);
  expect(await deliveriesIn(folder)).toEqual([]);
  // The same, by the next process: whoever knows repetitions counts nothing twice.
  await rm(join(left, '0-2.delivery.partial'), { recursive: true });
  await to(createRegistry(), left).flush();
  expect(await endpoint.values()).toBe(5 + 7 + 11);
});

test('the folder stays below maxBytes: the oldest deliveries of earlier processes are given up and counted', async () => {
  let folder = await newFolder();
  const started = await start(folder);
  const { state, record, errors, to } = started;
  state.fails = answering(503);
  record(100);
  await started.sender.flush().catch(() => {});
  const [first] = await deliveriesIn(folder);
  const { size } = await stat(join(folder, first!));
  const maxBytes = 4 * size;
  let givenUpValues = 0;
  for (let process = 0; process < 6; process++) {
    folder = await copyOf(folder);
    const registry = createRegistry();
    const series = registry.histogram({ name: 'job.duration', unit: 'ms' }).with({ job: 'a' });
    for (let i = 0; i < 100; i++) series.record(1 + i);
    const sender = to(registry, folder, { queue: { folder, maxBytes } });
    await sender.flush().catch(() => {});
    givenUpValues += sender.health.givenUpValues;
    const sizes = await Promise.all((await readdir(folder)).map((name) => stat(join(folder, name))));
    expect(sizes.reduce((sum, { size }) => sum + size, 0)).toBeLessThanOrEqual(maxBytes);
  }
  expect(givenUpValues).toBeGreaterThan(0);
  expect(errors.some((message) => message.includes('has no room: 100 values of an earlier process'))).toBe(
    true,
  );
  state.fails = undefined;
  const before = await started.endpoint.values();
  await to(createRegistry(), await copyOf(folder)).flush();
  expect((await started.endpoint.values()) - before + givenUpValues).toBe(7 * 100);
});

test('a delivery that is larger than maxBytes is sent without being on disk', async () => {
  const folder = await newFolder();
  const { sender, record, endpoint, errors } = await start(folder, { queue: { folder, maxBytes: 100 } });
  record(5);
  await sender.flush();
  expect(await endpoint.values()).toBe(5);
  expect(errors).toEqual([expect.stringMatching(/more than queue.maxBytes, 100, allows/)]);
  expect(sender.health).toMatchObject({ givenUpValues: 0, queueProblem: expect.any(String) });
  expect(await readdir(folder)).toEqual([]);
});

test('a queue needs deltas', () => {
  const url = 'http://127.0.0.1:1/v1/metrics';
  expect(() => sendOtlp(createRegistry(), { url, queue: { folder: '/nowhere' } })).toThrow(
    "temporality must be 'delta' for a sender with a queue",
  );
  expect(() =>
    sendOtlp(createRegistry(), { url, temporality: 'delta', queue: { folder: '/nowhere', maxBytes: 0 } }),
  ).toThrow('queue.maxBytes must be an integer of at least 1');
});
