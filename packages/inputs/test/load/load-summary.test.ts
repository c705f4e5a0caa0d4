import { readFileSync } from 'node:fs';
import { autocannonLine, k6Summaries, ohaSummary } from '@hdrscope/testing/load-samples';
import { type LoadSummary, readLoadSummary, readWrkErrors, recogniseInput } from '../../src/index.ts';

const read = (text: string, metric?: string): Promise<LoadSummary> =>
  readLoadSummary(Buffer.from(text), { name: 'load', metric });

describe('autocannon', () => {
  test('has integers of milliseconds, whose fractions are dropped', async () => {
    const { count, percentiles } = await read(autocannonLine({ p50: 4, p97_5: 12, totalCount: 200 }));
    expect(count).toBe(200);
    expect(percentiles).toEqual([
      { percentile: 50, lower: 4, upper: 5, atOrBelow: 100, below: 99 },
      { percentile: 97.5, lower: 12, upper: 13, atOrBelow: 195, below: 194 },
      { percentile: 100, lower: 90, upper: 91, atOrBelow: 200, below: 199 },
    ]);
  });

  test('has slots of several integers above 262 s', async () => {
    const { percentiles } = await read(autocannonLine({ p50: 300_001, totalCount: 2 }));
    expect(percentiles[0]).toMatchObject({ lower: 300_000, upper: 300_002 });
  });

  test('counts timeouts among the errors, and other statuses as failures', async () => {
    const line = autocannonLine({ p50: 4, totalCount: 95 }, { errors: 5, timeouts: 3, non2xx: 7 });
    expect((await read(line)).errors).toMatchObject({ failed: 12, requests: 100 });
  });

  test('says when coordinated omission was corrected', async () => {
    const { notes } = await read(autocannonLine({ p50: 4, totalCount: 1200 }, {}, 1000));
    expect(notes).toContainEqual(expect.stringContaining('1,200 durations of 1,000 responses'));
  });
});

describe.each(Object.entries(k6Summaries))('k6, %s', (_form, summary) => {
  test('has the statistics that were asked for', async () => {
    const { count, percentiles, errors } = await read(
      summary({ avg: 3, med: 2.5, 'p(90)': 8, 'p(99.9)': 20.5, max: 30 }),
    );
    expect(count).toBe(1000);
    expect(percentiles.map(({ percentile, lower, upper }) => [percentile, lower, upper])).toEqual([
      [50, 2.5, 2.5],
      [90, 8, 8],
      [99.9, 20.5, 20.5],
      [100, 30, 30],
    ]);
    expect(errors).toMatchObject({ failed: 6, requests: 1000 });
  });
});

test('k6: statistics that were not asked for are null in the form for programs', async () => {
  const summary = k6Summaries['--new-machine-readable-summary']!({ med: 2, 'p(90)': null });
  expect((await read(summary)).percentiles.map(({ percentile }) => percentile)).toEqual([50]);
});

test('k6: a percentile lies between two values, so its ranks are known to one value', async () => {
  const { percentiles } = await read(k6Summaries['--summary-export']!({ 'p(95)': 3 }));
  // Index 0.95 * 999 = 949.05: between the 950th and the 951st value.
  expect(percentiles).toEqual([{ percentile: 95, lower: 3, upper: 3, atOrBelow: 950, below: 950 }]);
});

test('k6: refuses a metric that is missing', async () => {
  await expect(read(k6Summaries['--summary-export']!({ med: 1 }), 'other')).rejects.toThrow(
    'load: there is no metric other: there are http_req_duration',
  );
});

test('oha: has seconds, and requests cut off at the end did not fail', async () => {
  const { count, percentiles, errors } = await read(
    ohaSummary(
      { p50: 0.0025, 'p99.9': 0.1, 'p99.99': null },
      { 200: 900, 301: 40, 404: 50, 500: 10 },
      { 'aborted due to deadline': 5, 'connection error': 20 },
    ),
  );
  expect(count).toBe(1000);
  expect(percentiles).toEqual([
    { percentile: 50, lower: 2.5, upper: 2.5, atOrBelow: 501, below: 500 },
    { percentile: 99.9, lower: 100, upper: 100, atOrBelow: 1000, below: 999 },
    { percentile: 100, lower: 500, upper: 500, atOrBelow: 1000, below: 999 },
  ]);
  expect(errors).toMatchObject({ failed: 80, requests: 1020 });
});

test('refuses other JSON', async () => {
  await expect(read('{"a":1}')).rejects.toThrow('load is JSON, and not a summary of autocannon');
  await expect(read('{"a":')).rejects.toThrow('load: the text is not JSON');
  await expect(read(autocannonLine({}))).rejects.toThrow('latency.totalCount must be an integer');
});

const WRK = `Running 10s test @ http://127.0.0.1:8080/
  2 threads and 10 connections
  1995 requests in 10.00s, 241.64KB read
`;

test('wrk2: has lines for errors only when there are some', () => {
  expect(readWrkErrors(WRK)).toMatchObject({ failed: 0, requests: 1995 });
  const errors = '  Socket errors: connect 1, read 2, write 0, timeout 30\n  Non-2xx or 3xx responses: 12\n';
  expect(readWrkErrors(WRK + errors)).toMatchObject({ failed: 45, requests: 2028 });
  expect(readWrkErrors('       Value   Percentile   TotalCount 1/(1-Percentile)\n')).toBeUndefined();
});

describe('wrk 4.1.0', () => {
  const report = String(readFileSync(new URL('goldens/wrk-4.1.0.txt', import.meta.url)));

  test('has the percentiles that it prints with two decimals, the maximum and the errors', async () => {
    expect(recogniseInput(report)).toBe('wrk report');
    const { tool, count, percentiles, errors } = await read(report);
    expect([tool, count, errors]).toEqual([
      'wrk',
      4914,
      expect.objectContaining({ failed: 98, requests: 4914 }),
    ]);
    expect(percentiles).toEqual([
      { percentile: 50, lower: 1.195, upper: 1.205, atOrBelow: 2458, below: 2457 },
      { percentile: 75, lower: 1.425, upper: 1.435, atOrBelow: 3686, below: 3685 },
      { percentile: 90, lower: 20.785, upper: 20.795, atOrBelow: 4423, below: 4422 },
      { percentile: 99, lower: 38.835, upper: 38.845, atOrBelow: 4865, below: 4864 },
      { percentile: 100, lower: 42.895, upper: 42.905, atOrBelow: 4914, below: 4913 },
    ]);
  });

  test('without its end, or with another duration, is refused', async () => {
    const cut = report.slice(0, report.indexOf(' requests in') - 4);
    await expect(read(cut)).rejects.toThrow('load: the report of wrk must have the number of its requests');
    await expect(read(report.replace('38.84ms', '38.84parsec'))).rejects.toThrow(
      'load: the report of wrk must have durations, as in 12.50ms, got "38.84parsec"',
    );
  });

  test('is known from that of wrk2, which is percentile text', () => {
    const other = report.replace(
      'Latency Distribution',
      'Latency Distribution (HdrHistogram - Recorded Latency)',
    );
    expect(recogniseInput(other)).not.toBe('wrk report');
  });
});

describe('hey 0.1.4', () => {
  const report = String(readFileSync(new URL('goldens/hey-0.1.4.txt', import.meta.url)));

  test('has the percentiles that it prints with four decimals of a second, and the errors', async () => {
    expect(recogniseInput(report)).toBe('hey report');
    const { tool, count, percentiles, errors } = await read(report);
    expect([tool, count, errors]).toEqual([
      'hey',
      500,
      expect.objectContaining({ failed: 10, requests: 500 }),
    ]);
    expect(percentiles.map(({ percentile }) => percentile)).toEqual([10, 25, 50, 75, 90, 95, 99, 100]);
    expect(percentiles[2]).toEqual({ percentile: 50, lower: 1.45, upper: 1.55, atOrBelow: 251, below: 250 });
    expect(percentiles.at(-1)).toEqual({
      percentile: 100,
      lower: 40.55,
      upper: 40.65,
      atOrBelow: 500,
      below: 499,
    });
  });

  test('counts requests without a response as failed', async () => {
    const broken = `${report.trimEnd()}\n\nError distribution:\n  [7]\tGet "http://h/": connection refused\n`;
    expect((await read(broken)).errors).toMatchObject({ failed: 17, requests: 507 });
  });

  test('is refused without its end, and with more requests than hey keeps', async () => {
    await expect(read(report.slice(0, report.indexOf('Status code')))).rejects.toThrow(
      'load: the report of hey must have the number of responses of each status',
    );
    await expect(read(report.replace('490 responses', '1000001 responses'))).rejects.toThrow(
      'load: the report of hey must have at most 1000000 responses',
    );
  });
});
