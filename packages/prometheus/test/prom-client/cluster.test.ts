import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { BuiltPackages } from '@hdrscope/testing';
import { PROM_CLIENTS } from '@hdrscope/testing/prom-clients';
import { samplesIn, sortedSamples } from '../support/text.ts';

const built = new BuiltPackages(['registry', 'prometheus']);
const primaries: ChildProcess[] = [];
afterAll(() => {
  for (const primary of primaries) primary.kill('SIGKILL');
  built.remove();
});

const WORKERS = 3;

/**
 * A cluster whose primary answers each question with two pages: that of `AggregatorRegistry` of the client, and ours. Worker `n` counts
 * 100 × n jobs, and records a duration of n milliseconds for each of them.
 */
const script = (client: string): string =>
  built.script(
    `cluster-${client.replace(/\W/g, '-')}`,
    `
  import cluster from 'node:cluster';
  import { createRequire } from 'node:module';
  import { collectFromCluster, createRegistry, serveRegistry } from '@hdrscope/registry';
  import { collectPromClient, prometheusHandler, servePromClient } from '@hdrscope/prometheus';

  const client = createRequire(process.argv[2])('${client}');
  const registry = createRegistry();
  const aggregator = new client.AggregatorRegistry();

  if (cluster.isPrimary) {
    collectFromCluster(registry, cluster, { timeoutMs: 60_000 });
    const metrics = collectPromClient({ cluster, timeoutMs: 60_000 });
    const handler = prometheusHandler(registry, { sources: [metrics.families], timeoutMs: 60_000 });
    const page = () => new Promise((resolve) => {
      handler({ headers: {} }, { statusCode: 0, setHeader() {}, end: (body) => resolve(String(body)) });
    });
    let ready = 0;
    for (let n = 1; n <= ${WORKERS}; n++) {
      const worker = cluster.fork({ NUMBER: n });
      worker.on('message', (message) => {
        if (message === 'ready' && ++ready === ${WORKERS}) process.send('ready');
      });
    }
    process.on('message', async (message) => {
      if (message === 'kill') {
        const [worker] = Object.values(cluster.workers);
        worker.once('disconnect', () => process.send('killed'));
        worker.process.kill('SIGKILL');
      } else process.send({ theirs: await aggregator.clusterMetrics(), ours: await page() });
    });
  } else {
    const n = Number(process.env.NUMBER);
    servePromClient(client.register, process);
    serveRegistry(registry, process);
    const jobs = new client.Counter({ name: 'jobs_total', help: 'Jobs', labelNames: ['queue'] });
    const old = new client.Histogram({ name: 'old_seconds', help: 'Old', buckets: [0.0015, 0.0025, 1] });
    const waits = new client.Summary({ name: 'waits', help: 'Waits', percentiles: [0.5], aggregator: 'max' });
    for (const aggregator of ['sum', 'min', 'max', 'average', 'omit']) {
      new client.Gauge({ name: aggregator + '_gauge', help: 'Gauge', aggregator }).set(n);
    }
    const duration = registry.histogram({ name: 'job.duration', unit: 's' }).with({ queue: 'mail' });
    for (let i = 0; i < 100 * n; i++) {
      jobs.inc({ queue: 'mail' });
      old.observe(n / 1000);
      waits.observe(n);
      duration.record(n / 1000);
    }
    process.send('ready');
  }
`,
  );

/** Starts a cluster, and returns a function that asks for both pages. */
async function start(client: string, modules: string): Promise<ChildProcess> {
  const primary = fork(script(client), [join(modules, 'x.js')], { execArgv: [] });
  primaries.push(primary);
  const [message] = await once(primary, 'message');
  expect(message).toBe('ready');
  return primary;
}

async function pagesOf(primary: ChildProcess): Promise<{ readonly theirs: string; readonly ours: string }> {
  primary.send('pages');
  const [pages] = await once(primary, 'message');
  return pages;
}

function testCluster(client: string, modules: string): void {
  test('has the page of the client, and all durations exactly', async () => {
    const primary = await start(client, modules);
    const { theirs, ours } = await pagesOf(primary);
    const all = sortedSamples(ours);
    const isHdr = (line: string): boolean => line.startsWith('job_duration_seconds');
    expect(all.filter((line) => !isHdr(line))).toEqual(sortedSamples(theirs));
    const durations = samplesIn(ours).filter(isHdr);
    expect(durations).toEqual(
      expect.arrayContaining([
        'job_duration_seconds_count{queue="mail"} 600',
        'job_duration_seconds_bucket{queue="mail",le="0.005"} 600',
        expect.stringMatching(/^job_duration_seconds_sum\{queue="mail"\} 1\.4(0*\d|)?$/),
      ]),
    );
  });

  test('keeps counters and histograms of a worker that was killed', async () => {
    const primary = await start(client, modules);
    await pagesOf(primary);
    primary.send('kill');
    expect((await once(primary, 'message'))[0]).toBe('killed');
    const { theirs, ours } = await pagesOf(primary);
    expect(samplesIn(ours)).toEqual(
      expect.arrayContaining([
        'jobs_total{queue="mail"} 600',
        'old_seconds_bucket{le="0.0015"} 100',
        'old_seconds_count 600',
        'job_duration_seconds_count{queue="mail"} 600',
        'sum_gauge 5',
        'min_gauge 2',
      ]),
    );
    // The client itself forgets what the worker had counted.
    expect(samplesIn(theirs)).toContain('jobs_total{queue="mail"} 500');
  });
}

for (const { name, describeIt, modules } of PROM_CLIENTS) {
  describeIt(`a cluster of ${name}`, () => testCluster(name, modules));
}
