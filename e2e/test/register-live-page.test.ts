import { mkdtempSync, rmSync } from 'node:fs';
import { get } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { Application, type Running } from './support/application.ts';
import { freePort, waitFor } from './support/peer-process.ts';

const REGISTER = '@hdrscope/otel/register';
/** Within it each process has handed over what it has counted, also one that has just begun. */
const HANDED_OVER_MS = 2500;
/** Within it the history of the page is in its folder. */
const WRITTEN_MS = 16_000;

const application = new Application(['@hdrscope', '@opentelemetry/api', '@opentelemetry/sdk-metrics']);

afterAll(() => application.remove());

/** A service of several processes, and its live page. */
interface Service {
  readonly running: Running;
  readonly url: string;
  readonly scrapeUrl: string;
  /** How many requests the service has answered. */
  sent: number;
}

async function startService(
  args: readonly string[],
  environment: Readonly<Record<string, string>> = {},
): Promise<Service> {
  const [port, livePort] = [await freePort(), await freePort()];
  const running = await application.start(args, {
    OTEL_METRICS_EXPORTER: 'prometheus',
    OTEL_EXPORTER_PROMETHEUS_HOST: '127.0.0.1',
    OTEL_EXPORTER_PROMETHEUS_PORT: String(port),
    OTEL_SERVICE_NAME: 'shop',
    HDRSCOPE_INSTRUMENTATIONS: 'none',
    HDRSCOPE_LIVE_PAGE: String(livePort),
    ...environment,
  });
  return {
    ...{ running, sent: 0, url: `http://localhost:${livePort}/` },
    scrapeUrl: `http://127.0.0.1:${port}/metrics`,
  };
}

/** The text of an answer over a connection of its own, so that the workers of a cluster take turns. */
function text(url: string, headers: Record<string, string> = {}): Promise<string> {
  return new Promise((resolve, reject) => {
    get(url, { agent: false, headers, timeout: 10_000 }, async (response) => {
      const body = await response.setEncoding('utf8').toArray();
      resolve(body.join(''));
    }).on('error', reject);
  });
}

async function ask(service: Service, count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    await text(`${service.running.url}/${1 + (service.sent % 50)}`);
    service.sent++;
  }
}

/** The values of the only row of the table, in all columns; `undefined` while nobody serves it. */
async function readRow({ url }: Service): Promise<Record<string, string> | undefined> {
  const table = await text(`${url}export?format=csv`).catch(() => '');
  const [head, row, ...others] = table.trim().split('\r\n');
  if (row === undefined || others.length > 0) return undefined;
  const cells = row.split(',');
  return Object.fromEntries(head!.split(',').map((title, at) => [title, cells[at]!]));
}

/** Waits until the page shows so many values: the sizes from 1 to 50 in turn. */
async function expectCount(service: Service, count: number): Promise<void> {
  let row: Awaited<ReturnType<typeof readRow>>;
  await waitFor(
    async () => {
      row = await readRow(service);
      return row !== undefined && Number(row.count) >= count;
    },
    { what: `${count} values on the live page` },
  ).catch((error: unknown) => {
    throw new Error(`the page shows ${JSON.stringify(row)}`, { cause: error });
  });
  expect(row).toMatchObject({ metric: 'basket.size', series: '1', count: String(count) });
  if (count % 50 > 0) return;
  for (const [column, value] of [
    ['p50', 25],
    ['max', 50],
  ] as const) {
    expect(Number(row![`${column}_lower`])).toBeLessThanOrEqual(value);
    expect(Number(row![column])).toBeGreaterThanOrEqual(value);
    expect(Number(row![column])).toBeLessThan(value * 1.01);
  }
}

async function end({ running }: Service): Promise<void> {
  running.child.kill('SIGTERM');
  await running.exit;
}

describe.each([
  ['the primary and its workers', ['--import', REGISTER, 'cluster.cjs'], {}],
  ['workers only', ['cluster.cjs'], { WORKER_ARGS: `--import ${REGISTER}` }],
] as const)('a cluster, register in %s', (_, args, environment) => {
  test('shows what all workers have counted on one live page, also when they are replaced', async () => {
    const service = await startService(args, { WORKERS: '3', ...environment });
    await ask(service, 100);
    await expectCount(service, 100);
    expect(await text(service.url)).toContain('<title>shop</title>');
    expect(await text(service.url, { host: 'elsewhere.example' })).toContain('its own machine only');
    service.running.child.kill('SIGUSR2');
    while (!service.running.stdout().includes('all are replaced')) await ask(service, 5);
    await ask(service, 100 - (service.sent % 50));
    await expectCount(service, service.sent);
    expect(service.running.stderr()).not.toContain('HDRSCOPE');
    await end(service);
  }, 60_000);
});

test('when the process that leads is killed, the next one serves the page, with what is new', async () => {
  const service = await startService(['cluster.cjs'], { WORKER_ARGS: `--import ${REGISTER}`, WORKERS: '3' });
  await ask(service, 50);
  await expectCount(service, 50);
  const [, leader] = /process_pid="(\d+)"/.exec(await text(service.scrapeUrl))!;
  await sleep(HANDED_OVER_MS);
  process.kill(Number(leader), 'SIGKILL');
  await sleep(HANDED_OVER_MS);
  await ask(service, 50);
  await expectCount(service, 50);
  await end(service);
}, 60_000);

test('a folder keeps the timeline when the process that leads is killed, and no value is there twice', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-live-page-'));
  const args = { WORKER_ARGS: `--import ${REGISTER}`, WORKERS: '3', HDRSCOPE_LIVE_PAGE_HISTORY: folder };
  const startMs = Date.now();
  const service = await startService(['cluster.cjs'], args);
  try {
    await ask(service, 50);
    await expectCount(service, 50);
    // The page has looked once, so these are in an interval, which is written within ten seconds.
    await ask(service, 50);
    await expectCount(service, 100);
    await waitFor(async () => (await countSince(service, startMs)) >= 50, { what: 'an interval' });
    const kept = await countSince(service, startMs);
    await sleep(WRITTEN_MS);
    const [, leader] = /process_pid="(\d+)"/.exec(await text(service.scrapeUrl))!;
    process.kill(Number(leader), 'SIGKILL');
    await waitFor(async () => (await countSince(service, startMs)) > 0, { what: 'the timeline' });
    expect(await countSince(service, startMs)).toBe(kept);

    await sleep(HANDED_OVER_MS);
    await ask(service, 50);
    await waitFor(async () => (await countSince(service, startMs)) >= kept + 50, { what: 'what is new' });
    await sleep(HANDED_OVER_MS);
    expect(await countSince(service, startMs)).toBe(kept + 50);
    await end(service);
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}, 120_000);

/** How many values the timeline has since a time; 0 while nobody serves it. */
async function countSince({ url }: Service, startMs: number): Promise<number> {
  const address = `${url}export?format=csv&time=${startMs}-${Date.now() + 60_000}`;
  const [head = '', row = ''] = (await text(address).catch(() => '')).trim().split('\r\n');
  return Number(row.split(',')[head.split(',').indexOf('count')] ?? 0);
}

test('other machines need a token', async () => {
  const token = 'a-token-of-a-live-page';
  const args = ['--import', REGISTER, 'cluster.cjs'];
  const port = await freePort();
  const open = await startService(args, { HDRSCOPE_LIVE_PAGE: `0.0.0.0:${port}` });
  await waitFor(
    () => /HDRSCOPE_LIVE_PAGE and HDRSCOPE_TOKEN: host must be loopback/.test(open.running.stderr()),
    {
      what: 'the refusal',
    },
  );
  await end(open);
  const service = await startService(args, { HDRSCOPE_LIVE_PAGE: `0.0.0.0:${port}`, HDRSCOPE_TOKEN: token });
  const url = `http://127.0.0.1:${port}/`;
  const refused = await waitFor(() => text(url).catch(() => undefined), { what: 'an answer' });
  expect(refused).toContain('this page needs a token');
  expect(await text(url, { authorization: `Bearer ${token}` })).toContain('<title>shop</title>');
  await end(service);
});

test('a pipeline without a page of metrics gets a warning, and serves no live page', async () => {
  const service = await startService(['--import', REGISTER, 'cluster.cjs'], {
    OTEL_METRICS_EXPORTER: 'console',
  });
  await waitFor(() => service.running.stderr().includes('the live page is not served: it needs'), {
    what: 'the warning',
  });
  expect(await readRow(service)).toBeUndefined();
  await end(service);
});
