import { createSecureServer as createSecureHttp2 } from 'node:http2';
import { createServer as createHttps } from 'node:https';
import type { AddressInfo } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { type OtlpSender, OtlpSenderMemory, type OtlpSenderOptions, sendOtlp } from '@hdrscope/otel/sender';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { LOCALHOST } from '@hdrscope/testing/tls';
import { PLAIN } from './fates.ts';
import {
  atEnd,
  endCall,
  type GrpcMisbehave,
  type Misbehave,
  startEndpoint,
  startGrpcEndpoint,
} from './support.ts';

/** Records a value every few milliseconds, and keeps the ledger. */
function recorder(registry: Registry): { recorded(): number; stop(): void } {
  let count = 0;
  const family = registry.histogram({ name: 'job.duration', unit: 'ms' });
  const series = ['a', 'b', 'c'].map((job) => family.with({ job }));
  const timer = setInterval(() => {
    series[count % 3]!.record(1 + (count % 50));
    count++;
  }, 3);
  const stop = (): void => clearInterval(timer);
  atEnd(stop);
  return { recorded: () => count, stop };
}

const QUICK = { intervalMs: 20, timeoutMs: 80 } satisfies Partial<OtlpSenderOptions>;

const status =
  (code: number, headers: Record<string, string> = {}): Misbehave =>
  (_, response) => {
    response.writeHead(code, headers);
    response.end();
  };

/** The ways to fail. Those that take the request before they fail must not make it count twice. */
const FAILURES: Readonly<Record<string, Misbehave>> = {
  '503': status(503),
  '503 until a date': (_, response) => {
    response.writeHead(503, { 'retry-after': new Date(Date.now() + 900).toUTCString() });
    response.end();
  },
  '429 with Retry-After': status(429, { 'retry-after': '1' }),
  '400': status(400),
  '401': status(401),
  'a redirect': status(307, { location: 'http://127.0.0.1:9' }),
  '500': status(500),
  'no answer': () => {},
  'no answer, but taken': (_request, _response, _body, take) => take(),
  'a slow answer': async (_, response, _body, take) => {
    await take();
    await sleep(2 * QUICK.timeoutMs);
    response.writeHead(200).end();
  },
  '502 from a proxy, but taken': async (_, response, _body, take) => {
    await take();
    response.writeHead(502).end();
  },
  'a connection that breaks': (request) => request.socket.destroy(),
  'a connection that breaks, but taken': async (request, _response, _body, take) => {
    await take();
    request.socket.destroy();
  },
  'an answer that breaks in the middle, taken': async (request, response, _body, take) => {
    await take();
    response.writeHead(200, { 'content-length': '100' });
    response.write('abc');
    await sleep(5);
    request.socket.destroy();
  },
};

/** Sends several times while values are recorded, beside what the sender sends at its intervals. */
async function flushTimes(sender: OtlpSender, times: number): Promise<void> {
  for (let left = times; left > 0; left--) {
    await sleep(6);
    await sender.flush().catch(() => {});
  }
}

/**
 * Lets an endpoint work, fail and work again, delivers the rest, and ends the sender.
 *
 * @param setFailing Called with whether the endpoint fails from now on.
 */
async function throughOutage(
  sender: OtlpSender,
  ledger: { stop(): void },
  setFailing: (isFailing: boolean) => void,
): Promise<void> {
  await flushTimes(sender, 2);
  setFailing(true);
  await flushTimes(sender, 3);
  setFailing(false);
  await flushTimes(sender, 2);
  ledger.stop();
  await finish(sender);
}

/** Ends a sender when all is delivered. On a busy machine, an answer may be late. */
async function finish(sender: OtlpSender): Promise<void> {
  for (let left = 50; left > 0; left--) {
    const isDelivered = await sender.flush().then(
      () => true,
      () => false,
    );
    if (isDelivered) break;
  }
  // All is delivered. A cumulative sender sends it once more.
  await sender.close().catch(() => {});
}

describe.each(['delta', 'cumulative'] as const)('%s', (temporality) => {
  test.each(Object.keys(FAILURES))('loses nothing and sends nothing twice: %s', async (name) => {
    let fails: Misbehave | undefined;
    const endpoint = await startEndpoint(() => fails);
    const registry = createRegistry();
    const ledger = recorder(registry);
    const errors: string[] = [];
    const observer = { failed: (error: Error) => errors.push(error.message) };
    const sender = sendOtlp(registry, { url: endpoint.url, temporality, observer, ...QUICK });
    await throughOutage(sender, ledger, (isFailing) => {
      fails = isFailing ? FAILURES[name] : undefined;
    });
    expect(await endpoint.values()).toBe(ledger.recorded());
    expect(sender.health).toMatchObject({ pendingValues: 0, givenUpValues: 0, rejectedPoints: 0 });
    const isTakenAtOnce = name === 'an answer that breaks in the middle, taken';
    if (!isTakenAtOnce) expect(errors).not.toEqual([]);
    expect(sender.health.failedRequests).toBe(errors.length);
  });

  test('loses nothing and sends nothing twice: a connection that is refused', async () => {
    const endpoint = await startEndpoint(() => undefined);
    const registry = createRegistry();
    const ledger = recorder(registry);
    const sender = sendOtlp(registry, { url: endpoint.url, temporality, ...QUICK });
    await flushTimes(sender, 2);
    await endpoint.shut();
    // The sender tries again by itself.
    while (sender.health.failedRequests < 2) await sleep(5);
    await expect(sender.flush()).rejects.toMatchObject({ code: 'ERR_OTLP', message: /ECONNREFUSED/ });
    await endpoint.open();
    ledger.stop();
    await finish(sender);
    expect(await endpoint.values()).toBe(ledger.recorded());
  });
});

const GRPC_FAILURES: Readonly<Record<string, GrpcMisbehave>> = {
  UNAVAILABLE: (stream) => endCall(stream, 14),
  'RESOURCE_EXHAUSTED with a pushback': (stream) => endCall(stream, 8, { 'grpc-retry-pushback-ms': '300' }),
  UNAUTHENTICATED: (stream) => endCall(stream, 16, { 'grpc-message': 'no%20token' }),
  'INTERNAL, but taken': async (stream, take) => {
    await take();
    endCall(stream, 13);
  },
  'no answer': () => {},
  'no answer, but taken': (_, take) => take(),
  'a stream that is reset, but taken': async (stream, take) => {
    await take();
    stream.close(2);
  },
  'a connection that breaks': (stream) => stream.session?.destroy(),
};

test.each(Object.keys(GRPC_FAILURES))('gRPC loses nothing and sends nothing twice: %s', async (name) => {
  let fails: GrpcMisbehave | undefined;
  const endpoint = await startGrpcEndpoint(() => fails);
  const registry = createRegistry();
  const ledger = recorder(registry);
  const headers = { authorization: 'Bearer secret' };
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    protocol: 'grpc',
    headers,
    temporality: 'delta',
    ...QUICK,
  });
  await throughOutage(sender, ledger, (isFailing) => {
    fails = isFailing ? GRPC_FAILURES[name] : undefined;
  });
  expect(await endpoint.values()).toBe(ledger.recorded());
  expect(sender.health.failedRequests).toBeGreaterThan(0);
  expect(endpoint.headers[0]).toMatchObject({
    authorization: 'Bearer secret',
    te: 'trailers',
    'grpc-encoding': 'gzip',
  });
});

test.each([
  [9_999.5, '10000m'],
  [99_999_998.5, '99999999m'],
  [100_000_000, '100000S'],
  [2 ** 31 - 1, '2147484S'],
])('a limit of %d ms has at most 8 digits over gRPC: %s', async (timeoutMs, text) => {
  const endpoint = await startGrpcEndpoint(() => undefined);
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const sender = sendOtlp(registry, { url: endpoint.url, protocol: 'grpc', timeoutMs });
  await sender.close();
  expect(endpoint.headers.map((one) => one['grpc-timeout'])).toEqual([text]);
});

test.each([
  ['seconds', () => '60'],
  ['a date', () => new Date(Date.now() + 60_000).toUTCString()],
])('Retry-After is honoured, as %s', async (_, after) => {
  const endpoint = await startEndpoint(() => (_request, response) => {
    response.writeHead(503, { 'retry-after': after() });
    response.end();
  });
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const sender = sendOtlp(registry, { url: endpoint.url, ...QUICK });
  while (sender.health.failedRequests === 0) await sleep(5);
  await sleep(10 * QUICK.intervalMs);
  expect(endpoint.requests).toHaveLength(1);
  await sender.close().catch(() => {});
});

test('after a failure it waits longer and longer', async () => {
  const endpoint = await startEndpoint(() => status(503));
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const sender = sendOtlp(registry, { url: endpoint.url, intervalMs: 20 });
  while (endpoint.requests.length < 5) await sleep(5);
  await sender.close().catch(() => {});
  const waits = endpoint.requests.slice(1, 5).map((ms, i) => ms - endpoint.requests[i]!);
  // 20, 40, 80 and 160 ms, or half of each. A timer may be early by a millisecond.
  expect(waits.map((ms, i) => ms > 10 * 2 ** i - 2)).toEqual([true, true, true, true]);
});

test('the same bytes are sent again while it is unknown whether they were taken', async () => {
  let calls = 0;
  const endpoint = await startEndpoint(() => (++calls <= 2 ? FAILURES['no answer, but taken'] : undefined));
  const registry = createRegistry();
  const series = registry.histogram({ name: 'a' }).with({});
  series.record(1);
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    temporality: 'delta',
    intervalMs: 3_600_000,
    timeoutMs: 1000,
  });
  await expect(sender.flush()).rejects.toThrow('the receiver has not answered within 1000 ms');
  expect(sender.health.pendingValues).toBe(1);
  series.record(2);
  await expect(sender.flush()).rejects.toThrow();
  await sender.flush();
  const [first, second, third, fourth] = endpoint.bodies as [Buffer, Buffer, Buffer, Buffer];
  expect(second).toEqual(first);
  expect(third).toEqual(first);
  expect(fourth).not.toEqual(first);
  expect(endpoint.health.duplicates).toBe(2);
  expect(await endpoint.values()).toBe(2);
  expect(sender.health).toMatchObject({ requests: 2, failedRequests: 2, pendingValues: 0 });
  await sender.close();
});

/** `{ partial_success: { rejected_data_points: 1, error_message: 'quota exceeded' } }` */
const QUOTA = Buffer.concat([Buffer.from('0a1208011' + '20e', 'hex'), Buffer.from('quota exceeded')]);

test.each(['http/protobuf', 'grpc'] as const)(
  'a partial success is reported with its message and count: %s',
  async (protocol) => {
    const endpoint =
      protocol === 'http/protobuf'
        ? await startEndpoint(() => (_, response) => {
            response.writeHead(200, { 'content-type': 'application/x-protobuf' });
            response.end(QUOTA);
          })
        : await startGrpcEndpoint(() => (stream) => endCall(stream, 0, {}, QUOTA));
    const registry = createRegistry();
    const series = registry.histogram({ name: 'a' }).with({});
    series.record(1);
    const errors: string[] = [];
    const observer = { failed: (error: Error) => errors.push(error.message) };
    const sender = sendOtlp(registry, {
      url: endpoint.url,
      protocol,
      temporality: 'delta',
      observer,
      intervalMs: 3_600_000,
    });
    await sender.flush();
    expect(errors).toEqual([`the receiver has rejected 1 point over ${protocol}: quota exceeded`]);
    const lastPartialSuccess = { rejectedPoints: 1, message: 'quota exceeded' };
    expect(sender.health).toEqual({
      damagedFiles: 0,
      queueProblem: undefined,
      requests: 1,
      failedRequests: 0,
      pendingValues: 0,
      rejectedPoints: 1,
      givenUpValues: 0,
      uncertainValues: 0,
      tooLargePoints: 0,
      lastPartialSuccess,
    });
    // The receiver does not want these points again.
    await sender.flush();
    expect(endpoint.requests).toHaveLength(1);
    await sender.close();
  },
);

const SCALE = 'cannot convert exponential to native histogram. Scale must be >= -4, was -6';
const JSON_TYPE = { 'content-type': 'application/json' };

test.each<[how: string, answer: Misbehave]>([
  ['refuses', (_, response) => void response.writeHead(400).end(SCALE)],
  // As Prometheus does.
  ['fails at', (_, response) => void response.writeHead(500).end(SCALE)],
  [
    'rejects',
    (_, response) => {
      const partialSuccess = { rejectedDataPoints: 1, errorMessage: SCALE };
      response.writeHead(200, JSON_TYPE).end(JSON.stringify({ partialSuccess }));
    },
  ],
])('a receiver that %s the scale of a histogram is reported with the cure', async (_how, answer) => {
  const endpoint = await startEndpoint(() => answer);
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const errors: string[] = [];
  const observer = { failed: (error: Error) => errors.push(error.message) };
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    protocol: 'http/json',
    observer,
    intervalMs: 3_600_000,
  });
  await sender.flush().catch(() => {});
  expect(errors).toEqual([
    expect.stringMatching(
      /: cannot convert .* was -6: send explicit histograms \(histograms: explicit\), or raise maxSize of the view for a finer scale$/,
    ),
  ]);
  await sender.close().catch(() => {});
});

test('a receiver that takes histograms only is no failure, and is reported once', async () => {
  const endpoint = await startEndpoint(() => undefined);
  const registry = createRegistry();
  const series = registry.histogram({ name: 'a' }).with({});
  const read = () => [
    {
      name: 'n',
      kind: 'counter' as const,
      unit: '',
      description: '',
      points: [{ attributes: {}, value: 1 }],
    },
  ];
  const failed: Error[] = [];
  const warned: string[] = [];
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    numbers: { scope: 'own', read },
    observer: { failed: (error) => failed.push(error), warned: (message) => warned.push(message) },
    intervalMs: 3_600_000,
  });
  for (let i = 0; i < 3; i++) {
    series.record(i);
    await sender.flush();
  }
  expect(failed).toEqual([]);
  expect(warned).toEqual([
    expect.stringMatching(/^the receiver takes histograms only, and has rejected 1 number: "n" is not/),
  ]);
  expect(sender.health).toMatchObject({ requests: 3, rejectedPoints: 3 });
  await sender.close();
});

test.each([
  ['text/html', '<title>Sign in</title>', false],
  ['Text/HTML; charset=utf-8', '<title>Sign in</title>', false],
  ['text/plain', 'ok', true],
  ['application/json', '', true],
  [undefined, '', true],
])(
  'after a success of the type %s with the body %p, the request is taken: %p',
  async (type, text, isTaken) => {
    const endpoint = await startEndpoint(() => (_, response) => {
      response.writeHead(200, type === undefined ? {} : { 'content-type': type }).end(text);
    });
    const registry = createRegistry();
    registry.histogram({ name: 'a' }).with({}).record(1);
    const sender = sendOtlp(registry, { url: endpoint.url, ...PLAIN });
    const flushed = sender.flush().then(() => true);
    if (isTaken) expect(await flushed).toBe(true);
    else
      await expect(flushed).rejects.toMatchObject({
        message: 'the receiver has answered 200 with a page of HTML: it does not speak OTLP',
        details: { isFinal: true },
      });
    expect(sender.health.pendingValues).toBe(isTaken ? 0 : 1);
    await sender.close().catch(() => {});
  },
);

test('a receiver that takes all and says something is heard once', async () => {
  const says = Buffer.concat([Buffer.from('0a061204', 'hex'), Buffer.from('slow')]);
  const endpoint = await startEndpoint(() => (_, response) => response.end(says));
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const warned: string[] = [];
  const observer = { warned: (message: string) => warned.push(message) };
  const sender = sendOtlp(registry, { url: endpoint.url, observer, intervalMs: 3_600_000 });
  await sender.flush();
  await sender.close();
  expect(warned).toEqual(['slow']);
  expect(sender.health).toMatchObject({ requests: 2, rejectedPoints: 0 });
});

test('numbers come from an object of any class', async () => {
  const endpoint = await startEndpoint(() => undefined);
  class Errors {
    readonly scope = 'agent';
    #count = 3;
    read() {
      const points = [{ attributes: {}, value: this.#count }];
      return [{ name: 'errors', kind: 'counter' as const, unit: '', description: '', points }];
    }
  }
  const sender = sendOtlp(createRegistry(), {
    url: endpoint.url,
    protocol: 'http/json',
    compression: 'none',
    numbers: new Errors(),
  });
  await sender.close();
  const [scope] = JSON.parse(String(endpoint.bodies[0])).resourceMetrics[0].scopeMetrics;
  expect(scope.metrics[0].sum.dataPoints[0].asDouble).toBe(3);
});

test('a gRPC request that cannot be made leaves nothing behind', async () => {
  const endpoint = await startGrpcEndpoint(() => undefined);
  const timers = (): number => process.getActiveResourcesInfo().filter((one) => one === 'Timeout').length;
  const before = timers();
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const sender = sendOtlp(registry, {
    url: endpoint.url,
    protocol: 'grpc',
    headers: { 'not a name': 'x' },
  });
  await expect(sender.close()).rejects.toThrow('the request cannot be made');
  expect(timers()).toBe(before);
});

test('a sender that replaces another one goes on where it was', async () => {
  let fails: Misbehave | undefined;
  const endpoint = await startEndpoint(() => fails);
  const registry = createRegistry();
  const series = registry.histogram({ name: 'a' }).with({});
  const memory = new OtlpSenderMemory();
  const options = {
    url: endpoint.url,
    temporality: 'delta',
    memory,
    intervalMs: 3_600_000,
    timeoutMs: 10_000,
  } as const;
  const first = sendOtlp(registry, options);
  series.record(1);
  await first.flush();
  fails = FAILURES['no answer, but taken'];
  series.record(1);
  const stopped = first.close({ timeoutMs: 1000 });
  const second = sendOtlp(registry, options);
  await expect(stopped).rejects.toThrow('the request was cut off, because the sender was closed');
  fails = undefined;
  series.record(1);
  await second.close();
  expect(await endpoint.values()).toBe(3);
  expect(endpoint.health.duplicates).toBe(1);
});

test('the error of a name with several addresses has the reason of each', async () => {
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const sender = sendOtlp(registry, { url: 'http://localhost:9/v1/metrics' });
  await expect(sender.close()).rejects.toThrow(/^the request has failed: connect ECONNREFUSED /);
});

test('errors do not show secrets of the URL', async () => {
  expect(() => sendOtlp(createRegistry(), { url: 'ftp://u:hunter2@h' })).toThrow(
    /^url must be a URL such as(?!.*hunter2)/,
  );
  const registry = createRegistry();
  registry.histogram({ name: 'a' }).with({}).record(1);
  const sender = sendOtlp(registry, { url: 'http://u:hunter2@127.0.0.1:9/v1/metrics' });
  const error = await sender.close().catch((reason: Error) => reason);
  expect(String(error)).toContain('ECONNREFUSED');
  expect(String(error)).not.toContain('hunter2');
});

test.each([
  [{ url: 'nonsense' }, /^url must be /],
  [{ protocol: 'json' }, /^protocol must be 'http\/protobuf', 'http\/json' or 'grpc'/],
  [{ intervalMs: 0 }, /^intervalMs must be /],
  [{ giveUpAfterMs: Number.POSITIVE_INFINITY }, /^giveUpAfterMs must be /],
  [{ maxEndedSeries: 0.5 }, /^maxEndedSeries must be /],
  [{ memory: {} }, /^memory must be /],
  [{ interval: 5 }, /did you mean intervalMs/],
])('refuses %p', (wrong, message) => {
  const options = { url: 'http://127.0.0.1:9', ...wrong } as OtlpSenderOptions;
  expect(() => sendOtlp(createRegistry(), options)).toThrow(message);
});

test.each(['http/protobuf', 'grpc'] as const)(
  'TLS with an authority of its own, and only that one: %s',
  async (protocol) => {
    const received: string[] = [];
    const server =
      protocol === 'http/protobuf'
        ? createHttps(LOCALHOST, (request, response) => {
            received.push(request.headers.authorization!);
            request.resume().on('end', () => response.end());
          })
        : createSecureHttp2(LOCALHOST).on('stream', (stream, headers) => {
            received.push(headers.authorization!);
            stream.resume().on('end', () => endCall(stream, 0));
          });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    atEnd(() => server.close());
    const { port } = server.address() as AddressInfo;
    const registry = createRegistry();
    registry.histogram({ name: 'a' }).with({}).record(1);
    const url = `https://127.0.0.1:${port}/v1/metrics`;
    const options = { url, protocol, headers: { authorization: 'Bearer x' } };
    const wary = sendOtlp(registry, options);
    await expect(wary.close()).rejects.toThrow(/self-signed certificate/);
    expect(received).toEqual([]);
    const trusting = sendOtlp(registry, { ...options, tls: { caFile: LOCALHOST.certFile } });
    await trusting.close();
    expect(received).toEqual(['Bearer x']);
    const without = sendOtlp(registry, { ...options, tls: { caFile: '/nowhere/gone.pem' } });
    await expect(without.close()).rejects.toThrow(/the request cannot be made: ENOENT/);
  },
);
