import { join } from 'node:path';
import { MessageChannel } from 'node:worker_threads';
import { createRegistry } from '@hdrscope/registry';
import { lackOfPeer, programOf, testUnless, typeErrors } from '@hdrscope/testing';
import { PROM_CLIENTS, type PromClient } from '@hdrscope/testing/prom-clients';
import * as fc from 'fast-check';
import client from 'prom-client';
import {
  fromPromClient,
  type MetricFamily,
  type PromClientRegistry,
  prometheusHandler,
  render,
} from '../../src/index.ts';
import { decodeFamilies } from '../support/decode.ts';
import { OPENMETRICS, PROTOBUF } from '../support/http.ts';
import { respond } from '../support/respond.ts';
import { samplesIn, sortedSamples } from '../support/text.ts';
import { useClient } from './use-client.ts';

const { Registry } = client;

/** Every kind of metric, with awkward labels, help texts and values. */
function shop(
  { Counter, Gauge, Histogram, Summary }: PromClient,
  register: client.Registry<client.RegistryContentType>,
): void {
  const registers = [register];
  register.setDefaultLabels({ app: 'shop', region: 'eu "west"\n' });
  const orders = new Counter({
    name: 'orders_total',
    help: 'All\nof "them" \\',
    labelNames: ['vip'],
    registers,
  });
  orders.inc({ vip: 'yes' }, 3);
  orders.inc({ vip: 'a"b\\c\nd' }, 0.5);
  orders.inc(1e21);
  new Counter({ name: 'app:without:suffix', help: 'Recorded', registers }).inc(7);
  const level = new Gauge({
    name: 'level_total',
    help: 'A gauge in spite of its name',
    labelNames: ['at'],
    registers,
  });
  level.set({ at: 'nowhere' }, Number.NaN);
  level.set({ at: 'core' }, Number.POSITIVE_INFINITY);
  level.set({ at: 'space' }, Number.NEGATIVE_INFINITY);
  level.set({ at: 200 as unknown as string }, -1e-7);
  new Gauge({
    name: 'polled',
    help: 'Read at each scrape',
    registers,
    collect() {
      this.set(12);
    },
  });
  const duration = new Histogram({
    name: 'job_seconds',
    help: 'Durations',
    labelNames: ['queue'],
    buckets: [0.1, 0.5, 1, 1e6],
    registers,
  });
  for (const value of [0, 0.1, 0.3, 2, 5e6]) duration.observe({ queue: 'mail' }, value);
  duration.zero({ queue: 'idle' });
  new Histogram({ name: 'empty_seconds', help: 'Nothing', labelNames: ['queue'], registers });
  const waits = new Summary({
    name: 'wait_seconds',
    help: 'Waits',
    labelNames: ['queue'],
    percentiles: [0, 0.5, 0.999, 1],
    registers,
  });
  for (const value of [1, 2, 3]) waits.observe({ queue: 'mail' }, value);
}

async function page(
  registers: PromClientRegistry | readonly PromClientRegistry[],
  accept?: string,
  warnings: string[] = [],
): Promise<string> {
  const handler = prometheusHandler(createRegistry(), {
    sources: [fromPromClient(registers)],
    warn: (message) => warnings.push(message),
    prefix: 'ours',
  });
  const { status, body } = await respond(handler, accept === undefined ? {} : { accept });
  expect(status).toBe(200);
  return body.toString();
}

function testPage(used: PromClient): void {
  const { Counter, Gauge, Histogram, Registry, Summary } = used;

  test('has the samples, help texts and types of its own text', async () => {
    const register = new Registry();
    shop(used, register);
    const text = await page(register);
    const own = await register.metrics();
    expect(sortedSamples(text)).toEqual(sortedSamples(own));
    const comments = (one: string): string[] =>
      one
        .split('\n')
        .filter((line) => line.startsWith('# '))
        .sort();
    expect(comments(text)).toEqual(comments(own));
  });

  test('has the samples and exemplars of its own OpenMetrics', async () => {
    const register = new Registry<client.OpenMetricsContentType>();
    register.setContentType(Registry.OPENMETRICS_CONTENT_TYPE);
    const registers = [register];
    const orders = new Counter({
      name: 'orders',
      help: 'Orders',
      labelNames: ['vip', 'traceId'],
      enableExemplars: true,
      registers,
    });
    orders.inc({ labels: { vip: 'yes' }, value: 2, exemplarLabels: { traceId: 'abc' } });
    const sizes = new Histogram({
      name: 'sizes',
      help: 'Sizes',
      buckets: [1.5, 20.5],
      enableExemplars: true,
      registers,
    });
    sizes.observe({ value: 1, exemplarLabels: { trace_id: 'a', span_id: 'b' } });
    sizes.observe({ value: 21, exemplarLabels: { trace_id: 'c' } });
    new Summary({ name: 'waits', help: 'Waits', percentiles: [0.5], registers }).observe(2);
    const text = await page(register, OPENMETRICS);
    expect(sortedSamples(text)).toEqual(sortedSamples(await register.metrics()));
    expect(text).toContain('# TYPE orders counter\n');
    expect(text).toContain('# TYPE waits summary\n');
    // A registry that has made its text has changed the names of its counters.
    expect(sortedSamples(await page(register, OPENMETRICS))).toEqual(sortedSamples(await register.metrics()));
  });

  test('has the same values in protobuf', async () => {
    const register = new Registry();
    shop(used, register);
    const families = await fromPromClient(register)({});
    const decoded = decodeFamilies(Buffer.from(render(families, 'protobuf')));
    const byName = new Map(decoded.map((family) => [family.name, family]));
    expect([...byName.keys()]).toEqual([
      ...['orders_total', 'app:without:suffix', 'level_total', 'polled', 'job_seconds', 'wait_seconds'],
    ]);
    const [wait] = byName.get('wait_seconds')!.metrics;
    expect(wait!.summary).toEqual({
      count: 3n,
      sum: 6,
      quantiles: [
        { rank: 0, value: 1 },
        { rank: 0.5, value: 2 },
        { rank: 0.999, value: 3 },
        { rank: 1, value: 3 },
      ],
    });
    const { histogram } = byName.get('job_seconds')!.metrics[0]!;
    expect(histogram!.schema).toBeUndefined();
    expect(histogram!.buckets.map(({ cumulative }) => cumulative)).toEqual([2n, 3n, 3n, 4n, 5n]);
    expect(byName.get('app:without:suffix')!.metrics[0]!).toMatchObject({ kind: 'counter', value: 7 });
  });

  test('keeps the names of counters in every format', async () => {
    const register = new Registry();
    new Counter({ name: 'orders', help: 'Orders', registers: [register] }).inc(7);
    new Counter({ name: '_total', help: 'Odd', registers: [register] }).inc(8);
    expect(samplesIn(await page(register))).toEqual(['orders 7', '_total 8']);
    const open = await page(register, OPENMETRICS);
    expect(samplesIn(open)).toEqual(['orders 7', '_total 8']);
    expect(open).toContain('# TYPE orders unknown\n');
    expect(await page(register, PROTOBUF)).toContain('orders');
  });

  test('shows every number under its own labels, whatever these are', async () => {
    const label = fc.record({ a: fc.string(), b: fc.string() });
    const values = fc.array(fc.tuple(label, fc.double({ noDefaultInfinity: true, noNaN: true })), {
      maxLength: 8,
    });
    await fc.assert(
      fc.asyncProperty(values, values, values, values, async (counts, levels, sizes, waits) => {
        const register = new Registry();
        const facts = { help: 'h', labelNames: ['a', 'b'], registers: [register] };
        const [counter, gauge] = [
          new Counter({ ...facts, name: 'c_total' }),
          new Gauge({ ...facts, name: 'g' }),
        ];
        const histogram = new Histogram({ ...facts, name: 'h' });
        const summary = new Summary({ ...facts, name: 's' });
        for (const [labels, value] of counts) counter.inc(labels, Math.abs(value));
        for (const [labels, value] of levels) gauge.set(labels, value);
        for (const [labels, value] of sizes) histogram.observe(labels, value);
        for (const [labels, value] of waits) summary.observe(labels, value);
        expect(sortedSamples(await page(register))).toEqual(sortedSamples(await register.metrics()));
      }),
      { numRuns: 60 },
    );
  });

  test('has the default metrics of prom-client, and of several registries', async () => {
    const [one, other] = [new Registry(), new Registry()];
    used.collectDefaultMetrics({ register: one });
    new Gauge({ name: 'more', help: 'More', registers: [other] }).set(1);
    const samples = samplesIn(await page([one, other]));
    expect(samples).toContain('more 1');
    expect(samples.some((line) => line.startsWith('process_cpu_user_seconds_total '))).toBe(true);
    expect(samples.some((line) => line.startsWith('nodejs_eventloop_lag_seconds '))).toBe(true);
  });
}

function testNames({ Gauge, Histogram, Registry }: PromClient): void {
  async function shared(
    name: string,
    make: (registers: client.Registry[]) => void,
  ): Promise<{ readonly text: string; readonly warnings: string[] }> {
    const register = new Registry();
    make([register]);
    const registry = createRegistry();
    registry.histogram({ name }).with({}).record(0.25);
    const warnings: string[] = [];
    const handler = prometheusHandler(registry, {
      sources: [fromPromClient(register)],
      warn: (message) => warnings.push(message),
    });
    return { text: (await respond(handler)).body.toString(), warnings };
  }

  test('are not mixed when a histogram has moved and the old one is still there', async () => {
    const { text, warnings } = await shared('job_seconds', (registers) =>
      new Histogram({ name: 'job_seconds', help: 'Old', labelNames: ['a'], registers }).observe(
        { a: 'x' },
        1,
      ),
    );
    expect(samplesIn(text).every((line) => !line.includes('a="x"'))).toBe(true);
    expect(warnings).toEqual([
      '"job_seconds" comes from two sources: the histogram of the later one is left out',
    ]);
  });

  test('are not mixed when their types differ, or samples have one name', async () => {
    const { text, warnings } = await shared('jobs', (registers) => {
      new Gauge({ name: 'jobs', help: 'Jobs', registers }).set(7);
      new Gauge({ name: 'jobs_count', help: 'Jobs', registers }).set(8);
      new Gauge({ name: 'jobs_open', help: 'Jobs', registers }).set(9);
    });
    expect(samplesIn(text)).toContain('jobs_count 1');
    expect(samplesIn(text)).toContain('jobs_open 9');
    expect(warnings).toEqual([
      '"jobs" is already a histogram: the gauge of this name is left out',
      '"jobs_count" has samples of the name "jobs_count", as the histogram "jobs" has: the gauge "jobs_count" is left out',
    ]);
  });
}

for (const { name, describeIt, client: used } of PROM_CLIENTS) {
  describeIt(`the page of a registry of ${name}`, () => testPage(used));
  describeIt(`metrics of one name of ${name}`, () => testNames(used));
}

describe('a registry', () => {
  const fake = (metrics: readonly unknown[]): PromClientRegistry => ({
    contentType: Registry.PROMETHEUS_CONTENT_TYPE,
    getMetricsAsJSON: async () => metrics as object[],
  });

  const good = { name: 'good', help: '', type: 'gauge', values: [{ value: 1, labels: {} }] };
  const bucket = (le: unknown, value: number): object => ({ metricName: 'x_bucket', labels: { le }, value });
  const count = (value: number): object => ({ metricName: 'x_count', labels: {}, value });

  test.each<[title: string, metric: unknown, warning: string]>([
    ['null', null, 'a metric of prom-client is left out: metrics[0] must be an object, got null'],
    [
      'a name that Prometheus refuses',
      { ...good, name: 'a b' },
      'a metric of prom-client is left out: metrics[0].name must be a name of letters, digits and underscores, got "a b"',
    ],
    [
      'a label that Prometheus refuses',
      { ...good, values: [{ value: 1, labels: { 'a-b': 1 } }] },
      'a metric of prom-client is left out: a name of metrics[0].values[0].labels must be a name of letters, digits and underscores, got "a-b"',
    ],
    [
      'an unknown type',
      { ...good, type: 'native' },
      'a metric of prom-client is left out: metrics[0].type must be one of counter, gauge, histogram, summary, got "native"',
    ],
    [
      'a value that is no number',
      { ...good, values: [{ value: '1', labels: {} }] },
      'a metric of prom-client is left out: metrics[0].values[0].value must be a number, got "1"',
    ],
    [
      'buckets that fall',
      {
        name: 'x',
        help: '',
        type: 'histogram',
        values: [bucket(1, 2), bucket(2, 1), bucket('+Inf', 3), count(3)],
      },
      'a series of the histogram "x" has counts that are not integers from 0 to 2^53 - 1, ascending with the boundaries: it is left out',
    ],
    [
      'a histogram without a count',
      { name: 'x', help: '', type: 'histogram', values: [bucket(1, 2)] },
      'a series of the histogram "x" has counts that are not integers from 0 to 2^53 - 1, ascending with the boundaries: it is left out',
    ],
    [
      'a bucket without a boundary',
      { name: 'x', help: '', type: 'histogram', values: [bucket('one', 2), count(3)] },
      'a series of the histogram "x" has a bucket whose boundary is not a number: it is left out',
    ],
    [
      'a quantile above 1',
      { name: 'x', help: '', type: 'summary', values: [{ labels: { quantile: 2 }, value: 1 }, count(1)] },
      'a series of the summary "x" has a quantile that is not from 0 to 1: it is left out',
    ],
  ])('with %s loses that only, with a warning', async (_title, metric, warning) => {
    const warnings: string[] = [];
    const text = await page(fake([metric, good]), undefined, warnings);
    expect(samplesIn(text)).toEqual(['good 1']);
    expect(warnings).toEqual([warning]);
  });

  test('must have getMetricsAsJSON', () => {
    expect(() => fromPromClient({} as PromClientRegistry)).toThrow(
      'a registry must be a Registry of prom-client, got an object',
    );
    expect(() => fromPromClient([undefined as unknown as PromClientRegistry])).toThrow('got undefined');
  });

  test('that fails leaves the rest of the page alone', async () => {
    const registry = createRegistry();
    registry.histogram({ name: 'jobs' }).with({}).record(0.25);
    const failing: PromClientRegistry = {
      ...fake([]),
      getMetricsAsJSON: () => Promise.reject(new Error('no sensor')),
    };
    const handler = prometheusHandler(registry, { sources: [fromPromClient(failing)] });
    const { status, body } = await respond(handler);
    expect(status).toBe(200);
    expect(body.toString()).toContain('jobs_count 1\n');
  });
});

describe('the types', () => {
  const file = join(import.meta.dirname, 'use-client.ts');

  test('of prom-client are taken, which the type check of the package sees', async () => {
    const { port1, port2 } = new MessageChannel();
    expect(await useClient(port1)).toBe('orders');
    port2.close();
  });

  testUnless(lackOfPeer('prometheus-client'))('of @prometheus-io/client are taken, too', () => {
    const types = join(programOf('prometheus-client'), '@prometheus-io/client/index.d.ts');
    expect(typeErrors(file, { 'prom-client': [types] })).toBe('');
  });
});

test('a family of a summary is plain data that any source can make', () => {
  const family: MetricFamily = {
    name: 'waits',
    help: 'Waits',
    unit: '',
    type: 'summary',
    metrics: [
      {
        labels: [['queue', 'mail']],
        timestampMs: 1000,
        createdMs: 500,
        value: { kind: 'summary', count: 2, sum: undefined, quantiles: [{ quantile: 1, value: 0.5 }] },
      },
    ],
  };
  const text = (format: 'text' | 'openmetrics'): string[] =>
    samplesIn(new TextDecoder().decode(render([family], format)));
  expect(text('text')).toEqual([
    'waits{queue="mail",quantile="1"} 0.5 1000',
    'waits_count{queue="mail"} 2 1000',
  ]);
  expect(text('openmetrics')).toEqual([
    'waits{queue="mail",quantile="1.0"} 0.5 1',
    'waits_count{queue="mail"} 2 1',
    'waits_created{queue="mail"} 0.5 1',
  ]);
});
