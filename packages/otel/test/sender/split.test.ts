import { createServer, type IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { serveOtlp } from '@hdrscope/otel/receiver';
import { OtlpSenderMemory, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry } from '@hdrscope/registry';
import {
  answering,
  expectNothingLost,
  manySeries,
  PLAIN,
  pointsIn,
  startLedger,
  takenThen,
  untilDelivered,
} from './fates.ts';
import {
  atEnd,
  type Endpoint,
  endCall,
  type Misbehave,
  startEndpoint,
  startGrpcEndpoint,
} from './support.ts';

test.each(['http/protobuf', 'http/json'] as const)(
  'whatever happens to some requests of a delivery, no part is lost and none is sent after it was taken: %s',
  async (protocol) => {
    await expectNothingLost(protocol, 8);
  },
);

test.each([
  ['was taken', takenThen(answering(502)), 9],
  ['was not taken', answering(502), 0],
])(
  'values of a repetition that is refused for its size are uncertain: it %s before',
  async (_, first, taken) => {
    const fates: Misbehave[] = [first];
    const endpoint = await startEndpoint(() => fates.shift() ?? answering(413));
    const registry = createRegistry();
    const recorded = manySeries(registry, 9).record(0);
    const failed: string[] = [];
    const sender = sendOtlp(registry, {
      ...PLAIN,
      url: endpoint.url,
      observer: { failed: ({ message }) => failed.push(message) },
    });
    await expect(sender.flush()).rejects.toThrow('502');
    // These come in the next delivery, which is refused at its first request.
    const more = manySeries(registry, 4).record(0);
    await untilDelivered(sender);
    expect(await endpoint.values()).toBe(taken);
    expect(sender.health).toMatchObject({
      tooLargePoints: 13,
      givenUpValues: recorded + more,
      uncertainValues: recorded,
      pendingValues: 0,
    });
    const isUncertain = (message: string): boolean =>
      message.includes('is given up, which the receiver may have from an earlier request: job.duration {');
    expect(failed.filter(isUncertain)).toHaveLength(9);
    expect(failed.filter((message) => message.includes('is given up: job.duration {'))).toHaveLength(4);
    await sender.close();
  },
);

test.each(['http/protobuf', 'http/json'] as const)(
  'the rest of a cumulative delivery goes out as it was, whatever is recorded meanwhile: %s',
  async (protocol) => {
    let failsAt = -1;
    const endpoint = await startEndpoint(() => (failsAt-- === 0 ? answering(503) : undefined));
    const registry = createRegistry();
    const ledger = manySeries(registry, 30);
    const sender = sendOtlp(registry, {
      ...PLAIN,
      ...{ url: endpoint.url, protocol, temporality: 'cumulative', maxRequestBytes: 1000 },
    });
    ledger.record(0);
    await sender.flush();
    // The counts of this delivery are those of the first one, brought up to date.
    ledger.record(0);
    failsAt = 1;
    const before = endpoint.bodies.length;
    await expect(sender.flush()).rejects.toThrow('503');
    const recorded = 3 * ledger.record(0);
    await sender.flush();
    const [, refused, again, ...others] = endpoint.bodies.slice(before);
    expect(again).toEqual(refused);
    expect(new Set(pointsIn(again!).values())).toEqual(new Set([2]));
    expect(new Set(pointsIn(others.at(-1)!).values())).toEqual(new Set([3]));
    expect(await endpoint.values()).toBe(recorded);
    await sender.close();
  },
);

/** Refuses requests above a size, in the words of a receiver. */
const WORDS: Readonly<Record<string, readonly [status: number, text: string]>> = {
  'nginx and our receiver': [413, 'Request Entity Too Large'],
  'the Collector': [400, 'http: request body too large'],
};

test.each(Object.keys(WORDS))('a request that is too large is halved: %s', async (name) => {
  const [status, text] = WORDS[name]!;
  const limit = 700;
  const endpoint: Endpoint = await startEndpoint(() => async (request, response, body, take) => {
    if (body.length > limit) return answering(status, text)(request, response, body, take);
    await take();
    return response.writeHead(200).end();
  });
  const registry = createRegistry();
  const recorded = manySeries(registry, 30).record(0);
  const warned: string[] = [];
  const failed: Error[] = [];
  const observer = {
    warned: (message: string) => warned.push(message),
    failed: (error: Error) => failed.push(error),
  };
  const sender = sendOtlp(registry, { url: endpoint.url, observer, ...PLAIN });
  await sender.close();
  expect(await endpoint.values()).toBe(recorded);
  expect(failed).toEqual([]);
  expect(warned).toEqual([
    expect.stringMatching(
      new RegExp(
        `^the receiver has answered ${status}: .*; a request of \\d+ bytes is sent in halves: lower maxRequestBytes$`,
      ),
    ),
  ]);
  const { requests, failedRequests, givenUpValues, tooLargePoints } = sender.health;
  // Once the size is found, all other requests of the delivery have it.
  expect(failedRequests).toBeLessThan(5);
  expect(requests + failedRequests).toBe(endpoint.requests.length);
  expect([givenUpValues, tooLargePoints]).toEqual([0, 0]);
});

test.each([
  ['http/protobuf', 'gzip'],
  ['http/json', 'none'],
] as const)(
  'our receiver takes halves of what is above its maxBytes: %s, %s',
  async (protocol, compression) => {
    const central = createRegistry();
    const receiver = await serveOtlp(central, { host: '127.0.0.1', port: 0, maxBytes: 20_000 });
    atEnd(() => receiver.close());
    const registry = createRegistry();
    const recorded = manySeries(registry, 1000).record(0);
    const url = `http://127.0.0.1:${receiver.port}/v1/metrics`;
    const warned: string[] = [];
    const observer = { warned: (message: string) => warned.push(message) };
    const sender = sendOtlp(registry, { url, protocol, ...PLAIN, compression, observer });
    await sender.close();
    expect(receiver.health).toMatchObject({ values: recorded, points: 1000, duplicates: 0 });
    expect(warned).toEqual([
      expect.stringMatching(/^the receiver has answered 413: the body must have at most 20000 bytes/),
    ]);
  },
);

test.each([
  ['Go', 8, 'grpc: received message larger than max (4999 vs. 700)'],
  ['Go, compressed', 8, 'grpc: received message after decompression larger than max 700'],
  ['Java', 8, 'gRPC message exceeds maximum size 700: 4999'],
  ['.NET', 8, 'Received message exceeds the maximum configured message size.'],
  ['Rust', 11, 'Error, decoded message length too large: found 4999 bytes, the limit is: 700 bytes'],
])('a request that is too large is halved over gRPC: %s', async (_, status, message) => {
  const endpoint = await startGrpcEndpoint(() => async (stream, take, bytes) => {
    if (bytes.length > 700) {
      endCall(stream, status, { 'grpc-message': encodeURIComponent(message) });
      return;
    }
    await take();
    endCall(stream, 0);
  });
  const registry = createRegistry();
  const recorded = manySeries(registry, 30).record(0);
  const sender = sendOtlp(registry, { url: endpoint.url, protocol: 'grpc', ...PLAIN, compression: 'gzip' });
  await sender.close();
  expect(await endpoint.values()).toBe(recorded);
  expect(sender.health).toMatchObject({ givenUpValues: 0, tooLargePoints: 0 });
  expect(sender.health.failedRequests).toBeGreaterThan(0);
});

test('RESOURCE_EXHAUSTED without a word about the size is a passing state', async () => {
  const endpoint = await startGrpcEndpoint(
    () => (stream) => endCall(stream, 8, { 'grpc-message': 'quota of requests' }),
  );
  const registry = createRegistry();
  const recorded = manySeries(registry, 30).record(0);
  const sender = sendOtlp(registry, { url: endpoint.url, protocol: 'grpc', ...PLAIN });
  await expect(sender.flush()).rejects.toThrow('gRPC status 8: quota of requests');
  expect(endpoint.requests).toHaveLength(1);
  expect(sender.health).toMatchObject({ pendingValues: recorded, tooLargePoints: 0 });
  await sender.close().catch(() => {});
});

test.each(['delta', 'cumulative'] as const)(
  'a single point that is too large is given up, counted and named, and no other: %s',
  async (temporality) => {
    const endpoint = await startEndpoint(() => async (request, response, body, take) => {
      if (body.length > 700) return answering(413)(request, response, body, take);
      await take();
      return response.writeHead(200).end();
    });
    const registry = createRegistry();
    const { record } = manySeries(registry, 5);
    registry
      .histogram({ name: 'wide' })
      .with({ path: 'x'.repeat(2000) })
      .record(1);
    registry.histogram({ name: 'last' }).with({}).record(1);
    const failed: string[] = [];
    const observer = { failed: (error: Error) => failed.push(error.message) };
    const sender = sendOtlp(registry, { url: endpoint.url, ...PLAIN, temporality, observer });
    const recorded = record(0);
    await sender.flush();
    expect(await endpoint.values()).toBe(recorded + 1);
    expect(failed).toEqual([
      expect.stringMatching(
        /^the receiver has answered 413; a single point of 2\d\d\d bytes is given up: wide \{"path":"x+…$/,
      ),
    ]);
    const isDelta = temporality === 'delta';
    expect(sender.health).toMatchObject({
      tooLargePoints: 1,
      givenUpValues: isDelta ? 1 : 0,
      pendingValues: 0,
    });
    record(0);
    await sender.close();
    expect(await endpoint.values()).toBe(2 * recorded + 1);
    expect(sender.health.tooLargePoints).toBe(isDelta ? 1 : 2);
  },
);

test('a receiver that refuses every size gets each point once, and the sender ends', async () => {
  const endpoint = await startEndpoint(() => answering(413));
  const registry = createRegistry();
  const recorded = manySeries(registry, 16).record(0);
  const sender = sendOtlp(registry, { url: endpoint.url, ...PLAIN });
  await sender.close();
  expect(sender.health).toMatchObject({ tooLargePoints: 16, givenUpValues: recorded, pendingValues: 0 });
  expect(endpoint.requests.length).toBeLessThan(16 + 10);
});

test.each(['delta', 'cumulative'] as const)(
  'a delivery that stops in the middle goes on there, also when a receiver limits requests: %s',
  async (temporality) => {
    let allowed = 0;
    const { endpoint, repeated, sizes } = await startLedger(() =>
      allowed-- > 0 ? undefined : answering(429),
    );
    const registry = createRegistry();
    const ledger = manySeries(registry, 30);
    const recorded = ledger.record(0);
    const options = { url: endpoint.url, ...PLAIN, temporality, maxRequestBytes: 700 };
    const sender = sendOtlp(registry, options);
    const progress: number[] = [];
    for (let round = 0; round < 6; round++) {
      allowed = 2;
      await sender.flush().catch(() => {});
      progress.push(await endpoint.values());
    }
    allowed = Number.POSITIVE_INFINITY;
    expect(progress[0]).toBeGreaterThan(0);
    expect(progress[1]).toBeGreaterThan(progress[0]!);
    expect(progress[2]).toBeGreaterThan(progress[1]!);
    await sender.close();
    expect(await endpoint.values()).toBe(recorded);
    if (temporality === 'delta') expect(repeated).toEqual([]);
    expect(Math.max(...sizes)).toBeLessThanOrEqual(700);
  },
);

test('a repetition that the receiver refuses as one was taken, and a first request that it refuses so was not', async () => {
  const known = new Set<string>();
  let loses = true;
  const endpoint = await startEndpoint(() => async (request, response, body, take) => {
    const points = [...pointsIn(body).keys()];
    if (points.some((point) => known.has(point)))
      return answering(400, 'duplicate sample for timestamp\n')(request, response, body, take);
    await take();
    for (const point of points) known.add(point);
    loses = !loses;
    return loses ? request.socket.destroy() : response.writeHead(200).end();
  });
  const registry = createRegistry();
  const { record } = manySeries(registry, 30);
  const sender = sendOtlp(registry, { url: endpoint.url, ...PLAIN, maxRequestBytes: 700 });
  let recorded = 0;
  for (let step = 0; step < 4; step++) {
    recorded += record(step);
    await untilDelivered(sender);
  }
  expect(await endpoint.values()).toBe(recorded);
  expect(endpoint.health.duplicates).toBe(0);
  expect(sender.health).toMatchObject({ pendingValues: 0, givenUpValues: 0 });
  await sender.close();
  const foreign = await startEndpoint(() => answering(400, 'duplicate sample for timestamp'));
  const other = sendOtlp(registry, { url: foreign.url, ...PLAIN });
  await expect(other.close()).rejects.toThrow('the receiver has answered 400: duplicate sample');
  expect(other.health.pendingValues).toBe(recorded);
});

test('what is left of a delivery goes out by the sender that takes over, in its protocol', async () => {
  let allowed = 2;
  const http = await startLedger(() => (allowed-- > 0 ? undefined : answering(503)));
  const grpc = await startGrpcEndpoint(() => undefined);
  const registry = createRegistry();
  const { record } = manySeries(registry, 30);
  let recorded = record(0);
  const memory = new OtlpSenderMemory();
  const limit = { maxRequestBytes: 2000, memory };
  const first = sendOtlp(registry, { url: http.endpoint.url, protocol: 'http/json', ...PLAIN, ...limit });
  await expect(first.close()).rejects.toThrow('the receiver has answered 503');
  const taken = await http.endpoint.values();
  expect(taken).toBeGreaterThan(0);
  expect(first.health.pendingValues).toBe(recorded - taken);
  recorded += record(0);
  const second = sendOtlp(registry, { url: grpc.url, protocol: 'grpc', ...PLAIN, ...limit });
  await second.close();
  expect(taken + (await grpc.values())).toBe(recorded);
});

test('a request that a receiver does not read to its end is halved', async () => {
  const most = 8e6;
  const sizes: number[] = [];
  const points = new Map<string, number>();
  const handle = async (request: IncomingMessage): Promise<void> => {
    const size = Number(request.headers['content-length']);
    sizes.push(size);
    // As a server does that has answered for the size, and whose answer is lost with the connection.
    if (size > most) {
      setTimeout(() => request.socket.resetAndDestroy(), 50);
      await new Promise(() => {});
    }
    for (const [point, count] of pointsIn(await buffer(request))) points.set(point, count);
  };
  const server = createServer((request, response) => void handle(request).then(() => response.end()));
  server.on('connection', (socket) => socket.on('error', () => {}));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  atEnd(() => server.close());
  const registry = createRegistry();
  const family = registry.histogram({ name: 'a', cardinalityLimit: 3000 });
  for (let i = 0; i < 3000; i++) family.with({ i, text: 'x'.repeat(4000) }).record(1);
  const { port } = server.address() as AddressInfo;
  const url = `http://127.0.0.1:${port}/v1/metrics`;
  const sender = sendOtlp(registry, { ...PLAIN, url, maxRequestBytes: 64e6 });
  await sender.flush();
  expect(sizes[0]).toBeGreaterThan(12e6);
  expect(points.size).toBe(3000);
  expect(sender.health).toMatchObject({ failedRequests: 1, givenUpValues: 0, pendingValues: 0 });
  await sender.close();
});
