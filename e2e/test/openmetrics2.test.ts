import { type MetricFamily, servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, startPrometheus } from './support/prometheus.ts';
import { durations as randomDurations } from './support/sampling.ts';

const SERIES = 1000;
const VALUES = 200;
const SERIES_OF = (job: string) => `{__name__="http.server.request.duration",job="${job}"}`;
// Only beside a text format does Prometheus say that it takes UTF-8 in names.
const PROTOCOLS = {
  protobuf: ['PrometheusProto', 'OpenMetricsText1.0.0'],
  text: ['OpenMetricsText2.0.0'],
};

/** A family of each other type. */
const OTHERS: readonly MetricFamily[] = (
  [
    ['jobs.done', 'counter', { kind: 'number', value: 7 }],
    ['queue.depth', 'gauge', { kind: 'number', value: -1.5e-7 }],
    ['build', 'info', { kind: 'number', value: 1 }],
    ['what', 'unknown', { kind: 'number', value: Number.NaN }],
    [
      'rpc.duration',
      'summary',
      { kind: 'summary', count: 3, sum: 4.5, quantiles: [{ quantile: 0.5, value: 1 }] },
    ],
    [
      'rpc.size',
      'histogram',
      { kind: 'histogram', count: 3, sum: 20, classic: { boundaries: [1, 10], counts: [0, 2, 1] } },
    ],
  ] as const
).map(([name, type, value]) => {
  const metrics = [{ labels: [['a.b', 'c']] as const, value }];
  return { name, type, help: 'A "help"', unit: '', metrics };
});

/** A job for each escaping scheme, and the name that it stores. */
const SCHEMES = {
  'allow-utf-8': 'jobs.done_total',
  underscores: 'jobs_done_total',
  dots: 'jobs_dot_done__total',
  values: 'U__jobs_2e_done__total',
};

describeWithPeers(['prometheus-3'])('Prometheus 3 that scrapes OpenMetrics 2.0', () => {
  const startMs = Date.now() - 60_000;
  let prometheus: Prometheus;
  let close: () => Promise<void>;

  beforeAll(async () => {
    const registry = createRegistry({
      clock: { nowMs: () => startMs, monotonicMs: () => performance.now() },
    });
    const durations = registry.histogram({
      name: 'http.server.request.duration',
      unit: 's',
      description: 'How long "requests"\ntake',
    });
    for (let i = 0; i < SERIES; i++) {
      const series = durations.with({ 'http.route': `/orders/"${i}"\n` });
      for (const value of randomDurations(VALUES, i, { median: 0.001 * (1 + (i % 50)) }))
        series.record(value);
      series.record(0);
    }
    durations.with({ 'http.route': '/orders/"7"\n' }).offerExemplar({
      value: 0.25,
      timeMs: Date.now() - 1000,
      attributes: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' },
    });
    const server = await servePrometheus(registry, {
      port: 0,
      translationStrategy: 'NoTranslation',
      sources: [() => OTHERS],
    });
    close = () => server.close();
    prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${server.port}`], {
      jobs: [
        ...Object.entries(PROTOCOLS).map(([job_name, scrape_protocols]) => ({ job_name, scrape_protocols })),
        ...Object.keys(SCHEMES).map((job_name) => ({
          job_name,
          scrape_protocols: ['OpenMetricsText2.0.0'],
          metric_name_escaping_scheme: job_name,
        })),
      ].map((job) => ({ ...job, scrape_interval: '2s', scrape_timeout: '2s' })),
      args: ['--enable-feature=openmetrics2,created-timestamp-zero-ingestion,exemplar-storage'],
    });
  });

  afterAll(async () => {
    await stopPeers();
    await close?.();
  });

  test('stores the same buckets of 1000 series from text as from protobuf, under their own names', async () => {
    const [fromText, fromProtobuf] = await Promise.all(
      ['text', 'protobuf'].map((job) =>
        waitFor(
          async () => {
            const samples = await prometheus.queryNow(SERIES_OF(job));
            return samples.length === SERIES && samples;
          },
          { what: `${SERIES} series from ${job}` },
        ),
      ),
    );
    const byRoute = (samples: typeof fromText) =>
      new Map(samples!.map(({ labels, histogram }) => [labels['http.route']!, histogram!]));
    const expected = byRoute(fromProtobuf);
    expect(expected.size).toBe(SERIES);
    for (const [route, histogram] of byRoute(fromText)) {
      expect(histogram).toEqual(expected.get(route));
      expect(histogram.count).toBe(VALUES + 1);
      expect(histogram.buckets.length).toBeGreaterThan(10);
    }
  });

  test('has the start of a series as a first sample of zero', async () => {
    const samples = await prometheus.query(`histogram_count(first_over_time(${SERIES_OF('text')}[10m]))`);
    expect(samples.map(({ value }) => value)).toEqual(new Array(SERIES).fill(0));
  });

  test('has the exemplar', async () => {
    const query = new URLSearchParams({
      query: SERIES_OF('text'),
      start: String(startMs / 1000 - 60),
      end: String(Date.now() / 1000 + 60),
    });
    const response = await fetch(`${prometheus.url}/api/v1/query_exemplars?${query}`);
    const { data } = (await response.json()) as {
      data: { exemplars: { labels: object; value: string }[] }[];
    };
    expect(data.flatMap(({ exemplars }) => exemplars)).toMatchObject([
      { labels: { trace_id: '4bf92f3577b34da6a3ce929d0e0e4736' }, value: '0.25' },
    ]);
  });

  test('stores families of all types as from protobuf', async () => {
    for (const { name, type } of OTHERS) {
      const suffixes = {
        counter: ['_total'],
        info: ['_info'],
        summary: ['', '_sum', '_count'],
        histogram: ['_bucket', '_sum', '_count'],
      };
      for (const suffix of suffixes[type as keyof typeof suffixes] ?? ['']) {
        const of = (job: string) => `{__name__="${name}${suffix}",job="${job}"}`;
        const [text, protobuf] = [await prometheus.query(of('text')), await prometheus.query(of('protobuf'))];
        const shown = (samples: typeof text) =>
          samples.map(({ labels: { job: _, ...labels }, value }) => ({ labels, value }));
        expect(shown(text)).toEqual(shown(protobuf));
        expect(text[0].labels['a.b']).toBe('c');
      }
    }
  });

  test.each(Object.entries(SCHEMES))('stores names by the scheme %s', async (job, name) => {
    const [{ value }] = await prometheus.query(`{__name__="${name}",job="${job}"}`);
    expect(value).toBe(7);
  });

  test('refuses no scrape', async () => {
    const response = await fetch(`${prometheus.url}/api/v1/targets`);
    const { data } = (await response.json()) as { data: { activeTargets: object[] } };
    expect(data.activeTargets).toHaveLength(2 + Object.keys(SCHEMES).length);
    for (const target of data.activeTargets) expect(target).toMatchObject({ health: 'up', lastError: '' });
  });
});
