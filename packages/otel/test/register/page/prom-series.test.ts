import { atOnce } from '@hdrscope/kit';
import fc from 'fast-check';
import { Counter, Gauge, Histogram, Registry, Summary } from 'prom-client';
import { AllNumbers, OwnNumbers } from '../../../src/register/page/numbers.ts';
import { listMetrics, type PromMetric, splitMetrics } from '../../../src/register/page/prom-series.ts';

const BUCKETS = [
  [1, 5, 10],
  [2, 5, 20],
] as const;

/** A process that counts with prom-client, and hands over. */
class Process {
  readonly registry = new Registry();
  readonly own = new OwnNumbers();
  readonly #jobs = new Counter({
    name: 'jobs_total',
    help: 'Jobs',
    labelNames: ['queue'],
    registers: [this.registry],
  });
  readonly #sizes: Histogram;

  constructor(buckets: readonly number[]) {
    this.registry.setDefaultLabels({ app: 'shop' });
    this.#sizes = new Histogram({
      name: 'sizes',
      help: 'Sizes',
      buckets: [...buckets],
      registers: [this.registry],
    });
  }

  count(queue: string, size: number): void {
    this.#jobs.inc({ queue });
    this.#sizes.observe(size);
  }

  async read(): Promise<void> {
    this.own.readProm(atOnce(splitMetrics(await this.registry.getMetricsAsJSON(), fail)), 0);
  }
}

function fail(message: string): never {
  throw new Error(message);
}

/** The value of each sample, by its name and labels. */
function samplesIn(lists: readonly (readonly PromMetric[])[]): Map<string, number> {
  const samples = new Map<string, number>();
  for (const { name, values } of lists.flat()) {
    for (const { metricName = name, labels, value } of values) {
      const key = `${metricName} ${JSON.stringify(Object.entries(labels).sort())}`;
      samples.set(key, (samples.get(key) ?? 0) + value);
    }
  }
  return samples;
}

const STEPS = fc.array(
  fc.record({
    what: fc.constantFrom(
      'count',
      'count',
      'count',
      'hand over',
      'lose an answer',
      'reset',
      'end',
      'new leader',
    ),
    which: fc.nat(3),
    size: fc.integer({ min: -30, max: 30 }),
  }),
  { minLength: 5, maxLength: 40 },
);

test('counters and histograms of all processes are added up exactly, whatever is lost, reset, ended or inherited', async () => {
  await fc.assert(
    fc.asyncProperty(STEPS, async (steps) => {
      const processes = [0, 1, 2, 3].map((i) => new Process(BUCKETS[i % 2]!));
      const expected = new Map<string, number>();
      const expect1 = (key: string, by: number): void =>
        void expected.set(key, (expected.get(key) ?? 0) + by);
      let page = new AllNumbers();
      const take = async (index: number): Promise<void> => {
        const { own } = processes[index]!;
        await processes[index]!.read();
        page.take(`process ${index}`, {}, structuredClone(own.handOver(page.takenFrom(`process ${index}`))));
      };
      for (const { what, which, size } of steps) {
        const one = processes[which]!;
        const queue = size % 2 === 0 ? 'mail' : 'print "x"';
        if (what === 'count') {
          one.count(queue, size);
          expect1(`jobs_total [["app","shop"],["queue",${JSON.stringify(queue)}]]`, 1);
          for (const le of [...BUCKETS[which % 2]!, Number.POSITIVE_INFINITY])
            if (size <= le)
              expect1(
                `sizes_bucket [["app","shop"],["le","${le === Number.POSITIVE_INFINITY ? '+Inf' : le}"]]`,
                1,
              );
          expect1('sizes_sum [["app","shop"]]', size);
          expect1('sizes_count [["app","shop"]]', 1);
        }
        if (what === 'hand over') await take(which);
        if (what === 'lose an answer') {
          await one.read();
          one.own.handOver(page.takenFrom(`process ${which}`));
        }
        if (what === 'reset') {
          await take(which);
          one.registry.resetMetrics();
          // A counter that has counted as much again meanwhile has not fallen.
          await take(which);
        }
        if (what === 'end') {
          await take(which);
          page.forgetLevels(`process ${which}`);
        }
        if (what === 'new leader') {
          const next = new AllNumbers();
          next.inherit(structuredClone(page.state));
          page = next;
        }
      }
      for (const index of processes.keys()) await take(index);
      const shown = samplesIn(atOnce(listMetrics(page.prom(), fail)));
      for (const [key, value] of shown) expect([key, value]).toEqual([key, expected.get(key) ?? 0]);
      for (const [key, value] of expected) expect([key, shown.get(key)]).toEqual([key, value]);
    }),
    { numRuns: 200 },
  );
});

test('a histogram has begun anew when one of its buckets has fallen, although its count has grown', async () => {
  const one = new Process(BUCKETS[0]);
  const page = new AllNumbers();
  const take = async (): Promise<void> => {
    await one.read();
    page.take('one', {}, one.own.handOver(page.takenFrom('one')));
  };
  for (const size of [1, 1]) one.count('mail', size);
  await take();
  one.registry.resetMetrics();
  for (const size of [7, 7, 7]) one.count('mail', size);
  await take();
  const shown = samplesIn(atOnce(listMetrics(page.prom(), fail)));
  const counts = ['1', '5', '10', '+Inf'].map((le) =>
    shown.get(`sizes_bucket [["app","shop"],["le","${le}"]]`),
  );
  expect(counts).toEqual([2, 2, 5, 5]);
});

test('the metrics of each process that cannot be added up are in a list of their own, and go with it', async () => {
  const page = new AllNumbers();
  for (const [i, level] of [3, 8].entries()) {
    const registers = [new Registry()];
    new Gauge({ name: 'level', help: 'Level', aggregator: 'max', registers }).set(level);
    new Counter({ name: 'peak_total', help: 'Peak', aggregator: 'max', registers }).inc(level);
    const own = new OwnNumbers();
    own.readProm(atOnce(splitMetrics(await registers[0]!.getMetricsAsJSON(), fail)), 0);
    page.take(`process ${i}`, {}, own.handOver(0));
  }
  const levels = (): unknown =>
    atOnce(listMetrics(page.prom(), fail)).map((metrics) =>
      metrics.map(({ name, values }) => [name, values[0]?.value]),
    );
  expect(levels()).toEqual([
    [],
    [
      ['level', 3],
      ['peak_total', 3],
    ],
    [
      ['level', 8],
      ['peak_total', 8],
    ],
  ]);
  page.forgetLevels('process 0');
  expect(levels()).toEqual([
    [],
    [
      ['level', 8],
      ['peak_total', 8],
    ],
  ]);
});

test('quantiles of several processes are left out with a warning, and those of one are shown', async () => {
  const page = new AllNumbers();
  const warnings: string[] = [];
  const shown = (): unknown =>
    Object.fromEntries(samplesIn(atOnce(listMetrics(page.prom(), (message) => warnings.push(message)))));
  for (const i of [0, 1]) {
    const registers = [new Registry()];
    new Summary({ name: 'waits', help: 'Waits', percentiles: [0.5], registers }).observe(2);
    const own = new OwnNumbers();
    own.readProm(atOnce(splitMetrics(await registers[0]!.getMetricsAsJSON(), fail)), 0);
    page.take(`process ${i}`, {}, own.handOver(0));
    if (i === 0)
      expect(shown()).toEqual({ 'waits [["quantile","0.5"]]': 2, 'waits_sum []': 2, 'waits_count []': 1 });
  }
  expect(shown()).toEqual({ 'waits_sum []': 4, 'waits_count []': 2 });
  expect(new Set(warnings)).toEqual(
    new Set(['quantiles of "waits" cannot be added up: scrapes show its sum and count']),
  );
});

test.each([
  [
    { type: 'gauge' },
    '"x" is a counter with the aggregator sum in one process and a gauge with the aggregator sum in another: the latter is left out',
  ],
  [
    { aggregator: 'max' },
    '"x" is a counter with the aggregator sum in one process and a counter with the aggregator max in another: the latter is left out',
  ],
])('a metric that is another one in another process is left out with a warning: %j', (other, warning) => {
  const page = new AllNumbers();
  const warnings: string[] = [];
  const counter = { name: 'x', help: 'X', type: 'counter', values: [{ labels: {}, value: 7 }] };
  for (const [i, metric] of [counter, { ...counter, ...other }].entries()) {
    const own = new OwnNumbers();
    own.readProm(atOnce(splitMetrics([metric], fail)), 0);
    page.take(`process ${i}`, {}, own.handOver(0));
  }
  const lists = atOnce(listMetrics(page.prom(), (message) => warnings.push(message)));
  expect(Object.fromEntries(samplesIn(lists))).toEqual({ 'x []': 7 });
  expect(warnings).toEqual([warning]);
});

test.each([
  [{ values: undefined }],
  [{ values: [{ labels: {}, value: '7' }] }],
  [{ values: [{ labels: 7, value: 7 }] }],
  [{ values: [undefined] }],
  [{ type: 'histogram', values: [{ metricName: 'x_bucket', labels: { le: 1 }, value: 7 }] }],
  [
    {
      type: 'histogram',
      values: [
        { metricName: 'x_bucket', labels: { le: 1 }, value: 7 },
        { metricName: 'x_sum', labels: {}, value: 7 },
        { metricName: 'x_count', labels: {}, value: 3 },
      ],
    },
  ],
])('a metric that is malformed is left out with a warning: %j', (malformed) => {
  const warnings: string[] = [];
  const metric = { name: 'x', help: 'X', type: 'counter', ...malformed };
  expect(atOnce(splitMetrics([metric], (message) => warnings.push(message)))).toEqual({
    series: [],
    levels: [],
  });
  expect(warnings).toEqual([
    `the ${metric.type} "x" of prom-client has values that cannot be read: it is left out`,
  ]);
});

test('of two exemplars of a bucket, the later one stays', () => {
  const metric = (timestamp: number): object => ({
    name: 'x',
    help: 'X',
    type: 'counter',
    values: [{ labels: {}, value: 1, exemplar: { labelSet: { id: `${timestamp}` }, value: 1, timestamp } }],
  });
  for (const times of [
    [5, 9],
    [9, 5],
  ]) {
    const page = new AllNumbers();
    for (const [i, time] of times.entries()) {
      const own = new OwnNumbers();
      own.readProm(atOnce(splitMetrics([metric(time)], fail)), 0);
      page.take(`process ${i}`, {}, own.handOver(0));
    }
    const [[counter]] = atOnce(listMetrics(page.prom(), fail)) as [[PromMetric]];
    expect(counter.values).toEqual([
      { labels: {}, value: 2, exemplar: { labelSet: { id: '9' }, value: 1, timestamp: 9 } },
    ]);
  }
});
