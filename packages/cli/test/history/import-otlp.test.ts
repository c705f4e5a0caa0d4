import { readdirSync, writeFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { queryHistory } from '@hdrscope/history';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();
const START_MS = Date.UTC(2026, 10, 10, 12);
const METRIC = 'http.server.request.duration';

let history: string;
let made = 0;
beforeEach(() => {
  history = folder.pathOf(`otlp-${made++}`);
});

const importFiles = (...args: string[]) => hdrscope(['history', 'import', ...args, '-o', history]);
const nano = (seconds: number): string => `${BigInt(START_MS + seconds * 1000) * 1_000_000n}`;

interface Written {
  /** The time of the point, in seconds after the start. */
  readonly at: number;
  /** When its counts began, in seconds after the start. */
  readonly from: number;
  readonly counts: readonly number[];
  readonly route?: string;
  readonly service?: string;
}

const attribute = (key: string, text: string): object => ({ key, value: { stringValue: text } });

/** A request with one explicit histogram of the bounds 0.1 and 1 second. */
function requestOf(temporality: 1 | 2, { at, from, counts, route = '/', service = 'shop' }: Written): object {
  const count = counts.reduce((sum, one) => sum + one, 0);
  const point = {
    attributes: [attribute('http.route', route)],
    startTimeUnixNano: nano(from),
    timeUnixNano: nano(at),
    ...{ count: `${count}`, sum: count * 0.05, bucketCounts: counts.map(String), explicitBounds: [0.1, 1] },
  };
  const histogram = { aggregationTemporality: temporality, dataPoints: [point] };
  const metrics = [{ name: METRIC, unit: 's', histogram }];
  return {
    resourceMetrics: [
      { resource: { attributes: [attribute('service.name', service)] }, scopeMetrics: [{ metrics }] },
    ],
  };
}

const linesOf = (temporality: 1 | 2, all: readonly Written[]): string =>
  all.map((one) => `${JSON.stringify(requestOf(temporality, one))}\n`).join('');

const countsOf = async (): Promise<number[]> =>
  (await queryHistory(history, { metric: METRIC, everyMs: 60_000 })).map(({ count }) => count);

/** Twelve points in two minutes, each with a value more than the one before. */
const POINTS = Array.from({ length: 12 }, (_, at) => ({ at: at * 10 + 10, from: at * 10, added: at + 1 }));
const DELTA: readonly Written[] = POINTS.map(({ added, ...times }) => ({ ...times, counts: [added, 1, 0] }));
const CUMULATIVE: readonly Written[] = POINTS.map(({ at }, i) => ({
  at,
  from: 0,
  counts: [POINTS.slice(0, i + 1).reduce((sum, { added }) => sum + added, 0), i + 1, 0],
}));

test('delta points count in the stretch in which they begin, with their attributes', async () => {
  const path = folder.write('delta.json', linesOf(1, DELTA));
  expect(await importFiles(path)).toEqual({
    exitCode: 0,
    stdout: `${path}: 2 rows, 2026-11-10 12:00:00.000 UTC to 2026-11-10 12:02:00.000 UTC\n`,
    stderr: '',
  });
  expect(await countsOf()).toEqual([27, 63]);
  const [group] = await queryHistory(history, { metric: METRIC, by: ['service.name', 'http.route'] });
  expect(group).toMatchObject({
    attributes: { 'http.route': '/', 'service.name': 'shop' },
    ...{ unit: 's', count: 90 },
  });
  expect(group!.sum).toBeCloseTo(4.5, 9);
});

test('cumulative points are compared with the ones before, and the first of a process counts', async () => {
  const path = folder.write('cumulative.json', linesOf(2, CUMULATIVE));
  expect(await importFiles(path)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await countsOf()).toEqual([27, 63]);
});

test('importing again adds nothing, and a file that has grown adds what is new', async () => {
  const path = folder.write('growing.json', linesOf(2, CUMULATIVE.slice(0, 8)));
  await importFiles(path);
  expect((await importFiles(path)).stdout).toBe(`${path}: 2 rows, all there already\n`);
  expect(await countsOf()).toEqual([27, 17]);
  folder.write('growing.json', linesOf(2, CUMULATIVE));
  expect(await importFiles(path)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await countsOf()).toEqual([27, 63]);
});

test('files that follow each other are one stream; alone, counts from before the file are left out', async () => {
  const first = folder.write('one.json', linesOf(2, CUMULATIVE.slice(0, 6)));
  const second = folder.pathOf('two.json.gz');
  writeFileSync(second, gzipSync(linesOf(2, CUMULATIVE.slice(6))));
  expect(await importFiles(first, second)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await countsOf()).toEqual([27, 63]);
  history = folder.pathOf('alone');
  const { exitCode, stderr } = await importFiles(second);
  expect([exitCode, stderr]).toEqual([
    1,
    `hdrscope: ${second}: 35 values from before the file are left out; files that follow each other are imported by one command, the oldest first\n`,
  ]);
  expect(await countsOf()).toEqual([55]);
});

test('a restart counts from 0, and a new series of a known process counts as a whole', async () => {
  const restarted = CUMULATIVE.slice(0, 3).map((one) => ({ ...one, at: one.at + 200, from: 200 }));
  const late = CUMULATIVE.slice(6, 9).map((one) => ({ ...one, route: '/new' }));
  const path = folder.write('restart.json', linesOf(2, [...CUMULATIVE, ...late, ...restarted]));
  expect(await importFiles(path)).toMatchObject({ exitCode: 0, stderr: '' });
  const groups = await queryHistory(history, { metric: METRIC, by: ['http.route'] });
  expect(groups.map(({ attributes, count }) => [attributes['http.route'], count])).toEqual([
    ['/', 90 + 9],
    ['/new', 54],
  ]);
});

test('exponential histograms', async () => {
  const point = {
    startTimeUnixNano: nano(0),
    timeUnixNano: nano(10),
    ...{ count: '4', sum: 8, scale: 0, zeroCount: '1', positive: { offset: 0, bucketCounts: ['1', '2'] } },
  };
  const metrics = [
    { name: METRIC, unit: 's', exponentialHistogram: { aggregationTemporality: 1, dataPoints: [point] } },
  ];
  const path = folder.write(
    'exponential.json',
    `${JSON.stringify({ resourceMetrics: [{ scopeMetrics: [{ metrics }] }] })}\n`,
  );
  expect(await importFiles(path)).toMatchObject({ exitCode: 0, stderr: '' });
  const [group] = await queryHistory(history, { metric: METRIC, percentiles: [100] });
  expect(group!.count).toBe(4);
  // Two values are in the bucket from 2 to 4, which ends within a slot.
  expect(group!.isWide).toBe(true);
  expect(group!.max.upper).toBeGreaterThanOrEqual(4);
  expect(group!.max.upper).toBeLessThan(4.01);
});

test('values of a wide bucket are shown with its bounds, and a threshold inside it is undecided', async () => {
  const path = folder.write('wide.json', linesOf(1, [{ at: 10, from: 0, counts: [500, 500, 0] }]));
  await importFiles(path);
  const asked = [history, '--metric', METRIC, '--percentiles', '75', '--format', 'json'];
  const { groups } = JSON.parse((await hdrscope(['query', ...asked])).stdout);
  // Buckets end within slots of two digits.
  const [{ percentile, lower, upper }] = groups[0].percentiles;
  expect([percentile, Number(lower.toPrecision(2)), Number(upper.toPrecision(2))]).toEqual([75, 100, 1000]);

  const span = ['--since', '2026-11-10', '--until', '2026-11-11'];
  const judged = ['--metric', METRIC, '--threshold', '500ms', '--objective', '90%', ...span];
  const { exitCode, stdout } = await hdrscope(['slo', 'report', history, ...judged]);
  expect(exitCode).toBe(0);
  expect(stdout).toMatch(/2026-11-10\s+1,000\s+0 to 500\s+50 to 100 %.*undecided/);
});

test('values of a bucket without an end have no upper bound', async () => {
  const path = folder.write('open.json', linesOf(1, [{ at: 10, from: 0, counts: [0, 0, 5] }]));
  await importFiles(path);
  const { stdout } = await hdrscope(['query', history, '--metric', METRIC, '--percentiles', '50']);
  expect(stdout).toMatch(/ 998\.244 or more\s+998\.244 or more/);
  const judged = ['--metric', METRIC, '--threshold', '2s', '--objective', '90%'];
  const span = ['--since', '2026-11-10', '--until', '2026-11-11'];
  const report = await hdrscope(['slo', 'report', history, ...judged, ...span]);
  expect(report.stdout).toContain('undecided');
  expect(report.stdout).toContain('without an end: no threshold above has exact shares');
});

/** A field of protobuf with its length. */
function field(number: number, ...parts: readonly (Uint8Array | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => Buffer.from(part)));
  const length = body.length < 128 ? [body.length] : [(body.length & 127) | 128, body.length >> 7];
  return Buffer.concat([Buffer.from([(number << 3) | 2, ...length]), body]);
}

function fixed64(number: number, value: bigint): Buffer {
  const bytes = Buffer.alloc(9, (number << 3) | 1);
  bytes.writeBigUInt64LE(value, 1);
  return bytes;
}

test('protobuf, as the Collector writes it: each request after its length', async () => {
  const requests = [0, 60, 120].map((from) => {
    const counts = Buffer.concat([fixed64(0, 2n).subarray(1), fixed64(0, 1n).subarray(1)]);
    const bound = Buffer.alloc(8);
    bound.writeDoubleLE(0.1);
    const times = [fixed64(2, BigInt(nano(from))), fixed64(3, BigInt(nano(from + 60)))];
    const point = field(1, ...times, fixed64(4, 3n), field(6, counts), field(7, bound));
    const metric = field(2, field(1, METRIC), field(3, 's'), field(9, point, Buffer.from([0x10, 1])));
    return field(1, field(2, metric));
  });
  const framed = requests.flatMap((request) => {
    const length = Buffer.alloc(4);
    length.writeUInt32BE(request.length);
    return [length, request];
  });
  const path = folder.pathOf('metrics.pb');
  // The Collector is in the middle of a request.
  writeFileSync(path, Buffer.concat(framed).subarray(0, -10));
  expect(await importFiles(path)).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining('request 3: the file ends within it'),
  });
  expect(await countsOf()).toEqual([3, 3]);
  writeFileSync(path, gzipSync(Buffer.concat(framed)));
  expect(await importFiles(path)).toMatchObject({ exitCode: 0 });
  expect(await countsOf()).toEqual([3, 3, 3]);
});

test('what cannot be imported is counted, and the rest is imported', async () => {
  const gauge = {
    resourceMetrics: [
      {
        scopeMetrics: [
          { metrics: [{ name: 'cpu', gauge: { dataPoints: [{ asDouble: 1, timeUnixNano: nano(1) }] } }] },
        ],
      },
    ],
  };
  const negative = { at: 20, from: 10, counts: [1, 0, 2] };
  const text = `${linesOf(1, DELTA.slice(0, 1))}{"resourceMetrics": 7}\n${JSON.stringify(gauge)}\n\n${linesOf(1, [negative])}${linesOf(1, [{ at: 30, from: 20, counts: [1, 2] }])}`;
  const path = folder.write('mixed.json', text);
  const { exitCode, stdout, stderr } = await importFiles(path);
  expect(exitCode).toBe(1);
  expect(stdout).toContain('1 row, ');
  expect(stderr).toMatch(/1 point is left out, the first of them because "http.server.request.duration" /);
  expect(stderr).toContain('1 point that is no histogram is left out');
  expect(stderr).toContain(
    '2 values are in buckets without an upper bound, so percentiles there have no upper bound',
  );
  expect(stderr).toMatch(/mixed\.json: request 2: /);
  expect(await countsOf()).toEqual([5]);
});

test('other options would count a file twice', async () => {
  const path = folder.write('options.json', linesOf(1, DELTA));
  await importFiles(path);
  const { exitCode, stderr } = await importFiles(path, '--every', '10s');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('is in')]);
  expect(readdirSync(history).sort()).toEqual(['_imports', 'day=2026-11-10']);
});

test('logs and files of OTLP in one command, and attributes of all series', async () => {
  const otlp = folder.write('both.json', linesOf(1, DELTA));
  const { exitCode } = await importFiles(otlp, '--attribute', 'host=a7');
  expect(exitCode).toBe(0);
  const [group] = await queryHistory(history, { metric: METRIC, by: ['host'] });
  expect(group!.attributes).toEqual({ host: 'a7' });
});

test('a file of several days, whose families stay as they are', async () => {
  const days = [0, 1, 2].flatMap((day) =>
    DELTA.slice(0, 2).map((one) => ({ ...one, at: one.at + day * 86_400, from: one.from + day * 86_400 })),
  );
  const path = folder.write('days.json', linesOf(1, days));
  expect(await importFiles(path)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(readdirSync(history).sort()).toEqual([
    '_imports',
    'day=2026-11-10',
    'day=2026-11-11',
    'day=2026-11-12',
  ]);
  const groups = await queryHistory(history, { metric: METRIC, everyMs: 86_400_000 });
  expect(groups.map(({ count, scale, bits }) => [count, scale, bits])).toEqual(
    Array.from({ length: 3 }, () => [5, groups[0]!.scale, groups[0]!.bits]),
  );
});

test('points in another order than that of their times count in their stretches, and very late ones later', async () => {
  const [first, second, ...others] = DELTA;
  const hours = DELTA.slice(0, 2).map((one) => ({ ...one, at: one.at + 7200, from: one.from + 7200 }));
  const path = folder.write('late.json', linesOf(1, [...others, second!, ...hours, first!]));
  const { exitCode, stderr } = await importFiles(path);
  expect([exitCode, stderr]).toEqual([
    0,
    `hdrscope: ${path}: 2 values came more than an hour late: they count in a later stretch of time\n`,
  ]);
  // The first point came after the rows of its stretch.
  expect(await countsOf()).toEqual([25, 63, 7]);
});

test('one document over several lines', async () => {
  const path = folder.write('pretty.json', JSON.stringify(requestOf(1, DELTA[0]!), undefined, 2));
  expect(await importFiles(path)).toMatchObject({ exitCode: 0, stderr: '' });
  expect(await countsOf()).toEqual([2]);
});

test('a gzip stream that breaks off is refused', async () => {
  const path = folder.pathOf('broken.json.gz');
  writeFileSync(path, gzipSync(linesOf(1, DELTA)).subarray(0, -20));
  const { exitCode, stderr } = await importFiles(path);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('the gzip stream is cut short or broken')]);
});
