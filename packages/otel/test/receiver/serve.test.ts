import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { connect } from 'node:net';
import { gzipSync } from 'node:zlib';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { type OtlpReceiver, otlpReceiver, type RunningOtlp, serveOtlp } from '../../src/receiver/index.ts';
import { ask, JSON_TYPE, PROTOBUF, sendRaw } from './support/http.ts';
import { DELTA, explicitPoint } from './support/receiving.ts';
import { requestBytes, requestJson } from './support/request.ts';

const running: RunningOtlp[] = [];
afterEach(async () => {
  await Promise.all(running.splice(0).map((otlp) => otlp.close()));
});

async function started(options: Parameters<typeof serveOtlp>[1] = {}) {
  const registry = createRegistry();
  const otlp = await serveOtlp(registry, { host: '127.0.0.1', port: 0, ...options });
  running.push(otlp);
  return { registry, otlp, port: otlp.port };
}

async function total(registry: Registry): Promise<number> {
  const { families } = await registry.gather();
  return families[0]?.series[0]?.histogram.totalCount ?? 0;
}

let points = 0;

/** A request whose delta point is new. */
function fresh(count = 5) {
  points++;
  return requestJson([
    {
      name: 'm',
      unit: 's',
      histogram: {
        aggregationTemporality: DELTA,
        dataPoints: [explicitPoint([count, 0, 0, 0], { timeUnixNano: points })],
      },
    },
  ]);
}

const WITH_GAUGE = requestJson([{ name: 'g', gauge: { dataPoints: [{}, {}] } }]);

/** The message of a `google.rpc.Status`. */
function statusMessage(body: Uint8Array): string {
  const reader = new BinaryReader(body);
  expect(reader.uint32()).toBe((2 << 3) | 2);
  return reader.string();
}

describe('an accepted request', () => {
  test.each([
    ['protobuf, plain', PROTOBUF, () => requestBytes(fresh())],
    ['protobuf, gzipped', { ...PROTOBUF, 'content-encoding': 'gzip' }, () => gzipSync(requestBytes(fresh()))],
    ['JSON, plain', JSON_TYPE, () => JSON.stringify(fresh())],
    ['JSON, gzipped', { ...JSON_TYPE, 'content-encoding': 'GZIP' }, () => gzipSync(JSON.stringify(fresh()))],
    [
      'JSON, with a charset',
      { 'content-type': 'Application/JSON; charset=utf-8' },
      () => JSON.stringify(fresh()),
    ],
    ['protobuf, identity', { ...PROTOBUF, 'content-encoding': 'identity' }, () => requestBytes(fresh())],
  ])('in %s, gets 200 in its own encoding and an empty message', async (title, headers, body) => {
    const { registry, otlp, port } = await started();
    const answer = await ask(port, { headers, body: body() });
    expect(answer.status).toBe(200);
    const isJson = title.startsWith('JSON');
    expect(answer.headers['content-type']).toBe(isJson ? 'application/json' : 'application/x-protobuf');
    expect(answer.body.toString()).toBe(isJson ? '{}' : '');
    expect(await total(registry)).toBe(5);
    expect(otlp.health).toMatchObject({ requests: 1, failedRequests: 0, points: 1 });
  });

  test('gets the refused points and the reasons in JSON', async () => {
    const { port } = await started();
    const { status, body } = await ask(port, { headers: JSON_TYPE, body: JSON.stringify(WITH_GAUGE) });
    expect(status).toBe(200);
    expect(JSON.parse(body.toString())).toEqual({
      partialSuccess: {
        rejectedDataPoints: '2',
        errorMessage: '"g" is not a histogram: only histograms are accepted (2 points)',
      },
    });
  });

  test('gets the refused points and the reasons in protobuf', async () => {
    const { port } = await started();
    const { status, body } = await ask(port, { headers: PROTOBUF, body: requestBytes(WITH_GAUGE) });
    expect(status).toBe(200);
    const reader = new BinaryReader(body);
    expect([reader.uint32(), reader.uint32()]).toEqual([(1 << 3) | 2, body.length - 2]);
    expect([reader.uint32(), reader.int64()]).toEqual([1 << 3, 2n]);
    expect([reader.uint32(), reader.string()]).toEqual([
      (2 << 3) | 2,
      '"g" is not a histogram: only histograms are accepted (2 points)',
    ]);
  });

  test('can have a body of exactly the limit', async () => {
    const { port } = await started({ maxBytes: 1000 });
    const body = `{}${' '.repeat(998)}`;
    expect((await ask(port, { headers: JSON_TYPE, body })).status).toBe(200);
  });

  test('can be empty', async () => {
    const { port } = await started();
    expect((await ask(port, { headers: PROTOBUF })).status).toBe(200);
    expect((await ask(port, { headers: JSON_TYPE, body: '{}' })).status).toBe(200);
  });
});

describe('a failed request', () => {
  test.each([
    ['not protobuf', PROTOBUF, 'hello'],
    ['not JSON', JSON_TYPE, 'hello'],
    ['not gzip', { ...JSON_TYPE, 'content-encoding': 'gzip' }, 'hello'],
    ['half a gzip', { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync('{"a":1}').subarray(0, 12)],
  ])('gets 400 and a status in its own encoding: %s', async (_, headers, body) => {
    const { otlp, port } = await started();
    const answer = await ask(port, { headers, body });
    expect(answer.status).toBe(400);
    expect(answer.headers['content-type']).toBe(headers['content-type']);
    const message =
      headers === PROTOBUF ? statusMessage(answer.body) : JSON.parse(answer.body.toString()).message;
    expect(message).not.toBe('');
    expect(otlp.health).toMatchObject({ requests: 0, failedRequests: 1 });
  });

  test.each([
    [404, { path: '/v1/traces', headers: PROTOBUF }],
    [404, { path: '/', headers: JSON_TYPE }],
    [405, { method: 'GET', headers: JSON_TYPE }],
    [415, { headers: { 'content-type': 'text/plain' }, body: 'x' }],
    [415, { body: 'x' }],
    [415, { headers: { ...JSON_TYPE, 'content-encoding': 'zstd' }, body: 'x' }],
  ])('gets %i: %p', async (status, asked) => {
    const { port } = await started();
    expect((await ask(port, asked)).status).toBe(status);
  });

  test('gets the allowed method with 405', async () => {
    const { port } = await started();
    expect((await ask(port, { method: 'PUT', headers: JSON_TYPE })).headers.allow).toBe('POST');
  });

  test.each([
    ['plain', JSON_TYPE, Buffer.alloc(1001, ' ')],
    ['decompressed', { ...JSON_TYPE, 'content-encoding': 'gzip' }, gzipSync(Buffer.alloc(1_000_000, ' '))],
  ])('gets 413 when its body is too large: %s', async (_, headers, body) => {
    const { port } = await started({ maxBytes: 1000 });
    const answer = await ask(port, { headers, body });
    expect(answer.status).toBe(413);
    expect(JSON.parse(answer.body.toString()).message).toBe(
      'the body must have at most 1000 bytes, on the wire and decompressed: send smaller batches, or raise maxBytes of the receiver',
    );
  });

  test('that ends early counts nothing, and the next one is answered', async () => {
    const { registry, otlp, port } = await started();
    const head = 'POST /v1/metrics HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n';
    await sendRaw(port, `${head}Content-Length: 100\r\n\r\n{"resource`);
    await sendRaw(port, 'POST /v1/me');
    const { status } = await ask(port, { headers: JSON_TYPE, body: JSON.stringify(fresh()) });
    expect(status).toBe(200);
    expect(await total(registry)).toBe(5);
    expect(otlp.health.requests).toBe(1);
  });
});

describe('a server', () => {
  test('listens until it is closed, and a second close does nothing', async () => {
    const { otlp, port } = await started();
    await Promise.all([otlp.close(), otlp.close()]);
    await expect(ask(port)).rejects.toThrow('ECONNREFUSED');
  });

  test('closes idle connections when it closes', async () => {
    const { otlp, port } = await started();
    const socket = connect(port, '127.0.0.1');
    const closed = new Promise((resolve) => socket.on('close', resolve));
    await new Promise((resolve) => socket.on('connect', resolve));
    await otlp.close();
    await closed;
  });

  test('rejects when its port is taken', async () => {
    const { port } = await started();
    await expect(serveOtlp(createRegistry(), { host: '127.0.0.1', port })).rejects.toThrow('EADDRINUSE');
  });

  test.each([
    [{ port: -1 }, 'port must be an integer from 0 to 65535, got -1'],
    [{ host: '' }, 'host must be a name or an address, got ""'],
    [{ maxBytes: 0 }, 'maxBytes must be an integer from 1 to 2^30, got 0'],
    [{ maxStreams: 1.5 }, 'maxStreams must be an integer from 1 to 2^30, got 1.5'],
    [{ forgetAfterMs: 0 }, 'forgetAfterMs must be a number above 0, got 0'],
    [{ resourceAttributes: 'service.name' }, 'resourceAttributes must be an array of texts'],
    [{ familyOptions: {} }, 'familyOptions must be a function'],
  ])('refuses options that are out of range: %p', async (options, message) => {
    await expect(serveOtlp(createRegistry(), options as object)).rejects.toThrow(
      expect.objectContaining({ code: 'ERR_INVALID_OPTION', message: expect.stringContaining(message) }),
    );
  });
});

test('a receiver can be a route of an existing server', async () => {
  const registry = createRegistry();
  const receiver: OtlpReceiver = otlpReceiver(registry);
  const server = createServer((request, response) => {
    if (request.url === '/') response.end('home');
    else receiver.handle(request, response);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  const { port } = server.address() as AddressInfo;
  expect((await ask(port, { path: '/', method: 'GET' })).body.toString()).toBe('home');
  expect((await ask(port, { headers: JSON_TYPE, body: JSON.stringify(fresh()) })).status).toBe(200);
  expect(receiver.health.points).toBe(1);
  server.close();
});

test('an observer hears of accepted requests, failed ones and the values', async () => {
  const heard: unknown[] = [];
  const { port } = await started({
    observer: {
      succeeded: () => heard.push('succeeded'),
      failed: (error) => heard.push((error as Error).message),
      added: (values) => heard.push(values),
    },
  });
  await ask(port, { headers: JSON_TYPE, body: JSON.stringify(fresh(5)) });
  await ask(port, { path: '/', headers: JSON_TYPE });
  expect(heard).toEqual([5, 'succeeded', 'metrics are accepted at /v1/metrics only']);
});

test('requests are answered although the observer throws', async () => {
  const { emitWarning } = process;
  const warnings: unknown[] = [];
  process.emitWarning = (warning: string | Error) => void warnings.push(warning);
  const { otlp, port } = await started({
    observer: {
      succeeded() {
        throw new Error('succeeded');
      },
      failed() {
        throw new Error('failed');
      },
    },
  });
  try {
    const taken = await ask(port, { headers: JSON_TYPE, body: JSON.stringify(fresh(5)) });
    const refused = await ask(port, { headers: JSON_TYPE, body: '{' });
    expect([taken.status, refused.status]).toEqual([200, 400]);
  } finally {
    process.emitWarning = emitWarning;
  }
  expect(warnings).toEqual(['succeeded', 'failed']);
  expect(otlp.health).toMatchObject({ requests: 1, failedRequests: 1 });
});

test('a failure of the registry is answered with 500, and the server continues', async () => {
  const registry = createRegistry();
  const broken: Registry = {
    ...registry,
    family() {
      throw new Error('out of order');
    },
  };
  const otlp = await serveOtlp(broken, { host: '127.0.0.1', port: 0 });
  running.push(otlp);
  const { status, body } = await ask(otlp.port, { headers: JSON_TYPE, body: JSON.stringify(fresh()) });
  expect([status, body.toString()]).toEqual([500, '{"message":"out of order"}']);
  expect((await ask(otlp.port, { headers: JSON_TYPE, body: '{}' })).status).toBe(200);
});
