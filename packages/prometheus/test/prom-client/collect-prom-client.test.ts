import { EventEmitter } from 'node:events';
import { MessageChannel, type MessagePort } from 'node:worker_threads';
import { createRegistry } from '@hdrscope/registry';
import { collectDiagnostics } from '@hdrscope/testing/diagnostics';
import { PROM_CLIENTS, type PromClient } from '@hdrscope/testing/prom-clients';
import * as fc from 'fast-check';
import type client from 'prom-client';
import {
  collectPromClient,
  type MetricFamily,
  type PromClientCollection,
  type PromClientRegistry,
  prometheusHandler,
  servePromClient,
} from '../../src/index.ts';
import type { CollectPromClientOptions } from '../../src/prom-client/collect-prom-client.ts';
import { respond } from '../support/respond.ts';
import { rendered, samplesIn, sortedSamples } from '../support/text.ts';

const log = collectDiagnostics();

const ends: (() => unknown)[] = [];
afterEach(async () => {
  for (const end of ends.splice(0)) await end();
});

function collect(options: CollectPromClientOptions = {}): PromClientCollection {
  const collection = collectPromClient({ timeoutMs: 60_000, ...options });
  ends.push(() => collection.close());
  return collection;
}

function ports(): MessageChannel {
  const channel = new MessageChannel();
  ends.push(() => channel.port1.close());
  return channel;
}

/** Serves a registry, as a worker does, and returns the port of the main thread and the end of the service. */
function worker(register: PromClientRegistry): {
  readonly port: MessagePort;
  readonly stop: () => Promise<void>;
} {
  const { port1, port2 } = ports();
  const stop = servePromClient(register, port2);
  ends.push(stop);
  return { port: port1, stop };
}

const AGGREGATORS = ['sum', 'first', 'min', 'max', 'average', 'omit'] as const;

async function textOf(collection: PromClientCollection, warnings: string[] = []): Promise<string> {
  const families = await collection.families({ warn: (message) => void warnings.push(message) });
  return rendered(families, 'text');
}

function testCollection({
  AggregatorRegistry,
  Counter,
  Gauge,
  Histogram,
  Registry,
  Summary,
}: PromClient): void {
  function registerWith(make: (registers: client.Registry[]) => void): client.Registry {
    const register = new Registry();
    make([register]);
    return register;
  }

  /** A gauge for each aggregator, a counter, a histogram and a summary. */
  function filled(values: readonly number[]): client.Registry {
    return registerWith((registers) => {
      for (const aggregator of AGGREGATORS) {
        const gauge = new Gauge({ name: aggregator, help: 'h', labelNames: ['a'], aggregator, registers });
        for (const value of values) gauge.set({ a: value % 3 }, value);
      }
      const counter = new Counter({ name: 'c_total', help: 'h', labelNames: ['a', 'b'], registers });
      const histogram = new Histogram({
        name: 'h',
        help: 'h',
        labelNames: ['a'],
        buckets: [1, 5],
        registers,
      });
      const summary = new Summary({ name: 's', help: 'h', percentiles: [0.5], registers });
      for (const value of values) {
        counter.inc(value % 2 === 0 ? { a: 1, b: 2 } : { b: 2, a: 1 }, value);
        histogram.observe({ a: value % 2 }, value);
        summary.observe(value);
      }
    });
  }

  describe('the metrics of several registries', () => {
    test('are merged as AggregatorRegistry merges them', async () => {
      const values = fc.array(fc.integer({ min: 0, max: 9 }), { maxLength: 6 });
      await fc.assert(
        fc.asyncProperty(fc.array(values, { minLength: 2, maxLength: 4 }), async (lists) => {
          const registers = lists.map((list) => filled(list));
          const metrics = await Promise.all(registers.map((register) => register.getMetricsAsJSON()));
          const theirs = await AggregatorRegistry.aggregate(metrics).metrics();
          expect(sortedSamples(await textOf(collect({ registries: registers })))).toEqual(
            sortedSamples(theirs),
          );
        }),
        { numRuns: 60 },
      );
    });

    test('of which one has another type lose that one, with a warning', async () => {
      const registries = [
        registerWith((registers) => new Gauge({ name: 'x', help: 'h', registers }).set(1)),
        registerWith((registers) => new Counter({ name: 'x', help: 'h', registers }).inc(2)),
      ];
      const warnings: string[] = [];
      expect(samplesIn(await textOf(collect({ registries }), warnings))).toEqual(['x 1']);
      expect(warnings).toEqual([
        '"x" is a gauge in one process and a counter in another: the latter is left out',
      ]);
    });

    test.each(['median', 'constructor', '__proto__'])(
      'of the unknown aggregator %s are left out with a warning',
      async (aggregator) => {
        const registries = registerWith((registers) => {
          new Gauge({ name: 'x', help: 'h', aggregator: aggregator as 'sum', registers }).set(1);
          new Gauge({ name: 'y', help: 'h', registers }).set(2);
        });
        const warnings: string[] = [];
        expect(samplesIn(await textOf(collect({ registries }), warnings))).toEqual(['y 2']);
        expect(warnings).toEqual([`"x" has the unknown aggregator "${aggregator}": the metric is left out`]);
      },
    );

    test('have the common boundaries of their histograms, exactly', async () => {
      const registries = [
        [1, 2, 5],
        [2, 3, 5],
      ].map((buckets) =>
        registerWith((registers) => {
          const histogram = new Histogram({ name: 'h', help: 'h', labelNames: ['a'], buckets, registers });
          for (const value of [0.5, 1.5, 2.5, 4, 9]) histogram.observe({ a: 'both' }, value);
          if (buckets[0] === 1) histogram.observe({ a: 'one' }, 1);
        }),
      );
      const warnings: string[] = [];
      expect(
        samplesIn(await textOf(collect({ registries }), warnings)).filter((line) => /bucket/.test(line)),
      ).toEqual([
        'h_bucket{a="both",le="2"} 4',
        'h_bucket{a="both",le="5"} 8',
        'h_bucket{a="both",le="+Inf"} 10',
        'h_bucket{a="one",le="1"} 1',
        'h_bucket{a="one",le="2"} 1',
        'h_bucket{a="one",le="5"} 1',
        'h_bucket{a="one",le="+Inf"} 1',
      ]);
      expect(warnings).toEqual([
        'the histogram "h" has other boundaries in other processes: only the common ones are shown',
      ]);
    });

    test('have the latest exemplar', async () => {
      const json = (timestamp: number, value: number): PromClientRegistry => ({
        contentType: Registry.OPENMETRICS_CONTENT_TYPE,
        getMetricsAsJSON: async () => [
          {
            name: 'x',
            help: '',
            type: 'counter',
            values: [{ value, labels: {}, exemplar: { labelSet: { a: timestamp }, value, timestamp } }],
          },
        ],
      });
      const families = await collect({ registries: [json(1, 5), json(3, 6), json(2, 7)] }).families({});
      expect(rendered(families, 'openmetrics')).toContain('x_total 18 # {a="3"} 6 3\n');
    });
  });

  describe('a worker', () => {
    test('adds its metrics, with numbers that JSON has not', async () => {
      const own = filled([1, 2]);
      const other = registerWith((registers) => {
        new Gauge({ name: 'sum', help: 'h', labelNames: ['a'], registers }).set({ a: 1 }, 40);
        const odd = new Gauge({ name: 'odd', help: 'h', labelNames: ['at'], registers });
        odd.set({ at: 'a' }, Number.NaN);
        odd.set({ at: 'b' }, Number.NEGATIVE_INFINITY);
      });
      const collection = collect({ registries: own });
      collection.collectFrom(worker(other).port);
      const samples = samplesIn(await textOf(collection));
      expect(samples).toEqual(
        expect.arrayContaining(['sum{a="1"} 41', 'odd{at="a"} NaN', 'odd{at="b"} -Inf']),
      );
      expect(log.warnings).toEqual([]);
    });

    test('that ends leaves its counters, histograms and sums, and takes its gauges and quantiles along', async () => {
      const collection = collect();
      const { port, stop } = worker(filled([1, 2, 4]));
      collection.collectFrom(port);
      collection.collectFrom(worker(filled([3])).port);
      await textOf(collection);
      await stop();
      const ended = samplesIn(await textOf(collection)).sort();
      expect(ended).toEqual([
        'average{a="0"} 3',
        'c_total{b="2",a="1"} 10',
        'first{a="0"} 3',
        'h_bucket{a="0",le="+Inf"} 2',
        'h_bucket{a="0",le="1"} 0',
        'h_bucket{a="0",le="5"} 2',
        'h_bucket{a="1",le="+Inf"} 2',
        'h_bucket{a="1",le="1"} 1',
        'h_bucket{a="1",le="5"} 2',
        'h_count{a="0"} 2',
        'h_count{a="1"} 2',
        'h_sum{a="0"} 6',
        'h_sum{a="1"} 4',
        'max{a="0"} 3',
        'min{a="0"} 3',
        's_count 4',
        's_sum 10',
        'sum{a="0"} 3',
        's{quantile="0.5"} 3',
      ]);
    });

    test('that stops sends its last values, also when nobody has asked', async () => {
      const register = filled([1]);
      const collection = collect();
      const { port, stop } = worker(register);
      collection.collectFrom(port);
      await stop();
      expect(samplesIn(await textOf(collection))).toContain('c_total{b="2",a="1"} 1');
    });

    test('that ends many times counts each life once', async () => {
      const collection = collect();
      for (let life = 1; life <= 20; life++) {
        const register = registerWith((registers) =>
          new Counter({ name: 'x_total', help: 'h', registers }).inc(life),
        );
        const { port, stop } = worker(register);
        collection.collectFrom(port);
        expect(samplesIn(await textOf(collection))).toEqual([`x_total ${(life * (life + 1)) / 2}`]);
        await stop();
        port.close();
      }
      expect(samplesIn(await textOf(collection))).toEqual(['x_total 210']);
    });

    test('that is added again counts once, also while it has not answered yet', async () => {
      const collection = collect();
      const register = registerWith((registers) => {
        new Counter({ name: 'x_total', help: 'h', registers }).inc(5);
        new Gauge({ name: 'g', help: 'h', registers }).set(1);
      });
      const { port, stop } = worker(register);
      const samples = async (): Promise<string[]> => samplesIn(await textOf(collection));
      for (let turn = 0; turn < 3; turn++) {
        const end = collection.collectFrom(port);
        expect(await samples()).toEqual(['x_total 5', 'g 1']);
        end();
        expect(await samples()).toEqual(['x_total 5']);
      }
      const [before, added] = [samples(), collection.collectFrom(port)];
      expect(await before).toEqual(['x_total 5']);
      expect(await samples()).toEqual(['x_total 5', 'g 1']);
      await stop();
      added();
      expect(await samples()).toEqual(['x_total 5']);
    });

    test('whose answers overtake each other counts with the answer to the newest question', async () => {
      const { port1, port2 } = ports();
      const answer = (request: number, facts: object): void =>
        port2.postMessage({ hdrscope: 'prom-client-answer', request, isLast: false, ...facts });
      const counter = (value: number): object => ({
        metrics: [{ name: 'x_total', help: '', type: 'counter', values: [{ value, labels: {} }] }],
      });
      // The first question is answered after the second one. A port keeps the order of messages.
      port2.on('message', ({ request }: { request: number }) => {
        if (request === 2) {
          answer(2, counter(9));
          answer(1, counter(4));
          answer(7, counter(5));
        } else if (request > 2) answer(request, { error: 'no more' });
      });
      const collection = collect({ timeoutMs: 50 });
      collection.collectFrom(port1);
      await textOf(collection);
      const isOver = (): boolean => log.warnings.some((warning) => warning.endsWith('no more'));
      while (!isOver()) await textOf(collection);
      expect(samplesIn(await textOf(collection))).toEqual(['x_total 9']);
    });

    test('that does not answer in time counts with its last answer, and is asked again', async () => {
      let isHanging = false;
      const register = filled([1]);
      const { port } = worker({
        contentType: register.contentType,
        getMetricsAsJSON: () => (isHanging ? new Promise(() => {}) : register.getMetricsAsJSON()),
      });
      const collection = collect({ timeoutMs: 200 });
      collection.collectFrom(port);
      expect(samplesIn(await textOf(collection))).toContain('sum{a="1"} 1');
      isHanging = true;
      expect(samplesIn(await textOf(collection))).toContain('sum{a="1"} 1');
      expect(log.warnings).toEqual([
        'the metrics of a remote are those of its last answer: not done within 200 ms',
      ]);
      isHanging = false;
      expect(samplesIn(await textOf(collection))).toContain('sum{a="1"} 1');
      expect(log.warnings).toHaveLength(1);
    });

    test('whose registry fails counts with its last answer', async () => {
      const { port } = worker({
        contentType: '',
        getMetricsAsJSON: () => Promise.reject(new Error('no sensor')),
      });
      const collection = collect();
      collection.collectFrom(port);
      expect(await textOf(collection)).toBe('');
      expect(log.warnings).toEqual(['the metrics of a remote are those of its last answer: no sensor']);
    });

    test.each<[unknown, string]>([
      [{ request: -1 }, 'answer.request must be an integer from 0 to 2^53 - 1, got -1'],
      [{ metrics: 7 }, 'answer.metrics must be an array, got 7'],
      [{ metrics: [{}] }, 'answer.metrics[0].values must be an array, got undefined'],
      [{ error: 7 }, 'answer.error must be a text, got 7'],
      [
        { metrics: [{ name: 'x', help: '', type: 'gauge', values: [{ value: null, labels: {} }] }] },
        'answer.metrics[0].values[0].value must be a number, got null',
      ],
    ])('that answers %j is reported, and adds nothing', async (answer, problem) => {
      const { port1, port2 } = ports();
      port2.on('message', () => {
        port2.postMessage({ hdrscope: 'other' });
        port2.postMessage('noise');
        port2.postMessage({
          hdrscope: 'prom-client-answer',
          request: 1,
          isLast: false,
          ...(answer as object),
        });
      });
      const collection = collect();
      collection.collectFrom(port1);
      expect(await textOf(collection)).toBe('');
      expect(log.warnings).toEqual([`the metrics of a remote are those of its last answer: ${problem}`]);
    });

    test('is asked once by scrapes that overlap, and not twice when it is added twice', async () => {
      let calls = 0;
      const register = filled([1]);
      const { port } = worker({
        contentType: register.contentType,
        getMetricsAsJSON: () => {
          calls++;
          return register.getMetricsAsJSON();
        },
      });
      const collection = collect();
      const end = collection.collectFrom(port);
      collection.collectFrom(port);
      const [one, other] = await Promise.all([textOf(collection), textOf(collection)]);
      expect([one === other, calls]).toEqual([true, 1]);
      end();
      end();
      expect(samplesIn(await textOf(collection))).toContain('c_total{b="2",a="1"} 1');
      expect(calls).toBe(1);
    });
  });

  describe('a cluster', () => {
    /** A cluster whose workers are threads of messages: each end of a channel behaves as a worker does. */
    class Cluster extends EventEmitter {
      readonly workers: Record<string, EventEmitter & { id: number; send(message: unknown): void }> = {};

      fork(register: PromClientRegistry): () => void {
        const id = Object.keys(this.workers).length + 1;
        const inWorker = Object.assign(new EventEmitter(), {
          send: (message: unknown) =>
            setImmediate(() => inPrimary.emit('message', JSON.parse(JSON.stringify(message)))),
        });
        const inPrimary = Object.assign(new EventEmitter(), {
          id,
          send: (message: unknown) =>
            setImmediate(() => inWorker.emit('message', JSON.parse(JSON.stringify(message)))),
        });
        this.workers[id] = inPrimary;
        servePromClient(register, inWorker);
        this.emit('fork', inPrimary);
        return () => inPrimary.emit('disconnect');
      }
    }

    test('is asked with all its workers, present and future, and its page is served', async () => {
      const cluster = new Cluster();
      cluster.fork(filled([1]));
      const collection = collect({ cluster });
      const exit = cluster.fork(filled([1, 2]));
      const handler = prometheusHandler(createRegistry(), { sources: [collection.families] });
      const page = async (): Promise<string[]> => samplesIn((await respond(handler)).body.toString());
      expect(await page()).toEqual(expect.arrayContaining(['c_total{b="2",a="1"} 4', 'sum{a="1"} 2']));
      exit();
      expect(await page()).toEqual(expect.arrayContaining(['c_total{b="2",a="1"} 4', 'sum{a="1"} 1']));
      collection.close();
      expect(cluster.listenerCount('fork')).toBe(0);
      expect(await page()).toEqual(expect.arrayContaining(['c_total{b="2",a="1"} 4']));
    });
  });

  test('options that do not exist or are out of range are refused', () => {
    expect(() => collectPromClient({ timeoutMs: 0 })).toThrow('timeoutMs must be a number above 0, got 0');
    expect(() => collectPromClient({ clusters: {} } as CollectPromClientOptions)).toThrow('cluster');
    expect(() => collectPromClient().collectFrom({} as MessagePort)).toThrow('port must be');
    expect(() => servePromClient(new Registry(), {} as MessagePort)).toThrow('port must be');
  });

  test('a family of a merged metric has the type and the help of the first', async () => {
    const families = (await collect({ registries: [filled([1]), filled([2])] }).families(
      {},
    )) as MetricFamily[];
    expect(families.map(({ name, type, help }) => `${type} ${name} ${help}`)).toEqual([
      ...['gauge sum h', 'gauge first h', 'gauge min h', 'gauge max h', 'gauge average h'],
      ...['counter c h', 'histogram h h', 'summary s h'],
    ]);
  });
}

for (const { name, describeIt, client: used } of PROM_CLIENTS) describeIt(name, () => testCollection(used));
