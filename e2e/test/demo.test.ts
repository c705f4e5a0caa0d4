import { once } from 'node:events';
import { mkdtempSync, rmSync } from 'node:fs';
import { type AddressInfo, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { queryHistory } from '@hdrscope/history';
import { type DemoProcess, endAll, npmStart, startDemo } from './demo-process.ts';
import { type HistogramSeries, readHistogram } from './prometheus-text.ts';

const METRIC = 'http_server_request_duration_seconds';
const FREE_PORTS = ['--port', '0', '--metrics-port', '0', '--page-port', '0'];
const ROUTES = ['GET /products/{id}', 'GET /search', 'GET /reports/{month}', 'POST /login'];

afterEach(endAll);

async function urlsOf(demo: DemoProcess): Promise<{ service: string; metrics: string }> {
  const [, service, metrics] = await demo.printed(/service +(http:\S+)\n +metrics +(http:\S+)\n/);
  return { service: service!, metrics: metrics! };
}

/** Reads a page of metrics four times a second, until the demo has ended. */
async function scrapeToTheEnd(demo: DemoProcess): Promise<{ pages: string[]; contentType: string | null }> {
  const { metrics } = await urlsOf(demo);
  const pages: string[] = [];
  let contentType: string | null = null;
  let hasEnded = false;
  void demo.exit.then(() => {
    hasEnded = true;
  });
  while (!hasEnded) {
    try {
      const response = await fetch(metrics);
      pages.push(await response.text());
      contentType = response.headers.get('content-type');
    } catch {
      // The server has closed.
    }
    await sleep(250);
  }
  return { pages, contentType };
}

/** The columns of the closing table's last row. */
function totalsOf(stdout: string): number[] {
  const [, counts] = /^total +([\d, ]+)$/m.exec(stdout) ?? [];
  return counts!.trim().split(/ +/).map(numberOf);
}

function numberOf(text: string): number {
  return Number(text.replaceAll(',', ''));
}

const totalOf = (series: readonly HistogramSeries[]): number =>
  series.reduce((total, { count }) => total + count, 0);

/** Requests by route as a table shows them, added up over its lines. */
function countsByRoute(table: string): Map<string, number> {
  const counts = new Map<string, number>();
  for (const [, route, count] of table.matchAll(/^[ \d.s]{9}((?:GET|POST) .*?) {2,}([\d,]+) /gm)) {
    counts.set(route!, (counts.get(route!) ?? 0) + numberOf(count!));
  }
  return counts;
}

test('a run keeps a history with every answer', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-demo-'));
  try {
    const demo = startDemo('--seconds', '2', '--history', folder, ...FREE_PORTS);
    expect(await demo.exit).toEqual({ code: 0, signal: null });
    const groups = await queryHistory(folder, { metric: 'http.server.request.duration', by: ['http.route'] });
    const [client] = totalsOf(demo.stdout());
    expect(groups.map(({ attributes }) => attributes['http.route'])).toEqual(
      ROUTES.map((route) => route.split(' ')[1]!).sort(),
    );
    expect(groups.reduce((sum, { count }) => sum + count, 0)).toBe(client);
    expect(demo.stdout()).toMatch(/\nwrote \d+ rows of a history to /);
  } finally {
    rmSync(folder, { recursive: true });
  }
}, 60_000);

describe('a run from start to end', () => {
  let demo: DemoProcess;
  let pages: HistogramSeries[][];
  let lastPage: string;

  beforeAll(async () => {
    demo = npmStart('--seconds', '3', ...FREE_PORTS);
    const scraped = await scrapeToTheEnd(demo);
    lastPage = scraped.pages.at(-1)!;
    pages = scraped.pages.map((page) => readHistogram(page, METRIC));
  });

  test('ends by itself with exit code 0', async () => {
    expect(await demo.exit).toEqual({ code: 0, signal: null });
  });

  test('counts every answer of the load client, and shows them all on /metrics', () => {
    const [client, counted, scraped] = totalsOf(demo.stdout());

    expect(client).toBeGreaterThan(0);
    expect({ counted, scraped }).toEqual({ counted: client, scraped: client });
    expect(demo.stdout()).toMatch(/\nequal: .*\n$/);
  });

  test('shows the distribution of all answers', () => {
    const [client] = totalsOf(demo.stdout());

    expect(demo.stdout()).toMatch(/\n {7}Value {5}Percentile TotalCount 1\/\(1-Percentile\)\n\n/);
    expect(demo.stdout()).toMatch(new RegExp(`\\n#\\[Max +=.*, Total count +=\\s+${client}\\]\\n`));
  });

  test('prints lines that add up to the whole run', () => {
    const [live, whole] = demo.stdout().split('The whole run:') as [string, string];

    expect([...countsByRoute(whole).keys()]).toEqual(ROUTES);
    expect(countsByRoute(live)).toEqual(countsByRoute(whole));
    expect([...countsByRoute(whole).values()].reduce((a, b) => a + b)).toBe(totalsOf(demo.stdout())[0]);
  });

  test('serves a histogram with a series for every route and status code', () => {
    expect(lastPage).toContain(`# TYPE ${METRIC} histogram\n`);
    const expected = [
      'http_request_method=GET http_response_status_code=200 http_route=/products/{id} url_scheme=http',
      'http_request_method=GET http_response_status_code=200 http_route=/reports/{month} url_scheme=http',
      'http_request_method=GET http_response_status_code=200 http_route=/search url_scheme=http',
      'http_request_method=GET http_response_status_code=404 http_route=/products/{id} url_scheme=http',
      'http_request_method=POST http_response_status_code=200 http_route=/login url_scheme=http',
      'http_request_method=POST http_response_status_code=401 http_route=/login url_scheme=http',
    ];
    expect(
      pages
        .at(-1)!
        .map(({ labels }) => labels)
        .sort(),
    ).toEqual(expected);
  });

  test('serves buckets that are cumulative and end with the count, at every scrape', () => {
    expect(pages.length).toBeGreaterThan(5);
    for (const { buckets, count, sum } of pages.flat()) {
      expect(buckets.map(([le]) => le)).toEqual([
        ...[0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10],
        Number.POSITIVE_INFINITY,
      ]);
      const counts = buckets.map(([, cumulative]) => cumulative);
      expect(counts).toEqual([...counts].sort((a, b) => a - b));
      expect(counts.at(-1)).toBe(count);
      expect(sum).toBeGreaterThan(0);
    }
  });

  test('serves counts that only grow, up to the final count', () => {
    const last = new Map<string, number>();
    for (const { labels, count } of pages.flat()) {
      expect(count).toBeGreaterThanOrEqual(last.get(labels) ?? 0);
      last.set(labels, count);
    }
    expect(totalOf(pages[0]!)).toBeLessThan(totalOf(pages.at(-1)!));
    expect(totalOf(pages.at(-1)!)).toBeLessThanOrEqual(totalsOf(demo.stdout())[0]!);
  });
});

describe('when the ports are taken', () => {
  const squatters: Server[] = [];

  async function takePort(): Promise<number> {
    const server = createServer().listen(0, '127.0.0.1');
    squatters.push(server);
    await once(server, 'listening');
    return (server.address() as AddressInfo).port;
  }

  afterEach(() => {
    for (const server of squatters.splice(0)) server.close();
  });

  test('reports it, uses free ports, and shuts down cleanly on SIGINT', async () => {
    const [port, metricsPort] = [await takePort(), await takePort()];
    const demo = startDemo(
      ...['--seconds', '0', '--no-page', '--port', String(port), '--metrics-port', String(metricsPort)],
    );
    const { service, metrics } = await urlsOf(demo);

    expect(demo.stdout()).toContain(
      `port ${port} is taken: the service has port ${new URL(service).port} instead\n`,
    );
    expect(demo.stdout()).toContain(
      `port ${metricsPort} is taken: the metrics have port ${new URL(metrics).port} instead\n`,
    );
    expect(service).not.toContain(`:${port}`);
    expect(metrics).not.toContain(`:${metricsPort}`);

    await demo.printed(/^ +1 s /m);
    // Requests of other clients are counted too, but not as part of the load.
    expect((await fetch(`${service}/nowhere`)).status).toBe(404);
    expect(readHistogram(await (await fetch(metrics)).text(), METRIC).length).toBeGreaterThan(0);
    demo.child.kill('SIGINT');

    expect(await demo.exit).toEqual({ code: 0, signal: null });
    const [client, others, counted, scraped] = totalsOf(demo.stdout());
    expect({ others, counted, scraped }).toEqual({ others: 1, counted: client! + 1, scraped: client! + 1 });
    expect(demo.stdout()).toMatch(/GET \(no route\) +1 /);
    expect(demo.stdout()).toMatch(/\nequal: .*\n$/);
  });
});

test('prints the address of its live page first, and the page ends with the demo', async () => {
  const demo = startDemo('--seconds', '60', ...FREE_PORTS);
  const [, page] = await demo.printed(/\n\n {2}page +(http:\S+)\n {2}service /);

  const html = await fetch(page!);
  expect([html.status, html.headers.get('content-type')]).toEqual([200, 'text/html; charset=utf-8']);
  const events = await fetch(`${page}events`);
  const decoder = new TextDecoder();
  let text = '';
  let isAsked = false;
  for await (const chunk of events.body!) {
    text += decoder.decode(chunk, { stream: true });
    // A second signal would end the demo at once.
    if (!isAsked && text.includes('http.route=/search')) isAsked = demo.child.kill('SIGINT');
  }

  expect(text).toContain('"name":"http.server.request.duration"');
  expect(await demo.exit).toEqual({ code: 0, signal: null });
});

test('shuts down cleanly when npm is terminated', async () => {
  const demo = npmStart('--seconds', '60', ...FREE_PORTS);
  await demo.printed(/^ +1 s /m);
  demo.child.kill('SIGTERM');

  expect(await demo.exit).toEqual({ code: 0, signal: null });
  expect(demo.stdout()).toMatch(/\nequal: .*\n$/);
});

test('ends quietly when its output is closed', async () => {
  const demo = startDemo('--seconds', '60', ...FREE_PORTS);
  await demo.printed(/^ +1 s /m);
  demo.child.stdout!.destroy();

  expect(await demo.exit).toEqual({ code: 0, signal: null });
  expect(demo.stderr()).toBe('');
});

test('refuses a wrong option with exit code 2 and prints help', async () => {
  const [wrong, help] = [startDemo('--seconds', 'ten'), startDemo('--help')];

  expect(await wrong.exit).toEqual({ code: 2, signal: null });
  expect(wrong.stderr()).toContain("--seconds must be an integer from 0 to 86400, got 'ten'\n");
  expect(await help.exit).toEqual({ code: 0, signal: null });
  expect(help.stdout()).toContain('--metrics-port N');
});
