import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { prometheusHandler } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';

const COMMAND = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const run = promisify(execFile);

/** Classic buckets, one of which is a border of native ones, and one is not. */
const BOUNDARIES = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.3, 0.5, 1, 2.5];
const ROUTES = ['/cart', '/pay', '/idle'];

/** Queries of every form that has an equal. */
const QUERIES = [
  'histogram_quantile(0.99, sum by (le) (rate(rpc_seconds_bucket[4s])))',
  'histogram_quantile(0.5, sum by (le, route) (increase(rpc_seconds_bucket{route!="/idle"}[4s])))',
  'histogram_quantile(0.9, sum without (instance) (rate(rpc_seconds_bucket[4s] offset 2s)))',
  'histogram_quantile(0.9, avg by (le) (irate(rpc_seconds_bucket[4s])))',
  'histogram_quantile(0.9, rpc_seconds_bucket) * 1000 > 1',
  'max_over_time(histogram_quantile(0.9, sum by (le) (rate(rpc_seconds_bucket[4s])))[4s:1s])',
  'histogram_quantile(0.9, sum by (le) (rate(rpc_seconds_bucket{route=~"$route"}[$__rate_interval])))',
  'histogram_quantile(0.9, sum by (le, up) (label_replace(rate(rpc_seconds_bucket[4s]), "up", "$1", "route", "/(.).*")))',
  'histogram_quantile(0.9, sum by (le) (rate(rpc_seconds_bucket[4s]) * on (instance) group_left () up))',
  'histogram_quantile(0.9, sum by (le) (rate(rpc_seconds_bucket[4s])) + sum by (le) (rate(rpc_seconds_bucket[2s])))',
  'sum by (route) (rate(rpc_seconds_sum[4s])) / sum by (route) (rate(rpc_seconds_count[4s]))',
  '1e3 * rate(rpc_seconds_sum[4s]) / rate(rpc_seconds_count[4s])',
  'topk(2, sum by (route) (rate(rpc_seconds_count[4s])))',
  'sum(rate(rpc_seconds_bucket{le="0.25"}[4s])) / sum(rate(rpc_seconds_count[4s]))',
  'sum by (route) (rate(rpc_seconds_bucket{le="0.3"}[4s])) / sum by (route) (rate(rpc_seconds_bucket{le="+Inf"}[4s]))',
  '(sum(rate(rpc_seconds_bucket{le="0.1"}[4s])) + sum(rate(rpc_seconds_bucket{le="0.5"}[4s]))) / 2 / sum(rate(rpc_seconds_count[4s]))',
  'sum by (route) (increase(rpc_seconds_bucket{le="0.3"}[4s]))',
  'rate(rpc_seconds_bucket{le="0.3"}[4s]) / ignoring (le) rate(rpc_seconds_count[4s])',
];

/** A service whose histograms have both forms. Routes that are idle count nothing. */
async function startService() {
  const registry = createRegistry();
  const families = ['rpc', 'slow', 'fast'].map((name) =>
    registry.histogram({ name, unit: 's', boundaries: BOUNDARIES }),
  );
  for (const route of ROUTES) for (const family of families) family.with({ route });
  const server = createServer(prometheusHandler(registry, { buckets: 'both' }));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  let seed = 7;
  const draw = (): number => {
    seed = (seed * 1103515245 + 12345) % 2 ** 31;
    return seed / 2 ** 31;
  };
  const timer = setInterval(() => {
    for (const [at, route] of ROUTES.slice(0, 2).entries()) {
      for (let count = 0; count < 40; count++) {
        families[0]!.with({ route }).record(0.004 * (at + 1) * Math.exp(5 * draw()));
        families[1]!.with({ route }).record(0.1 + draw());
        families[2]!.with({ route }).record(0.001 * draw());
      }
    }
  }, 100);
  return {
    target: `127.0.0.1:${(server.address() as AddressInfo).port}`,
    stop() {
      clearInterval(timer);
      server.closeAllConnections();
      server.close();
    },
  };
}

async function migrate(...args: string[]): Promise<{ code: number; stdout: string; stderr: string }> {
  try {
    return { code: 0, ...(await run(process.execPath, [COMMAND, 'migrate', ...args], { timeout: 60_000 })) };
  } catch (error) {
    return error as { code: number; stdout: string; stderr: string };
  }
}

describeWithPeers(['prometheus-3'])('hdrscope migrate --prometheus', () => {
  let service: Awaited<ReturnType<typeof startService>>;
  let prometheus: Prometheus;
  let folder: string;

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hdrscope-'));
    service = await startService();
    const rename = (from: string, to: string) => ({
      source_labels: ['__name__'],
      regex: from,
      target_label: '__name__',
      replacement: to,
    });
    prometheus = await startPrometheus('prometheus-3', [service.target], {
      jobs: [
        {
          job_name: 'both',
          always_scrape_classic_histograms: true,
          // The two forms of this one have other values.
          metric_relabel_configs: [
            rename('slow_seconds_(bucket|count|sum)', 'mixed_seconds_$1'),
            rename('fast_seconds', 'mixed_seconds'),
          ],
        },
      ],
    });
    // Each of the times that are asked about has a whole range before it.
    await waitFor(
      async () => (await prometheus.queryNow('histogram_count(rpc_seconds{route="/pay"}) > 4800')).length > 0,
      { what: 'values of 12 s in Prometheus', timeoutMs: 60_000 },
    );
  }, 120_000);

  afterAll(async () => {
    await stopPeers();
    service.stop();
    await rm(folder, { recursive: true });
  });

  test.each(QUERIES)('the server agrees: %s', async (query) => {
    const { stdout, stderr, code } = await migrate(
      '--query',
      query,
      '--prometheus',
      prometheus.url,
      '--since',
      '6s',
    );
    expect([code, stderr]).toEqual([0, expect.stringMatching(/[1-9]\d* values? of the server agree/)]);
    expect(stdout).not.toMatch(/_bucket|\ble\b/);
  });

  test('knows a histogram by the server, without --histogram', async () => {
    const queries = ['sum(rate(rpc_seconds_count[4s]))', 'sum(rate(unheard_seconds_count[4s]))'];
    const [known, unknown] = await Promise.all(
      queries.map((query) => migrate('--query', query, '--prometheus', prometheus.url, '--since', '6s')),
    );
    expect([known!.stdout, unknown!.code]).toEqual(['histogram_count(sum(rate(rpc_seconds[4s])))\n', 1]);
  });

  test.each([
    [
      'histogram_quantile(0.9, sum by (le) (rate(mixed_seconds_bucket[4s])))',
      'the native percentile is from',
    ],
    [
      'sum(rate(mixed_seconds_bucket{le="0.25"}[4s])) / sum(rate(mixed_seconds_bucket{le="+Inf"}[4s]))',
      'the native buckets have',
    ],
  ])('refuses what the server answers otherwise: %s', async (query, reason) => {
    const { code, stdout, stderr } = await migrate(
      '--query',
      query,
      '--prometheus',
      prometheus.url,
      '--since',
      '6s',
    );
    expect([code, stdout, stderr]).toEqual([1, '', expect.stringContaining(reason)]);
  });

  test('says what the server cannot show', async () => {
    const queries = ['slow_seconds_bucket', 'rpc_seconds_bucket{a="$x"} * on () group_left () $scale'];
    const texts = await Promise.all(
      queries.map(async (buckets) => {
        const query = `histogram_quantile(0.9, ${buckets})`;
        return (await migrate('--query', query, '--prometheus', prometheus.url, '--since', '6s')).stderr;
      }),
    );
    expect(texts).toEqual([
      expect.stringContaining('not proven: the server has no values of both forms'),
      expect.stringContaining('not proven: a variable stands for a part'),
    ]);
  });

  test('refuses a query of a file, and leaves it', async () => {
    const right = 'sum by (route) (rate(rpc_seconds_count[4s]))';
    const wrong = 'histogram_quantile(0.9, sum by (le) (rate(mixed_seconds_bucket[4s])))';
    const path = join(folder, 'rules.yaml');
    const write = (...queries: string[]) =>
      `groups:\n  - rules:\n${queries.map((query, at) => `      - record: r${at}\n        expr: ${query}\n`).join('')}`;
    await writeFile(path, write(right, wrong));
    const { code, stderr } = await migrate(path, '--write', '--prometheus', prometheus.url, '--since', '6s');
    expect([code, stderr]).toEqual([
      1,
      expect.stringContaining('record r1: stays: the native percentile is from'),
    ]);
    expect(await readFile(path, 'utf8')).toBe(
      write('histogram_count(sum by (route) (rate(rpc_seconds[4s])))', wrong),
    );
  });
});
