import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { type Prometheus, type Sample, startPrometheus } from './support/prometheus.ts';
import { durations } from './support/sampling.ts';
import { sloRules } from './support/slo-rules.ts';

interface Dashboard {
  readonly panels: readonly {
    readonly title: string;
    readonly targets: readonly { readonly expr: string; readonly refId: string }[];
  }[];
  readonly templating: { readonly list: readonly { readonly name: string }[] };
}

const text = readFileSync(join(import.meta.dirname, '../../examples/grafana/hdrscope.json'), 'utf8');
const dashboard = JSON.parse(text) as Dashboard;

/** The choices of a person above the panels. */
const CHOSEN: Readonly<Record<string, string>> = {
  metric: 'shop_request_duration_seconds',
  job: '.*',
  instance: '.*',
  by: 'http_route',
  slo: '0.05',
  target: '0.9',
  datasource: 'any',
  unit: 's',
  // Twice a second is scraped, on a machine that may be busy.
  __rate_interval: '20s',
};

const queries = dashboard.panels.flatMap(({ title, targets }) =>
  targets.map(({ expr, refId }) => ({
    title,
    query: `${title}, ${refId}`,
    expression: expr.replace(/\$\{?(\w+)\}?/g, (_, name: string) => CHOSEN[name]!),
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
  let withoutCounter: number;

  beforeAll(async () => {
    const registry = createRegistry();
    const options = { name: 'shop.request.duration', unit: 's', significantDigits: 3 };
    const family = registry.histogram({ ...options, thresholds: [Number(CHOSEN.slo)] });
    const routes = ['/cart', '/search'].map((route) => family.with({ 'http.route': route }));
    const record = () => {
      for (const [i, series] of routes.entries())
        for (const value of durations(500, i + 1)) series.record(value);
    };
    const server = await servePrometheus(registry, { host: '127.0.0.1', port: 0, withUnitSuffix: true });
    try {
      prometheus = await startPrometheus('prometheus-3', [`127.0.0.1:${server.port}`], {
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
      // Rates need values that come between two scrapes.
      for (const { query, expression } of queries) {
        const answer = await waitFor(
          async () => {
            record();
            const samples = await prometheus.queryNow(expression);
            return samples.length > 0 && samples.every(isNumber) && samples;
          },
          { what: expression },
        );
        answers.set(query, answer);
      }
      const { expression } = queries.find(({ query }) => query === 'Within the objective, A')!;
      withoutCounter = await prometheus.queryNumber(expression.replace('_within_total', '_none'));
    } finally {
      await server.close();
    }
  });

  afterAll(() => stopPeers());

  test.each(queries)('$query has an answer', ({ query }) => {
    expect(answers.get(query)).not.toEqual([]);
  });

  test('percentiles are those of the recorded values', () => {
    const values = [1, 2].flatMap((seed) => durations(500, seed)).sort((a, b) => a - b);
    for (const [query, quantile] of [
      ['Percentiles, A', 0.5],
      ['Percentiles, C', 0.99],
    ] as const) {
      const truth = values[Math.ceil(quantile * values.length) - 1]!;
      const [{ value } = {}] = answers.get(query)!;

      expect(Math.abs(value! / truth - 1)).toBeLessThan(0.02);
    }
  });

  test('the share within the objective is that of the recorded values', () => {
    const values = [1, 2].flatMap((seed) => durations(500, seed));
    const share = values.filter((value) => value <= Number(CHOSEN.slo)).length / values.length;
    const [{ value } = {}] = answers.get('Within the objective, A')!;

    expect(value).toBeCloseTo(share, 9);
    // Without a counter, it is that of the buckets.
    expect(Math.abs(withoutCounter - share)).toBeLessThan(0.01);
    expect(withoutCounter).not.toBe(value);
  });

  test('the heat map gets a histogram, and a panel that is divided by a label has a line for each value', () => {
    expect(answers.get('Distribution over time, A')![0]!.histogram!.buckets.length).toBeGreaterThan(20);
    expect(
      answers
        .get('p99 by $by, A')!
        .map(({ labels }) => labels.http_route)
        .sort(),
    ).toEqual(['/cart', '/search']);
  });
});

/** Before the second scrape, a quantile of nothing is no number. */
function isNumber({ value, histogram }: Sample): boolean {
  return histogram !== undefined ? histogram.count > 0 : Number.isFinite(value);
}
