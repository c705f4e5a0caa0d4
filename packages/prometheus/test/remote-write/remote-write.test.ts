import type { ServerResponse } from 'node:http';
import { createRegistry, type FamilyOptions, type Registry } from '@hdrscope/registry';
import { type RemoteWriteOptions, sendRemoteWrite } from '../../src/remote-write/index.ts';
import { START_MS, testRegistry } from '../support/registry.ts';
import { take } from '../support/remote-write.ts';
import { useReceiver } from '../support/use-receiver.ts';

const remote = useReceiver();

/** A registry whose clock begins at `START_MS` and advances by a second at each look. */
function tickingRegistry(): Registry {
  let nowMs = START_MS;
  const tick = (): number => {
    nowMs += 1000;
    return nowMs;
  };
  return createRegistry({ clock: { nowMs: tick, monotonicMs: () => nowMs } });
}

describe('a request', () => {
  test('has the headers of the protocol, and those of the user', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    await remote.writeTo(registry, { headers: { 'x-scope-orgid': 'me' } }).flush();
    expect(remote.receiver.requests[0]!.headers).toMatchObject({
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
    await remote.writeTo(registry, { labels: { job: 'shop', queue: 'not this one' } }).flush();
    const [one, ...others] = remote.lastSeries();
    expect(others).toEqual([]);
    expect(one!.labels).toEqual([
      ['Z', '2'],
      ['__name__', 'job_duration_seconds'],
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
    await remote.writeTo(registry, { sources: [() => families] }).flush();
    const timeMs = START_MS + 1;
    expect(remote.lastSeries()).toMatchObject([
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
    await remote.writeTo(registry, { sources: [source] }).flush();
    expect(order).toEqual(['the source is asked', 'the registry has answered']);
  });

  test('has the parts of a summary as numbers', async () => {
    const quantiles = [{ quantile: 1, value: 9 }];
    const value = { kind: 'summary', count: 3, sum: 4.5, quantiles } as const;
    const metrics = [{ labels: [['a', 'b']] as const, createdMs: 1000, value }];
    const families = [{ name: 'x', help: '', unit: '', type: 'summary' as const, metrics }];
    await remote.writeTo(testRegistry(), { sources: [() => families] }).flush();
    const [name, label] = [(text: string) => ['__name__', text], ['a', 'b']];
    expect(remote.lastSeries()).toMatchObject([
      { labels: [name('x'), label, ['quantile', '1.0']], type: 5, samples: [{ value: 9, startMs: 0 }] },
      { labels: [name('x_sum'), label], samples: [{ value: 4.5, startMs: 1000 }] },
      { labels: [name('x_count'), label], samples: [{ value: 3, startMs: 1000 }] },
    ]);
  });

  test('has names by the strategy', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'job.duration', unit: 's' }).with({ 'a.b': '1' }).record(1);
    await remote.writeTo(registry, { translationStrategy: 'NoTranslation' }).flush();
    expect(remote.lastSeries()[0]!.labels).toEqual([
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
    await remote.writeTo(registry, { buckets: 'custom' }).flush();
    const [histogram] = remote.lastSeries()[0]!.histograms;
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
    const schemas = () => remote.lastSeries().map(({ histograms }) => histograms[0]!.schema);
    await remote.writeTo(registry, { buckets: 'custom' }).flush();
    expect(schemas()).toEqual([6, -53]);
    await remote.writeTo(registry, { labels: { other: '1' } }).flush();
    expect(schemas()).toEqual([6, 6]);
  });

  test('is not made without series', async () => {
    await remote.writeTo(testRegistry()).flush();
    expect(remote.receiver.requests).toEqual([]);
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
    remote.writeTo(registry, { intervalMs: 20 });
    while (remote.receiver.requests.length < 3) await new Promise((resolve) => setTimeout(resolve, 5));
  });

  test('counts what the receiver says that it has written', async () => {
    const registry = registryWith(3);
    const writer = remote.writeTo(registry);
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
    const writer = remote.writeTo(registryWith(25), { maxSeriesPerRequest: 10 });
    await writer.flush();
    expect(remote.receiver.requests.map(({ series }) => series.length)).toEqual([10, 10, 5]);
    expect(writer.health).toMatchObject({ requests: 3, writtenHistograms: 25 });
  });

  test('counts a partial write, goes on with the other series, and does not send the same again', async () => {
    const failed: string[] = [];
    const writer = remote.writeTo(registryWith(25), {
      maxSeriesPerRequest: 10,
      observer: { failed: (error) => failed.push(error.message) },
    });
    remote.receiver.reply = (request, response) => {
      if (remote.receiver.requests.length !== 2) return take(request, response);
      response.writeHead(400, { 'x-prometheus-remote-write-histograms-written': '7' });
      response.end('out of order\u0007 sample');
    };
    await expect(writer.flush()).rejects.toMatchObject({
      code: 'ERR_REMOTE_WRITE',
      message: 'the receiver has answered 400 and has not written 3 of 10 samples: out of order\\x07 sample',
      details: { isFinal: true },
    });
    expect(remote.receiver.requests).toHaveLength(3);
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
    remote.receiver.reply = (_request, response) => void response.writeHead(204).end();
    const writer = remote.writeTo(registryWith(25), { maxSeriesPerRequest: 10 });
    await expect(writer.flush()).rejects.toThrow(/does not speak remote write 2/);
    expect(remote.receiver.requests).toHaveLength(1);
    expect(writer.health).toMatchObject({ requests: 0, failedRequests: 1, writtenHistograms: 0 });
  });

  test.each([401, 404, 415])('ends a snapshot at the status %i', async (status) => {
    remote.receiver.reply = (_request, response) => void response.writeHead(status).end('no');
    const writer = remote.writeTo(registryWith(25), { maxSeriesPerRequest: 10 });
    await expect(writer.flush()).rejects.toMatchObject({ details: { isFinal: true } });
    expect(remote.receiver.requests).toHaveLength(1);
  });

  test('begins after a failure with the series that the receiver lacks', async () => {
    const writer = remote.writeTo(registryWith(25), { maxSeriesPerRequest: 10 });
    remote.receiver.reply = (request, response) => {
      if (remote.receiver.requests.length === 2) response.writeHead(503, { 'retry-after': '7' }).end('busy');
      else take(request, response);
    };
    await expect(writer.flush()).rejects.toMatchObject({ details: { isFinal: false, retryAfterMs: 7000 } });
    await writer.flush();
    const firsts = remote.receiver.requests.map(({ series }) => new Map(series[0]!.labels).get('i'));
    expect(firsts).toEqual(['0', '10', '10', '20', '5']);
    expect(writer.health).toMatchObject({ requests: 4, failedRequests: 1, rejectedSamples: 0 });
  });

  test('sends only newer samples, however fast it is asked to', async () => {
    const registry = testRegistry();
    registry.histogram({ name: 'x' }).with({}).record(1);
    const writer = remote.writeTo(registry);
    await Promise.all(Array.from({ length: 5 }, () => writer.flush()));
    const times = remote.receiver.requests.map(({ series }) => series[0]!.histograms[0]!.timeMs - START_MS);
    expect(times).toEqual([1, 2, 3, 4, 5]);
  });

  test('goes back to the time of the clock when a receiver refuses the future that another one has taken', async () => {
    let nowMs = START_MS;
    const registry = createRegistry({ clock: { nowMs: () => nowMs, monotonicMs: () => nowMs } });
    registry.histogram({ name: 'x' }).with({}).record(1);
    const writer = remote.writeTo(registry);
    nowMs += 86_400_000;
    await writer.flush();
    nowMs -= 86_399_000;
    const lastMs = (): number => remote.lastSeries()[0]!.histograms[0]!.timeMs - START_MS;
    await writer.flush();
    expect(lastMs()).toBe(86_400_002);
    remote.receiver.forget();
    remote.receiver.reply = (_request, response) =>
      void response.writeHead(400).end('out of bounds: timestamp is too far in the future');
    await expect(writer.flush()).rejects.toThrow('too far in the future');
    remote.receiver.reply = take;
    await writer.flush();
    nowMs += 1000;
    await writer.flush();
    expect(lastMs()).toBe(2001);
  });

  test('has one request under way at a time', async () => {
    const waiting: ServerResponse[] = [];
    remote.receiver.reply = (_request, response) => void waiting.push(response);
    const registry = registryWith(1);
    const writer = remote.writeTo(registry, { intervalMs: 5 });
    const flushed = writer.flush();
    while (waiting.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 50));
    expect(waiting).toHaveLength(1);
    remote.receiver.reply = take;
    take(remote.receiver.requests[0]!, waiting[0]!);
    await flushed;
  });

  test('stops once, with a last request, within its time', async () => {
    const writer = remote.writeTo(registryWith(1));
    const stopped = writer.close();
    expect(writer.close()).toBe(stopped);
    await stopped;
    expect(remote.receiver.requests).toHaveLength(1);
    remote.receiver.reply = () => {};
    const other = remote.writeTo(registryWith(1));
    await expect(other.close({ timeoutMs: 50 })).rejects.toThrow(/was cut off/);
  });

  test('rejects while nobody listens', async () => {
    const writer = remote.writeTo(registryWith(1), { url: 'http://127.0.0.1:1/api/v1/write' });
    await expect(writer.flush()).rejects.toMatchObject({
      code: 'ERR_REMOTE_WRITE',
      details: { isFinal: false },
    });
  });

  test.each<[title: string, options: object]>([
    ['an unknown option', { hostname: 'x' }],
    ['a wrong URL', { url: 'localhost:9090' }],
    ['a reserved header', { headers: { 'Content-Type': 'text/plain' } }],
    ['a label for the name of the metric', { labels: { __name__: 'x' } }],
    ['other buckets', { buckets: 'classic' }],
    ['an interval of 0', { intervalMs: 0 }],
    ['requests without series', { maxSeriesPerRequest: 0 }],
    ['too few buckets', { maxBuckets: 1 }],
    ['an unknown strategy', { translationStrategy: 'x' }],
  ])('refuses %s', (_title, options) => {
    expect(() =>
      sendRemoteWrite(createRegistry(), { url: remote.receiver.url, ...options } as RemoteWriteOptions),
    ).toThrow(expect.objectContaining({ code: 'ERR_INVALID_OPTION' }));
  });
});
