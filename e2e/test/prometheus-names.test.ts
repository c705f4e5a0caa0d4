import { sendOtlp } from '@hdrscope/otel/sender';
import { convertResourceMetrics, convertSnapshot, render } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeWithPeers } from '@hdrscope/testing';
import { stopPeers, waitFor } from './support/peer-process.ts';
import { startPrometheus } from './support/prometheus.ts';

type ResourceMetrics = Parameters<typeof convertResourceMetrics>[0];
type Strategy = NonNullable<NonNullable<Parameters<typeof convertResourceMetrics>[1]>['translationStrategy']>;

const NAMES = [
  ...[
    'http.server.request.duration',
    'read_bytes',
    'cpu.time.seconds',
    'seconds.of.cpu',
    'use.ratio',
    'ratio',
  ],
  ...[
    'jobs.total',
    'jobs.total.done',
    'a..b--c__d',
    'a/b',
    '_a_',
    '.a.',
    '1st',
    'größe.naïve',
    '日本.go',
    'a:b.c',
  ],
];
const UNITS = [
  ...[
    '',
    '1',
    's',
    'ms',
    'us',
    'ns',
    'min',
    'd',
    'By',
    'KiBy',
    'TiBy',
    'kBy',
    '%',
    'Cel',
    'bit',
    'jobs',
    'a b',
  ],
  ...[
    '{request}',
    'By{raw}',
    'By/s',
    '{request}/s',
    'm/min',
    'm/{x}',
    '{packet}/{x}',
    'km/h',
    'mol/m/s',
    '/s',
  ],
  ...[' s ', '°C', 'a°', 'per_x'],
];

/** The kinds of metrics: each in OTLP and as an SDK has it. */
const KINDS = {
  counter: {
    otlp: { sum: { aggregationTemporality: 2, isMonotonic: true } },
    sdk: { dataPointType: 3, isMonotonic: true },
  },
  sum: { otlp: { sum: { aggregationTemporality: 2 } }, sdk: { dataPointType: 3, isMonotonic: false } },
  gauge: { otlp: { gauge: {} }, sdk: { dataPointType: 2 } },
  histogram: { otlp: { exponentialHistogram: { aggregationTemporality: 2 } }, sdk: { dataPointType: 1 } },
};

interface Named {
  readonly id: string;
  readonly name: string;
  readonly unit: string;
  readonly kind: keyof typeof KINDS;
}

const METRICS: readonly Named[] = NAMES.flatMap((name) =>
  UNITS.flatMap((unit) =>
    (['counter', 'sum', 'gauge', 'histogram'] as const).map((kind) => ({
      id: `${kind} ${name} in ${unit}`,
      name,
      unit,
      kind,
    })),
  ),
);

/** The request of OTLP with a point of each metric. */
function otlpRequest(): unknown {
  const timeUnixNano = `${Date.now()}000000`;
  const metrics = METRICS.map(({ id, name, unit, kind }) => {
    const attributes = [{ key: 'id', value: { stringValue: id } }];
    const value = kind === 'histogram' ? { count: 1, sum: 0, zeroCount: 1, scale: 0 } : { asDouble: 7 };
    const [[field, facts]] = Object.entries(KINDS[kind].otlp) as [[string, object]];
    return { name, unit, [field]: { ...facts, dataPoints: [{ attributes, timeUnixNano, ...value }] } };
  });
  return { resourceMetrics: [{ scopeMetrics: [{ scope: { name: 'm' }, metrics }] }] };
}

/** The name on our page. */
function ourName({ id, name, unit, kind }: Named, translationStrategy: Strategy | undefined): string {
  const side = { offset: 0, bucketCounts: [] };
  const histogram = { count: 1, sum: 0, scale: 0, zeroCount: 1, positive: side, negative: side };
  const point = {
    startTime: [0, 0],
    endTime: [1, 0],
    attributes: { id },
    value: kind === 'histogram' ? histogram : 7,
  };
  const metric = {
    descriptor: { name, description: '', unit },
    aggregationTemporality: 1,
    ...KINDS[kind].sdk,
    dataPoints: [point],
  };
  const families = convertResourceMetrics(
    {
      resource: { attributes: {} },
      scopeMetrics: [{ scope: { name: 'm' }, metrics: [metric] }],
    } as unknown as ResourceMetrics,
    { translationStrategy, withoutTargetInfo: true },
  );
  const text = new TextDecoder().decode(render(families, 'openmetrics2', 'allow-utf-8'));
  const [, quoted, plain] = /^(?:\{"(.*?)",|([^#{]+)\{)/m.exec(text) ?? [];
  return (quoted ?? plain)!;
}

describeWithPeers(['prometheus-3'])('metrics that Prometheus gets by OTLP', () => {
  afterAll(() => stopPeers());

  test.each<Strategy | undefined>([
    undefined,
    'UnderscoreEscapingWithSuffixes',
    'UnderscoreEscapingWithoutSuffixes',
    'NoUTF8EscapingWithSuffixes',
    'NoTranslation',
  ])('have the names of our pages, with the strategy %s', async (strategy) => {
    const server = await startPrometheus('prometheus-3', [], {
      isOtlpReceiver: true,
      ...(strategy !== undefined && { otlp: { translation_strategy: strategy } }),
    });
    const response = await fetch(`${server.url}/api/v1/otlp/v1/metrics`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(otlpRequest()),
    });
    expect(response.status).toBe(200);
    const samples = await waitFor(
      async () => {
        const found = await server.queryNow('{id!=""}');
        return found.length === METRICS.length && found;
      },
      { what: 'all metrics' },
    );
    const theirs = new Map(samples.map(({ labels }) => [labels.id, labels.__name__]));
    const different = METRICS.map((metric) => ({
      id: metric.id,
      ours: ourName(metric, strategy),
      theirs: theirs.get(metric.id),
    })).filter(({ ours, theirs: name }) => ours !== name);
    expect(different).toEqual([]);
  });

  test('have, as counters of thresholds, the names of our pages', async () => {
    const registry = createRegistry();
    // Prometheus moves a word `total` to the end of the name of a counter, and drops the underscore that it makes of `°`.
    const names = NAMES.filter((name) => !name.includes('total'));
    const units = UNITS.filter((unit) => unit !== 'a°');
    for (const name of names)
      for (const unit of units)
        registry
          .histogram({ name, unit, scope: { name: unit }, thresholds: [0.5] })
          .with({ id: `${name} in ${unit}` })
          .record(0.5);
    const ours = new Map<string, string>();
    for (const family of convertSnapshot(await registry.gather())) {
      for (const { labels } of family.type === 'counter' ? family.metrics : [])
        ours.set(new Map(labels).get('id')!, `${family.name}_total`);
    }
    expect(ours.size).toBe(names.length * units.length);
    const server = await startPrometheus('prometheus-3', [], { isOtlpReceiver: true });
    await sendOtlp(registry, { url: `${server.url}/api/v1/otlp/v1/metrics` }).close();
    const theirs = await waitFor(
      async () => {
        const found = await server.queryNow('{threshold="0.5"} == 1');
        return (
          found.length === ours.size && new Map(found.map(({ labels }) => [labels.id!, labels.__name__!]))
        );
      },
      { what: 'all counters' },
    );
    expect(theirs).toEqual(ours);
  });
});
