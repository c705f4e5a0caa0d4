import type { ServerResponse } from 'node:http';
import { createRegistry, type FamilyOptions, type Registry } from '@hdrscope/registry';
import fc from 'fast-check';
import { type RemoteWriteOptions, type RemoteWriter, sendRemoteWrite } from '../../src/remote-write/index.ts';
import { START_MS, testRegistry } from '../support/registry.ts';
import { type Reply, startReceiver, take, type WrittenSeries } from '../support/remote-write.ts';

type Receiver = Awaited<ReturnType<typeof startReceiver>>;

let receiver: Receiver;
const writers: RemoteWriter[] = [];

beforeEach(async () => {
  receiver = await startReceiver();
});

afterEach(async () => {
  receiver.reply = take;
  await Promise.allSettled(writers.splice(0).map((writer) => writer.stop()));
  await receiver.stop();
  expect(receiver.faults).toEqual([]);
});

function writeTo(registry: Registry, options: Partial<RemoteWriteOptions> = {}): RemoteWriter {
  const writer = sendRemoteWrite(registry, { url: receiver.url, intervalMs: 3_600_000, ...options });
  writers.push(writer);
  return writer;
}

/** A registry whose clock begins at `START_MS` and advances by a second at each look. */
function tickingRegistry(): Registry {
  let nowMs = START_MS;
  const tick = (): number => {
    nowMs += 1000;
    return nowMs;
  };
  return createRegistry({ clock: { nowMs: tick, monotonicMs: () => nowMs } });
}

const lastSeries = (): WrittenSeries[] => receiver.requests.at(-1)!.series;

describe('a request', () => {
  test('has the headers of the protocol, and those of the user', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    await writeTo(registry, { headers: { 'x-scope-orgid': 'me' } }).flush();
    expect(receiver.requests[0]!.headers).toMatchObject({
      'content-type': 'application/x-protobuf;proto=io.prometheus.write.v2.Request',
      'content-encoding': 'snappy',
      'x-prometheus-remote-write-version': '2.0.0',
      'user-agent': 'hdrscope',
      'x-scope-orgid': 'me',
    });
  });

  test('has native buckets, start, exemplars, metadata, and labels in order', async () => {
    const registry = tickingRegistry();
    const family = registry.histogram({ name: 'job.duration', unit: 's', description: 'How long' });
    const series = family.with({ queue: 'mail', 'a.b': '1', Z: '2', empty: '' });
    for (const value of [0, 0.25, 0.25, 8]) series.record(value);
    series.offerExemplar({ value: 0.25, timeMs: START_MS + 5, attributes: { trace_id: 't', span_id: 's' } });
    await writeTo(registry, { labels: { job: 'shop', queue: 'not this one' } }).flush();
    const [one, ...others] = lastSeries();
    expect(others).toEqual([]);
    expect(one!.labels).toEqual([
      ['Z', '2'],
      ['__name__', 'job_duration'],
      ['a_b', '1'],
      ['job', 'shop'],
      ['queue', 'mail'],
    ]);
    expect(one).toMatchObject({ type: 3, help: 'How long', unit: 'seconds', samples: [] });
    expect(one!.exemplars).toEqual([
      {
        labels: [
          ['span_id', 's'],
          ['trace_id', 't'],
        ],
        value: 0.25,
        timeMs: START_MS + 5,
      },
    ]);
    const [histogram] = one!.histograms;
    expect(histogram).toMatchObject({
      count: 4,
      sum: 8.5,
      schema: 4,
      zeroCount: 1,
      negative: [],
      customValues: [],
    });
    expect(histogram!.positive.map(([, count]) => count)).toEqual([2, 1]);
    expect(histogram!.startMs).toBeLessThan(histogram!.timeMs);
  });

  test('has numbers of other families, with counters and their start', async () => {
    const registry = testRegistry();
    const metrics = [{ labels: [], createdMs: 1000.5, value: { kind: 'number', value: 7 } as const }];
    const facts = { help: '', unit: '', metrics };
    const families = [
      { ...facts, name: 'jobs', type: 'counter' as const },
      { ...facts, name: 'depth', type: 'gauge' as const },
    ];
    await writeTo(registry, { sources: [() => families] }).flush();
    const timeMs = START_MS + 1;
    expect(lastSeries()).toMatchObject([
      { labels: [['__name__', 'jobs_total']], type: 1, samples: [{ value: 7, timeMs, startMs: 1000 }] },
      { labels: [['__name__', 'depth']], type: 2, samples: [{ value: 7, timeMs, startMs: 0 }] },
    ]);
  });

  test('waits for the registry and for other sources at once', async () => {
    const registry = testRegistry();
    const order: string[] = [];
    registry.add({
      name: 'slow',
      async collect() {
        await new Promise(setImmediate);
        order.push('the registry has answered');
      },
    });
    const source = (): [] => {
      order.push('the source is asked');
      return [];
    };
    await writeTo(registry, { sources: [source] }).flush();
    expect(order).toEqual(['the source is asked', 'the registry has answered']);
  });

  test('has the parts of a summary as numbers', async () => {
    const quantiles = [{ quantile: 1, value: 9 }];
    const value = { kind: 'summary', count: 3, sum: 4.5, quantiles } as const;
    const metrics = [{ labels: [['a', 'b']] as const, createdMs: 1000, value }];
    const families = [{ name: 'x', help: '', unit: '', type: 'summary' as const, metrics }];
    await writeTo(testRegistry(), { sources: [() => families] }).flush();
    const [name, label] = [(text: string) => ['__name__', text], ['a', 'b']];
    expect(lastSeries()).toMatchObject([
      { labels: [name('x'), label, ['quantile', '1.0']], type: 5, samples: [{ value: 9, startMs: 0 }] },
      { labels: [name('x_sum'), label], samples: [{ value: 4.5, startMs: 1000 }] },
      { labels: [name('x_count'), label], samples: [{ value: 3, startMs: 1000 }] },
    ]);
  });

  test('has names by the strategy', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'job.duration', unit: 's' }).with({ 'a.b': '1' }).record(1);
    await writeTo(registry, { translationStrategy: 'NoTranslation' }).flush();
    expect(lastSeries()[0]!.labels).toEqual([
      ['__name__', 'job.duration'],
      ['a.b', '1'],
    ]);
  });

  test.each<[title: string, boundaries: number[]]>([
    ['a kernel map', [0, 1, 2, 4, 8, 16, 32, 64, 128, 256]],
    ['an axis of Ceph', [0.000_099_999, 0.000_199_999, 0.000_399_999, 0.051_199_999]],
    ['negative and uneven boundaries', [0.1, 0.3, 1, 2.5]],
  ])('has exact counts at the boundaries of %s', async (_title, boundaries) => {
    const registry = testRegistry();
    const options: FamilyOptions = { name: 'x', unit: 's', boundaries, resolution: 1e-9 };
    const values = boundaries.flatMap((boundary) => [boundary, boundary + 1e-9, boundary * 1.01]);
    const series = registry.histogram(options).with({});
    for (const value of values) series.record(value);
    await writeTo(registry, { buckets: 'custom' }).flush();
    const [histogram] = lastSeries()[0]!.histograms;
    expect(histogram).toMatchObject({
      schema: -53,
      zeroThreshold: 0,
      zeroCount: 0,
      customValues: boundaries,
    });
    const expected = new Map<number, number>();
    for (const value of values) {
      const found = boundaries.findIndex((boundary) => value <= boundary);
      const index = found < 0 ? boundaries.length : found;
      expected.set(index, (expected.get(index) ?? 0) + 1);
    }
    expect(new Map(histogram!.positive)).toEqual(new Map([...expected].sort(([a], [b]) => a - b)));
    expect(histogram!.count).toBe(values.length);
  });

  test('has native buckets for families without boundaries, and for all by default', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    registry
      .histogram({ name: 'y', boundaries: [1] })
      .with({})
      .record(1);
    const schemas = () => lastSeries().map(({ histograms }) => histograms[0]!.schema);
    await writeTo(registry, { buckets: 'custom' }).flush();
    expect(schemas()).toEqual([6, -53]);
    await writeTo(registry, { labels: { other: '1' } }).flush();
    expect(schemas()).toEqual([6, 6]);
  });

  test('is not made without series', async () => {
    await writeTo(testRegistry()).flush();
    expect(receiver.requests).toEqual([]);
  });
});

describe('a writer', () => {
  const registryWith = (series: number): Registry => {
    const registry = createRegistry();
    for (let i = 0; i < series; i++) registry.histogram({ name: 'x' }).with({ i }).record(1);
    return registry;
  };

  test('sends at intervals', async () => {
    const registry = registryWith(1);
    writeTo(registry, { intervalMs: 20 });
    while (receiver.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('counts what the receiver says that it has written', async () => {
    const registry = registryWith(3);
    const writer = writeTo(registry);
    await writer.flush();
    expect(writer.health).toEqual({
      requests: 1,
      failedRequests: 0,
      partialWrites: 0,
      writtenSamples: 0,
      writtenHistograms: 3,
      writtenExemplars: 0,
      rejectedSamples: 0,
    });
  });

  test('splits many series into requests', async () => {
    const writer = writeTo(registryWith(25), { mostSeriesPerRequest: 10 });
    await writer.flush();
    expect(receiver.requests.map(({ series }) => series.length)).toEqual([10, 10, 5]);
    expect(writer.health).toMatchObject({ requests: 3, writtenHistograms: 25 });
  });

  test('counts a partial write, goes on with the other series, and does not send the same again', async () => {
    const failed: string[] = [];
    const writer = writeTo(registryWith(25), {
      mostSeriesPerRequest: 10,
      observer: { failed: (error) => failed.push(error.message) },
    });
    receiver.reply = (request, response) => {
      if (receiver.requests.length !== 2) return take(request, response);
      response.writeHead(400, { 'x-prometheus-remote-write-histograms-written': '7' });
      response.end('out of order\u0007 sample');
    };
    await expect(writer.flush()).rejects.toMatchObject({
      code: 'ERR_REMOTE_WRITE',
      message: 'the receiver has answered 400 and has not written 3 of 10 samples: out of order\\x07 sample',
      details: { isFinal: true },
    });
    expect(receiver.requests).toHaveLength(3);
    expect(writer.health).toMatchObject({
      requests: 2,
      failedRequests: 1,
      partialWrites: 1,
      writtenHistograms: 22,
      rejectedSamples: 3,
    });
    expect(failed).toHaveLength(1);
  });

  test('takes an answer that names no numbers for a receiver of another version', async () => {
    receiver.reply = (_request, response) => void response.writeHead(204).end();
    const writer = writeTo(registryWith(25), { mostSeriesPerRequest: 10 });
    await expect(writer.flush()).rejects.toThrow(/does not speak remote write 2/);
    expect(receiver.requests).toHaveLength(1);
    expect(writer.health).toMatchObject({ requests: 0, failedRequests: 1, writtenHistograms: 0 });
  });

  test.each([401, 404, 415])('ends a snapshot at the status %i', async (status) => {
    receiver.reply = (_request, response) => void response.writeHead(status).end('no');
    const writer = writeTo(registryWith(25), { mostSeriesPerRequest: 10 });
    await expect(writer.flush()).rejects.toMatchObject({ details: { isFinal: true } });
    expect(receiver.requests).toHaveLength(1);
  });

  test('begins after a failure with the series that the receiver lacks', async () => {
    const writer = writeTo(registryWith(25), { mostSeriesPerRequest: 10 });
    receiver.reply = (request, response) => {
      if (receiver.requests.length === 2) response.writeHead(503, { 'retry-after': '7' }).end('busy');
      else take(request, response);
    };
    await expect(writer.flush()).rejects.toMatchObject({ details: { isFinal: false, retryAfterMs: 7000 } });
    await writer.flush();
    const firsts = receiver.requests.map(({ series }) => new Map(series[0]!.labels).get('i'));
    expect(firsts).toEqual(['0', '10', '10', '20', '5']);
    expect(writer.health).toMatchObject({ requests: 4, failedRequests: 1, rejectedSamples: 0 });
  });

  test('sends only newer samples, however fast it is asked to', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    const writer = writeTo(registry);
    await Promise.all(Array.from({ length: 5 }, () => writer.flush()));
    const times = receiver.requests.map(({ series }) => series[0]!.histograms[0]!.timeMs - START_MS);
    expect(times).toEqual([1, 2, 3, 4, 5]);
  });

  test('has one request under way at a time', async () => {
    const waiting: ServerResponse[] = [];
    receiver.reply = (_request, response) => void waiting.push(response);
    const registry = registryWith(1);
    const writer = writeTo(registry, { intervalMs: 5 });
    const flushed = writer.flush();
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(waiting).toHaveLength(1);
    receiver.reply = take;
    take(receiver.requests[0]!, waiting[0]!);
    await flushed;
  });

  test('stops once, with a last request, within its time', async () => {
    const writer = writeTo(registryWith(1));
    const stopped = writer.stop();
    expect(writer.stop()).toBe(stopped);
    await stopped;
    expect(receiver.requests).toHaveLength(1);
    receiver.reply = () => {};
    const other = writeTo(registryWith(1));
    await expect(other.stop({ timeoutMs: 50 })).rejects.toThrow(/was cut off/);
  });

  test('rejects while nobody listens', async () => {
    const writer = writeTo(registryWith(1), { url: 'http://127.0.0.1:1/api/v1/write' });
    await expect(writer.flush()).rejects.toMatchObject({
      code: 'ERR_REMOTE_WRITE',
      details: { isFinal: false },
    });
  });

  test.each<[title: string, options: object]>([
    ['an unknown option', { hostname: 'x' }],
    ['a wrong URL', { url: 'localhost:9090' }],
    ['a reserved header', { headers: { 'Content-Type': 'text/plain' } }],
    ['other buckets', { buckets: 'classic' }],
    ['an interval of 0', { intervalMs: 0 }],
    ['requests without series', { mostSeriesPerRequest: 0 }],
    ['too few buckets', { maxBuckets: 1 }],
    ['an unknown strategy', { translationStrategy: 'x' }],
  ])('refuses %s', (_title, options) => {
    expect(() =>
      sendRemoteWrite(createRegistry(), { url: receiver.url, ...options } as RemoteWriteOptions),
    ).toThrow(expect.objectContaining({ code: 'ERR_INVALID_OPTION' }));
  });
});

describe('a series that has ended', () => {
  const fail: Reply = (_request, response) => void response.writeHead(503).end();

  /** The series of the last request, each with whether it is marked as stale. */
  const marks = (): [name: string, isStale: boolean][] =>
    lastSeries().map(({ labels, samples, histograms }) => [
      labels.map(([name, value]) => (name === '__name__' ? value : `${name}=${value}`)).join(' '),
      [...samples, ...histograms][0]!.isStale,
    ]);

  test('is marked as stale once, and the others go on', async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    for (const i of [1, 2]) family.with({ i }).record(1);
    const writer = writeTo(registry);
    await writer.flush();
    family.remove({ i: 1 });
    await writer.flush();
    expect(marks()).toEqual([
      ['x i=2', false],
      ['x i=1', true],
    ]);
    // Prometheus takes a histogram with a stale sum for a marker.
    expect(lastSeries()[1]).toMatchObject({
      type: 3,
      samples: [],
      exemplars: [],
      histograms: [{ positive: [], negative: [], startMs: 0, timeMs: START_MS + 2 }],
    });
    await writer.flush();
    expect(marks()).toEqual([['x i=2', false]]);
  });

  test('is marked in each of its parts, when its source leaves it out', async () => {
    const number = { kind: 'number', value: 7 } as const;
    const quantiles = [{ quantile: 0.5, value: 9 }];
    const summary = { kind: 'summary', count: 3, sum: 4.5, quantiles } as const;
    const made = (type: 'counter' | 'gauge' | 'summary', value: typeof number | typeof summary) => ({
      ...{ name: type, help: '', unit: '', type },
      metrics: [{ labels: [['a', 'b']] as const, createdMs: 1000, value }],
    });
    let families = [made('counter', number), made('gauge', number), made('summary', summary)];
    // Labels of a source are new objects each time.
    const writer = writeTo(testRegistry(), { sources: [() => structuredClone(families)] });
    await writer.flush();
    await writer.flush();
    const names = ['counter_total a=b', 'gauge a=b', 'summary a=b quantile=0.5', 'summary_sum a=b'];
    const all = [...names, 'summary_count a=b'].sort();
    expect(marks().map(([name]) => name)).toHaveLength(5);
    expect(marks().every(([, isStale]) => !isStale)).toBe(true);
    families = [];
    await writer.flush();
    expect(
      marks()
        .map(([name]) => name)
        .sort(),
    ).toEqual(all);
    expect(marks().every(([, isStale]) => isStale)).toBe(true);
    expect(writer.health).toMatchObject({ requests: 3, writtenSamples: 15, rejectedSamples: 0 });
  });

  test('is marked when the receiver takes requests again', async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    family.with({ i: 1 }).record(1);
    const writer = writeTo(registry);
    await writer.flush();
    family.remove({ i: 1 });
    // These come and go while nobody takes them.
    receiver.reply = fail;
    for (let i = 2; i < 5; i++) {
      family.with({ i }).record(1);
      await writer.flush().catch(() => {});
      family.remove({ i });
    }
    receiver.reply = take;
    await writer.flush();
    expect(marks()).toEqual([['x i=1', true]]);
    await writer.flush();
    expect(receiver.requests).toHaveLength(5);
  });

  test('and begins again is not marked, whether or not the receiver was there', async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    family.with({ i: 1 }).record(1);
    const writer = writeTo(registry);
    await writer.flush();
    for (const reply of [take, fail]) {
      family.remove({ i: 1 });
      receiver.reply = reply;
      if (reply === fail) await writer.flush().catch(() => {});
      family.with({ i: 1 }).record(1);
      receiver.reply = take;
      await writer.flush();
      expect(marks()).toEqual([['x i=1', false]]);
    }
  });

  const gone: Reply = (_request, response) => void response.destroy();
  const answer =
    (status: number, written?: number): Reply =>
    (_request, response) => {
      const header = { 'x-prometheus-remote-write-histograms-written': String(written) };
      response.writeHead(status, written === undefined ? {} : header).end();
    };

  test.each<[title: string, reply: Reply, isMarked: boolean]>([
    ['has written a part of it and will take the rest', answer(500, 1), true],
    ['has written a part of it and will not take the rest', answer(400, 1), true],
    ['has written nothing of it and will not take it', answer(400, 0), false],
    ['has refused it', answer(400), false],
    ['is overloaded', answer(503), false],
    ['is too busy', answer(429), false],
    ['is of another version', answer(204), false],
    ['has not answered to its proxy', answer(504), true],
    ['has broken the connection', gone, true],
  ])('after one request, whose receiver %s', async (_title, reply, isMarked) => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    for (const i of [1, 2]) family.with({ i }).record(1);
    const writer = writeTo(registry);
    receiver.reply = reply;
    await expect(writer.flush()).rejects.toMatchObject({ code: 'ERR_REMOTE_WRITE' });
    family.remove({ i: 1 });
    receiver.reply = take;
    await writer.flush();
    // The answer does not say which of both series the receiver has.
    expect(marks()).toEqual([['x i=2', false], ...(isMarked ? [['x i=1', true]] : [])]);
  });

  test('again before the receiver has it anew is marked, because the receiver has it from before', async () => {
    const registry = testRegistry();
    const family = registry.histogram({ name: 'x' });
    family.with({ i: 1 }).record(1);
    const writer = writeTo(registry);
    await writer.flush();
    family.remove({ i: 1 });
    receiver.reply = fail;
    await writer.flush().catch(() => {});
    family.with({ i: 1 }).record(1);
    await writer.flush().catch(() => {});
    family.remove({ i: 1 });
    receiver.reply = take;
    await writer.flush();
    expect(marks()).toEqual([['x i=1', true]]);
  });

  test('because its source fails is marked; a source of the registry that fails keeps its series', async () => {
    const registry = testRegistry();
    let fails = false;
    const throwing = (): void => {
      if (fails) throw new Error('no answer');
    };
    registry.histogram({ name: 'x' }).with({}).record(1);
    registry.add({ name: 'counts', collect: throwing });
    const metrics = [{ labels: [], value: { kind: 'number', value: 7 } as const }];
    const source = () => {
      throwing();
      return [{ name: 'depth', help: '', unit: '', type: 'gauge' as const, metrics }];
    };
    const writer = writeTo(registry, { sources: [source] });
    const states: [name: string, isStale: boolean][][] = [];
    for (fails of [false, true, false]) {
      await writer.flush();
      states.push(marks());
    }
    expect(states).toEqual([
      [
        ['x', false],
        ['depth', false],
      ],
      [
        ['x', false],
        ['hdrscope_source_errors source=counts', false],
        ['depth', true],
      ],
      [
        ['x', false],
        ['depth', false],
        ['hdrscope_source_errors source=counts', true],
      ],
    ]);
  });

  test('is not marked when the writer stops', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    const writer = writeTo(registry);
    await writer.flush();
    await writer.stop();
    expect(marks()).toEqual([['x', false]]);
  });
});

describe('counts', () => {
  /** What the receiver has by its last samples: the sum over all starts of all series. */
  function countsIn({ requests }: Receiver): number {
    const last = new Map<string, number>();
    for (const { series } of requests) {
      for (const { labels, histograms } of series) {
        for (const { startMs, count } of histograms) last.set(JSON.stringify([labels, startMs]), count);
      }
    }
    return [...last.values()].reduce((sum, count) => sum + count, 0);
  }

  const FAILURES: readonly Reply[] = [
    (_request, response) => void response.writeHead(500).end(),
    (_request, response) => void response.writeHead(503, { 'retry-after': '0' }).end('busy'),
    (_request, response) => void response.writeHead(429).end(),
    (_request, response) => void response.destroy(),
  ];

  test('arrive once, whatever fails, without a sample that goes back', async () => {
    const step = fc.record({
      values: fc.nat(20),
      failure: fc.option(fc.constantFrom(...FAILURES), { nil: undefined }),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 1, maxLength: 20 }),
        fc.integer({ min: 1, max: 4 }),
        async (steps, size) => {
          receiver.requests.length = 0;
          const registry = createRegistry();
          const family = registry.histogram({ name: 'x' });
          const writer = writeTo(registry, {
            mostSeriesPerRequest: size,
            labels: { run: `${Math.random()}` },
          });
          let recorded = 0;
          for (const { values, failure } of steps) {
            for (let i = 0; i < values; i++) family.with({ i: i % 7 }).record(i);
            recorded += values;
            receiver.reply = failure ?? take;
            await writer.flush().catch(() => {});
          }
          receiver.reply = take;
          await writer.stop();
          expect(countsIn(receiver)).toBe(recorded);
        },
      ),
      { numRuns: 40 },
    );
  });

  test('are neither lost nor doubled over 100 restarts', async () => {
    let recorded = 0;
    let nowMs = START_MS;
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs };
    for (let start = 0; start < 100; start++) {
      nowMs += 1000;
      const registry = createRegistry({ clock });
      const series = registry.histogram({ name: 'x' }).with({});
      // The same count after each restart: only its start shows that it counts anew.
      for (let i = 0; i < 10; i++) series.record(i);
      recorded += 10;
      nowMs += 1000;
      const writer = sendRemoteWrite(registry, { url: receiver.url });
      receiver.reply = FAILURES[start % 5] ?? take;
      await writer.flush().catch(() => {});
      receiver.reply = take;
      nowMs += 1000;
      await writer.stop();
    }
    expect(countsIn(receiver)).toBe(recorded);
  });
});
