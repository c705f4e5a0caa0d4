import { spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer, type RequestListener, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { dirname, join } from 'node:path';
import { fromPromClient, prometheusHandler } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers, programOf } from '@hdrscope/testing';
import { PROM_CLIENTS, type PromClient } from '@hdrscope/testing/prom-clients';
import type { Registry } from 'prom-client';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, type Sample, startPrometheus } from './support/prometheus.ts';

/** An application in the middle of its move: one histogram is an HDR one, everything else is as before. */
function shop({ Counter, Gauge, Histogram, Registry, Summary }: PromClient): {
  readonly register: Registry;
  readonly handler: RequestListener;
} {
  const register = new Registry();
  register.setDefaultLabels({ app: 'shop "one"' });
  const registers = [register];
  const orders = new Counter({
    name: 'orders_total',
    help: 'All\nof "them" \\',
    labelNames: ['vip'],
    registers,
  });
  orders.inc({ vip: 'yes' }, 3);
  orders.inc({ vip: 'a"b\\c\nd' }, 0.5);
  new Counter({ name: 'without_suffix', help: 'No suffix', registers }).inc(7);
  const level = new Gauge({ name: 'level', help: 'Level', labelNames: ['at'], registers });
  level.set({ at: 'core' }, Number.POSITIVE_INFINITY);
  level.set({ at: 'lab' }, -1e-7);
  const sizes = new Histogram({
    name: 'sizes_bytes',
    help: 'Sizes',
    labelNames: ['kind'],
    buckets: [1, 2.5, 1000],
    registers,
  });
  for (const value of [0, 1, 2, 500, 5000]) sizes.observe({ kind: 'image' }, value);
  const waits = new Summary({
    name: 'wait_seconds',
    help: 'Waits',
    percentiles: [0, 0.5, 0.99, 1],
    registers,
  });
  for (const value of [1, 2, 3]) waits.observe(value);
  for (let i = 0; i < 1000; i++) {
    new Gauge({ name: `many_${i}`, help: 'One of many', registers }).set(i);
  }
  const registry = createRegistry();
  const duration = registry.histogram({ name: 'job.duration', unit: 's' }).with({ queue: 'mail' });
  for (const value of [0.001, 0.25, 3]) duration.record(value);
  return { register, handler: prometheusHandler(registry, { sources: [fromPromClient(register)] }) };
}

const servers: Server[] = [];

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener).listen(0, '127.0.0.1');
  servers.push(server);
  await once(server, 'listening');
  return `127.0.0.1:${(server.address() as AddressInfo).port}`;
}

afterAll(async () => {
  for (const server of servers) {
    server.closeAllConnections();
    server.close();
  }
});

/** Series and values as text, without what Prometheus adds for the target. */
function textsOf(samples: readonly Sample[]): string[] {
  return samples
    .map(({ labels: { instance: _, ...labels }, value }) => {
      const sorted = Object.entries(labels)
        .map(([name, text]) =>
          name === 'le' || name === 'quantile' ? `${name}=${Number(text)}` : `${name}=${text}`,
        )
        .sort();
      return `${sorted.join(',')} ${value}`;
    })
    .sort();
}

/** All series of a target but those that Prometheus makes, and those of the HDR histogram. */
const seriesOf = (target: string): string => `{instance="${target}",__name__!~"up|scrape_.*|job_duration.*"}`;

/** The addresses of our page, and of that of the client. */
interface Pages {
  readonly ours: string;
  readonly theirs: string;
}

async function bothOf(
  prometheus: Prometheus,
  { ours, theirs }: Pages,
): Promise<{ readonly ours: string[]; readonly theirs: string[] }> {
  const [a, b] = await Promise.all([prometheus.query(seriesOf(ours)), prometheus.query(seriesOf(theirs))]);
  return { ours: textsOf(a), theirs: textsOf(b) };
}

interface Metadata {
  readonly metric: string;
  readonly type: string;
  readonly help: string;
}

async function metadataOf({ url }: Prometheus, target: string): Promise<Map<string, string>> {
  const query = new URLSearchParams({ match_target: `{instance="${target}"}` });
  const answer = (await (await fetch(`${url}/api/v1/targets/metadata?${query}`)).json()) as {
    data: Metadata[];
  };
  return new Map(answer.data.map(({ metric, type, help }) => [metric, `${type}: ${help}`]));
}

/** This process serves both pages of a thousand gauges, and on a busy machine takes longer than the half second of other tests. */
const SLOW_JOB = { job_name: 'test', scrape_interval: '2s', scrape_timeout: '2s' };

function testScrapes(used: PromClient): void {
  let pages: Pages;
  beforeAll(async () => {
    const { register, handler } = shop(used);
    const theirs = await serve(async (_, response) => {
      response.setHeader('content-type', register.contentType);
      // Prometheus reads no other form of this value.
      response.end((await register.metrics()).replaceAll(' Nan\n', ' NaN\n'));
    });
    pages = { ours: await serve(handler), theirs };
  });
  afterAll(stopPeers);

  for (const [name, format, isNative] of [
    ['prometheus-3', 'protobuf', true],
    ['prometheus-3', 'OpenMetrics', false],
    ['prometheus-2', 'OpenMetrics', false],
  ] as const) {
    describeWithPeers([name])(`${name}, by ${format}`, () => {
      let prometheus: Prometheus;
      beforeAll(async () => {
        prometheus = await startPrometheus(name, [pages.ours, pages.theirs], { isNative, jobs: [SLOW_JOB] });
      });

      test('has the same series and values from our page and that of the client', async () => {
        // Until both have been scraped.
        const both = await waitFor(
          async () => {
            const found = await bothOf(prometheus, pages);
            return found.ours.length > 0 && found.ours.length === found.theirs.length && found;
          },
          { what: 'both pages' },
        );
        expect(both.ours).toEqual(both.theirs);
        expect(both.ours.length).toBeGreaterThan(1000);
      });

      test('has the same types and help texts, but for the type of a counter without _total in OpenMetrics', async () => {
        const [a, b] = await waitFor(
          async () => {
            const both = await Promise.all([
              metadataOf(prometheus, pages.ours),
              metadataOf(prometheus, pages.theirs),
            ]);
            // A scrape that took too long leaves nothing of its target.
            return both.every(({ size }) => size > 1000) && both;
          },
          { what: 'the metadata of both pages' },
        );
        for (const hdr of [...a.keys()].filter((metric) => metric.startsWith('job_duration'))) a.delete(hdr);
        // OpenMetrics names a counter without its suffix.
        const plain = (of: Map<string, string>): Map<string, string> =>
          new Map([...of].map(([metric, text]) => [metric.replace(/_total$/, ''), text]));
        const expected = plain(b);
        if (format === 'OpenMetrics') expected.set('without_suffix', 'unknown: No suffix');
        expect(Object.fromEntries(plain(a))).toEqual(Object.fromEntries(expected));
      });

      test('has the histogram that has moved', async () => {
        const count = isNative
          ? `histogram_count(job_duration_seconds{instance="${pages.ours}"})`
          : `job_duration_seconds_count{instance="${pages.ours}"}`;
        expect(await prometheus.queryNumber(count)).toBe(3);
      });
    });
  }

  describeWithPeers(['prometheus-2'])('promtool', () => {
    test('says of our page what it says of that of the client', async () => {
      const promtool = join(dirname(programOf('prometheus-2')), 'promtool');
      const check = async (target: string): Promise<unknown> => {
        const input = await (await fetch(`http://${target}/metrics`)).text();
        const { status, stderr } = spawnSync(promtool, ['check', 'metrics'], { input, encoding: 'utf8' });
        return { status, stderr: stderr.split('\n').filter((line) => !line.startsWith('job_duration')) };
      };
      expect(await check(pages.ours)).toEqual(await check(pages.theirs));
    });
  });
}

for (const { name, describeIt, client } of PROM_CLIENTS) describeIt(name, () => testScrapes(client));
