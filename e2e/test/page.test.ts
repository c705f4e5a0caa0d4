import { execFile } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer, get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { promisify } from 'node:util';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { caseCount, someCells } from '@hdrscope/testing/case-count';
import { Application, findPeerPackages, type Running } from './support/application.ts';
import { type OtlpMetrics, pointsReceived } from './support/otlp-json.ts';
import { freePort, waitFor } from './support/peer-process.ts';

const REGISTER = '@hdrscope/otel/register';
/** Within it each process has handed over what it has counted, also one that has just begun. */
const HANDED_OVER_MS = 2500;

const application = new Application(
  [
    '@hdrscope',
    '@opentelemetry/api',
    '@opentelemetry/exporter-metrics-otlp-http',
    '@opentelemetry/sdk-metrics',
    'prom-client',
    ...findPeerPackages('prometheus-client', ['@prometheus-io/client', 'tdigest', 'bintrees']),
  ],
  ['prom-client', '@prometheus-io/client'],
);

afterAll(() => application.remove());

/** A service that is asked, and its page of metrics. */
interface Asked {
  readonly url: string;
  /** How many requests the service has answered. */
  sent: number;
  /** How many it has not: Node.js loses a connection that it hands to a worker of a cluster which ends at that moment. */
  lost?: number;
  readonly scrapeUrl: string;
}

interface Service extends Asked {
  readonly running: Running;
}

async function startService(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const port = await freePort();
  const running = await application.start(args, {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    HDRSCOPE_INSTRUMENTATIONS: 'none',
    PROM_CLIENT: 'prom-client',
    ...environment,
  });
  const service = { running, url: running.url, sent: 0, scrapeUrl: `http://127.0.0.1:${port}/metrics` };
  await waitFor(() => numbersOn(service).catch(() => undefined), { what: 'a page of metrics' });
  return service;
}

/** Which processes load `register`. */
const PLACES: readonly [title: string, args: readonly string[], environment: Record<string, string>][] = [
  ['the primary and its workers', ['--import', REGISTER, 'cluster.cjs'], {}],
  ['workers only', ['cluster.cjs'], { WORKER_ARGS: `--import ${REGISTER}` }],
];
const CLUSTERS = PLACES.flatMap(([place, args, environment]) =>
  [2, 5].map((workers) => ({ place, workers, args, environment: { ...environment, WORKERS: `${workers}` } })),
);

test.each(someCells(CLUSTERS, 2))(
  'a cluster of $workers workers, register in $place, counts each request once, while all workers are replaced',
  ({ args, environment }) => countWhileReplaced(args, environment),
  60_000,
);

describeWithPeers(['prometheus-client'])('@prometheus-io/client in a cluster', () => {
  test('counts each request once, while all workers are replaced', async () => {
    const [, args, environment] = PLACES[1]!;
    await countWhileReplaced(args, { ...environment, WORKERS: '3', PROM_CLIENT: '@prometheus-io/client' });
  }, 60_000);
});

async function countWhileReplaced(
  args: readonly string[],
  environment: Readonly<Record<string, string>>,
): Promise<void> {
  const service = await startService(args, environment);
  const expectAll = async (): Promise<void> => {
    const page = await text(service.scrapeUrl);
    expect(numbersIn(page)).toMatchObject(counted(service.sent));
    expectProm(page, service.sent, Number(environment.WORKERS));
  };
  await ask(service, 200);
  await sleep(HANDED_OVER_MS);
  await ask(service, 50);
  // Each scrape asks all processes.
  await sleep(200);
  for (let i = 0; i < 4; i++) await expectAll();
  service.running.child.kill('SIGUSR2');
  while (!service.running.stdout().includes('all are replaced')) await ask(service, 5);
  // To a whole round of sizes.
  await ask(service, 50 - (service.sent % 50));
  await waitForCount(service);
  await expectAll();
  const warnings = service.running.stderr();
  expect(warnings).not.toContain('HDRSCOPE_LOST');
  expect(warnings).toMatch(/\[HDRSCOPE_LEFT_OUT\].*quantiles of "waits" cannot be added up/);
  expect(warnings).toMatch(/\[HDRSCOPE_LEFT_OUT\].*"orders_total" comes from two sources/);
  await end(service);
}

/** What prom-client has counted: sizes from 1 to 50 in turn, by `workers` processes that live. */
function expectProm(page: string, sent: number, workers: number): void {
  const numberAt = (sample: string): number => Number(page.split(`\n${sample} `)[1]?.split('\n')[0]);
  expect(numberAt('jobs_total{parity="even"}')).toBe(sent / 2);
  expect(numberAt('jobs_total{parity="odd"}')).toBe(sent / 2);
  for (const bound of [10, 20, 30, 40])
    expect(numberAt(`weights_bucket{le="${bound}"}`)).toBe((sent / 50) * bound);
  expect(numberAt('weights_sum')).toBe(25.5 * sent);
  expect(numberAt('weights_count')).toBe(sent);
  expect(numberAt('waits_count')).toBe(sent);
  expect(page).not.toContain('waits{');
  expect(numberAt('level_sum')).toBe(3 * workers);
  expect(numberAt('level_max')).toBe(3);
  expect(numberAt('level_average')).toBe(3);
  expect(numberAt('process_cpu_seconds_total')).toBeGreaterThan(0);
}

test('a worker that is killed is named, and loses no more than it had not handed over', async () => {
  const service = await startService(['--import', REGISTER, 'cluster.cjs']);
  await ask(service, 100);
  await waitForCount(service);
  const beforeMs = Date.now();
  await ask(service, 1, 'die');
  const diedMs = Date.now();
  await ask(service, 30);
  await waitForCount(service);
  const losses = [
    ...service.running
      .stderr()
      .matchAll(
        /HDRSCOPE_LOST\].* process \d+ ended without a word: what it has counted since (\S+) may be lost/g,
      ),
  ];
  expect(losses).toHaveLength(1);
  const sinceMs = Date.parse(losses[0]![1]!);
  expect(sinceMs).toBeLessThanOrEqual(diedMs);
  expect(sinceMs).toBeGreaterThan(beforeMs - 10_000);
  await end(service);
});

test('when the process that leads is killed, the page begins anew with what is new', async () => {
  const service = await startService(['cluster.cjs'], { WORKER_ARGS: `--import ${REGISTER}` });
  await ask(service, 100);
  await sleep(HANDED_OVER_MS);
  const leader = Number((await numbersOn(service)).target);
  process.kill(leader, 'SIGKILL');
  await sleep(HANDED_OVER_MS);
  // What Prometheus takes for new after a restart must not have been counted before.
  expect(await numbersOn(service)).toMatchObject(counted(0));
  await ask(service, 30);
  await sleep(HANDED_OVER_MS);
  expect(await numbersOn(service)).toMatchObject(counted(30));
  await end(service);
});

test('a scrape waits no longer than its timeout for a worker that does not answer, and names it', async () => {
  const service = await startService(['--import', REGISTER, 'cluster.cjs']);
  await ask(service, 100);
  await waitForCount(service);
  const frozen = Number(await text(`${service.running.url}/pid`));
  process.kill(frozen, 'SIGSTOP');
  try {
    const beganMs = performance.now();
    const page = await text(service.scrapeUrl, { 'x-prometheus-scrape-timeout-seconds': '4' });
    expect(performance.now() - beganMs).toBeLessThan(4500);
    expect(page).toContain(`hdrscope_source_errors{source="process ${frozen}"} 1`);
    expect(numbersIn(page)).toMatchObject(counted(100));
  } finally {
    process.kill(frozen, 'SIGCONT');
  }
  await end(service);
});

test('a child process and a worker thread are on the page of their parent, and their counts stay', async () => {
  const service = await startService(['--import', REGISTER, 'family.cjs'], {
    NODE_OPTIONS: `--import ${REGISTER}`,
  });
  await sleep(HANDED_OVER_MS);
  for (const who of ['main', 'child', 'thread']) await ask(service, 10, `${who}/7`);
  await sleep(HANDED_OVER_MS);
  expect(await numbersOn(service)).toMatchObject(counted(30));
  for (const who of ['child', 'thread']) {
    await ask(service, 5, `${who}/7`);
    await ask(service, 1, `${who}/end`);
  }
  await sleep(HANDED_OVER_MS);
  expect(await numbersOn(service)).toMatchObject(counted(40));
  expect(service.running.stderr()).not.toContain('HDRSCOPE_LOST');
  await end(service);
});

test('each process of a cluster sends its own metrics, also those of its last moment', async () => {
  const requests: OtlpMetrics[] = [];
  const sink = createServer(async (request, response) => {
    const body: Buffer[] = [];
    for await (const chunk of request) body.push(chunk);
    requests.push(JSON.parse(Buffer.concat(body).toString()));
    response.setHeader('content-type', 'application/json').end('{}');
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => sink.once('listening', resolve));
  sink.unref();
  const { port } = sink.address() as { readonly port: number };
  const running = await application.start(['--import', REGISTER, 'cluster.cjs'], {
    OTEL_METRICS_EXPORTER: 'otlp',
    OTEL_EXPORTER_OTLP_PROTOCOL: 'http/json',
    OTEL_EXPORTER_OTLP_ENDPOINT: `http://127.0.0.1:${port}`,
    HDRSCOPE_INSTRUMENTATIONS: 'none',
    // A busy machine takes longer than a process waits by default.
    HDRSCOPE_EXIT_WAIT: '20000',
    WORKERS: String(caseCount(2, 3)),
  });
  const service = { running, url: running.url, sent: 0, scrapeUrl: '' };
  await ask(service, 100);
  running.child.kill('SIGUSR2');
  while (!running.stdout().includes('all are replaced')) await ask(service, 5);
  await ask(service, 50);
  running.child.kill('SIGUSR2');
  await waitFor(() => running.stdout().match(/all are replaced/g)?.length === 2, { what: 'new workers' });
  await end(service);
  sink.close();
  const latest = new Map<unknown, number>();
  for (const { name, resource, count } of pointsReceived(requests))
    if (name === 'basket.size') latest.set(resource['service.instance.id'], Number(count));
  expect(latest.has(undefined)).toBe(false);
  expect([...latest.values()].reduce((sum, count) => sum + count, 0)).toBe(service.sent);
}, 60_000);

test('a port that another program has is named, and taken when it is free', async () => {
  const other = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => other.once('listening', resolve));
  const { port } = other.address() as { readonly port: number };
  const running = await application.start(['--import', REGISTER, 'cluster.cjs'], {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    HDRSCOPE_INSTRUMENTATIONS: 'none',
    PROM_CLIENT: 'prom-client',
  });
  await waitFor(() => running.stderr().includes('another program has the port'), { what: 'the warning' });
  await new Promise((resolve) => other.close(resolve));
  const service = { running, url: running.url, sent: 0, scrapeUrl: `http://127.0.0.1:${port}/metrics` };
  await waitFor(() => numbersOn(service).catch(() => undefined), { what: 'a page of metrics' });
  await ask(service, 20);
  await sleep(5000);
  expect(await numbersOn(service)).toMatchObject(counted(20));
  await end(service);
}, 60_000);

describeWithPeers(['pm2'])('pm2', () => {
  test('counts each request once, while it reloads the workers of its cluster', async () => {
    const pm2 = join(programOf('pm2'), 'pm2/bin/pm2');
    const [port, servicePort] = [await freePort(), await freePort()];
    const ecosystem = join(application.folder, 'ecosystem.config.json');
    const register = join(application.folder, 'node_modules/@hdrscope/otel/dist/register/index.js');
    const shop = {
      name: 'shop',
      script: 'served.cjs',
      cwd: application.folder,
      exec_mode: 'cluster',
      instances: 3,
      wait_ready: true,
      node_args: `--import ${pathToFileURL(register)}`,
      env: {
        OTEL_METRICS_EXPORTER: 'prometheus',
        OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
        OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
        HDRSCOPE_INSTRUMENTATIONS: 'none',
        PROM_CLIENT: 'prom-client',
        SERVICE_PORT: String(servicePort),
      },
    };
    await writeFile(ecosystem, JSON.stringify({ apps: [shop] }));
    const home = await mkdtemp(join(tmpdir(), 'hdrscope-pm2-'));
    const { PATH = '' } = process.env;
    const command = (...args: string[]): Promise<unknown> =>
      promisify(execFile)(process.execPath, [pm2, ...args], {
        cwd: application.folder,
        env: { PATH, HOME: home, PM2_HOME: home },
        timeout: 60_000,
      });
    try {
      await command('start', ecosystem);
      const service: Asked = {
        url: `http://127.0.0.1:${servicePort}`,
        sent: 0,
        scrapeUrl: `http://127.0.0.1:${port}/metrics`,
      };
      await ask(service, 100);
      await waitForCount(service);
      for (let i = 0; i < 4; i++) expect(await numbersOn(service)).toMatchObject(counted(100));
      let isReloaded = false;
      const reload = command('reload', 'shop').finally(() => {
        isReloaded = true;
      });
      while (!isReloaded) await ask(service, 5);
      await reload;
      await ask(service, 50);
      await waitForCount(service);
    } finally {
      await command('kill');
      await rm(home, { recursive: true, force: true });
    }
  }, 120_000);
});

/** The numbers of the service on a page. */
interface PageNumbers {
  readonly sizes: number;
  readonly orders: number;
  /** Those of prom-client. */
  readonly jobs: number;
  readonly weights: number;
  readonly open: number | undefined;
  /** The process that answered. */
  readonly target: string | undefined;
}

function counted(count: number): Partial<PageNumbers> {
  return { sizes: count, orders: count, jobs: count, weights: count };
}

async function numbersOn({ scrapeUrl }: Asked): Promise<PageNumbers> {
  return numbersIn(await text(scrapeUrl));
}

function numbersIn(page: string): PageNumbers {
  const numberAt = (name: string): string | undefined =>
    new RegExp(`^${name}(?:\\{[^}]*\\})? (\\S+)$`, 'm').exec(page)?.[1];
  return {
    sizes: Number(numberAt('basket_size_count') ?? 0),
    orders: Number(numberAt('orders_total') ?? 0),
    jobs: [...page.matchAll(/^jobs_total\{.*\} (\d+)$/gm)].reduce((sum, [, jobs]) => sum + Number(jobs), 0),
    weights: Number(numberAt('weights_count') ?? 0),
    open: Number(numberAt('open_requests')),
    target: /process_pid="(\d+)"/.exec(page)?.[1],
  };
}

/** Waits until the page has all requests that the service has answered. */
async function waitForCount(service: Asked): Promise<void> {
  const expected = Object.entries(counted(service.sent));
  const isCounted = (numbers: PageNumbers): boolean =>
    expected.every(([name, count]) => numbers[name as keyof PageNumbers] === count);
  const what = `${service.sent} requests on the page`;
  // While another process takes over the page, nothing answers at its port.
  await waitFor(async () => isCounted(await numbersOn(service).catch(() => numbersIn(''))), { what });
}

/** Asks the service until it has answered so many times, and counts the answers; a path that is given, whether it answers or not. */
async function ask(service: Asked, count: number, path?: string): Promise<void> {
  for (let i = 0; i < count; i++) {
    try {
      await text(`${service.url}/${path ?? 1 + (service.sent % 50)}`);
      service.sent++;
    } catch (error) {
      if (path !== undefined) continue;
      service.lost = (service.lost ?? 0) + 1;
      if (!(error instanceof NoAnswer) || service.lost > 1) throw error;
      i--;
    }
  }
}

class NoAnswer extends Error {}

/** The body of an answer over a connection of its own, so that the workers of a cluster take turns. */
function text(url: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    const request = get(url, { agent: false, headers, timeout: 10_000 }, (response) => {
      let body = '';
      response.setEncoding('utf8');
      response.on('data', (part: string) => {
        body += part;
      });
      response.on('end', () => resolve(body));
      response.on('error', reject);
    });
    request.on('timeout', () => request.destroy(new NoAnswer(`${url} has not answered within 10 s`)));
    request.on('error', reject);
  });
}

async function end({ running }: Service): Promise<void> {
  running.child.kill('SIGTERM');
  await running.exit;
}
