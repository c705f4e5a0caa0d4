import client from 'prom-client';
import type { Application } from '../../src/register/application.ts';
import { type PromClient, readPromClient, showPromClient } from '../../src/register/prom-client.ts';

const { AggregatorRegistry, Counter, Histogram, Registry, Summary, register } = client;
const PROMETHEUS = { OTEL_METRICS_EXPORTER: 'prometheus' };

/** An application that has installed prom-client. */
const application = {
  dependencies: ['express', 'prom-client'],
  load(name) {
    if (name !== 'prom-client') throw new Error(`${name} is not installed`);
    return client;
  },
} as Pick<Application, 'dependencies' | 'load'> as Application;

function find(environment: Record<string, string>): PromClient | undefined {
  const load = (): never => {
    throw new Error('nobody scrapes');
  };
  return showPromClient(application, environment, load)?.client;
}

async function valuesOf(promClient: PromClient): Promise<unknown> {
  await promClient.read(1000, true);
  return Object.fromEntries(promClient.state.series.map(({ facts, values }) => [facts.name, values[0]]));
}

let warnings: string[] = [];
const { emitWarning } = process;
beforeEach(() => {
  warnings = [];
  process.emitWarning = (message: string | Error, options?: unknown) => {
    warnings.push(`${(options as { readonly code?: string }).code} ${message}`);
  };
});
afterEach(() => {
  process.emitWarning = emitWarning;
  register.clear();
});

test('finds the default registry and those that have metrics of their own', async () => {
  const found = find(PROMETHEUS)!;
  const own = new Registry();
  new Counter({ name: 'first', help: 'First' }).inc(1);
  new Counter({ name: 'second', help: 'Second', registers: [own] }).inc(2);
  new Counter({ name: 'third', help: 'Third', registers: [register, own] }).inc(3);
  // As endpoints do at each scrape.
  Registry.merge([register, own]);
  AggregatorRegistry.aggregate([await own.getMetricsAsJSON(), await own.getMetricsAsJSON()] as never);
  expect(await valuesOf(found)).toEqual({ first: 1, second: 2, third: 3 });
});

test('of two metrics of one name in two registries, the later one is left out with a warning', async () => {
  const found = find(PROMETHEUS)!;
  for (const [i, registers] of [[register], [new Registry()]].entries())
    new Counter({ name: 'twice', help: 'Twice', registers }).inc(i + 1);
  expect(await valuesOf(found)).toEqual({ twice: 1 });
  expect(warnings).toEqual([
    'HDRSCOPE_LEFT_OUT "twice" is in two registries of prom-client: that of the later one is left out',
  ]);
});

test('counters of OpenMetrics have one name before and after their first scrape', async () => {
  const found = find(PROMETHEUS)!;
  const own = new Registry();
  own.setContentType(Registry.OPENMETRICS_CONTENT_TYPE as never);
  new Counter({ name: 'jobs_total', help: 'Jobs', registers: [own] }).inc(7);
  expect(await valuesOf(found)).toEqual({ jobs_total: 7 });
  await own.metrics();
  expect(await valuesOf(found)).toEqual({ jobs_total: 7 });
  found.readNow();
  expect(found.state.series.map(({ facts }) => facts.name)).toEqual(['jobs_total']);
});

test('earlier values stand when a metric fails, and a warning says so', async () => {
  const found = find(PROMETHEUS)!;
  new Counter({ name: 'steady', help: 'Steady' }).inc(1);
  expect(await valuesOf(found)).toEqual({ steady: 1 });
  new Counter({
    name: 'failing',
    help: 'Failing',
    collect() {
      throw new Error('no answer');
    },
  });
  expect(await valuesOf(found)).toEqual({ steady: 1 });
  expect(warnings).toEqual([
    'HDRSCOPE_UNREACHABLE metrics of prom-client could not be read, so scrapes show earlier ones: no answer',
  ]);
});

test('an unknown form of values is refused when a process ends', () => {
  const found = find(PROMETHEUS)!;
  const counter = new Counter({ name: 'strange', help: 'Strange' });
  Object.assign(counter, { hashMap: undefined });
  expect(() => found.readNow()).toThrow('the values of "strange" of prom-client cannot be read');
});

test.each([
  ['none', PROMETHEUS, 'none'],
  ['another exporter', { OTEL_METRICS_EXPORTER: 'otlp' }, undefined],
])('does nothing with %s', (_, environment, wanted) => {
  expect(find({ ...environment, ...(wanted && { HDRSCOPE_PROM_CLIENT: wanted }) })).toBeUndefined();
});

test('a package that HDRSCOPE_PROM_CLIENT names and that is missing is named', () => {
  expect(find({ ...PROMETHEUS, HDRSCOPE_PROM_CLIENT: 'prom-client-2' })).toBeUndefined();
  expect(warnings).toEqual([
    'HDRSCOPE_MISSING_PACKAGE HDRSCOPE_PROM_CLIENT names a package that cannot be loaded: npm install prom-client-2',
  ]);
});

test('what is read at once when a process ends equals what is read otherwise', async () => {
  const registry = new Registry();
  registry.setDefaultLabels({ app: 'shop', queue: 'none' });
  const registers = [registry];
  const jobs = new Counter({ name: 'jobs_total', help: 'Jobs', labelNames: ['queue'], registers });
  const sizes = new Histogram({ name: 'sizes', help: 'Sizes', labelNames: ['kind'], registers });
  const waits = new Summary({ name: 'waits', help: 'Waits', labelNames: ['kind'], registers });
  new Counter({ name: 'unlabelled', help: 'No labels', registers }).inc(0.5);
  new Counter({ name: 'unused', help: 'No values', labelNames: ['kind'], registers });
  for (const size of [-1, 0, 0.3, 7, 100]) {
    jobs.inc({ queue: `${size}` }, 3);
    jobs.inc({});
    sizes.observe({ kind: 'image' }, size);
    waits.observe({ kind: 'image' }, size);
  }
  const client = readPromClient([() => [registry]]);
  await client.read(1000, true);
  const { series } = client.state;
  client.readNow();
  expect(client.state.series).toEqual(series);
  expect(series).toHaveLength(9);
});
