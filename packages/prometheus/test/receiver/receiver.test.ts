import { bucketCounts, createRegistry, type Registry } from '@hdrscope/registry';
import {
  type RunningRemoteWrite,
  type ServeRemoteWriteOptions,
  serveRemoteWrite,
} from '../../src/receiver/index.ts';
import { snappy } from '../../src/remote-write/snappy.ts';
import {
  classicSeries,
  encode1,
  type HistogramToWrite,
  type MetadataToWrite,
  type SeriesToWrite,
  TYPES,
  writeRequest,
} from '../support/write-request.ts';

const NOW = 1_700_000_000_000;

let registry: Registry;
let server: RunningRemoteWrite;
const problems: string[] = [];

async function serve(options: Partial<ServeRemoteWriteOptions> = {}): Promise<void> {
  registry = createRegistry();
  server = await serveRemoteWrite(registry, {
    ...{ host: '127.0.0.1', port: 0 },
    observer: { failed: (error) => problems.push((error as Error).message) },
    ...options,
  });
}

beforeEach(() => serve());
afterEach(async () => {
  await server.close();
  problems.length = 0;
});

async function post(body: Uint8Array, headers: Readonly<Record<string, string>>, path = '/api/v1/write') {
  const response = await fetch(`http://127.0.0.1:${server.port}${path}`, {
    method: 'POST',
    body: Buffer.from(body),
    headers,
  });
  const written = ['samples', 'histograms', 'exemplars'].map((what) =>
    response.headers.get(`x-prometheus-remote-write-${what}-written`),
  );
  return { status: response.status, text: await response.text(), written };
}

function write(
  version: 1 | 2,
  series: readonly SeriesToWrite[],
  metadata: readonly MetadataToWrite[] = [],
): ReturnType<typeof post> {
  return post(writeRequest(version, series, metadata), {
    'content-type': TYPES[version],
    'content-encoding': 'snappy',
  });
}

/** The total of each series, by its attributes. */
async function totals(): Promise<Record<string, number>> {
  const { families } = await registry.gather();
  return Object.fromEntries(
    families.flatMap(({ name, series }) =>
      series.map(({ attributes, histogram }) => [
        `${name}${JSON.stringify(attributes)}`,
        histogram.totalCount,
      ]),
    ),
  );
}

/** A native histogram of schema 0 with values in (1, 2] and (2, 4]. */
const native = (
  counts: readonly [number, number],
  more: Partial<HistogramToWrite> = {},
): HistogramToWrite => ({
  ...{ count: counts[0] + counts[1], sum: 3, spans: [[1, 2]], counts, timeMs: NOW },
  ...more,
});
const named = (...histograms: HistogramToWrite[]): SeriesToWrite => ({
  labels: { __name__: 'x_seconds', job: 'a' },
  histograms,
});
const KEY = 'x_seconds{"job":"a"}';

describe.each([1, 2] as const)('a request of version %i', (version) => {
  const headersFor = (...numbers: number[]) => (version === 2 ? numbers.map(String) : [null, null, null]);

  test('adds native histograms: the first state whole, and then what each state adds', async () => {
    expect(await write(version, [named(native([2, 1]))])).toEqual({
      ...{ status: 204, text: '', written: headersFor(0, 1, 0) },
    });
    await write(version, [named(native([2, 4], { timeMs: NOW + 1000 }))]);
    const [family] = (await registry.gather()).families;
    expect(family).toMatchObject({ name: 'x_seconds', unit: 's' });
    expect(family!.series[0]!.attributes).toEqual({ job: 'a' });
    expect(bucketCounts(family!, family!.series[0]!, [1, 2, 4])).toEqual([0, 2, 4, 0]);
  });

  test('refuses a family in another unit than the one that it began with', async () => {
    const inUnit = (unit: string, job: string, histogram: HistogramToWrite) =>
      write(
        version,
        [{ labels: { __name__: 'x', job }, histograms: [histogram], type: 3, unit }],
        version === 1 ? [{ family: 'x', type: 3, unit }] : [],
      );
    expect(await inUnit('seconds', 'a', native([2, 1]))).toMatchObject({ status: 204 });
    const { status, text } = await inUnit('milliseconds', 'b', native([5, 5]));
    expect([status, text]).toEqual([400, expect.stringContaining('x is refused: ')]);
    expect(await totals()).toEqual({ 'x{"job":"a"}': 3 });
    expect(server.health.refused).toMatchObject({ conflicting: 1 });
    expect(await inUnit('', 'a', native([2, 2], { timeMs: NOW + 1000 }))).toMatchObject({ status: 204 });
  });

  test('adds native histograms with boundaries of their own', async () => {
    const custom = native([5, 1], {
      schema: -53,
      spans: [
        [1, 1],
        [1, 1],
      ],
      customValues: [0.1, 0.25, 1],
    });
    await write(version, [named(custom)]);
    const [family] = (await registry.gather()).families;
    expect(family!.boundaries).toEqual([0.1, 0.25, 1]);
    expect(bucketCounts(family!, family!.series[0]!, [0.1, 0.25, 1])).toEqual([0, 5, 0, 1]);
  });

  test('adds classic histograms, with the sum, once it is known which buckets there are', async () => {
    const state = (step: number) =>
      classicSeries(
        ...([
          'x_seconds',
          { job: 'a' },
          { '0.1': step, '1': 2 * step, '+Inf': 3 * step },
          NOW + step,
        ] as const),
        { sum: step * 1.5 },
      );
    const first = await write(version, state(1));
    expect([first.status, first.written]).toEqual([204, headersFor(5, 0, 0)]);
    expect([await totals(), server.health.waiting]).toEqual([{}, 5]);
    await write(version, state(2));
    const [family] = (await registry.gather()).families;
    expect(family!.boundaries).toEqual([0.1, 1]);
    expect(bucketCounts(family!, family!.series[0]!, [0.1, 1])).toEqual([2, 2, 2]);
    expect(family!.series[0]!.sum).toBe(3);
    expect(server.health).toMatchObject({ histograms: 2, waiting: 0, otherSamples: 0 });
  });

  test('that comes again adds nothing', async () => {
    const classic = (time: number) =>
      classicSeries('y_seconds', {}, { '1': time, '+Inf': 2 * time }, NOW + time);
    const requests = [1, 2, 3].map((time) => [
      named(native([time, 1], { timeMs: NOW + time })),
      ...classic(time),
    ]);
    for (const request of requests) await write(version, request);
    const before = await totals();
    expect(before).toEqual({ [KEY]: 4, 'y_seconds{}': 6 });
    for (const request of requests.toReversed()) {
      expect((await write(version, request)).status).toBe(204);
    }
    expect(await totals()).toEqual(before);
    expect(server.health).toMatchObject({ duplicates: 1 + 3 * 4, late: 2, resets: 0 });
  });

  test('leaves out gauges, counters and summaries, and names them', async () => {
    const number = (name: string, labels = {}): SeriesToWrite => ({
      labels: { __name__: name, ...labels },
      samples: [{ value: 1, timeMs: NOW }],
    });
    const answer = await write(version, [
      number('up'),
      number('requests_total'),
      number('rpc_seconds', { quantile: '0.5' }),
      number('rpc_seconds_sum'),
    ]);
    expect([answer.status, answer.written]).toEqual([204, headersFor(4, 0, 0)]);
    expect(server.health).toMatchObject({ otherSamples: 4, histograms: 0 });
    expect(server.health.leftOut).toEqual(['up', 'requests_total', 'rpc_seconds', 'rpc_seconds_sum']);
  });

  test.each<[what: string, histogram: HistogramToWrite, reason: string, text: RegExp]>([
    ['a histogram of floats', native([1, 1], { floatCount: 2.5 }), 'unsupported', /no integers/],
    ['a gauge histogram', native([1, 1], { hint: 3 }), 'unsupported', /gauge histogram/],
    ['a count that its buckets do not have', native([1, 1], { count: 7 }), 'malformed', /its count is 7/],
    ['an unknown schema', native([1, 1], { schema: 9 }), 'malformed', /schema 9/],
    [
      'boundaries that descend',
      native([1, 1], { schema: -53, spans: [[0, 2]], customValues: [2, 1] }),
      'malformed',
      /ascend/,
    ],
    [
      'a bucket beyond its boundaries',
      native([1, 1], { schema: -53, spans: [[1, 2]], customValues: [1] }),
      'malformed',
      /beyond its 1 boundaries/,
    ],
    [
      'no boundaries',
      native([1, 1], { schema: -53, spans: [[0, 2]] }),
      'unsupported',
      /only the bucket \+Inf/,
    ],
  ])('refuses %s, and takes all others', async (_, histogram, reason, text) => {
    const other: SeriesToWrite = { labels: { __name__: 'y_seconds' }, histograms: [native([1, 1])] };
    const answer = await write(version, [named(histogram), other]);
    expect([answer.status, answer.written]).toEqual([400, headersFor(0, 1, 0)]);
    expect(answer.text).toMatch(text);
    expect(answer.text).toMatch(/x_seconds .*write_relabel_configs/);
    expect(await totals()).toEqual({ 'y_seconds{}': 2 });
    expect(server.health.refused).toMatchObject({ [reason]: 1 });
    expect(problems).toHaveLength(1);
  });

  test('refuses a classic histogram whose buckets contradict each other, and takes its next state', async () => {
    for (const [i, upTo1] of [5, 5, 9].entries()) {
      await write(version, classicSeries('x_seconds', {}, { '0.5': 7, '1': upTo1, '+Inf': 9 }, NOW + i));
    }
    expect(await totals()).toEqual({ 'x_seconds{}': 9 });
    expect(server.health.refused.malformed).toBe(2);
    expect(problems.join()).toMatch(/fewer values up to 1, 5, than up to a smaller bound/);
  });

  test('ends a series with stale markers: it counts on when it comes back', async () => {
    await write(version, [named(native([2, 1]))]);
    await write(version, [named({ sum: 'stale', timeMs: NOW + 1 })]);
    await write(version, [named(native([3, 1], { timeMs: NOW + 2 }))]);
    expect(await totals()).toEqual({ [KEY]: 4 });
    const classic = (time: number) => classicSeries('y_seconds', {}, { '1': 5, '+Inf': 5 }, NOW + time);
    const markers = classic(3).map((one) => ({
      ...one,
      samples: [{ value: 'stale', timeMs: NOW + 3 } as const],
    }));
    for (const request of [classic(1), classic(2), markers, classic(4)]) await write(version, request);
    expect(await totals()).toEqual({ [KEY]: 4, 'y_seconds{}': 5 });
  });

  test('takes the native buckets where a histogram has both', async () => {
    for (const time of [1, 2, 3]) {
      const both = [
        ...classicSeries('x_seconds', { job: 'a' }, { '2': time, '+Inf': 2 * time }, NOW + time),
        named(native([time, time], { timeMs: NOW + time })),
      ];
      expect((await write(version, both)).status).toBe(204);
    }
    expect(await totals()).toEqual({ [KEY]: 6 });
  });

  test('says how many values are lost when a sender changes from classic to native buckets, and back', async () => {
    const classic = (all: number, timeMs: number) =>
      write(version, classicSeries('x_seconds', { job: 'a' }, { '2': 3, '+Inf': all }, timeMs));
    for (const time of [1, 2]) await classic(10, NOW + time);
    await write(version, [named(native([6, 6], { timeMs: NOW + 3 }))]);
    await write(version, [named(native([7, 6], { timeMs: NOW + 4 }))]);
    expect(await totals()).toEqual({ [KEY]: 11 });
    expect(server.health.lostValues).toBe(2);
    // Much later, so that the classic buckets are not those beside the native ones.
    const later = NOW + 600_000;
    for (const [i, all] of [18, 20].entries()) await classic(all, later + i);
    // A state that is late must not become the one that others are compared with.
    await write(version, [named(native([7, 7], { timeMs: NOW + 5 }))]);
    await classic(21, later + 2);
    expect(await totals()).toEqual({ [KEY]: 14 });
    expect(server.health).toMatchObject({ lostValues: 2 + 5, resets: 0 });
  });

  test('refuses times that are far ahead: all later states would be late', async () => {
    const ahead = Date.now() + 3_600_000;
    const answer = await write(version, [named(native([9, 9], { timeMs: ahead }))]);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(/more than 10 minutes ahead/)]);
    await write(version, classicSeries('y_seconds', {}, { '1': 5, '+Inf': 5 }, ahead));
    await write(version, [named(native([2, 1]))]);
    expect(await totals()).toEqual({ [KEY]: 3 });
    expect(server.health.refused.malformed).toBe(1 + 4);
  });

  test('knows a restart by counts that fall', async () => {
    await write(version, [named(native([5, 1]))]);
    await write(version, [named(native([2, 1], { timeMs: NOW + 1 }))]);
    for (const [i, all] of [9, 9, 4].entries()) {
      await write(version, classicSeries('y_seconds', {}, { '1': all, '+Inf': all }, NOW + i));
    }
    expect(await totals()).toEqual({ [KEY]: 9, 'y_seconds{}': 13 });
    expect(server.health.resets).toBe(2);
  });

  test('counts an added bucket from the state on that has it', async () => {
    const states = [
      { '1': 4, '+Inf': 4 },
      { '1': 5, '+Inf': 5 },
      { '0.5': 3, '1': 6, '+Inf': 6 },
      { '0.5': 5, '1': 8, '+Inf': 9 },
    ];
    for (const [i, state] of states.entries())
      await write(version, classicSeries('y_seconds', {}, state, NOW + i));
    expect(await totals()).toEqual({ 'y_seconds{}': 9 });
    expect(server.health.resets).toBe(0);
  });
});

describe('a start', () => {
  test.each<[where: string, states: readonly SeriesToWrite[]]>([
    [
      'of a native histogram',
      [4, 5].map((count, i) =>
        named(native([count, 0], { timeMs: NOW + i, startMs: NOW - 90_000 + 60_000 * i })),
      ),
    ],
    [
      'beside the samples',
      [4, 5].map((count, i) => ({
        ...named(native([count, 0], { timeMs: NOW + i })),
        createdMs: NOW - 90_000 + 60_000 * i,
      })),
    ],
  ])('%s begins another life, also when no count is lower', async (_, states) => {
    for (const state of states) await write(2, [state]);
    expect(await totals()).toEqual({ [KEY]: 9 });
    expect(server.health.resets).toBe(1);
  });

  test('of the samples of a classic histogram does so too', async () => {
    for (const [i, count] of [4, 4, 5].entries()) {
      const startMs = i < 2 ? NOW - 90_000 : NOW - 10_000;
      await write(2, classicSeries('y_seconds', {}, { '1': count, '+Inf': count }, NOW + i, { startMs }));
    }
    expect(await totals()).toEqual({ 'y_seconds{}': 9 });
  });
});

describe('what is known of a family', () => {
  test.each<[how: string, version: 1 | 2, type: number, metadata: MetadataToWrite[]]>([
    ['its series', 2, 4, []],
    ['the metadata of version 1', 1, 0, [{ family: 'y', type: 4 }]],
  ])('by %s keeps a gauge histogram out', async (_, version, type, metadata) => {
    for (const i of [1, 2, 3]) {
      await write(version, classicSeries('y', {}, { '1': 5, '+Inf': 5 }, NOW + i, { type }), metadata);
    }
    expect([await totals(), server.health.otherSamples]).toEqual([{}, 12]);
  });

  test('by its _gcount keeps a gauge histogram out, and says so', async () => {
    for (const i of [1, 2, 3]) {
      const [first, second] = classicSeries('y', {}, { '1': 5, '+Inf': 5 }, NOW + i);
      const count = { labels: { __name__: 'y_gcount' }, samples: [{ value: 5, timeMs: NOW + i }] };
      await write(1, [first!, second!, count]);
    }
    expect(await totals()).toEqual({});
  });

  test('gives the unit of version 2', async () => {
    await write(2, [{ ...named(native([1, 1])), labels: { __name__: 'size' }, type: 3, unit: 'bytes' }]);
    expect((await registry.gather()).families[0]).toMatchObject({ name: 'size', unit: 'By' });
  });
});

describe('the parts of a classic histogram', () => {
  test('that no others follow are added when the receiver closes', async () => {
    await write(1, classicSeries('y_seconds', {}, { '1': 5, '+Inf': 6 }, NOW));
    expect(await totals()).toEqual({});
    await server.close();
    expect(await totals()).toEqual({ 'y_seconds{}': 6 });
  });

  test('that a receiver adds when it closes, and which lack buckets, are compared with whole ones by the next', async () => {
    const whole = (all: number, time: number) =>
      classicSeries('y_seconds', {}, { '0.5': 3, '1': 4, '+Inf': all }, NOW + time);
    await write(1, whole(6, 1).slice(1));
    const { memory } = server;
    await server.close();
    expect(await totals()).toEqual({ 'y_seconds{}': 6 });
    await serve({ memory });
    // The state before comes again, whole.
    for (const time of [0, 1, 2, 3, 4]) await write(1, whole(6 + time, time));
    expect(await totals()).toEqual({ 'y_seconds{}': 4 });
    expect(server.health.resets).toBe(0);
  });

  test('are not waited for when their process has ended without stale markers', async () => {
    for (const i of [1, 2]) {
      await write(1, classicSeries('y_seconds', {}, { '0.5': 1, '1': 5, '+Inf': 6 }, NOW + i));
    }
    for (const i of Array.from({ length: 11 }, (_, step) => step + 3)) {
      await write(1, classicSeries('y_seconds', {}, { '1': 5, '+Inf': 6 + i }, NOW + i));
    }
    expect(await totals()).toEqual({ 'y_seconds{}': 19 });
  });
});

describe('a receiver', () => {
  const good = writeRequest(1, [named(native([1, 1]))]);
  const html = Buffer.from('<!doctype html><p>not found</p>');

  test.each<[what: string, status: number, body: Uint8Array, headers: Record<string, string>, text: RegExp]>([
    ['another content type', 415, good, { 'content-type': 'text/html' }, /content-type must be/],
    ['another message', 415, good, { 'content-type': 'application/x-protobuf;proto=a.b' }, /proto=a\.b/],
    [
      'another compression',
      415,
      good,
      { 'content-encoding': 'gzip' },
      /content-encoding must be snappy, got "gzip"/,
    ],
    ['a page of HTML', 400, html, {}, /no block of Snappy/],
    ['no body', 400, new Uint8Array(), {}, /ends within its length/],
    ['a cut body', 400, good.subarray(0, good.length - 3), {}, /no block of Snappy/],
    [
      'another protobuf',
      400,
      snappy(Buffer.from('\n\xffhello', 'latin1')),
      {},
      /no prometheus\.WriteRequest, at byte/,
    ],
    ['version 1 as version 2', 204, good, { 'content-type': TYPES[2] }, /^$/],
    [
      'a bomb of Snappy',
      413,
      Uint8Array.of(0xff, 0xff, 0xff, 0xff, 0x0f, 0),
      {},
      /decompressed, and states 4294967295.*max_samples_per_send/,
    ],
    [
      '10 MB of one label',
      400,
      writeRequest(1, [{ labels: { __name__: 'x', a: 'x'.repeat(10_000_000) } }]),
      {},
      /more than 16384 characters/,
    ],
  ])('answers %s with %i, and counts nothing', async (_, status, body, headers, text) => {
    const answer = await post(body, {
      ...{ 'content-type': TYPES[1], 'content-encoding': 'snappy', ...headers },
    });
    expect(answer.text).toMatch(text);
    expect(answer.status).toBe(status);
    expect(await totals()).toEqual({});
  });

  test('answers at one path, by POST', async () => {
    expect((await post(good, {}, '/write')).status).toBe(404);
    expect((await fetch(`http://127.0.0.1:${server.port}/api/v1/write`)).status).toBe(405);
    expect((await fetch(`http://127.0.0.1:${server.port}/healthz`)).status).toBe(200);
  });

  test('refuses more bytes and more elements than it may have, and says how to go on', async () => {
    await server.close();
    await serve({ maxBytes: 1000, maxElements: 100 });
    const many = Array.from({ length: 20 }, (_, i) => named(native([i, 1], { timeMs: NOW + i })));
    const elements = await write(1, many.slice(0, 7));
    expect([elements.status, elements.text]).toEqual([
      413,
      expect.stringMatching(/100 elements.*maxElements/),
    ]);
    const bytes = await write(1, many);
    expect([bytes.status, bytes.text]).toEqual([413, expect.stringMatching(/1000 bytes.*maxBytes/)]);
    expect(await totals()).toEqual({});
  });

  test('refuses histograms beyond maxStreams, and keeps the others', async () => {
    await server.close();
    await serve({ maxStreams: 2 });
    const answers = [];
    for (const job of ['a', 'b', 'c']) {
      answers.push(await write(2, [{ labels: { __name__: 'x', job }, histograms: [native([1, 0])] }]));
    }
    expect(answers.map(({ status }) => status)).toEqual([204, 204, 400]);
    const classic = ['a', 'b', 'c'].map((job) => classicSeries('y', { job }, { '1': 1, '+Inf': 1 }, NOW));
    expect((await write(2, classic.flat())).written[0]).toBe('10');
    expect(server.health.refused.tooManyStreams).toBe(3);
  });

  test('asks for its token', async () => {
    await server.close();
    await serve({ token: 'sixteen-letters-x' });
    const headers = { 'content-type': TYPES[1], 'content-encoding': 'snappy' };
    expect((await post(good, headers)).status).toBe(401);
    expect((await post(good, { ...headers, authorization: 'Bearer sixteen-letters-x' })).status).toBe(204);
  });

  test('chooses families by name, drops attributes and goes on with the memory of another one', async () => {
    await server.close();
    await serve({ metrics: ['x_*'], dropAttributes: { x_seconds: ['job'] } });
    const other = { labels: { __name__: 'y' }, histograms: [native([1, 1])] };
    await write(1, [named(native([2, 1])), other]);
    expect(await totals()).toEqual({ 'x_seconds{}': 3 });
    const { memory } = server;
    await server.close();
    await serve({ memory });
    await write(1, [named(native([2, 2], { timeMs: NOW + 1 }))]);
    expect(await totals()).toEqual({ [KEY]: 1 });
  });

  test('that takes the place of another one adds nothing again that was counted before, with since: now', async () => {
    await server.close();
    await serve({ since: 'now' });
    const later = Date.now() + 1000;
    const state = (job: string, counts: readonly [number, number], startMs: number, timeMs: number) => ({
      labels: { __name__: 'x_seconds', job },
      histograms: [native(counts, { startMs, timeMs })],
    });
    await write(2, [state('old', [2, 1], NOW, NOW + 1), state('new', [2, 1], later, later + 1)]);
    await write(2, [state('old', [2, 5], NOW, NOW + 2), state('new', [2, 2], later, later + 2)]);
    expect(await totals()).toEqual({ 'x_seconds{"job":"old"}': 4, 'x_seconds{"job":"new"}': 4 });
  });

  test('never gives what it refuses to the registry, byte for byte cut', async () => {
    const whole = encode1([named(native([1, 1]))]);
    for (let length = 1; length < whole.length; length++) {
      const answer = await post(snappy(whole.subarray(0, length)), { 'content-type': TYPES[1] });
      expect([204, 400]).toContain(answer.status);
    }
    // The whole request has one histogram of two values, and parts of it have none.
    const { values } = server.health;
    await write(1, [named(native([1, 1], { timeMs: NOW + 1 }))]);
    expect((await totals())[KEY]).toBe(2);
    expect(values).toBeLessThanOrEqual(2);
  });
});
