import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { servePrometheus } from '@hdrscope/prometheus';
import { fetchExposition } from '@hdrscope/prometheus/scraper';
import { createRegistry } from '@hdrscope/registry';
import { hdrscope } from '../support/fake-io.ts';

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

/** A clock that moves on by a second at each look: a command looks once at each interval. */
function seconds(): () => number {
  let ms = 0;
  return () => {
    ms += 1000;
    return ms;
  };
}

interface Page {
  readonly [route: string]: readonly [upTo01: number, upTo1: number, all: number, sum: number];
}

/** A target with classic histograms. The last page is repeated; one that is `undefined` is no answer. */
async function serve(pages: readonly (Page | undefined)[], more = ''): Promise<string> {
  let asked = 0;
  const server: Server = createServer((_, response) => {
    const page = pages[Math.min(asked++, pages.length - 1)];
    if (page === undefined) {
      response.writeHead(500).end();
      return;
    }
    const lines = Object.entries(page).flatMap(([route, [upTo01, upTo1, all, sum]]) => [
      ...[['0.1', upTo01] as const, ['1', upTo1] as const, ['+Inf', all] as const].map(
        ([le, count]) => `rpc_seconds_bucket{route="${route}",le="${le}"} ${count}`,
      ),
      `rpc_seconds_sum{route="${route}"} ${sum}`,
      `rpc_seconds_count{route="${route}"} ${all}`,
    ]);
    response.writeHead(200, { 'content-type': 'text/plain; version=0.0.4' });
    response.end(`# TYPE rpc_seconds histogram\n${lines.map((line) => `${line}\n`).join('')}${more}`);
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}

const RUN = ['--interval', '10ms', '--percentiles', '50,99'];

async function top(...args: string[]) {
  const { exitCode, stdout, stderr } = await hdrscope(['prometheus', 'top', ...args, ...RUN], {
    monotonicMs: seconds(),
  });
  return {
    exitCode,
    lines: stdout.trimEnd().split('\n').slice(1),
    stderr,
    json: () =>
      stdout
        .trim()
        .split('\n')
        .map((line) => JSON.parse(line)),
  };
}

test('shows what was counted between two scrapes, with the bounds of buckets', async () => {
  const url = await serve([
    { a: [100, 100, 100, 5], b: [0, 0, 0, 0] },
    { a: [101, 109, 110, 10], b: [0, 0, 0, 0] },
  ]);
  const { exitCode, lines, stderr } = await top(url, '--once');
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(lines).toEqual([
    'histogram    rate/s            p50          p99',
    'rpc_seconds    10.0  100 ms to 1 s  1 s or more',
  ]);
});

test('values of one name in different units are not added up', async () => {
  const serveUnit = async (unit: string): Promise<string> => {
    let count = 0;
    const server = createServer((_, response) => {
      count += 10;
      response.writeHead(200, { 'content-type': 'application/openmetrics-text; version=1.0.0' });
      const buckets = `x_bucket{le="1"} ${count}\nx_bucket{le="+Inf"} ${count}\nx_sum ${count}\nx_count ${count}`;
      response.end(`# TYPE x histogram\n# UNIT x ${unit}\n${buckets}\n# EOF\n`);
    }).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    ends.push(() => server.close());
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  };
  const { json } = await top(await serveUnit('seconds'), await serveUnit('milliseconds'), '--once', '--json');
  expect(json().map(({ unit, count }) => [unit, count])).toEqual([
    ['s', 10],
    ['ms', 10],
  ]);
});

test('adds up the series of all targets, and has a row for each value of a label', async () => {
  const pages = [
    { a: [1, 1, 1, 1], b: [5, 5, 5, 5] },
    { a: [2, 2, 2, 2], b: [5, 8, 8, 6] },
  ] as const;
  const urls = async () => [await serve(pages), await serve(pages)];
  const one = await top(...(await urls()), '--once', '--json');
  expect(one.json()).toEqual([
    expect.objectContaining({ name: 'rpc_seconds', count: 8, ratePerSec: 8, unit: 's', restarts: 0 }),
  ]);
  const by = await top(...(await urls()), '--once', '--json', '--by', 'route');
  expect(by.json()).toEqual([
    expect.objectContaining({ labels: { route: 'b' }, count: 6 }),
    expect.objectContaining({ labels: { route: 'a' }, count: 2 }),
  ]);
  const text = await top(...(await urls()), '--once', '--by', 'route');
  expect(text.lines.map((line) => line.split(/ {2,}/)[0])).toEqual([
    'histogram, route',
    'rpc_seconds{route="b"}',
    'rpc_seconds{route="a"}',
  ]);
});

test('reads native histograms, whose bounds contain the true percentiles', async () => {
  const registry = createRegistry();
  const series = registry.histogram({ name: 'job.duration', unit: 's' }).with({});
  series.record(100);
  const exporter = await servePrometheus(registry, { host: '127.0.0.1', port: 0 });
  const read = async () =>
    (await fetchExposition({ url: `http://127.0.0.1:${exporter.port}/metrics` })).bytes;
  const pages = [await read()];
  for (let i = 1; i <= 1000; i++) series.record(i / 1000);
  pages.push(await read());
  await exporter.close();
  const server = createServer((_, response) => {
    const type =
      'application/vnd.google.protobuf; proto=io.prometheus.client.MetricFamily; encoding=delimited';
    response.writeHead(200, { 'content-type': type }).end(pages.shift());
  }).listen(0, '127.0.0.1');
  await new Promise((resolve) => server.once('listening', resolve));
  ends.push(() => server.close());
  const { json } = await top(`127.0.0.1:${(server.address() as AddressInfo).port}`, '--json', '--once');
  const row = json().find(({ name }) => name === 'job_duration_seconds');
  expect(row).toMatchObject({ count: 1000, unit: 's' });
  for (const { percentile, lower, upper } of row.percentiles) {
    expect(lower).toBeLessThanOrEqual(percentile / 100);
    expect(upper).toBeGreaterThanOrEqual(percentile / 100);
    expect(upper / lower).toBeLessThan(1.1);
  }
});

test('counts all values of a process that began anew, and says so', async () => {
  const url = await serve([{ a: [5, 9, 9, 5] }, { a: [1, 2, 3, 4] }]);
  const { stderr, json } = await top(url, '--once', '--json');
  expect(json()).toEqual([
    expect.objectContaining({
      count: 3,
      restarts: 1,
      mean: expect.objectContaining({ lower: 1.33333333333 }),
    }),
  ]);
  expect(stderr).toMatch(/127\.0\.0\.1:\d+: counters were reset: rpc_seconds/);
});

test('goes on without a target that does not answer, and counts its values when it is back', async () => {
  const late = await serve([{ a: [1, 1, 1, 1] }, undefined, { a: [1, 1, 4, 9] }]);
  const other = await serve([{ a: [0, 0, 0, 0] }, { a: [1, 1, 1, 1] }]);
  const { lines, stderr } = await top(late, other, '--intervals', '2');
  const text = lines.join('\n');
  expect(text).toMatch(/127\.0\.0\.1:\d+ has not answered for 1 s\n.*\nrpc_seconds +1\.0 /);
  expect(text).toMatch(/is back: its values are those of 2 s\n.*\nrpc_seconds +1\.5 .*1 s or more/);
  expect(stderr).toMatch(/the target cannot be scraped/);
});

test('fits into 40 columns', async () => {
  const url = await serve([{ a: [0, 0, 0, 0] }, { a: [100, 109, 110, 10] }]);
  const { stdout } = await hdrscope(['prometheus', 'top', url, '--once', '--interval', '10ms'], {
    ...{ monotonicMs: seconds(), environment: { COLUMNS: '40' } },
  });
  const lines = stdout.trimEnd().split('\n');
  expect(Math.max(...lines.map(({ length }) => length))).toBeLessThanOrEqual(40);
  expect(stdout).toMatch(/rpc_seconds[\s\S]*p99\.9/);
});

test('leaves summaries out, and says so once', async () => {
  const url = await serve([{ a: [1, 1, 1, 1] }], '# TYPE s summary\ns{quantile="0.5"} 1\n');
  const { lines, stderr } = await top(url, '--intervals', '3');
  expect(lines[0]).toBe('no histogram has counted anything');
  expect(stderr).toMatch(/^hdrscope: left out: s: it is a summary[^\n]*\n$/);
});

test('ends with 1 when no target answers, and with 2 for what is no URL', async () => {
  const refused = await top('http://127.0.0.1:1', '--once');
  expect([refused.exitCode, refused.stderr]).toEqual([
    1,
    expect.stringMatching(/no target answers: 127\.0\.0\.1:1: /),
  ]);
  const wrong = await top('http://:9:9', '--once');
  expect([wrong.exitCode, wrong.stderr]).toEqual([2, expect.stringMatching(/a target must be a URL/)]);
});
