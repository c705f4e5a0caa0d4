import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import { createServer, type Server } from 'node:http';
import { type AddressInfo, connect, type Socket } from 'node:net';
import { setTimeout as sleep } from 'node:timers/promises';
import { closeServer, type Patience, type Slices } from '@hdrscope/kit';
import { createRegistry, type Registry } from '@hdrscope/registry';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import {
  HdrPrometheusExporter,
  type PrometheusHandlerOptions,
  prometheusHandler,
  servePrometheus,
} from '../src/index.ts';
import { Scrapes } from '../src/scrapes.ts';
import { ask, OPENMETRICS } from './support/http.ts';

const log = collectDiagnostics();
const endings: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of endings.splice(0).reverse()) await end();
});

/** A registry whose series all change before each gather, and the number of its gathers. */
function busyRegistry(seriesCount: number): { readonly registry: Registry; gathers(): number } {
  const registry = createRegistry();
  const family = registry.histogram({ name: 'job.duration', unit: 's' });
  const all = Array.from({ length: seriesCount }, (_, i) => family.with({ i }));
  for (const [i, series] of all.entries()) for (let n = 1; n < 50; n++) series.record((i + n) / n);
  let gathers = 0;
  const gather: Registry['gather'] = (options) => {
    gathers += 1;
    for (const series of all) series.record(gathers);
    return registry.gather(options);
  };
  return { registry: { ...registry, gather }, gathers: () => gathers };
}

/** The two ways to serve a registry: a server of this package, and a handler in a server of the application. */
const WAYS: readonly (readonly [
  string,
  (registry: Registry, options?: PrometheusHandlerOptions) => Promise<number>,
])[] = [
  [
    'servePrometheus',
    async (registry, options) => {
      const server = await servePrometheus(registry, { ...options, host: '127.0.0.1', port: 0 });
      endings.push(() => server.close());
      return server.port;
    },
  ],
  [
    'prometheusHandler in a server of the application',
    async (registry, options) => {
      const server: Server = createServer(prometheusHandler(registry, options));
      await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
      endings.push(() => closeServer(server, { graceMs: 1 }));
      return (server.address() as AddressInfo).port;
    },
  ],
];

/** Resolves when so many requests have come to servers of this process. */
function requestsHaveCome(count: number): Promise<void> {
  return new Promise((resolve) => {
    let left = count;
    const onRequest = (): void => {
      left -= 1;
      // A handler hears of a request right after this.
      if (left === 0) setImmediate(resolve);
    };
    subscribe('http.server.request.start', onRequest);
    endings.push(() => unsubscribe('http.server.request.start', onRequest));
  });
}

/** Until the test ends, scrapes are at the same time however long the machine takes. */
function stopTime(): void {
  const { now } = performance;
  const timeMs = performance.now();
  performance.now = () => timeMs;
  endings.push(() => {
    performance.now = now;
  });
}

async function client(port: number, text: string): Promise<Socket> {
  const socket = connect(port, '127.0.0.1').on('error', () => {});
  endings.push(() => socket.destroy());
  await new Promise((resolve) => socket.write(text, resolve));
  return socket;
}

const GET = 'GET /metrics HTTP/1.1\r\nHost: localhost\r\n\r\n';

async function timeOf(work: () => Promise<unknown>): Promise<number> {
  const startMs = performance.now();
  await work();
  return performance.now() - startMs;
}

describe.each(WAYS)('%s', (_way, serve) => {
  test('2,000 requests that 20 clients send ahead and never read neither delay a scrape nor fill the memory', async () => {
    const { registry, gathers } = busyRegistry(400);
    const port = await serve(registry);
    await ask(port);
    const aloneMs = await timeOf(() => ask(port));
    const before = gathers();
    const { rss } = process.memoryUsage();

    for (let n = 0; n < 20; n++) (await client(port, GET.repeat(100))).pause();
    await sleep(200);
    const attackedMs = await timeOf(() => ask(port));

    expect(attackedMs).toBeLessThan(10 * aloneMs + 1000);
    expect(process.memoryUsage().rss - rss).toBeLessThan(300 * 2 ** 20);
    // Each connection takes one answer or a few, as many as fit the buffers of the network.
    expect(gathers() - before).toBeLessThan(200);
  }, 60_000);

  test('scrapes of one format that wait at the same time share a gather', async () => {
    const { registry, gathers } = busyRegistry(50);
    const headers = [{}, { accept: OPENMETRICS }, { 'accept-encoding': 'gzip' }];
    const haveCome = requestsHaveCome(4 * headers.length);
    stopTime();
    const port = await serve({
      ...registry,
      gather: async (options) => {
        const snapshot = registry.gather(options);
        await haveCome;
        return snapshot;
      },
    });

    const answers = await Promise.all(
      headers.flatMap((one) => Array.from({ length: 4 }, () => ask(port, { headers: one }))),
    );

    expect(answers.map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(new Set(answers.map(({ text }) => text)).size).toBe(2);
    expect(gathers()).toBe(2);
  });

  test('a client that goes away ends its work: its bytes are not made, and nothing is logged', async () => {
    const { registry } = busyRegistry(50);
    let reads = 0;
    const counted = <Value extends object>(value: Value): Value =>
      new Proxy(value, {
        get(target, name) {
          reads += 1;
          return Reflect.get(target, name);
        },
      });
    let asked = (): void => {};
    let answer = Promise.resolve();
    const port = await serve({
      ...registry,
      async gather(options) {
        asked();
        await answer;
        const snapshot = await registry.gather(options);
        const families = snapshot.families.map((family) => ({
          ...family,
          series: family.series.map(counted),
        }));
        return { ...snapshot, families };
      },
    });
    await ask(port);
    const ofScrape = reads;
    reads = 0;
    let goOn = (): void => {};
    answer = new Promise((resolve) => {
      goOn = resolve;
    });
    const isAsked = new Promise<void>((resolve) => {
      asked = resolve;
    });
    const socket = await client(port, GET);
    await isAsked;
    socket.destroy();
    await sleep(100);
    goOn();
    await sleep(100);

    // The families of the snapshot are listed before.
    expect(reads).toBeLessThan(ofScrape / 2);
    expect([log.warnings, log.errors]).toEqual([[], []]);
  });
});

test('an answer of many chunks adds few listeners to the response', async () => {
  const warnings: Error[] = [];
  const warn = (warning: Error): void => void warnings.push(warning);
  process.on('warning', warn);
  endings.push(() => process.off('warning', warn));
  const server = await servePrometheus(busyRegistry(400).registry, { host: '127.0.0.1', port: 0 });
  endings.push(() => server.close());
  expect((await ask(server.port)).bytes.length).toBeGreaterThan(2 ** 18);
  await sleep(10);
  expect(warnings).toEqual([]);
});

test('work whose clients have all gone is not rendered, and a later scrape has work of its own', async () => {
  let rendered = 0;
  let collected = 0;
  const exposition = {
    render: async () => {
      rendered += 1;
      return [];
    },
  };
  const scrapes = new Scrapes(async () => {
    collected += 1;
    await sleep(20);
    return [];
  }, exposition as never);
  const wanted = {
    format: 'text',
    isZipped: false,
    deadline: { patientMs: 0, softMs: 1000, hardMs: 1000 },
  } as const;
  const clients = [new AbortController(), new AbortController()];
  const answers = clients.map(({ signal }) => scrapes.bodyOf({ ...wanted, signal }));
  const outcomes = Promise.allSettled(answers);
  for (const one of clients) one.abort();
  expect((await outcomes).map(({ status }) => status)).toEqual(['rejected', 'rejected']);
  await sleep(40);
  expect([collected, rendered]).toEqual([1, 0]);

  const { signal } = new AbortController();
  await scrapes.bodyOf({ ...wanted, signal });
  expect([collected, rendered]).toEqual([2, 1]);
  await expect(scrapes.bodyOf({ ...wanted, signal: AbortSignal.abort() })).rejects.toThrow('aborted');
  expect(collected).toBe(2);
});

test('a scrape with a shorter time limit does not wait for the gather of a longer one', async () => {
  const limits: number[] = [];
  const scrapes = new Scrapes(
    async (softMs) => {
      limits.push(softMs);
      await sleep(softMs);
      return [];
    },
    { render: async () => [] } as never,
  );
  const { signal } = new AbortController();
  const body = (softMs: number) =>
    scrapes.bodyOf({
      format: 'text',
      isZipped: false,
      deadline: { patientMs: 0, softMs, hardMs: softMs + 500 },
      signal,
    });
  await Promise.all([body(300), body(50), body(300), body(200)]);
  expect(limits).toEqual([300, 50]);
});

test('a scrape that has no time to rest takes it from the work that it shares', async () => {
  const patiences: (Patience | undefined)[] = [];
  const render = async (_families: unknown, _wanted: unknown, work: Slices) => {
    patiences.push(work.patience);
    await sleep(20);
    return [];
  };
  const scrapes = new Scrapes(async () => [], { render } as never);
  const { signal } = new AbortController();
  const body = (patientMs: number) =>
    scrapes.bodyOf({
      format: 'text',
      isZipped: false,
      deadline: { patientMs, softMs: 1000, hardMs: 1000 },
      signal,
    });
  const patient = body(500);
  await sleep(5);
  const startMs = performance.now();
  await Promise.all([patient, body(0)]);
  expect(patiences).toHaveLength(1);
  expect(patiences[0]!.untilMs).toBeLessThanOrEqual(startMs + 1);
});

test('scrapes of several formats are rendered one after the other', async () => {
  let [now, most] = [0, 0];
  const render = async () => {
    most = Math.max(most, ++now);
    await sleep(5);
    now--;
    return [];
  };
  const scrapes = new Scrapes(async () => [], { render } as never);
  const { signal } = new AbortController();
  const wanted = { isZipped: false, deadline: { patientMs: 0, softMs: 1000, hardMs: 1000 }, signal };
  const bodies = (['text', 'openmetrics', 'protobuf'] as const).map((format) =>
    scrapes.bodyOf({ ...wanted, format }),
  );
  expect((await Promise.all(bodies)).length).toBe(3);
  expect(most).toBe(1);
});

describe('a server', () => {
  async function statusOf(port: number, headers: Record<string, string>, path?: string): Promise<number> {
    return (await ask(port, { headers, ...(path === undefined ? {} : { path }) })).status;
  }

  test('refuses names that are not of loopback, and pages of other sites', async () => {
    const server = await servePrometheus(createRegistry(), {
      host: '127.0.0.1',
      port: 0,
      allowedHosts: ['metrics.lan'],
    });
    endings.push(() => server.close());
    const { port } = server;
    expect(await statusOf(port, { host: 'evil.example' })).toBe(403);
    expect(await statusOf(port, { origin: 'http://evil.example' })).toBe(403);
    expect(await statusOf(port, { host: 'metrics.lan:9464' })).toBe(200);
    expect(await statusOf(port, {})).toBe(200);
  });

  test('shows what it has refused, by reason, and goes on counting after another start', async () => {
    const exporter = new HdrPrometheusExporter({ host: '127.0.0.1', port: 0, preventServerStart: true });
    endings.push(() => exporter.shutdown());
    new MeterProvider({ readers: [exporter] });
    await exporter.startServer();
    expect((await ask(exporter.port!)).text).not.toContain('hdrscope_server_refusals');
    await statusOf(exporter.port!, { host: 'evil.example' });
    await exporter.stopServer();
    await exporter.startServer();
    await statusOf(exporter.port!, { host: 'evil.example' });
    await statusOf(exporter.port!, { origin: 'http://evil.example' });
    const text = (await ask(exporter.port!)).text;
    expect(text).toContain('# TYPE hdrscope_server_refusals_total counter\n');
    expect(text).toContain('hdrscope_server_refusals_total{reason="host"} 2\n');
    expect(text).toContain('hdrscope_server_refusals_total{reason="origin"} 1\n');
    expect(exporter.refusals).toMatchObject({ host: 2, origin: 1, token: 0 });
  });

  test('shows what it has refused beside a registry', async () => {
    const server = await servePrometheus(createRegistry(), {
      host: '127.0.0.1',
      port: 0,
      sources: [() => [{ name: 'mine', help: '', unit: '', type: 'gauge', metrics: [] }]],
    });
    endings.push(() => server.close());
    await statusOf(server.port, { host: 'evil.example' });
    const text = (await ask(server.port)).text;
    expect(text).toContain('hdrscope_server_refusals_total{reason="host"} 1\n');
    expect(text).toContain('# TYPE mine gauge');
    expect(server.refusals.host).toBe(1);
  });

  test('with a token refuses requests without it, except at /healthz', async () => {
    const token = 'a-token-of-20-letters';
    const server = await servePrometheus(createRegistry(), { host: '127.0.0.1', port: 0, token });
    endings.push(() => server.close());
    const { port } = server;
    expect(await statusOf(port, {})).toBe(401);
    expect(await statusOf(port, { authorization: `Bearer ${token}`, host: 'any.example' })).toBe(200);
    expect(await statusOf(port, {}, '/healthz')).toBe(200);
  });

  test('answers while 600 idle connections are open', async () => {
    const server = await servePrometheus(createRegistry(), { host: '127.0.0.1', port: 0 });
    endings.push(() => server.close());
    for (let n = 0; n < 600; n++) await client(server.port, 'G');
    expect(await timeOf(() => ask(server.port))).toBeLessThan(5000);
  }, 30_000);
});
