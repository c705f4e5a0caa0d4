import { once } from 'node:events';
import { type ClientHttp2Session, type ClientHttp2Stream, connect as connectHttp2 } from 'node:http2';
import { connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { gzipSync } from 'node:zlib';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { LOCALHOST } from '@hdrscope/testing/tls';
import { type RunningOtlp, type ServeOtlpOptions, serveOtlp } from '../../src/receiver/index.ts';
import { partialSuccessIn, statusIn } from '../../src/sender/answer.ts';
import { call, callOn, connectGrpc, EXPORT, frame } from './support/grpc.ts';
import { ask, PROTOBUF } from './support/http.ts';
import { DELTA, explicitPoint } from './support/receiving.ts';
import { type MetricJson, requestBytes, requestJson } from './support/request.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0).reverse()) await end();
});

async function started(
  options: ServeOtlpOptions = {},
): Promise<{ registry: Registry; otlp: RunningOtlp; port: number }> {
  const registry = createRegistry();
  const otlp = await serveOtlp(registry, { host: '127.0.0.1', port: 0, protocol: 'grpc', ...options });
  ends.push(() => otlp.close());
  return { registry, otlp, port: otlp.port };
}

function session(port: number): ClientHttp2Session {
  const client = connectGrpc(port);
  ends.push(() => client.destroy());
  return client;
}

/** A call whose body follows. */
function begin(client: ClientHttp2Session): ClientHttp2Stream {
  const stream = client.request({ ':method': 'POST', ':path': EXPORT, 'content-type': 'application/grpc' });
  return stream.on('error', () => {});
}

const HISTOGRAM: MetricJson = {
  name: 'm',
  unit: 's',
  histogram: { aggregationTemporality: DELTA, dataPoints: [explicitPoint([5, 0, 0, 0])] },
};
const BODY = requestBytes(requestJson([HISTOGRAM]));
const GAUGE = requestBytes(requestJson([{ name: 'g', gauge: { dataPoints: [{}, {}] } }]));

describe('an accepted call', () => {
  test.each([
    ['plain', {}, frame(BODY)],
    ['gzipped', { 'grpc-encoding': 'gzip' }, frame(gzipSync(BODY), 1)],
    ['plain, with an encoding for others', { 'grpc-encoding': 'gzip' }, frame(BODY)],
    ['identity', { 'grpc-encoding': 'identity' }, frame(BODY)],
    ['with a subtype', { 'content-type': 'application/grpc+proto' }, frame(BODY)],
    ['with a time', { 'grpc-timeout': '10S' }, frame(BODY)],
    ['of no points', {}, frame(Buffer.alloc(0))],
  ])('gets status 0 and an empty message: %s', async (title, headers, body) => {
    const { otlp, port } = await started();
    const answer = await call(port, body, headers);
    expect([answer.status, answer.message, answer.body.length]).toEqual([0, '', 0]);
    const points = title === 'of no points' ? 0 : 1;
    expect(otlp.health).toMatchObject({ requests: 1, failedRequests: 0, points });
  });

  test('gets the refused points and the reasons', async () => {
    const { port } = await started();
    const { status, body } = await call(port, frame(GAUGE));
    expect(status).toBe(0);
    expect(partialSuccessIn(body)).toEqual({
      rejectedPoints: 2,
      message: expect.stringContaining('is not a histogram: only histograms are accepted (2 points)'),
    });
  });

  test('may come in pieces of a byte', async () => {
    const { otlp, port } = await started();
    const stream = begin(session(port));
    stream.resume();
    for (const byte of frame(BODY)) {
      stream.write(Buffer.of(byte));
      await sleep(0);
    }
    stream.end();
    await once(stream, 'close');
    expect(otlp.health.points).toBe(1);
  });

  test('runs beside others on one connection', async () => {
    const { otlp, port } = await started();
    const client = session(port);
    const slow = begin(client);
    slow.write(frame(BODY).subarray(0, 10));
    expect((await callOn(client, frame(BODY))).status).toBe(0);
    slow.destroy();
    expect(otlp.health.requests).toBe(1);
  });

  test('comes by TLS when there is a certificate', async () => {
    const { port } = await started({ tls: { certFile: LOCALHOST.certFile, keyFile: LOCALHOST.keyFile } });
    const client = connectHttp2(`https://localhost:${port}`, { ca: LOCALHOST.cert, host: '127.0.0.1' });
    ends.push(() => client.destroy());
    expect((await callOn(client, frame(BODY))).status).toBe(0);
  });
});

const OVERLONG = Buffer.alloc(5, 255);
OVERLONG[0] = 0;

describe('a failed call', () => {
  test.each<[string, Uint8Array, Record<string, string>, number, string]>([
    ['damaged protobuf', frame(Buffer.from('hello')), {}, 3, ''],
    ['no gzip', frame(BODY, 1), { 'grpc-encoding': 'gzip' }, 3, 'the body is not gzip'],
    [
      'a cut gzip',
      frame(gzipSync(BODY).subarray(0, -9), 1),
      { 'grpc-encoding': 'gzip' },
      3,
      'the body is not gzip',
    ],
    ['an encoding that is not stated', frame(gzipSync(BODY), 1), {}, 3, 'grpc-encoding does not say how'],
    [
      'an unknown encoding',
      frame(BODY, 1),
      { 'grpc-encoding': 'zstd' },
      12,
      'grpc-encoding must be gzip or identity',
    ],
    ['a flag that does not exist', frame(BODY, 2), {}, 3, 'must be 0 or 1, got 2'],
    [
      'a length of 2^32 - 1',
      OVERLONG,
      {},
      8,
      'received message larger than max: the body must have at most 16777216',
    ],
    ['a cut message', frame(BODY).subarray(0, -1), {}, 3, 'the message is cut'],
    ['a cut frame', frame(BODY).subarray(0, 3), {}, 3, 'the message is cut'],
    ['no message', Buffer.alloc(0), {}, 12, 'one message, got none'],
    ['two messages', Buffer.concat([frame(BODY), frame(BODY)]), {}, 12, 'one message, got more'],
    ['a time without a unit', frame(BODY), { 'grpc-timeout': '10' }, 3, 'grpc-timeout must be'],
    [
      'another service',
      frame(BODY),
      { ':path': EXPORT.replaceAll('etrics', 'race') },
      12,
      'accepted at /opentelemetry',
    ],
    ['another method', frame(BODY), { ':path': `${EXPORT}2` }, 12, 'accepted at /opentelemetry'],
  ])('gets a status and a reason, and counts nothing: %s', async (_, body, headers, status, message) => {
    const { registry, otlp, port } = await started();
    const answer = await call(port, body, headers);
    expect([answer.status, answer.message]).toEqual([status, expect.stringContaining(message)]);
    expect(otlp.health).toMatchObject({ requests: 0, failedRequests: 1, points: 0 });
    expect((await registry.gather()).families).toEqual([]);
    expect((await call(port, frame(BODY))).status).toBe(0);
  });

  test('gets the encodings that are known', async () => {
    const { port } = await started();
    const { headers } = await call(port, frame(BODY, 1), { 'grpc-encoding': 'br' });
    expect(headers['grpc-accept-encoding']).toBe('identity,gzip');
  });

  test.each([
    ['of another type', { 'content-type': 'application/json' }],
    ['of gRPC for browsers', { 'content-type': 'application/grpc-web' }],
    ['by another method', { ':method': 'PUT' }],
  ])('gets HTTP 415, as it is not of gRPC, and counts as failed: %s', async (_, headers) => {
    const { otlp, port } = await started();
    const answer = await call(port, frame(BODY), headers);
    expect([answer.headers[':status'], answer.status]).toEqual([415, undefined]);
    expect(otlp.health.failedRequests).toBe(1);
  });

  test('of more bytes or elements than the budget gets RESOURCE_EXHAUSTED, which a sender does not repeat', async () => {
    const { otlp, port } = await started({ maxBytes: 50_000, maxElements: 10 });
    const bytes = await call(port, frame(gzipSync(Buffer.alloc(60_000)), 1), { 'grpc-encoding': 'gzip' });
    const elements = await call(port, frame(BODY));
    for (const { status, message, headers } of [bytes, elements]) {
      expect([status, message]).toEqual([
        8,
        expect.stringMatching(
          /larger than max: the body must have at most 50000|larger than max: the body must have at most 10 elements: send/,
        ),
      ]);
      expect(headers['grpc-status-details-bin']).toBeUndefined();
    }
    expect(otlp.health.refusals.body).toBe(2);
  });

  test('of a gzip of a gigabyte is inflated up to the limit only', async () => {
    const { port } = await started({ maxBytes: 2 ** 20 });
    const bomb = Buffer.concat(new Array(13).fill(gzipSync(Buffer.alloc(80 * 2 ** 20))));
    const before = process.memoryUsage().rss;
    const { status, message } = await call(port, frame(bomb.subarray(0, 2 ** 20 - 1), 1), {
      'grpc-encoding': 'gzip',
    });
    expect([status, message]).toEqual([8, expect.stringContaining('at most 1048576 bytes')]);
    expect(process.memoryUsage().rss - before).toBeLessThan(100e6);
  });

  test('that is not complete gives way to others with a time to try again', async () => {
    const { port } = await started({ maxBytes: 30_000, maxPendingBytes: 50_000 });
    const client = session(port);
    const first = begin(client);
    const headers = once(first, 'response');
    first.write(frame(Buffer.alloc(25_000), 0, 30_000));
    await sleep(100);
    const second = begin(client);
    second.write(frame(Buffer.alloc(28_000), 0, 30_000));
    const [answer] = await headers;
    expect(answer['grpc-status']).toBe('8');
    const details = statusIn(Buffer.from(answer['grpc-status-details-bin'], 'base64'));
    expect(details).toEqual({ message: expect.stringContaining('at most 50000 bytes'), retryAfterMs: 1000 });
  });

  test('ends when the time of its client is over', async () => {
    const { otlp, port } = await started();
    const stream = session(port).request({
      ':method': 'POST',
      ':path': EXPORT,
      'content-type': 'application/grpc',
      'grpc-timeout': '50m',
    });
    stream.on('error', () => {}).write(frame(BODY).subarray(0, 9));
    const [headers] = await once(stream, 'response');
    expect([headers['grpc-status'], otlp.health.points]).toEqual(['4', 0]);
  });
});

describe('access', () => {
  const token = 'a-token-of-24-characters';

  test('needs the token where there is one', async () => {
    const { otlp, port } = await started({ token });
    expect((await call(port, frame(BODY))).status).toBe(16);
    expect((await call(port, frame(BODY), { authorization: 'Bearer another-token-of-its-own' })).status).toBe(
      16,
    );
    expect((await call(port, frame(BODY), { authorization: `Bearer ${token}` })).status).toBe(0);
    expect(otlp.health).toMatchObject({ points: 1, refusals: { token: 2 } });
    const health = await call(port, Buffer.alloc(0), { ':method': 'GET', ':path': '/healthz' });
    expect(health.headers[':status']).toBe(200);
  });

  test('is refused to pages of other sites and by other names', async () => {
    const { otlp, port } = await started();
    expect((await call(port, frame(BODY), { origin: 'http://evil.example' })).status).toBe(7);
    expect((await call(port, frame(BODY), { ':authority': 'evil.example' })).status).toBe(7);
    expect(otlp.health).toMatchObject({ points: 0, refusals: { origin: 1, host: 1 } });
  });
});

const idle = async (port: number): Promise<Socket> => {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  ends.push(() => socket.destroy());
  await once(socket, 'connect');
  return socket;
};

describe('a client that does harm', () => {
  test('by HTTP/1 gets a sentence', async () => {
    const { otlp, port } = await started();
    const { status, body } = await ask(port, { headers: PROTOBUF, body: BODY });
    expect([status, body.toString()]).toEqual([
      400,
      expect.stringMatching(/^this port speaks HTTP\/2 only: .*gRPC.*\n$/),
    ]);
    expect(otlp.health.refusals.malformed).toBe(1);
  });

  test('by silence is closed', async () => {
    const { otlp, port } = await started({ limits: { headersMs: 50, idleMs: 50 } });
    const silent = await idle(port);
    const cut = await idle(port);
    cut.write('PRI * HT');
    await Promise.all([once(silent.resume(), 'close'), once(cut.resume(), 'close')]);
    expect(otlp.health.refusals.timeout).toBe(2);
    const client = session(port);
    await once(client, 'close');
    expect((await call(port, frame(BODY))).status).toBe(0);
  });

  test('by a body that does not come gets DEADLINE_EXCEEDED', async () => {
    const { otlp, port } = await started({ limits: { requestMs: 50 } });
    const stream = begin(session(port));
    stream.write(frame(BODY).subarray(0, 20));
    const [headers] = await once(stream, 'response');
    expect([headers['grpc-status'], otlp.health.refusals.timeout]).toEqual(['4', 1]);
  });

  test('by a body that comes a byte at a time gets DEADLINE_EXCEEDED', async () => {
    const { otlp, port } = await started({ limits: { requestMs: 100 } });
    const stream = begin(session(port));
    let hasAnswer = false;
    const answered = once(stream, 'response').then(([headers]) => {
      hasAnswer = true;
      return headers['grpc-status'];
    });
    // It is never silent, so only the time of the whole request ends it.
    for (const byte of frame(BODY).subarray(0, -1)) {
      if (hasAnswer) break;
      stream.write(Buffer.of(byte));
      await sleep(10);
    }
    expect([await answered, otlp.health.refusals.timeout, otlp.health.points]).toEqual(['4', 1, 0]);
  });

  test('by many idle connections does not keep others out', async () => {
    const { otlp, port } = await started({ limits: { connections: 50 } });
    await Promise.all(Array.from({ length: 300 }, () => idle(port)));
    const sessions = Array.from({ length: 700 }, () => session(port));
    await Promise.all(sessions.map((one) => once(one, 'connect').catch(() => {})));
    expect((await call(port, frame(BODY))).status).toBe(0);
    expect(otlp.health.refusals.connections).toBeGreaterThanOrEqual(900);
  });

  test('by slow calls gives their places to others', async () => {
    const { port } = await started({ limits: { requests: 2 } });
    const slow = session(port);
    for (let i = 0; i < 2; i++) begin(slow).write(frame(BODY).subarray(0, 9));
    await sleep(50);
    expect((await call(port, frame(BODY))).status).toBe(0);
  });

  test('by a flood of calls that it takes back is cut off', async () => {
    const { otlp, port } = await started();
    const client = session(port);
    let sent = 0;
    for (; sent < 20_000 && !client.destroyed && !client.closed; sent++) {
      const stream = begin(client);
      stream.write(frame(BODY).subarray(0, 9));
      stream.close(8);
      if (sent % 50 === 0) await sleep(0);
    }
    expect((await call(port, frame(BODY))).status).toBe(0);
    expect(sent).toBeLessThan(20_000);
    expect(otlp.health.points).toBe(1);
  });

  test('by going away in the middle counts nothing', async () => {
    const failures: string[] = [];
    const { otlp, port } = await started({
      observer: { failed: (error) => void failures.push((error as Error).message) },
    });
    const client = session(port);
    begin(client).write(frame(BODY));
    await sleep(50);
    client.destroy();
    await sleep(50);
    expect(failures).toEqual([expect.stringContaining('before its')]);
    expect(otlp.health).toMatchObject({ failedRequests: 1, points: 0 });
  });
});

test('a PING is answered, so a connection is found alive', async () => {
  const { port } = await started();
  const client = session(port);
  await once(client, 'connect');
  const payload = Buffer.from('8 bytes.');
  expect(await new Promise((resolve) => client.ping(payload, (_error, _ms, got) => resolve(got)))).toEqual(
    payload,
  );
});

describe('a server that closes', () => {
  test('answers the calls under way', async () => {
    const { otlp, port } = await started();
    const client = session(port);
    const stream = begin(client);
    stream.resume().write(frame(BODY).subarray(0, 20));
    await sleep(50);
    const goneAway = once(client, 'goaway');
    const trailers = once(stream, 'trailers');
    const closed = otlp.close();
    await goneAway;
    stream.end(frame(BODY).subarray(20));
    expect((await trailers)[0]['grpc-status']).toBe('0');
    await closed;
    expect(otlp.health.points).toBe(1);
  });

  test('cuts calls that do not end', async () => {
    const { otlp, port } = await started();
    begin(session(port)).write(frame(BODY).subarray(0, 20));
    await idle(port);
    await sleep(50);
    await otlp.close();
    await expect(idle(port)).rejects.toThrow('ECONNREFUSED');
  });
});
