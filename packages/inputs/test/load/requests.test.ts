import { HdrscopeError } from '@hdrscope/core';
import {
  abTable,
  heyTable,
  jmeterTable,
  k6Points,
  k6Table,
  ohaTable,
  type SampleRequest,
  vegetaLines,
  vegetaTable,
} from '@hdrscope/testing/load-samples';
import { type RequestForm, type RequestSink, readRequests, recogniseInput } from '../../src/index.ts';
import type { BadLine } from '../../src/internal.ts';

interface Read {
  readonly ms: readonly number[];
  readonly at: readonly number[];
  readonly failed: readonly boolean[];
  readonly badLines: string;
}

async function read(text: string, metric?: string): Promise<Read> {
  const bad: BadLine[] = [];
  const [ms, at, failed]: [number[], number[], boolean[]] = [[], [], []];
  const sink: RequestSink = {
    onRequest(durationMs, atSec) {
      ms.push(durationMs);
      at.push(atSec);
    },
    onOutcome: (isFailed) => failed.push(isFailed),
  };
  const form = recogniseInput(text) as RequestForm;
  const options = { name: 'load', metric, onBadLine: (line: BadLine) => bad.push(line) };
  await readRequests(form, [Buffer.from(text)], sink, options);
  return { ms, at, failed, badLines: bad.map(({ message }) => `${message}\n`).join('') };
}

const REQUESTS: readonly SampleRequest[] = [
  { ms: 2.789117, at: 1_795_380_746 },
  { ms: 0, status: 0, at: 1_795_380_747 },
  { ms: 1500.25, status: 503, at: 1_795_380_750 },
];

test('reads the points of k6, in milliseconds', async () => {
  const { ms, at, failed, badLines } = await read(k6Points(REQUESTS));
  expect(ms).toEqual([2.789117, 0, 1500.25]);
  expect(at).toEqual([1_795_380_746, 1_795_380_747, 1_795_380_750]);
  expect(failed).toEqual([false, true, true]);
  expect(badLines).toBe('');
});

test('a source that is cut short has a bad line at its end', async () => {
  async function* cut(): AsyncGenerator<Uint8Array, void> {
    yield Buffer.from(k6Points(REQUESTS.slice(0, 1)));
    throw new HdrscopeError('ERR_LOG_FORMAT' as 'ERR_DECODE', 'it is cut short');
  }
  const bad: BadLine[] = [];
  let count = 0;
  const onBadLine = (line: BadLine): unknown => bad.push(line);
  await readRequests('k6 points', cut(), { onRequest: () => count++ }, { onBadLine });
  expect([count, bad]).toEqual([1, [{ lineNumber: 9, message: 'the text: line 9: it is cut short' }]]);
});

test('a bad line ends the reading when nobody takes it', async () => {
  const reading = readRequests('oha table', Buffer.from(`${ohaTable([{ ms: 1 }])}0.5,1\n`), {
    onRequest: () => {},
  });
  await expect(reading).rejects.toMatchObject({ code: 'ERR_DECODE', details: { line: 3 } });
});

test('reads the table of k6, with names in quotes', async () => {
  const { ms, at, failed } = await read(k6Table(REQUESTS));
  expect(ms).toEqual([2.789117, 0, 1500.25]);
  expect(at).toEqual([1_795_380_746, 1_795_380_747, 1_795_380_750]);
  expect(failed).toEqual([false, true, true]);
});

test.each([
  ['seconds', '1795380746'],
  ['milliseconds', '1795380746000'],
  ['microseconds', '1795380746000000'],
  ['nanoseconds', '1795380746000000000'],
  ['a date', '2026-11-22T20:52:26Z'],
])('takes a time of k6 in %s', async (_unit, time) => {
  const { at } = await read(`metric_name,timestamp,metric_value,check\nhttp_req_duration,${time},1.5,\n`);
  expect(at).toEqual([1_795_380_746]);
});

test('reads the table of oha, in seconds, without outcomes', async () => {
  const { ms, at, failed } = await read(ohaTable([{ ms: 6.758834 }, { ms: 12 }]));
  expect(ms).toEqual([6.758834, 12]);
  expect(at).toEqual([0, 0.01]);
  expect(failed).toEqual([]);
});

test('reads another metric of k6', async () => {
  const points = k6Points([{ ms: 7 }], 'grpc_req_duration');
  expect((await read(points, 'grpc_req_duration')).ms).toEqual([7]);
  await expect(read(points)).rejects.toThrow(
    'load has no values of the metric http_req_duration: its other metrics are grpc_req_duration, http_req_waiting',
  );
});

const ALL_FAILED = [false, true, true];

test.each<[string, string, readonly number[], readonly boolean[]]>([
  ['vegeta in CSV', vegetaTable(REQUESTS), [2.789117, 0, 1500.25], ALL_FAILED],
  ['vegeta in JSON', vegetaLines(REQUESTS), [2.789117, 0, 1500.25], ALL_FAILED],
  ['JMeter', jmeterTable(REQUESTS), [3, 0, 1500], ALL_FAILED],
  ['JMeter with semicolons', jmeterTable(REQUESTS, ';'), [3, 0, 1500], ALL_FAILED],
  ['hey', heyTable(REQUESTS), [2.8, 0, 1500.3], []],
  ['ab', abTable(REQUESTS), [0, 3, 1500], []],
])('reads the requests of %s', async (_, text, durations, outcomes) => {
  const { ms, at, failed, badLines } = await read(text);
  expect([ms, failed, badLines]).toEqual([durations, outcomes, '']);
  expect(at.every((sec) => sec >= 0)).toBe(true);
});

test('reads dates that JMeter writes instead of milliseconds', async () => {
  const { ms, at } = await read('timeStamp,elapsed\n2026/11/26 23:06:34.500,12\n');
  expect(ms).toEqual([12]);
  expect(at[0]).toBe(new Date(2026, 10, 26, 23, 6, 34, 500).getTime() / 1000);
});

test.each<[string, string]>([
  [vegetaTable([{ ms: 1 }, { ms: 2 }]).replace(',2000000,', ',-1,'), 'in the columns 1 and 3'],
  [
    vegetaLines([{ ms: 1 }, { ms: 2 }]).replace(':2000000,', ':-1,'),
    'latency must be a duration in nanoseconds',
  ],
  [jmeterTable([{ ms: 1 }, { ms: 2 }]).replace('001,2,', '001,,'), 'in the columns timeStamp and elapsed'],
])('leaves out a request without a duration: %j', async (text, message) => {
  const { ms, badLines } = await read(text);
  expect([ms, badLines]).toEqual([[1], expect.stringContaining(message)]);
});

test('ab wrote microseconds before version 2.2, which are no table of milliseconds', () => {
  const old = abTable([{ ms: 5 }]).replace('\t1795380746\t', '\t1795380746000000\t');
  expect(recogniseInput(old, { isWhole: true })).toBe('table');
});

test('refuses a metric of k6 that has no times', async () => {
  const points = k6Points([{ ms: 7 }], 'sizes').replaceAll('"contains":"time"', '"contains":"default"');
  await expect(read(points, 'sizes')).rejects.toThrow('load: the metric sizes has no times');
});

test('leaves out malformed lines and reports them', async () => {
  const whole = k6Points(REQUESTS);
  const cut = `${whole}{"metric":"http_req_duration","type":"Point","data":{"time":"2026-`;
  const { ms, badLines } = await read(cut);
  expect(ms.length).toBe(3);
  expect(badLines).toMatch(/load: line 17: the line is not JSON/);
  const negative = await read(k6Table([{ ms: 1 }, { ms: -1 }]));
  expect(negative.ms).toEqual([1]);
  expect(negative.badLines).toContain('a value must be a duration in milliseconds, with its time, got -1');
  const short = await read(`${ohaTable([{ ms: 1 }])}0.5,1\n`);
  expect(short.badLines).toContain(
    'load: line 3 must have a time and a duration of at least 0 in the columns request-start and request-duration',
  );
});

describe('labels', () => {
  async function readLabels(text: string, labels: readonly string[]): Promise<string[]> {
    const found: string[] = [];
    const onRequest: RequestSink['onRequest'] = (_, __, values) => void found.push(values!.join(' '));
    await readRequests(recogniseInput(text) as RequestForm, [Buffer.from(text)], { onRequest }, { labels });
    return found;
  }

  test.each([
    ['the tags of points of k6', k6Points(REQUESTS), ['status', 'name'], 'http://127.0.0.1/'],
    ['the columns of k6', k6Table(REQUESTS), ['status', 'name'], 'a,"b'],
    ['the fields of vegeta', vegetaLines(REQUESTS), ['code', 'method'], 'GET'],
    ['the columns of vegeta', vegetaTable(REQUESTS), ['2', '1'], undefined],
  ])('are %s', async (_, text, labels, other) => {
    const found = await readLabels(text, labels);
    expect(found.map((one) => one.split(' ')[0])).toEqual(['200', '0', '503']);
    if (other !== undefined) expect(found[2]).toBe(`503 ${other}`);
  });

  test('are further tags of k6 in their column, also such as lack in some lines', async () => {
    const text = k6Table(REQUESTS).replace(/,,\n$/, ',tier=a+b=1&team=%41,\n');
    // The last line is of another metric.
    const moved = text.replace(/(http_req_duration,1795380750[^\n]*),,\n/, '$1,tier=a+b=1&team=%41,\n');
    expect(await readLabels(moved, ['tier', 'team', 'status'])).toEqual([
      ...['  200', '  0', 'a+b=1 %41 503'],
    ]);
  });

  test.each([
    ['k6', k6Points(REQUESTS), 'their tags are group, method, name, status'],
    ['k6', k6Table(REQUESTS), 'their tags are check, error, error_code, expected_response, group, '],
    ['vegeta', vegetaLines(REQUESTS), 'they have attack, method, url, code, error'],
    ['vegeta', vegetaTable(REQUESTS), 'the columns are 1, 2, 3, 4, 5, 6'],
  ])('that no request of %s has are refused with those that they have', async (_, text, problem) => {
    await expect(readLabels(text, ['route'])).rejects.toMatchObject({
      code: 'ERR_INVALID_OPTION',
      message: expect.stringContaining(`the requests have no label route: ${problem}`),
    });
  });
});
