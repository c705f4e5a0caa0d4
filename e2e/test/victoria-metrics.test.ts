import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { createFolder, freePort, startPeer, stopPeers, waitFor } from './support/peer-process.ts';
import { durations } from './support/sampling.ts';

const VALUES = durations(5000, 3).sort((a, b) => a - b);
/** 18 buckets for each power of ten. */
const BUCKET_RATIO = 10 ** (1 / 18);

describeWithPeers(['victoria-metrics'])('VictoriaMetrics that scrapes vmrange', () => {
  let url: string;
  let stopServer: () => Promise<void>;

  /** The numbers of an expression, by the label `le` or ''. */
  const query = (expression: string): Promise<Map<string, number>> =>
    waitFor(
      async () => {
        const response = await fetch(`${url}/api/v1/query?${new URLSearchParams({ query: expression })}`);
        const { data } = (await response.json()) as {
          data: { result: { metric: { le?: string }; value: [number, string] }[] };
        };
        if (data.result.length === 0) return undefined;
        return new Map(data.result.map(({ metric, value }) => [metric.le ?? '', Number(value[1])]));
      },
      { what: expression },
    );

  beforeAll(async () => {
    const registry = createRegistry();
    const series = registry.histogram({ name: 'x', unit: 's', significantDigits: 3 }).with({ a: 'b' });
    for (const value of VALUES) series.record(value);
    const server = await servePrometheus(registry, { port: 0, vmrange: true });
    stopServer = () => server.close();
    const folder = await createFolder();
    const config = {
      global: { scrape_interval: '1s' },
      scrape_configs: [{ job_name: 'test', static_configs: [{ targets: [`127.0.0.1:${server.port}`] }] }],
    };
    await writeFile(join(folder, 'scrape.json'), JSON.stringify(config));
    url = `http://127.0.0.1:${await freePort()}`;
    await startPeer(
      programOf('victoria-metrics'),
      [
        `-promscrape.config=${join(folder, 'scrape.json')}`,
        `-storageDataPath=${join(folder, 'data')}`,
        `-httpListenAddr=${new URL(url).host}`,
        '-search.latencyOffset=0s',
      ],
      {
        folder,
        isReady: async () => {
          try {
            return (await fetch(`${url}/health`)).ok;
          } catch {
            return false;
          }
        },
      },
    );
  });

  afterAll(async () => {
    await stopPeers();
    await stopServer?.();
  });

  test('has all values, and cumulative buckets from ranges', async () => {
    expect((await query('sum(x_seconds_bucket)')).get('')).toBe(VALUES.length);
    const cumulative = await query('prometheus_buckets(x_seconds_bucket)');
    expect(cumulative.get('+Inf')).toBe(VALUES.length);
    for (const [le, count] of cumulative) {
      if (le === '+Inf') continue;
      // Limits have four digits, and slots of 3 digits a width of 1e-3.
      const upTo = (limit: number) => VALUES.filter((value) => value <= limit).length;
      expect(count).toBeGreaterThanOrEqual(upTo(Number(le) * 0.998));
      expect(count).toBeLessThanOrEqual(upTo(Number(le) * 1.002));
    }
  });

  test.each([0.5, 0.9, 0.99])('knows the quantile %d as exactly as its buckets allow', async (rank) => {
    const found = (await query(`histogram_quantile(${rank}, x_seconds_bucket)`)).get('')!;
    const exact = VALUES[Math.ceil(rank * VALUES.length) - 1]!;
    expect(found / exact).toBeLessThan(BUCKET_RATIO * 1.002);
    expect(exact / found).toBeLessThan(BUCKET_RATIO * 1.002);
  });
});
