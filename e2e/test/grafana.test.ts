import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { createHdr } from '@hdrscope/otel';
import { sendOtlp } from '@hdrscope/otel/sender';
import { HdrPrometheusExporter } from '@hdrscope/prometheus';
import { sendRemoteWrite } from '@hdrscope/prometheus/remote-write';
import { describeWithPeers } from '@hdrscope/testing';
import { MeterProvider } from '@opentelemetry/sdk-metrics';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, type Sample, startPrometheus } from './support/prometheus.ts';
import { durations } from './support/sampling.ts';
import { sloRules } from './support/slo-rules.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly refId: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string; readonly definition?: string }[] };
}

const text = readFileSync(join(import.meta.dirname, '../../examples/grafana/hdrscope.json'), 'utf8');
const dashboard = JSON.parse(text) as Dashboard;

/** The choices of a person above the panels. */
const CHOSEN: Readonly<Record<string, string>> = {
  metric: 'shop_request_duration_seconds',
  instance: '.*',
  by: 'http_route',
  slo: '0.05',
  target: '0.9',
  datasource: 'any',
  unit: 's',
  // Twice a second is scraped, on a machine that may be busy.
  __rate_interval: '20s',
};

/** How the metrics of one service come to Prometheus, each as a job of its own. */
const WAYS = ['scraped', 'by OTLP', 'by remote write'] as const;

const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, refId }) => ({
    title,
    query: `${title}, ${refId}`,
    expressionOf: (job: string) =>
      expr.replace(/\$\{?(\w+)\}?/g, (_, name: string) => (name === 'job' ? job : CHOSEN[name]!)),
  })),
);

test('the dashboard uses the variables that it has, and those of Grafana', () => {
  const names = dashboard.templating.list.map(({ name }) => name);
  const used = [...text.matchAll(/\$\{?(\w+)\}?/g)].map(([, name]) => name!);

  expect(new Set(used.filter((name) => !name.startsWith('__')))).toEqual(new Set(names));
});

describeWithPeers(['prometheus-3'])('the dashboard for Grafana, asked of a real Prometheus', () => {
  let prometheus: Prometheus;
  const answers = new Map<string, Sample[]>();
  const names = new Map<string, readonly string[]>();
  let withoutCounter: number;

  beforeAll(async () => {
    const exporter = new HdrPrometheusExporter({ host: '127.0.0.1', port: 0 });
    const views = [
      { instrumentName: 'shop.*', significantDigits: 3 as const, thresholds: [Number(CHOSEN.slo)] },
    ];
    const hdr = createHdr({ views });
    const provider = hdr.wrapProvider(new MeterProvider({ readers: [hdr.wrapReader(exporter)] }));
    const duration = provider.getMeter('shop').createHistogram('shop.request.duration', { unit: 's' });
    const record = () => {
      for (const [i, route] of ['/cart', '/search'].entries())
        for (const value of durations(500, i + 1)) duration.record(value, { 'http.route': route });
    };
    const closing: (() => Promise<void>)[] = [];
    try {
      await exporter.startServer();
      prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${exporter.port}`], {
        isOtlpReceiver: true,
        args: ['--web.enable-remote-write-receiver'],
        jobs: [{ job_name: 'scraped' }],
        rules: [
          sloRules(
            '--metric',
            CHOSEN.metric!,
            '--threshold',
            '50ms',
            '--objective',
            '99%',
            '--window',
            '12h',
          ),
        ],
      });
      const sender = sendOtlp(hdr.registry, {
        url: `${prometheus.url}/api/v1/otlp/v1/metrics`,
        resource: { 'service.name': 'by OTLP' },
        intervalMs: 500,
      });
      const writer = sendRemoteWrite(hdr.registry, {
        url: `${prometheus.url}/api/v1/write`,
        labels: { job: 'by remote write' },
        intervalMs: 500,
      });
      closing.push(
        () => sender.close(),
        () => writer.close(),
      );
      for (const way of WAYS) {
        // Rates need values that come between two scrapes.
        for (const { query, expressionOf } of queries) {
          const expression = expressionOf(way);
          const answer = await waitFor(
            async () => {
              record();
              const samples = await prometheus.queryNow(expression);
              return samples.length > 0 && samples.every(isNumber) && samples;
            },
            { what: expression },
          );
          answers.set(`${way}: ${query}`, answer);
        }
        names.set(way, await offeredNames(prometheus, way));
      }
      const { expressionOf } = queries.find(({ query }) => query === 'Within the objective, A')!;
      withoutCounter = await prometheus.queryNumber(
        expressionOf('scraped').replace('_within_total', '_none'),
      );
    } finally {
      await Promise.all(closing.map((close) => close()));
      await provider.shutdown();
    }
  });

  afterAll(() => stopPeers());

  describe.each(WAYS)('of metrics that come %s', (way) => {
    test('offers the histogram', () => {
      expect(names.get(way)).toContain(CHOSEN.metric);
    });

    test.each(queries)('$query has an answer', ({ query }) => {
      expect(answers.get(`${way}: ${query}`)).not.toEqual([]);
    });

    test('percentiles are those of the recorded values', () => {
      const values = [1, 2].flatMap((seed) => durations(500, seed)).sort((a, b) => a - b);
      for (const [query, quantile] of [
        ['Percentiles, A', 0.5],
        ['Percentiles, C', 0.99],
      ] as const) {
        const truth = values[Math.ceil(quantile * values.length) - 1]!;
        const [{ value } = {}] = answers.get(`${way}: ${query}`)!;

        expect(Math.abs(value! / truth - 1)).toBeLessThan(0.02);
      }
    });

    test('the share within the objective is that of the recorded values', () => {
      const [{ value } = {}] = answers.get(`${way}: Within the objective, A`)!;
      expect(value).toBeCloseTo(shareWithin(), 9);
    });
  });

  test('without a counter, the share within the objective is that of the buckets', () => {
    const share = shareWithin();
    expect(Math.abs(withoutCounter - share)).toBeLessThan(0.01);
    expect(withoutCounter).not.toBeCloseTo(share, 9);
  });

  test('the heat map gets a histogram, and a panel that is divided by a label has a line for each value', () => {
    expect(answers.get('scraped: Distribution over time, A')![0]!.histogram!.buckets.length).toBeGreaterThan(
      20,
    );
    expect(
      answers
        .get('scraped: p99 by $by, A')!
        .map(({ labels }) => labels.http_route)
        .sort(),
    ).toEqual(['/cart', '/search']);
  });
});

function shareWithin(): number {
  const values = [1, 2].flatMap((seed) => durations(500, seed));
  return values.filter((value) => value <= Number(CHOSEN.slo)).length / values.length;
}

/** The histograms that the dashboard offers, among the metrics of a job. */
async function offeredNames({ queryNow }: Prometheus, job: string): Promise<string[]> {
  const { definition } = dashboard.templating.list.find(({ name }) => name === 'metric')!;
  const selector = /^label_values\(\{(.*)\}, __name__\)$/.exec(definition!)![1];
  const samples = await queryNow(`count by (__name__) ({${selector}, job="${job}"})`);
  return samples.map(({ labels }) => labels.__name__!);
}

/** Before the second scrape, a quantile of nothing is no number. */
function isNumber({ value, histogram }: Sample): boolean {
  return histogram !== undefined ? histogram.count > 0 : Number.isFinite(value);
}
