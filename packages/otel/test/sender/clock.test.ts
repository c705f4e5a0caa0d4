import type { ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OtlpSenderOptions, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import { answering } from './fates.ts';
import { type Misbehave, startEndpoint } from './support.ts';

/** Starts a sender of deltas for a registry whose clock the test sets. */
function startClocked(url: string, options: Partial<OtlpSenderOptions> = {}) {
  const clock = { nowMs: 1_000_000 };
  const registry = createRegistry({
    clock: { nowMs: () => clock.nowMs, monotonicMs: () => performance.now() },
  });
  const sender = sendOtlp(registry, {
    ...{ url, temporality: 'delta', protocol: 'http/json', compression: 'none', intervalMs: 3_600_000 },
    ...options,
  });
  return { clock, sender, family: registry.histogram({ name: 'a' }) };
}

/** The start and the end of the points in a request, in milliseconds. */
function timesIn(body: Buffer): [startMs: number, endMs: number][] {
  const request = JSON.parse(body.toString());
  const { dataPoints } = request.resourceMetrics[0].scopeMetrics[0].metrics[0].exponentialHistogram;
  return dataPoints.map((point: Record<string, string>) => [
    Number(point.startTimeUnixNano) / 1e6,
    Number(point.timeUnixNano) / 1e6,
  ]);
}

const DAY_MS = 86_400_000;
const FUTURE = 'out of bounds: timestamp is too far in the future';

/** Takes what ends by a time, and refuses the rest. */
const untilTime =
  (latestMs: () => number, refuse: Misbehave): Misbehave =>
  async (request, response, body, take) => {
    if (timesIn(body).some(([, end]) => end > latestMs())) return refuse(request, response, body, take);
    await take();
    return response.writeHead(200).end();
  };

const partially: Misbehave = (_, response, body) => {
  const partialSuccess = { rejectedDataPoints: `${timesIn(body).length}`, errorMessage: FUTURE };
  response.writeHead(200, { 'content-type': 'application/json' }).end(JSON.stringify({ partialSuccess }));
};

test.each(['delta', 'cumulative'] as const)(
  'times of %s points go on when the clock is set back',
  async (temporality) => {
    const endpoint = await startEndpoint(() => undefined);
    const { clock, sender, family } = startClocked(endpoint.url, { temporality });
    const series = family.with({});
    for (const stepMs of [5000, 5000, -60_000, 0, 1000, 120_000]) {
      clock.nowMs += stepMs;
      series.record(1);
      await sender.flush();
    }
    const ends = [1_005_000, 1_010_000, 1_010_001, 1_010_002, 1_010_003, 1_071_000];
    const starts = temporality === 'delta' ? [1_000_000, ...ends] : ends.map(() => 1_000_000);
    expect(endpoint.bodies.flatMap(timesIn)).toEqual(ends.map((end, i) => [starts[i], end]));
    await sender.close();
  },
);

test.each([
  ['refuses', (_: unknown, response: ServerResponse) => response.writeHead(400).end(FUTURE)],
  ['rejects', partially],
] as const)(
  'a receiver that %s times of the future gets right ones as soon as the clock is right',
  async (verb, refuse) => {
    let latestMs = Number.POSITIVE_INFINITY;
    const endpoint = await startEndpoint(() => untilTime(() => latestMs, refuse));
    const { clock, sender, family } = startClocked(endpoint.url);
    family.with({}).record(1);
    await sender.flush();
    clock.nowMs += DAY_MS;
    family.with({}).record(1);
    // This receiver takes the future. The next one does not.
    await sender.flush();
    latestMs = 2_000_000;
    family.with({}).record(1);
    await sender.flush().catch(() => {});
    clock.nowMs += 1000 - DAY_MS;
    family.with({ i: 1 }).record(1);
    await sender.flush();
    clock.nowMs += 1000;
    family.with({}).record(1);
    await sender.close();
    const isLost = verb === 'rejects';
    expect(await endpoint.values()).toBe(isLost ? 4 : 5);
    expect(sender.health).toMatchObject({ rejectedPoints: isLost ? 1 : 0, pendingValues: 0 });
    const times = endpoint.bodies.slice(-2).flatMap(timesIn);
    expect(times.every(([start, end]) => start <= end && end <= clock.nowMs)).toBe(true);
    expect(times.at(-1)).toEqual([1_001_000, 1_002_000]);
  },
);

test('times of a delivery of the future that was given up are given up too, when its receiver says so', async () => {
  let fails: Misbehave | undefined = answering(503);
  const endpoint = await startEndpoint(() => fails);
  const { clock, sender, family } = startClocked(endpoint.url, { giveUpAfterMs: 100 });
  clock.nowMs += DAY_MS;
  family.with({}).record(1);
  await sender.flush().catch(() => {});
  clock.nowMs += 1000 - DAY_MS;
  await sleep(120);
  await expect(sender.flush()).rejects.toThrow('so 1 value are given up');
  fails = untilTime(
    () => 2_000_000,
    (_, response) => response.writeHead(400).end(FUTURE),
  );
  family.with({}).record(1);
  await expect(sender.flush()).rejects.toThrow(FUTURE);
  clock.nowMs += 1000;
  await sender.close();
  expect(await endpoint.values()).toBe(1);
  expect(timesIn(endpoint.bodies.at(-1)!)).toEqual([[1_000_999, 1_002_000]]);
});

test('the rest of a delivery of the future gets the right time, when a point of it was too large', async () => {
  const wide = 'x'.repeat(5000);
  const strict = untilTime(
    () => 2_000_000,
    (_, response) => response.writeHead(400).end(FUTURE),
  );
  const endpoint = await startEndpoint(() => (request, response, body, take) => {
    return body.includes(wide) ? response.writeHead(413).end() : strict(request, response, body, take);
  });
  const { clock, sender, family } = startClocked(endpoint.url, { maxRequestBytes: 100 });
  family.with({ i: 0 }).record(1);
  await sender.flush();
  clock.nowMs += DAY_MS;
  family.with({ wide }).record(1);
  family.with({ i: 0 }).record(1);
  await expect(sender.flush()).rejects.toThrow(FUTURE);
  clock.nowMs += 1000 - DAY_MS;
  await expect(sender.flush()).rejects.toThrow(FUTURE);
  clock.nowMs += 1000;
  family.with({ i: 1 }).record(1);
  await sender.close();
  expect(await endpoint.values()).toBe(3);
  expect(sender.health).toMatchObject({ givenUpValues: 1, uncertainValues: 0, pendingValues: 0 });
  expect(endpoint.bodies.slice(-2).map(timesIn)).toEqual([
    [[1_000_000, 1_001_000]],
    [[1_002_000, 1_002_000]],
  ]);
});

test('a gather of the future that found nothing moves no time', async () => {
  const endpoint = await startEndpoint(() => undefined);
  const { clock, sender, family } = startClocked(endpoint.url);
  family.with({}).record(1);
  await sender.flush();
  clock.nowMs += DAY_MS;
  await sender.flush();
  clock.nowMs += 1000 - DAY_MS;
  family.with({}).record(1);
  await sender.close();
  expect(endpoint.bodies.map(timesIn)).toEqual([[[1_000_000, 1_000_000]], [[1_000_000, 1_001_000]]]);
});

test('a series that began while the clock was ahead starts no later than its points end', async () => {
  const endpoint = await startEndpoint(() => undefined);
  const { clock, sender, family } = startClocked(endpoint.url);
  family.with({ i: 0 }).record(1);
  await sender.flush();
  clock.nowMs += DAY_MS;
  family.with({ i: 1 }).record(1);
  clock.nowMs += 1000 - DAY_MS;
  await sender.flush();
  expect(timesIn(endpoint.bodies[1]!)).toEqual([[1_000_000, 1_001_000]]);
  await sender.close();
});
