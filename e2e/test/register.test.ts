import { execFile } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, readdirSync, readFileSync } from 'node:fs';
import { createServer, type Server } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { buildPackages, describeWithPeers, programOf } from '@hdrscope/testing';
import { Application, findPeerPackages, quit, type Running, visit } from './support/application.ts';
import { startCollector } from './support/collector.ts';
import { type HistogramPoint, type OtlpMetrics, pointsReceived } from './support/otlp-json.ts';
import { freePort, stopPeers, waitFor } from './support/peer-process.ts';
import { startPrometheus } from './support/prometheus.ts';

const REGISTER = '@hdrscope/otel/register';
const ITEMS = 20;
/** Slots and buckets so narrow that each item has its own. */
const VIEWS = 'http.*.duration, basket;significantDigits=3;maxSize=2000';

/** An application with hdrscope and exporters. */
const application = new Application([
  '@hdrscope',
  '@opentelemetry/api',
  '@opentelemetry/exporter-metrics-otlp-http',
  '@opentelemetry/sdk-metrics',
  'yaml',
]);

/** Services of Express, Fastify and NestJS, with instrumentations, an SDK and a bundler. */
const services = new Application(
  [
    '@hdrscope',
    'yaml',
    ...findPeerPackages('node-services', [
      '@fastify/otel',
      '@nestjs',
      '@opentelemetry/api',
      '@opentelemetry/exporter-metrics-otlp-grpc',
      '@opentelemetry/exporter-metrics-otlp-http',
      '@opentelemetry/exporter-metrics-otlp-proto',
      '@opentelemetry/instrumentation-express',
      '@opentelemetry/instrumentation-http=instrumentation-http-0.223',
      '@opentelemetry/sdk-metrics',
      '@opentelemetry/sdk-node=sdk-node-0.223',
      'express',
      'fastify',
      'instrumentation-http-0.223',
      'reflect-metadata',
      'sdk-node-0.223',
      'webpack',
    ]),
  ],
  ['@opentelemetry/instrumentation-http', '@opentelemetry/instrumentation-express', '@fastify/otel'],
);

/** An application with hdrscope and its peers, and no exporter. */
const bare = new Application([]);

let sink: Server;
let requests: OtlpMetrics[] = [];
let toSink: Record<string, string> = {};

beforeAll(async () => {
  buildPackages(bare.folder, ['otel']);
  sink = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    requests.push(JSON.parse(Buffer.concat(body).toString()));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await once(sink, 'listening');
  const { port } = sink.address() as AddressInfo;
  toSink = {
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    OTEL_NODE_RESOURCE_DETECTORS: 'env',
    HDRSCOPE_VIEWS: VIEWS,
  };
});

beforeEach(() => {
  requests = [];
});

afterAll(async () => {
  await Promise.all([application.remove(), services.remove(), bare.remove(), stopPeers()]);
  sink.close();
});

/** The last points of a metric, one for each set of attributes. */
function pointsOf(name: string): HistogramPoint[] {
  const points = pointsReceived(requests).filter((point) => point.name === name);
  return [...new Map(points.map((point) => [JSON.stringify(point.attributes), point])).values()];
}

/** The last value of a counter. */
function counterOf(name: string): number | undefined {
  const metrics = requests.flatMap(({ resourceMetrics }) =>
    resourceMetrics.flatMap(({ scopeMetrics }) => scopeMetrics.flatMap((scope) => scope.metrics)),
  ) as readonly {
    readonly name: string;
    readonly sum?: { readonly dataPoints: readonly { asDouble: number }[] };
  }[];
  return metrics.filter((metric) => metric.name === name).at(-1)?.sum?.dataPoints[0]?.asDouble;
}

/** The middles of the used buckets, each as often as it was hit. */
function middlesOf({ buckets }: HistogramPoint): number[] {
  if (!('scale' in buckets)) throw new Error('must be an exponential histogram');
  const base = 2 ** (2 ** -buckets.scale);
  return buckets.counts.flatMap((count, i) =>
    new Array<number>(count).fill((base ** (buckets.offset + i) * (1 + base)) / 2),
  );
}

/** The items that were asked for, each within a thousandth. */
function expectItems(): void {
  const [basket] = pointsOf('basket');
  const middles = middlesOf(basket!);
  expect(middles).toHaveLength(ITEMS);
  for (const [i, middle] of middles.entries()) expect(Math.abs(middle / (i + 1) - 1)).toBeLessThan(0.002);
  expect(counterOf('orders')).toBe(ITEMS);
}

/** The requests for items, counted once each in HDR histograms. */
function expectDurations(route: Record<string, string> = {}): void {
  const durations = pointsOf('http.server.request.duration').filter(
    ({ attributes }) => attributes['http.route'] !== '/quit',
  );
  expect(durations).toHaveLength(1);
  expect(durations[0]).toMatchObject({
    unit: 's',
    attributes: route,
    buckets: { scale: expect.any(Number) },
  });
  // Without a route, the request to end has the same attributes.
  const { count, attributes } = durations[0]!;
  expect(count - (attributes['http.route'] === undefined ? 1 : 0)).toBe(ITEMS);
}

async function scrape(port: number): Promise<string | undefined> {
  try {
    return await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
  } catch {
    return undefined;
  }
}

const ROUTE = { 'http.route': '/items/:id' };

describeWithPeers(['node-services'])('alone', () => {
  test.each<[service: string, option: string, route: Record<string, string>]>([
    ['express.cjs', '--import', ROUTE],
    ['express.mjs', '--import', ROUTE],
    ['express.mjs', '--require', ROUTE],
    ['fastify.mjs', '--import', ROUTE],
    ['nest.cjs', '--require', ROUTE],
  ])('%s with %s', async (service, option, route) => {
    const running = await services.start([option, REGISTER, service], toSink);
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    expectDurations(route);
    expect(running.stderr()).not.toContain('hdrscope:');
  });

  test('an ES module whose hook the command line loads already', async () => {
    const { resolve } = createRequire(
      join(services.folder, 'node_modules/@opentelemetry/instrumentation-express/package.json'),
    );
    const loader = `--experimental-loader=${resolve('@opentelemetry/instrumentation/hook.mjs')}`;
    const running = await services.start([loader, '--import', REGISTER, 'express.mjs'], toSink);
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectDurations(ROUTE);
    expect(running.stderr()).not.toContain('already been initialized');
  });

  test('a bundle of webpack, with a copy of the API in it', async () => {
    const { folder } = services;
    await promisify(execFile)(process.execPath, ['bundle.cjs', 'express.cjs', 'out.cjs'], { cwd: folder });
    const running = await services.start(['out.cjs'], {
      ...toSink,
      NODE_OPTIONS: `--import ${REGISTER}`,
    });
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    expectDurations();
  });

  test('the thread with the hooks of ES modules is not a thread of the application', async () => {
    const port = await freePort();
    const running = await services.start(['--import', REGISTER, 'express.mjs'], {
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    });
    await visit(running, 1);
    const page = await waitFor(() => scrape(port), { what: 'metrics' });
    expect(page).toContain('http_route="/items/:id"');
    expect(await quit(running)).toBe(0);
    expect(running.stderr()).not.toContain('hdrscope:');
    // https://nodejs.org/api/deprecations.html#DEP0205: in Node.js 26
    expect(running.stderr()).not.toContain('DEP0205');
  });

  test('scrapes and exports are not requests of the service', async () => {
    const port = await freePort();
    const running = await services.start(['--import', REGISTER, 'express.cjs'], {
      ...toSink,
      OTEL_METRICS_EXPORTER: 'otlp,prometheus',
      // The first export finds the modules of HTTP patched.
      OTEL_METRIC_EXPORT_INTERVAL: '2000',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    });
    await visit(running, ITEMS);
    for (let i = 0; i < 5; i++) await waitFor(() => scrape(port), { what: 'metrics' });
    const before = requests.length;
    await waitFor(() => requests.length > before + 1, { what: 'exports' });
    const page = await waitFor(() => scrape(port), { what: 'metrics' });
    const counts = [...page.matchAll(/^http_(\w+)_request_duration\w*_count\{.*\} (\d+)$/gm)];
    expect(counts.map(([, side, count]) => [side, Number(count)])).toEqual([['server', ITEMS]]);
    expect(await quit(running)).toBe(0);
  });

  test('a histogram with as many series as its limit is named once, with the attribute that grew', async () => {
    const running = await services.start(['--import', REGISTER, 'express.cjs'], {
      ...toSink,
      HDRSCOPE_VIEWS: 'http.server.*;allowAttributes=http.route;aggregationCardinalityLimit=1',
    });
    await visit(running, 2);
    // The route of the end is another one.
    expect(await quit(running)).toBe(0);
    const warnings = running.stderr().match(/\[HDRSCOPE_SERIES_LIMIT\].*/g);
    expect(warnings).toHaveLength(1);
    expect(warnings![0]).toContain('its limit of 1 series');
    expect(warnings![0]).toContain('The attribute "http.route" has the most values, 2: leave it out by');
  });

  test('npm start: only the service has the port of the metrics', async () => {
    const port = await freePort();
    const environment = {
      NODE_OPTIONS: `--import ${REGISTER}`,
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    };
    const running = await services.start(['start'], environment, 'npm');
    await visit(running, ITEMS);
    const scraped = await waitFor(() => scrape(port), { what: 'a scrape' });
    expect(scraped).toMatch(new RegExp(`^basket_count\\{.*\\} ${ITEMS}$`, 'm'));
    expect(await quit(running)).toBe(0);
    expect(running.stderr()).not.toContain('hdrscope:');
  });

  test('a configuration file of OpenTelemetry', async () => {
    const running = await services.start(['--import', REGISTER, 'express.cjs'], {
      ...toSink,
      OTEL_CONFIG_FILE: 'otel.yaml',
    });
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    expectDurations(ROUTE);
    expect(pointsOf('basket')[0]!.resource).toMatchObject({ 'service.name': 'from a file' });
  });

  test('a configuration file of OpenTelemetry with views of hdrscope', async () => {
    const running = await services.start(['--import', REGISTER, 'express.cjs'], {
      ...toSink,
      HDRSCOPE_VIEWS: '',
      OTEL_CONFIG_FILE: 'otel-views.yaml',
    });
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    // The SDK has histograms that no view selects.
    const [duration] = pointsOf('http.server.request.duration');
    expect(duration!.buckets).toHaveProperty('boundaries');
    expect(running.stderr()).not.toContain('hdrscope');
  });
});

describeWithPeers(['node-services', 'opentelemetry-3'])('OpenTelemetry 3', () => {
  const third = new Application(
    [
      '@hdrscope',
      'yaml',
      ...findPeerPackages('node-services', ['express']),
      ...findPeerPackages('opentelemetry-3', [
        '@opentelemetry/api',
        '@opentelemetry/instrumentation-http=instrumentation-http-0.301',
        '@opentelemetry/sdk-metrics=sdk-metrics-3',
        '@opentelemetry/sdk-node=sdk-node-0.301',
      ]),
    ],
    ['@opentelemetry/instrumentation-http'],
  );
  afterAll(() => third.remove());

  test('reads its configuration file with views of hdrscope', async () => {
    const running = await third.start(['--import', REGISTER, 'express.cjs'], {
      ...toSink,
      HDRSCOPE_VIEWS: '',
      OTEL_CONFIG_FILE: 'otel-views.yaml',
    });
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    expect(pointsOf('basket')[0]!.resource).toMatchObject({ 'service.name': 'from a file' });
    expect(running.stderr()).not.toContain('[HDRSCOPE_FAILED]');
  });
});

describeWithPeers(['layouts'])('two copies of @opentelemetry/instrumentation', () => {
  test.each(['npm', 'pnpm', 'yarn'])('as %s lays them out', async (manager) => {
    const { dependencies } = JSON.parse(
      readFileSync(join(programOf('layouts'), manager, 'package.json'), 'utf8'),
    ) as { readonly dependencies: object };
    const laidOut = new Application(
      ['@hdrscope', '@opentelemetry/exporter-metrics-otlp-http'],
      Object.keys(dependencies),
    );
    try {
      const packages = join(programOf('layouts'), manager, 'node_modules');
      cpSync(packages, join(laidOut.folder, 'node_modules'), { recursive: true, verbatimSymlinks: true });
      for (const service of ['express.cjs', 'express.mjs']) {
        requests = [];
        const running = await laidOut.start(['--import', REGISTER, service], toSink);
        await visit(running, ITEMS);
        expect(await quit(running)).toBe(0);
        expectItems();
        expectDurations(ROUTE);
        expect(running.stderr()).not.toMatch(/hdrscope:|already been initialized/);
      }
    } finally {
      await laidOut.remove();
    }
  });
});

describeWithPeers(['runtimes', 'node-services'])('another runtime', () => {
  const runtimes = programOf('runtimes');
  const inPlatform = (scope: string, path: string): string =>
    join(runtimes, scope, readdirSync(join(runtimes, scope))[0]!, path);
  const entry = './node_modules/@hdrscope/otel/dist/register/index.js';
  const BUN = [inPlatform('@oven', 'bin/bun'), '--preload', REGISTER];
  const DENO = [inPlatform('@deno', 'deno'), 'run', '--allow-all', '--preload', entry];
  const LIST = /\[HDRSCOPE_NO_ROUTE\].*list the routes, such as HDRSCOPE_ROUTES/;

  async function pageOf(
    [program = '', ...args]: readonly string[],
    service: string,
    environment: Record<string, string> = {},
  ): Promise<{ page: string; stderr: string }> {
    const port = await freePort();
    const running = await services.start(
      [...args, service],
      {
        OTEL_METRICS_EXPORTER: 'prometheus',
        OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
        OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
        ...environment,
      },
      program,
    );
    await visit(running, ITEMS);
    const page = await waitFor(() => scrape(port), { what: 'a page of metrics' });
    running.child.kill('SIGTERM');
    await running.exit;
    return { page, stderr: running.stderr() };
  }

  const requestsOn = (page: string): (string | undefined)[] =>
    /^http_server_request_duration_seconds_count\{(?:.*http_route="([^"]*)")?.*\} (\d+)$/m
      .exec(page)
      ?.slice(1) ?? [];

  test.each<[string, readonly string[], string]>([
    ['Bun', BUN, 'express.cjs'],
    ['Deno', DENO, 'express.cjs'],
    ['Deno', DENO, 'express.mjs'],
  ])('%s: each request counts once, with its route: %#', async (_, command, service) => {
    const { page, stderr } = await pageOf(command, service);
    expect(requestsOn(page)).toEqual(['/items/:id', `${ITEMS}`]);
    expect(stderr).not.toContain('hdrscope:');
  });

  test('Bun: an ES module needs a list of its routes, as a warning says', async () => {
    const without = await pageOf(BUN, 'express.mjs');
    expect(requestsOn(without.page)).toEqual([undefined, `${ITEMS}`]);
    expect(without.stderr).toMatch(LIST);
    const { page, stderr } = await pageOf(BUN, 'express.mjs', { HDRSCOPE_ROUTES: '/items/:id' });
    expect(requestsOn(page)).toEqual(['/items/:id', `${ITEMS}`]);
    expect(stderr).not.toContain('hdrscope:');
  });

  test.each([
    ['Bun', BUN],
    ['Deno', DENO],
  ])('%s: a warning names requests that do not come by node:http', async (name, command) => {
    const { page, stderr } = await pageOf(command, 'native.mjs');
    expect(requestsOn(page)).toEqual([]);
    expect(stderr.match(/\[HDRSCOPE_NO_INSTRUMENTATION\] hdrscope: .*/g)).toEqual([
      expect.stringContaining(`requests of ${name}.serve are not measured: serve them with node:http`),
    ]);
  });
});

test('threads export by themselves, under identities of their own', async () => {
  const running = await application.start(['--import', REGISTER, 'threads.mjs'], {
    ...toSink,
    OTEL_METRICS_EXPORTER: 'otlp,prometheus',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(await freePort()),
  });
  expect(await running.exit).toBe(0);
  const points = pointsReceived(requests).filter(({ name }) => name === 'job.size');
  expect(points.map(({ sum }) => sum).sort()).toEqual([1, 2]);
  expect(new Set(points.map(({ resource }) => resource['service.instance.id'])).size).toBe(2);
  expect(running.stderr()).not.toContain('HDRSCOPE_UNREACHABLE');
});

describeWithPeers(['node-services'])('routes', () => {
  /** Express and Fastify, with the instrumentation of HTTP alone. */
  const unrouted = new Application(
    [
      '@hdrscope',
      ...findPeerPackages('node-services', [
        '@opentelemetry/api',
        '@opentelemetry/exporter-metrics-otlp-http',
        '@opentelemetry/instrumentation-http=instrumentation-http-0.223',
        '@opentelemetry/sdk-metrics',
        'express',
        'fastify',
        'instrumentation-http-0.223',
        'sdk-node-0.223',
      ]),
    ],
    ['@opentelemetry/instrumentation-http'],
  );
  afterAll(() => unrouted.remove());

  const LIST = "list the routes, such as HDRSCOPE_ROUTES='/items/:id, /users/*'";
  const INSTALL = 'npm install @opentelemetry/instrumentation-express';

  test.each<[service: string, cure: string]>([
    ['express.cjs', INSTALL],
    ['express.mjs', INSTALL],
    ['fastify.mjs', 'npm install @fastify/otel'],
    ['plain.mjs', LIST],
    ['service-with-sdk.cjs', `${INSTALL}, and give it to the SDK`],
  ])('%s without them: one warning has the cure', async (service, cure) => {
    const running = await unrouted.start(['--import', REGISTER, service], toSink);
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expect(running.stderr().match(/\[HDRSCOPE_NO_ROUTE\].*/g)).toEqual([
      `[HDRSCOPE_NO_ROUTE] hdrscope: requests come without http.route: ${cure}`,
    ]);
  });

  test.each(['plain.mjs', 'express.cjs', 'service-with-sdk.cjs'])(
    '%s with HDRSCOPE_ROUTES',
    async (service) => {
      const running = await unrouted.start(['--import', REGISTER, service], {
        ...toSink,
        HDRSCOPE_ROUTES: '/quit, /items/:id',
      });
      await visit(running, ITEMS);
      expect(await quit(running)).toBe(0);
      expectDurations(ROUTE);
      expect(running.stderr()).not.toContain('hdrscope:');
    },
  );

  test('the route of a framework is preferred, and a wrong pattern is left out', async () => {
    const running = await services.start(['--import', REGISTER, 'express.cjs'], {
      ...toSink,
      HDRSCOPE_ROUTES: 'items, /*',
    });
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectDurations(ROUTE);
    expect(running.stderr().match(/hdrscope: .*/g)).toEqual([
      'hdrscope: pattern 1 of HDRSCOPE_ROUTES must be a path such as /items/:id or /users/*, where * comes last, got "items"',
    ]);
  });

  test('requests that find nothing need no route', async () => {
    const running = await unrouted.start(['--import', REGISTER, 'plain.mjs'], toSink);
    for (let i = 0; i < ITEMS; i++) expect((await fetch(`${running.url}/missing`)).status).toBe(404);
    expect(await quit(running)).toBe(0);
    expect(running.stderr()).not.toContain('hdrscope:');
  });
});

describeWithPeers(['node-services'])('beside an SDK that the application starts', () => {
  const AFTER = ['--import', REGISTER, '--require', './sdk.cjs', 'express.cjs'];

  test.each<[title: string, args: readonly string[]]>([
    ['in its code', ['--import', REGISTER, 'service-with-sdk.cjs']],
    ['in a module that is loaded later', ['--require', REGISTER, ...AFTER.slice(2)]],
  ])('%s, each request counts once, with the resource of that SDK', async (_, args) => {
    const running = await services.start(args, toSink);
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    expectDurations();
    expect(pointsOf('basket')[0]!.resource).toMatchObject({ 'service.name': 'with an SDK' });
  });

  test('in a module that is loaded earlier: its histograms stay, and a warning names them', async () => {
    const args = ['--require', './sdk.cjs', '--import', REGISTER, 'express.cjs'];
    const running = await services.start(args, toSink);
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    const [duration] = pointsOf('http.server.request.duration');
    expect(duration?.buckets).not.toHaveProperty('scale');
    expect(running.stderr()).toMatch(/\[HDRSCOPE_TOO_LATE\].*http\.server\.request\.duration/);
  });
});

describeWithPeers(['auto-instrumentations'])('auto-instrumentations-node', () => {
  const AUTO = '@opentelemetry/auto-instrumentations-node';
  // With a copy of the API that is older than that of hdrscope.
  const automatic = new Application(
    ['@hdrscope', ...findPeerPackages('auto-instrumentations', ['@opentelemetry', 'express'])],
    [AUTO],
  );
  afterAll(() => automatic.remove());

  test.each<[title: string, args: readonly string[]]>([
    ['in place of its register', []],
    ['beside its register', ['--import', `${AUTO}/register`]],
  ])('%s, each request counts once', async (_, args) => {
    const running = await automatic.start(['--import', REGISTER, ...args, 'express.cjs'], toSink);
    await visit(running, ITEMS);
    expect(await quit(running)).toBe(0);
    expectItems();
    expectDurations(ROUTE);
    expect(running.stderr()).not.toContain('hdrscope:');
  });
});

describe('the end of a process', () => {
  test.each<[way: string, exit: number | string]>([
    ['nothing', 0],
    ['code', 3],
    ['signal', 'SIGTERM'],
    ['handler', 5],
    ['hangup', 'SIGHUP'],
    ['exit at once', 4],
    ['exit in a handler', 4],
    ['error', 1],
    ['rejection', 1],
  ])('%s: the last metrics go out, and it ends with %s', async (way, exit) => {
    const running = await application.start(['--import', REGISTER, 'ending.cjs', way], {
      ...toSink,
      HDRSCOPE_VIEWS: 'job.*',
    });
    if (exit === 'SIGTERM' || way.includes('handler')) running.child.kill('SIGTERM');
    if (exit === 'SIGHUP') running.child.kill('SIGHUP');
    expect(await running.exit).toBe(exit);
    expect(pointsOf('job.size').at(-1)).toMatchObject({ count: 1, sum: 7 });
    expect(running.stderr()).not.toContain('hdrscope: the last');
  });

  test.each([
    ['exit at once', 2000, 1900, 6000],
    ['exit at once', 0, 0, 1900],
    ['signal', 2000, 1900, 6000],
  ])(
    '%s: a receiver that does not answer holds it up for at most %i ms',
    async (way, waitMs, least, most) => {
      const silent = createServer(() => {}).listen(0, '127.0.0.1');
      await once(silent, 'listening');
      const { port } = silent.address() as AddressInfo;
      const running = await application.start(['--import', REGISTER, 'ending.cjs', way], {
        ...toSink,
        OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
        HDRSCOPE_EXIT_WAIT: String(waitMs),
      });
      const beganMs = performance.now();
      if (way === 'signal') running.child.kill('SIGTERM');
      expect(await running.exit).toBe(way === 'signal' ? 'SIGTERM' : 4);
      const tookMs = performance.now() - beganMs;
      silent.closeAllConnections();
      silent.close();
      expect(tookMs).toBeGreaterThanOrEqual(least);
      expect(tookMs).toBeLessThan(most);
      const losses = running.stderr().match(/\[HDRSCOPE_LOST\] hdrscope: the last metrics/g) ?? [];
      expect(losses).toHaveLength(waitMs > 0 ? 1 : 0);
    },
  );

  test('a receiver that is down does not hold it up for long', async () => {
    const start = performance.now();
    const running = await application.start(['--import', REGISTER, 'ending.cjs', 'code'], {
      ...toSink,
      OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${await freePort()}`,
    });
    expect(await running.exit).toBe(3);
    expect(performance.now() - start).toBeLessThan(30_000);
  });
});

describe('what cannot be done is said once, and the application runs', () => {
  const warnings = (running: Running): string[] =>
    running
      .stderr()
      .split('\n')
      .filter((line) => line.includes('hdrscope: '))
      .map((line) => line.replace(/^\(node:\d+\) /, ''));

  const NO_INSTRUMENTATION =
    '[HDRSCOPE_NO_INSTRUMENTATION] hdrscope: only instruments of the application itself are counted: ' +
    'its package.json names no instrumentation, such as @opentelemetry/auto-instrumentations-node';

  test('packages that are not installed', async () => {
    const running = await bare.start(['--import', REGISTER, 'ending.cjs', 'code'], {
      OTEL_METRICS_EXPORTER: 'otlp,prometheus,console',
    });
    expect(await running.exit).toBe(3);
    expect(warnings(running)).toEqual([
      '[HDRSCOPE_MISSING_PACKAGE] hdrscope: metrics are not exported as the environment says: ' +
        'npm install @opentelemetry/exporter-metrics-otlp-proto @hdrscope/prometheus',
      NO_INSTRUMENTATION,
    ]);
    // The exporter that is there works.
    expect(running.stdout()).toMatch(/job\.size.*bucketCounts: \[ 1 \]/s);
  });

  test('settings that are wrong', async () => {
    const running = await application.start(['--import', REGISTER, 'ending.cjs', 'code'], {
      ...toSink,
      OTEL_METRICS_EXPORTER: 'otlp,carbon',
      HDRSCOPE_VIEWS: 'job.*;significantDigits=9, other',
    });
    expect(await running.exit).toBe(3);
    expect(warnings(running)).toEqual([
      '[ERR_INVALID_OPTION] hdrscope: view 1 of HDRSCOPE_VIEWS is left out: significantDigits must be an integer from 0 to 5, got 9',
      '[ERR_INVALID_OPTION] hdrscope: OTEL_METRICS_EXPORTER must be otlp, prometheus, console or none, got "carbon"',
      NO_INSTRUMENTATION,
    ]);
    expect(pointsOf('job.size')[0]!.buckets).not.toHaveProperty('scale');
  });

  test.each([
    ['OTEL_SDK_DISABLED', 'true'],
    ['OTEL_METRICS_EXPORTER', 'none'],
  ])('nothing is exported and nothing is said with %s=%s', async (name, value) => {
    const running = await application.start(['--import', REGISTER, 'ending.cjs', 'code'], {
      ...toSink,
      [name]: value,
    });
    expect(await running.exit).toBe(3);
    expect([requests, warnings(running)]).toEqual([[], []]);
  });
});

describeWithPeers(['collector', 'node-services'])('a Collector', () => {
  test('receives the histograms and counters in each protocol', async () => {
    const collector = await startCollector();
    for (const protocol of ['grpc', 'http/json', 'http/protobuf']) {
      const running = await services.start(['--import', REGISTER, 'express.cjs'], {
        OTEL_EXPORTER_OTLP_PROTOCOL: protocol,
        OTEL_EXPORTER_OTLP_ENDPOINT: protocol === 'grpc' ? collector.grpcUrl : collector.httpUrl,
        OTEL_SERVICE_NAME: protocol,
        HDRSCOPE_VIEWS: VIEWS,
      });
      await visit(running, ITEMS);
      expect(await quit(running)).toBe(0);
      requests = await waitFor(
        () => {
          const received = collector.received();
          const points = pointsReceived(received);
          return points.some(({ resource }) => resource['service.name'] === protocol) && received;
        },
        { what: `metrics by ${protocol}` },
      );
      requests = requests.filter(({ resourceMetrics }) =>
        JSON.stringify(resourceMetrics).includes(`"${protocol}"`),
      );
      expectItems();
      expectDurations(ROUTE);
    }
  });

  test('receives by gRPC what a process has counted that calls process.exit', async () => {
    const collector = await startCollector();
    const running = await services.start(['--import', REGISTER, 'ending.cjs', 'exit at once'], {
      OTEL_EXPORTER_OTLP_PROTOCOL: 'grpc',
      OTEL_EXPORTER_OTLP_ENDPOINT: collector.grpcUrl,
      HDRSCOPE_VIEWS: 'job.*',
      // A busy machine takes long to load gRPC in the thread that exports.
      HDRSCOPE_EXIT_WAIT: '30000',
    });
    expect(await running.exit).toBe(4);
    const points = await waitFor(
      () => {
        const found = pointsReceived(collector.received()).filter(({ name }) => name === 'job.size');
        return found.length > 0 && found;
      },
      { what: 'the last metrics' },
    );
    expect(points).toHaveLength(1);
    expect(points[0]).toMatchObject({ count: 1, sum: 7, buckets: { scale: expect.any(Number) } });
    expect(running.stderr()).not.toContain('HDRSCOPE_LOST');
  });
});

describeWithPeers(['prometheus-3', 'node-services'])('Prometheus', () => {
  test('scrapes native histograms, and counters beside them', async () => {
    const port = await freePort();
    const prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${port}`]);
    const running = await services.start(['--import', REGISTER, 'express.cjs'], {
      OTEL_METRICS_EXPORTER: 'prometheus',
      OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
      OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
      HDRSCOPE_VIEWS: VIEWS,
    });
    await visit(running, ITEMS);
    expect(await prometheus.queryNumber(`histogram_count(basket) == ${ITEMS}`)).toBe(ITEMS);
    expect(await prometheus.queryNumber(`orders_total == ${ITEMS}`)).toBe(ITEMS);
    const median = await prometheus.queryNumber('histogram_quantile(0.475, basket)');
    expect(Math.abs(median / 9.5 - 1)).toBeLessThan(0.06);
    const route = 'http_route="/items/:id"';
    const durations = `histogram_count(http_server_request_duration_seconds{${route}})`;
    expect(await prometheus.queryNumber(durations)).toBe(ITEMS);
    expect(await quit(running)).toBe(0);
  });
});
