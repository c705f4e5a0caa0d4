import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { answering, untilDelivered } from './fates.ts';
import { type Misbehave, startEndpoint } from './support.ts';

setFlagsFromString('--expose-gc');
const collectGarbage: () => void = runInNewContext('gc');

test.each([
  ['503, perhaps of a proxy whose receiver has the request', 503, 5],
  ['401 of a receiver that has not taken the request', 401, 0],
])('deltas are given up after a time, and counted: %s', async (_, status, uncertainValues) => {
  let fails: Misbehave | undefined = answering(status);
  const endpoint = await startEndpoint(() => fails);
  const registry = createRegistry();
  const series = registry.histogram({ name: 'a' }).with({});
  for (let i = 0; i < 5; i++) series.record(i);
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    temporality: 'delta',
    intervalMs: 3_600_000,
    giveUpAfterMs: 100,
  });
  await expect(sender.flush()).rejects.toThrow(`the receiver has answered ${status}`);
  expect(sender.health).toMatchObject({ pendingValues: 5, givenUpValues: 0 });
  await sleep(120);
  await expect(sender.flush()).rejects.toThrow(
    `the receiver has answered ${status}; nothing was taken for 0.1 s, so 5 values are given up`,
  );
  expect(sender.health).toMatchObject({ pendingValues: 0, givenUpValues: 5, uncertainValues });
  fails = undefined;
  series.record(1);
  await sender.close();
  expect(await endpoint.values()).toBe(1);
});

test('a request that may have been taken is given up alone: what was counted since is delivered', async () => {
  // Whoever is behind a proxy may have the request.
  let fails: Misbehave | undefined = answering(502);
  const endpoint = await startEndpoint(() => fails);
  const registry = createRegistry();
  const series = registry.histogram({ name: 'a' }).with({});
  for (let i = 0; i < 5; i++) series.record(i);
  const times = { intervalMs: 3_600_000, giveUpAfterMs: 100 };
  const sender = sendOtlp(registry, { url: endpoint.url, temporality: 'delta', ...times });
  await expect(sender.flush()).rejects.toThrow();
  series.record(1);
  series.record(2);
  await sleep(120);
  await expect(sender.flush()).rejects.toThrow('so 5 values are given up');
  expect(sender.health).toMatchObject({ pendingValues: 2, givenUpValues: 5, uncertainValues: 5 });
  fails = undefined;
  await untilDelivered(sender);
  await sender.close();
  expect(await endpoint.values()).toBe(2);
});

test('ended series are bounded while a request may have been taken', async () => {
  const endpoint = await startEndpoint(() => answering(502));
  let nowMs = 0;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const family = registry.histogram({ name: 'a', expireAfterMs: 10 });
  const options = {
    url: endpoint.url,
    temporality: 'delta',
    maxEndedSeries: 50,
    intervalMs: 3_600_000,
  } as const;
  const sender = sendOtlp(registry, options);
  const given: number[] = [];
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 20; i++) family.with({ round, i }).record(1);
    nowMs += 100;
    await registry.gather();
    await sender.flush().catch(() => {});
    given.push(sender.health.givenUpValues);
  }
  // The first request of 20 is held, until more than 50 series wait behind it.
  expect(given.slice(0, 3)).toEqual([0, 0, 0]);
  expect(given.at(-1)).toBe(20);
  await sender.close().catch(() => {});
});

test('ended series wait in bounded memory', async () => {
  const endpoint = await startEndpoint(() => answering(503));
  let nowMs = 0;
  const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
  const registry = createRegistry({ clock });
  const family = registry.histogram({ name: 'a', expireAfterMs: 10 });
  const options = {
    url: endpoint.url,
    temporality: 'delta',
    intervalMs: 3_600_000,
    maxEndedSeries: 50,
  } as const;
  const sender = sendOtlp(registry, options);
  for (let round = 0; round < 10; round++) {
    for (let i = 0; i < 20; i++) family.with({ round, i }).record(1);
    nowMs += 100;
    await registry.gather();
    await sender.flush().catch(() => {});
    // The delivery has 20 series at most while it is sent again, and 20 new ones end before the next attempt.
    expect(sender.health.pendingValues).toBeLessThanOrEqual(20 + 50 + 20);
  }
  const { givenUpValues, pendingValues } = sender.health;
  expect(givenUpValues).toBeGreaterThanOrEqual(50);
  expect(givenUpValues + pendingValues).toBe(200);
  await sender.close().catch(() => {});
});

test.each([503, 502])('after %d, ended series are counted beside others that are idle', async (code) => {
  let fails: Misbehave | undefined;
  const endpoint = await startEndpoint(() => fails);
  let nowMs = 0;
  const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
  const idle = registry.histogram({ name: 'idle' });
  for (let i = 0; i < 100; i++) idle.with({ i }).record(1);
  const family = registry.histogram({ name: 'a', expireAfterMs: 10 });
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    temporality: 'delta',
    maxEndedSeries: 50,
    intervalMs: 3_600_000,
  });
  await sender.flush();
  fails = answering(code);
  for (let round = 0; round < 5; round++) {
    for (let i = 0; i < 20; i++) family.with({ round, i }).record(1);
    nowMs += 100;
    await registry.gather();
    await sender.flush().catch(() => {});
  }
  expect(sender.health.givenUpValues).toBeGreaterThanOrEqual(20);
  await sender.close().catch(() => {});
});

test('memory does not grow with the length of an outage', async () => {
  const endpoint = await startEndpoint(() => answering(503));
  const registry = createRegistry();
  const family = registry.histogram({ name: 'a', unit: 'ms' });
  // Long texts make large requests at little cost.
  const series = Array.from({ length: 100 }, (_, i) => family.with({ i, text: 'x'.repeat(500) }));
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    temporality: 'delta',
    intervalMs: 3_600_000,
    compression: 'none',
  });
  let requestBytes = 0;
  const round = async (): Promise<void> => {
    for (const one of series) for (let i = 1; i < 20; i++) one.record(i * i);
    await sender.flush().catch(() => {});
    for (const body of endpoint.bodies.splice(0)) requestBytes = body.length;
  };
  const used = (): number => {
    collectGarbage();
    const { heapUsed, arrayBuffers } = process.memoryUsage();
    return heapUsed + arrayBuffers;
  };
  /** The registry joins the states that nobody holds any more, which it learns from a collection of garbage. */
  const rounds = async (count: number): Promise<void> => {
    for (let i = 1; i <= count; i++) {
      await round();
      if (i % 10 === 0) collectGarbage();
    }
  };
  await rounds(20);
  const before = used();
  await rounds(60);
  // A queue would hold a request for each flush.
  const mostBytes = before + (60 * requestBytes) / 3;
  expect(requestBytes).toBeGreaterThan(50_000);
  // The buffers of connections are freed some time after a collection.
  let after = used();
  for (let left = 20; left > 0 && after >= mostBytes; left--) {
    await sleep(10);
    after = used();
  }
  expect(after).toBeLessThan(mostBytes);
  expect(sender.health.pendingValues).toBe(80 * 100 * 19);
  await sender.close().catch(() => {});
}, 60_000);
