import { once } from 'node:events';
import { mkdtemp, readdir, rm } from 'node:fs/promises';
import { createServer as createHttpServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer } from 'node:http2';
import { type AddressInfo, createServer as createTcpServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { readIntervals } from '@hdrscope/interval-log';
import type { Agent } from '../src/index.ts';
import { configOf, sample, until, urlIn, useWorld } from './support/agents.ts';

const world = useWorld();

const IN = `sources: [{ type: otlp, listen: '127.0.0.1:0' }]
sinks: [{ type: prometheus, listen: '127.0.0.1:0' }]`;

const STDIN = 'sources: [{ type: stdin, metric: { name: job, unit: ms }, attributes: { a: b } }]';

const LABELS = '{service_name="shop",a="b",otel_scope_name="@hdrscope/registry"}';

/** The address of the receiver of the agent that started last. */
function receiver(): string {
  const line = world.lines.findLast((text) => text.startsWith('source otlp has started: '))!;
  return line.slice(line.indexOf('http'));
}

/** Standard input with two texts. The second one follows after `open`. */
function gated(first: string, second: string): { stdin: AsyncIterable<Uint8Array>; open: () => void } {
  const gate: { open: () => void } = { open: () => {} };
  const isOpen = new Promise<void>((resolve) => {
    gate.open = resolve;
  });
  const encode = (text: string): Uint8Array => new TextEncoder().encode(text);
  async function* chunks(): AsyncGenerator<Uint8Array, void> {
    yield encode(first);
    await isOpen;
    yield encode(second);
  }
  return { stdin: chunks(), open: () => gate.open() };
}

function valuesOf(agent: Agent, name: string): number {
  return agent.health.entries.find((entry) => entry.name === name)!.values;
}

test.each([
  ['exponential', 'cumulative', 'http/protobuf'],
  ['explicit', 'cumulative', 'http/protobuf'],
  ['exponential', 'delta', 'http/protobuf'],
  ['exponential', 'delta', 'grpc'],
])('one agent sends %s histograms to another, %s, by %s', async (histograms, temporality, protocol) => {
  const taking = await world.start(IN.replace('otlp,', `otlp, protocol: ${protocol.split('/')[0]},`));
  const url = receiver();
  const prometheus = urlIn(world.lines);
  const { stdin, open } = gated('10 20 30\n', '40\n');
  const yaml = (timeout: string) => `${STDIN}
sinks:
  - { type: otlp, url: '${url}', interval: 1h, timeout: ${timeout}, protocol: ${protocol}, histograms: ${histograms}, temporality: ${temporality}, resource: { service.name: shop } }`;
  const sending = await world.start(yaml('5s'), stdin);
  await until('three are counted', () => valuesOf(sending, 'stdin') === 3);
  // A sink that changes sends its counts, and the next sink goes on there.
  await sending.reload(() => configOf(yaml('6s')));
  const count = `job_seconds_count${LABELS}`;
  expect(await sample(prometheus, count)).toBe(3);
  open();
  await until('four are counted', () => valuesOf(sending, 'stdin') === 4);
  expect(await sending.stop()).toEqual([]);
  expect(await sample(prometheus, count)).toBe(4);
  expect(await sample(prometheus, `job_seconds_sum${LABELS}`)).toBeCloseTo(0.1);
  // The durations of its gathers are sent too.
  expect(valuesOf(taking, 'otlp')).toBeGreaterThan(4);
  expect(taking.health.entries[0]!.errors).toBe(0);
});

test('attributes that the source drops are in no sink, and the counts of their series are added up', async () => {
  const yaml = (
    drop: string,
  ): string => `sources: [{ type: otlp, listen: '127.0.0.1:0', dropAttributes: ${drop} }]
sinks: [{ type: prometheus, listen: '127.0.0.1:0', buckets: classic }]`;
  const agent = await world.start(yaml('{ "rpc.*": [user, service.instance.id] }'));
  const send = async (instance: string, counts: readonly number[]): Promise<void> => {
    const point = (user: string, value: number) => ({
      attributes: [
        { key: 'route', value: { stringValue: '/' } },
        { key: 'user', value: { stringValue: user } },
      ],
      startTimeUnixNano: '1000000000',
      timeUnixNano: `${2 + value}000000000`,
      count: `${2 * value}`,
      sum: value,
      bucketCounts: [`${value}`, `${value}`, '0'],
      explicitBounds: [0.1, 1],
    });
    const dataPoints = counts.map((value, user) => point(`u${user}`, value));
    const histogram = { aggregationTemporality: 2, dataPoints };
    const metrics = ['rpc.duration', 'job.duration'].map((name) => ({ name, unit: 's', histogram }));
    const attributes = [{ key: 'service.instance.id', value: { stringValue: instance } }];
    const response = await fetch(receiver(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }] }),
    });
    expect(await response.json()).toEqual({});
  };
  await send('a', [1, 2, 3]);
  await send('b', [10, 20]);
  // Cumulative counts of the same streams: only what is new is added.
  await send('a', [2, 2, 30]);
  const total = 2 + 2 + 30 + 10 + 20;
  const url = urlIn(world.lines);
  const text = await (await fetch(url)).text();
  const samples = (name: string): string[] => text.split('\n').filter((line) => line.startsWith(`${name}{`));
  expect(samples('rpc_duration_seconds_count')).toEqual([
    expect.stringMatching(new RegExp(`^rpc_duration_seconds_count\\{route="/"[^}]*\\} ${2 * total}$`)),
  ]);
  expect(samples('rpc_duration_seconds_sum')).toEqual([expect.stringMatching(new RegExp(` ${total}$`))]);
  expect(
    samples('rpc_duration_seconds_bucket').map((line) => line.replace(/.*le="(.*?)".* /, '$1 ')),
  ).toEqual([`0.1 ${total}`, `1 ${2 * total}`, `+Inf ${2 * total}`]);
  expect(samples('job_duration_seconds_count')).toHaveLength(5);
  // Another configuration of the source goes on where the one before ended.
  await agent.reload(() => configOf(yaml('{ "*": [user, route, service.instance.id] }')));
  await send('a', [2, 2, 31]);
  const after = await (await fetch(urlIn(world.lines))).text();
  const counts = [...after.matchAll(/^rpc_duration_seconds_count(?:\{.*\})? (\d+)$/gm)].map(([, count]) =>
    Number(count),
  );
  expect(counts.sort((a, b) => a - b)).toEqual([2, 2 * total]);
});

describe('a gateway for a fleet', () => {
  const yaml = (more: string): string => `sources: [{ type: otlp, listen: '127.0.0.1:0', ${more} }]
sinks: [{ type: prometheus, listen: '127.0.0.1:0' }]`;
  const GATEWAY = "resourceAttributes: [host.name], dropAttributes: { 'http.*': [host.name] }, since: now";

  /** Sends a cumulative count of a host since 1970, and returns the answer. */
  async function send(host: string, count: number): Promise<unknown> {
    const point = {
      ...{ startTimeUnixNano: '1', timeUnixNano: `${1000 + count}`, count: `${count}`, sum: count },
      ...{ bucketCounts: ['0', `${count}`], explicitBounds: [0.1] },
    };
    const histogram = { aggregationTemporality: 2, dataPoints: [point] };
    const metrics = [{ name: 'http.duration', unit: 's', histogram }];
    const attributes = [{ key: 'host.name', value: { stringValue: host } }];
    const response = await fetch(receiver(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ resourceMetrics: [{ resource: { attributes }, scopeMetrics: [{ metrics }] }] }),
    });
    return response.json();
  }

  test('adds up what is new of each host, and counts nothing again when it takes the place of another one', async () => {
    for (const [first, second] of [
      [5, 7],
      [7, 8],
    ] as const) {
      const agent = await world.start(yaml(GATEWAY));
      for (const host of ['a', 'b']) expect(await send(host, first)).toEqual({});
      for (const host of ['a', 'b']) await send(host, second);
      expect(await sample(urlIn(world.lines), 'http_duration_seconds_count')).toBe(2 * (second - first));
      expect(await agent.stop()).toEqual([]);
    }
  });

  test('refuses hosts beyond its limit of streams, in its answers and in its health', async () => {
    const agent = await world.start(yaml(`${GATEWAY}, maxStreams: 2`));
    for (const host of ['a', 'b']) expect(await send(host, 5)).toEqual({});
    expect(await send('c', 5)).toMatchObject({
      partialSuccess: { rejectedDataPoints: '1', errorMessage: expect.stringContaining('maxStreams') },
    });
    await send('a', 6);
    expect(await sample(urlIn(world.lines), 'http_duration_seconds_count')).toBe(1);
    expect(agent.health.entries[0]).toMatchObject({ state: 'failing', errors: 1 });
  });
});

test('sums and gauges are passed on to Prometheus, and summaries are refused in the answer', async () => {
  const agent = await world.start(IN);
  const send = async (value: number, timeUnixNano: string): Promise<unknown> => {
    const point = {
      asInt: value,
      timeUnixNano,
      attributes: [{ key: 'queue', value: { stringValue: 'mail' } }],
    };
    const metrics = [
      { name: 'orders', sum: { aggregationTemporality: 2, isMonotonic: true, dataPoints: [point] } },
      { name: 'queue.length', unit: 's', gauge: { dataPoints: [point] } },
      { name: 'old', summary: { dataPoints: [{}] } },
    ];
    const resource = { attributes: [{ key: 'service.name', value: { stringValue: 'shop' } }] };
    const response = await fetch(receiver(), {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({
        resourceMetrics: [{ resource, scopeMetrics: [{ scope: { name: 'app' }, metrics }] }],
      }),
    });
    return response.json();
  };
  expect(await send(3, '1000000000')).toEqual({
    partialSuccess: {
      rejectedDataPoints: '1',
      errorMessage: '"old" is a summary: only histograms, sums and gauges are accepted (1 point)',
    },
  });
  await send(7, '2000000000');
  const labels = '{service_name="shop",queue="mail",otel_scope_name="app"}';
  const prometheus = urlIn(world.lines);
  expect(await sample(prometheus, `orders_total${labels}`)).toBe(7);
  expect(await sample(prometheus, `queue_length_seconds${labels}`)).toBe(7);
  // Another configuration of the sink leaves the states alone.
  await agent.reload(() => configOf(IN.replace('prometheus,', 'prometheus, buckets: both,')));
  expect(await sample(urlIn(world.lines), `orders_total${labels}`)).toBe(7);
  expect(agent.health.entries[0]!.errors).toBe(0);
});

test('a sink without a receiver is reported as failing', async () => {
  const { stdin } = gated('1\n', '');
  const agent = await world.start(
    `${STDIN}\nsinks: [{ type: otlp, url: 'http://127.0.0.1:9/v1/metrics', interval: 50ms, timeout: 50ms }]`,
    stdin,
  );
  await until('it has failed', () => agent.health.entries[1]!.errors > 0);
  expect(agent.health.entries[1]!.state).toBe('failing');
  expect(world.lines.join('\n')).toMatch(/^sink otlp has failed: /m);
});

test('a stop does not wait for a receiver that does not answer, and reports it', async () => {
  const sockets: Socket[] = [];
  const silent = createTcpServer((socket) => sockets.push(socket)).listen(0, '127.0.0.1');
  await once(silent, 'listening');
  const { port } = silent.address() as AddressInfo;
  const { stdin } = gated('1\n', '');
  const agent = await world.start(
    `shutdownTimeout: 1s
${STDIN}
sinks:
  - { type: otlp, url: 'http://127.0.0.1:${port}', interval: 1h, timeout: 20s }
  - { type: interval-log, path: ${world.pathOf('a.hlog')}, interval: 1h }`,
    stdin,
  );
  await until('it is counted', () => valuesOf(agent, 'stdin') === 1);
  expect(await agent.stop()).toEqual([expect.stringMatching(/^sink otlp did not end well: not done within/)]);
  const tags: (string | undefined)[] = [];
  for await (const { tag } of readIntervals(world.pathOf('a.hlog'))) tags.push(tag);
  expect(tags).toContain('job?a=b');
  // Without an answer, the exporter would go on trying.
  for (const socket of sockets)
    socket.end('HTTP/1.1 200 OK\r\nContent-Length: 0\r\nConnection: close\r\n\r\n');
  silent.close();
});

test('a refused request is an error of the source', async () => {
  const agent = await world.start(IN);
  expect((await fetch(receiver(), { method: 'POST', body: 'nonsense' })).ok).toBe(false);
  await agent.registry.gather();
  expect(agent.health.entries[0]).toMatchObject({
    state: 'failing',
    lastError: 'since the previous gather, the receiver has refused 1 request',
  });
});

test('sends by gRPC', async () => {
  const requests: { path: string; bytes: number }[] = [];
  const server = createServer();
  server.on('stream', (stream, headers) => {
    let bytes = 0;
    stream.on('data', (chunk: Buffer) => {
      bytes += chunk.length;
    });
    stream.on('end', () => {
      requests.push({ path: String(headers[':path']), bytes });
      stream.respond({ ':status': 200, 'content-type': 'application/grpc' }, { waitForTrailers: true });
      stream.on('wantTrailers', () => stream.sendTrailers({ 'grpc-status': '0' }));
      // The body is an empty message.
      stream.end(Buffer.alloc(5));
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.atEnd(() => new Promise((resolve) => server.close(resolve)));
  const { port } = server.address() as AddressInfo;
  const { stdin } = gated('1\n', '');
  const agent = await world.start(
    `${STDIN}\nsinks: [{ type: otlp, protocol: grpc, url: 'http://127.0.0.1:${port}' }]`,
    stdin,
  );
  await until('it is counted', () => valuesOf(agent, 'stdin') === 1);
  expect(await agent.stop()).toEqual([]);
  expect(requests.map(({ path }) => path)).toEqual([
    '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export',
  ]);
  expect(requests[0]!.bytes).toBeGreaterThan(100);
  expect(agent.health.entries[1]).toMatchObject({ state: 'stopped', errors: 0 });
});

/** A server that answers each request by `answer`, and the requests that it has received. */
async function startEndpoint(
  answer: (response: ServerResponse) => void,
): Promise<{ url: string; requests: IncomingMessage[] }> {
  const requests: IncomingMessage[] = [];
  const server = createHttpServer((request, response) => {
    requests.push(request);
    request.resume().on('end', () => answer(response));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  world.atEnd(() => server.close());
  const { port } = server.address() as AddressInfo;
  return { url: `127.0.0.1:${port}/v1/metrics`, requests };
}

test('deltas that nobody takes are pending in the health, and are delivered later', async () => {
  const taking = await world.start(IN);
  const url = receiver();
  const prometheus = urlIn(world.lines);
  let isDown = true;
  const gate = await startEndpoint((response) =>
    response.writeHead(isDown ? 503 : 307, { location: url }).end(),
  );
  const { stdin } = gated('1 2 3\n', '');
  const sink = (to: string, interval: string) => `${STDIN}
sinks: [{ type: otlp, name: central, url: '${to}', interval: ${interval}, timeout: ${interval}, temporality: delta, resource: { service.name: shop } }]`;
  const agent = await world.start(sink(`http://${gate.url}`, '100ms'), stdin);
  const central = () => agent.health.entries[1]!;
  await until('values wait', () => central().state === 'failing' && central().delivery!.pendingValues >= 3);
  expect(central()).toMatchObject({ lastError: 'the receiver has answered 503' });
  isDown = false;
  await until('a redirect is no delivery', () => central().lastError === 'the receiver has answered 307');
  // The sink that replaces it owes the same values.
  await agent.reload(() => configOf(sink(url, '300ms')));
  await until('all are delivered', () => central().delivery!.pendingValues === 0);
  expect(await sample(prometheus, `job_seconds_count${LABELS}`)).toBe(3);
  expect(central()).toMatchObject({ state: 'running', delivery: { pendingValues: 0, givenUpValues: 0 } });
  expect(taking.health.entries[0]!.errors).toBe(0);
});

test('a partial success is logged with its message and count, and is in the health', async () => {
  const message = 'quota exceeded';
  const partial = Buffer.concat([Buffer.from([0x08, 2, 0x12, message.length]), Buffer.from(message)]);
  const body = Buffer.concat([Buffer.from([0x0a, partial.length]), partial]);
  const { url } = await startEndpoint((response) =>
    response.writeHead(200, { 'content-type': 'application/x-protobuf' }).end(body),
  );
  const { stdin } = gated('1\n', '');
  const agent = await world.start(
    `${STDIN}
sinks:
  - { type: otlp, url: 'http://${url}', interval: 1h }
  - { type: prometheus, listen: '127.0.0.1:0' }`,
    stdin,
  );
  const prometheus = urlIn(world.lines);
  await until('it is counted', () => valuesOf(agent, 'stdin') === 1);
  await agent.reload(() =>
    configOf(`${STDIN}
sinks:
  - { type: otlp, url: 'http://${url}', interval: 200ms, timeout: 200ms }
  - { type: prometheus, listen: '127.0.0.1:0' }`),
  );
  const sink = () => agent.health.entries[1]!;
  await until('points were rejected', () => sink().delivery!.rejectedPoints > 0);
  expect(sink().lastError).toBe('the receiver has rejected 2 points over http/protobuf: quota exceeded');
  expect(sink().delivery).toMatchObject({ lastPartialSuccess: { rejectedPoints: 2, message } });
  expect(world.lines).toContain(
    'sink otlp has failed: the receiver has rejected 2 points over http/protobuf: quota exceeded',
  );
  const rejected = 'hdrscope_agent_sink_rejected_points_total{kind="sink",name="otlp",type="otlp"}';
  expect(await sample(prometheus, rejected)).toBeGreaterThanOrEqual(2);
});

test('a point is alone in its request with a small maxRequestSize, and counts when it is too large', async () => {
  const { url } = await startEndpoint((response) => response.writeHead(413).end());
  const { stdin } = gated('1\n', '');
  const agent = await world.start(
    `${STDIN}
sinks:
  - { type: otlp, url: 'http://${url}', interval: 200ms, timeout: 200ms, maxRequestSize: 1B, temporality: delta }
  - { type: prometheus, listen: '127.0.0.1:0' }`,
    stdin,
  );
  const sink = () => agent.health.entries[1]!;
  // Numbers of the agent itself are points, too.
  await until('all points are given up', () => sink().delivery!.tooLargePoints > 1);
  const { tooLargePoints } = sink().delivery!;
  expect(sink().delivery).toMatchObject({ givenUpValues: 1, uncertainValues: 0 });
  expect(world.lines.join('\n')).not.toContain('is sent in halves');
  const labels = '{kind="sink",name="otlp",type="otlp"}';
  const prometheus = urlIn(world.lines);
  const shown = await sample(prometheus, `hdrscope_agent_sink_too_large_points_total${labels}`);
  expect(shown).toBeGreaterThanOrEqual(tooLargePoints);
  expect(await sample(prometheus, `hdrscope_agent_sink_uncertain_values_total${labels}`)).toBe(0);
});

test('the next agent delivers what is in the queue, and a reload goes on there', async () => {
  const state = { status: 503 };
  const { url, requests } = await startEndpoint((response) => response.writeHead(state.status).end());
  const folder = await mkdtemp(join(tmpdir(), 'hdrscope-agent-'));
  world.atEnd(() => rm(folder, { recursive: true }));
  const yaml = (timeout: string): string =>
    `${STDIN}
sinks: [{ type: otlp, url: 'http://${url}', interval: 1h, timeout: ${timeout}, temporality: delta, queue: { folder: ${folder} } }]`;
  const { stdin } = gated('10 20 30\n', '');
  const agent = await world.start(yaml('5s'), stdin);
  await until('three are counted', () => valuesOf(agent, 'stdin') === 3);
  await agent.reload(() => configOf(yaml('6s')));
  expect(await readdir(folder)).toContain('0-1.delivery');
  await agent.stop();
  // The second sink has first sent what the first one left.
  expect(requests).toHaveLength(2);
  expect(await readdir(folder)).toContain('0-1.delivery');
  state.status = 200;
  const next = await world.start(yaml('5s'), gated('', '').stdin);
  await next.stop();
  expect(await readdir(folder)).toEqual([]);
  // Three that the sinks of the first agent have left, and its own.
  expect(requests).toHaveLength(2 + 3 + 1);
});

test('what is wrong with the variables of OpenTelemetry is logged once, not at each start', async () => {
  process.env.OTEL_EXPORTER_OTLP_TIMEOUT = 'soon';
  world.atEnd(() => {
    delete process.env.OTEL_EXPORTER_OTLP_TIMEOUT;
  });
  const { url } = await startEndpoint((response) => response.end());
  const sink = (interval: string): string =>
    `sources: []\nsinks: [{ type: otlp, url: 'http://${url}', interval: ${interval} }]`;
  const agent = await world.start(sink('1h'));
  await agent.reload(() => configOf(sink('2h')));
  expect(world.lines.filter((line) => line.includes('soon'))).toEqual([
    'sink otlp: OTEL_EXPORTER_OTLP_TIMEOUT must be a number of milliseconds, got soon: it is ignored',
  ]);
});

test('headers come from the configuration, and from the variables of OpenTelemetry', async () => {
  const { url, requests } = await startEndpoint((response) => response.end());
  process.env.OTEL_EXPORTER_OTLP_HEADERS = 'x-a=1,x-b=two%20words,X-C=3';
  process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS = 'x-a=4';
  world.atEnd(() => {
    delete process.env.OTEL_EXPORTER_OTLP_HEADERS;
    delete process.env.OTEL_EXPORTER_OTLP_METRICS_HEADERS;
  });
  const { stdin } = gated('1\n', '');
  const agent = await world.start(
    `${STDIN}\nsinks: [{ type: otlp, url: 'http://u:hunter2@${url}', interval: 1h, compression: gzip, headers: { x-c: 5 } }]`,
    stdin,
  );
  await until('it is counted', () => valuesOf(agent, 'stdin') === 1);
  await agent.stop();
  const authorization = `Basic ${Buffer.from('u:hunter2').toString('base64')}`;
  const encoding = { 'content-encoding': 'gzip', 'content-type': 'application/x-protobuf' };
  expect(requests[0]!.headers).toMatchObject({
    'x-a': '4',
    'x-b': 'two words',
    'x-c': '5',
    authorization,
    ...encoding,
  });
  expect(world.lines).toContain(`sink otlp has started: http://${url}`);
  expect(world.lines.join()).not.toContain('hunter2');
});
