import { once } from 'node:events';
import { request as httpsRequest } from 'node:https';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createRegistry } from '@hdrscope/registry';
import { LOCALHOST } from '@hdrscope/testing/tls';
import { type RunningOtlp, type ServeOtlpOptions, serveOtlp } from '../../src/receiver/index.ts';
import { ask, JSON_TYPE } from './support/http.ts';
import { DELTA, explicitPoint } from './support/receiving.ts';
import { requestJson } from './support/request.ts';

const running: RunningOtlp[] = [];
const sockets: Socket[] = [];
afterEach(async () => {
  for (const socket of sockets.splice(0)) socket.destroy();
  await Promise.all(running.splice(0).map((otlp) => otlp.close()));
});

async function started(options: Parameters<typeof serveOtlp>[1] = {}): Promise<RunningOtlp> {
  const otlp = await serveOtlp(createRegistry(), { host: '127.0.0.1', port: 0, ...options });
  running.push(otlp);
  return otlp;
}

const BODY = JSON.stringify(
  requestJson([
    { name: 'm', histogram: { aggregationTemporality: DELTA, dataPoints: [explicitPoint([3, 0, 0, 0])] } },
  ]),
);

/** The status of a request with these headers. */
async function statusOf(otlp: RunningOtlp, headers: Readonly<Record<string, string>> = {}): Promise<number> {
  const { status } = await ask(otlp.port, { headers: { ...JSON_TYPE, ...headers }, body: BODY });
  return status;
}

describe('a request that a web page of another site makes', () => {
  test.each([
    ['by a name of its own', { host: 'evil.example' }],
    ['from its origin', { origin: 'http://evil.example' }],
    ['as a browser marks it', { 'sec-fetch-site': 'cross-site' }],
  ])('is refused, and counts nothing: %s', async (_, headers) => {
    const otlp = await started();
    expect(await statusOf(otlp, headers)).toBe(403);
    expect(otlp.health.points).toBe(0);
  });
});

test('what the server refuses shows in its health, by its reason', async () => {
  const otlp = await started({ token: 'a-token-of-20-letters', maxBytes: 100, maxPendingBytes: 100 });
  await statusOf(otlp);
  await statusOf(otlp, { origin: 'http://evil.example' });
  await statusOf(otlp, { authorization: 'Bearer a-token-of-20-letters' });
  const { refusals, failedRequests } = otlp.health;
  expect(refusals).toMatchObject({ token: 1, origin: 1, body: 1, host: 0 });
  expect(failedRequests).toBe(1);
});

test('a server on loopback can be called by the hosts that are allowed', async () => {
  const otlp = await started({ allowedHosts: ['metrics.internal'] });
  expect(await statusOf(otlp, { host: 'metrics.internal:4318' })).toBe(200);
  expect(await statusOf(otlp, { host: 'localhost:4318' })).toBe(200);
  expect(await statusOf(otlp, { host: 'other.internal' })).toBe(403);
});

test('a token is needed where one is given, but not for the health of the server', async () => {
  const token = 'a-token-of-24-characters';
  const otlp = await started({ token });
  expect(await statusOf(otlp)).toBe(401);
  expect(await statusOf(otlp, { authorization: 'Bearer another-token-of-its-own' })).toBe(401);
  expect(otlp.health.points).toBe(0);
  expect(await statusOf(otlp, { authorization: `Bearer ${token}`, host: 'metrics.internal' })).toBe(200);
  expect((await ask(otlp.port, { path: '/healthz', method: 'GET' })).status).toBe(200);
});

test('a server with a certificate takes points by HTTPS', async () => {
  const otlp = await started({ tls: { certFile: LOCALHOST.certFile, keyFile: LOCALHOST.keyFile } });
  const target = { host: '127.0.0.1', port: otlp.port, path: '/v1/metrics', method: 'POST' };
  const request = httpsRequest({ ...target, headers: JSON_TYPE, ca: LOCALHOST.cert, agent: false });
  request.end(BODY);
  const [response] = await once(request, 'response');
  response.resume();
  expect([response.statusCode, otlp.health.points]).toEqual([200, 1]);
});

test('a limit that does not exist is refused', async () => {
  await expect(serveOtlp(createRegistry(), { port: 0, limits: { conections: 1 } as object })).rejects.toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION' }),
  );
});

/** Begins a request, and sends this part of its body only. */
async function begun(otlp: RunningOtlp, part: Buffer, headers = ''): Promise<Socket> {
  const socket = connect(otlp.port, '127.0.0.1');
  sockets.push(socket);
  await once(socket, 'connect');
  const length = `Content-Length: ${part.length + 1}`;
  socket.write(
    `POST /v1/metrics HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n${headers}${length}\r\n\r\n`,
  );
  socket.write(part);
  return socket;
}

/** The first line of the answer. */
async function answerOf(socket: Socket): Promise<string> {
  const [answer] = (await once(socket, 'data')) as [Buffer];
  return answer.toString();
}

describe('bodies that are never complete', () => {
  test('of the wire do not keep others out: the oldest gets 503', async () => {
    const otlp = await started({ maxBytes: 100_000, maxPendingBytes: 250_000 });
    const [first, ...others] = await Promise.all(
      Array.from({ length: 2 }, () => begun(otlp, Buffer.alloc(90_000, ' '))),
    );
    await sleep(100);
    const answer = answerOf(first!);
    others.push(await begun(otlp, Buffer.alloc(90_000, ' ')));
    expect(await answer).toMatch(/^HTTP\/1.1 503 .*retry-after: 1.*at most 250000 bytes/is);
    expect(await statusOf(otlp)).toBe(200);
    expect(otlp.health).toMatchObject({ requests: 1, failedRequests: 1 });
  });

  test('that are small on the wire count as they are decompressed', async () => {
    const otlp = await started({ maxBytes: 100_000, maxPendingBytes: 250_000 });
    // The end of the gzip is missing.
    const part = gzipSync(Buffer.alloc(90_000, ' ')).subarray(0, -4);
    const encoding = 'Content-Encoding: gzip\r\n';
    const first = await begun(otlp, part, encoding);
    await sleep(100);
    const answer = answerOf(first);
    for (let i = 0; i < 3; i++) await begun(otlp, part, encoding);
    expect(await answer).toMatch(/^HTTP\/1.1 503 /);
    expect(await statusOf(otlp)).toBe(200);
  });
});

test('requests that come slowly give their places to others', async () => {
  const otlp = await started({ limits: { requests: 2 } });
  await begun(otlp, Buffer.from('{'));
  await begun(otlp, Buffer.from('{'));
  await sleep(50);
  const { status } = await ask(otlp.port, { headers: JSON_TYPE, body: BODY });
  expect(status).toBe(200);
});

test('idle connections do not keep others out', async () => {
  const otlp = await started({ limits: { connections: 20 } });
  for (let i = 0; i < 60; i++) {
    const socket = connect(otlp.port, '127.0.0.1').on('error', () => {});
    sockets.push(socket);
    await once(socket, 'connect');
  }
  expect(await statusOf(otlp)).toBe(200);
});

test('a request whose client goes before its body is complete counts nothing', async () => {
  const failures: string[] = [];
  const otlp = await started({ observer: { failed: (error) => failures.push((error as Error).message) } });
  const socket = await begun(otlp, Buffer.from(BODY));
  await sleep(50);
  socket.destroy();
  await sleep(50);
  expect(failures).toEqual(['the request ended before its body was complete']);
  expect(otlp.health.points).toBe(0);
});

test('elements beyond maxElements get 413, which names the option', async () => {
  const otlp = await started({ maxElements: 10 });
  const { status, body } = await ask(otlp.port, { headers: JSON_TYPE, body: BODY });
  expect([status, JSON.parse(body.toString()).message]).toEqual([
    413,
    'the body must have at most 10 elements: send smaller batches, or raise maxElements of the receiver',
  ]);
  expect(otlp.health).toMatchObject({ failedRequests: 1, points: 0 });
});

test.each([
  [{ maxElements: 0 }, 'maxElements must be an integer from 1 to 2^30, got 0'],
  [{ maxBytes: 10, maxPendingBytes: 9 }, 'maxPendingBytes must be an integer of at least maxBytes, got 9'],
  [{ numbers: true }, 'numbers must be the states that numberStates() returns, got true'],
  [{ numbers: {} }, 'numbers must be the states that numberStates() returns'],
])('refuses options that are out of range: %p', async (options, message) => {
  await expect(serveOtlp(createRegistry(), options as ServeOtlpOptions)).rejects.toThrow(message);
});
