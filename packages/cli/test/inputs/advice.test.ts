import { caseCount } from '@hdrscope/testing/case-count';
import {
  abPercentiles,
  abTable,
  autocannonLine,
  heyTable,
  jmeterTable,
  k6Points,
  k6Summaries,
  k6Table,
  ohaSummary,
  ohaTable,
  type SampleRequest,
  vegetaLines,
  vegetaPlot,
  vegetaTable,
} from '@hdrscope/testing/load-samples';
import fc from 'fast-check';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

// The command line that a message proposes is run as it is printed, and its median is that of the values.

const folder = useFolder();

const at = (index: number): number => 1_795_380_746 + Math.floor(index / 7);

/** Milliseconds, as somebody has measured them. */
const durations = fc.array(fc.integer({ min: 1200, max: 900_000 }), { minLength: 12, maxLength: 60 });

const requestsOf = (microseconds: readonly number[]): SampleRequest[] =>
  microseconds.map((us, index) => ({ ms: us / 1000, status: us % 11 === 0 ? 503 : 200, at: at(index) }));

function medianOf(values: readonly number[]): number {
  const sorted = [...values].sort((one, other) => one - other);
  return sorted[Math.ceil(sorted.length / 2) - 1]!;
}

/** The words of a command line, as a shell splits it. */
function wordsOf(line: string): string[] {
  return [...line.matchAll(/'([^']*)'|(\S+)/g)].map(([, quoted, bare]) => quoted ?? bare!);
}

interface Median {
  readonly value: number;
  readonly unit: string;
}

/** Runs a command line of `hdrscope record`. */
async function medianBy(line: string): Promise<Median> {
  const { stdout, stderr } = await hdrscope([...wordsOf(line), '--json', '--percentiles', '50']);
  if (stdout === '') throw new Error(`${line}: ${stderr}`);
  const { unit, percentiles } = JSON.parse(stdout);
  return { value: percentiles[0].value, unit };
}

/** What `record` says about a file: the command line that it proposes, or the sentence without one. */
async function adviceFor(
  path: string,
): Promise<{ readonly command: string | undefined; readonly text: string }> {
  const { exitCode, stdout, stderr } = await hdrscope(['record', path]);
  expect([exitCode, stdout]).toEqual([1, '']);
  const [, command] = /[:;] hdrscope (record .*)\n$/.exec(stderr) ?? [];
  return { command: command?.endsWith(' counts one') ? undefined : command, text: stderr };
}

const MS_PER: Readonly<Record<string, number>> = { ns: 1e-6, us: 1e-3, ms: 1, s: 1000 };

interface Format {
  readonly name: string;
  readonly text: (requests: readonly SampleRequest[]) => string;
  /** The values as the text has them. */
  readonly values: (requests: readonly SampleRequest[]) => readonly number[];
  /** The unit of the values, which the proposal states; `none` when the text does not say it. */
  readonly unit: 'ns' | 'us' | 'ms' | 's' | 'none';
}

const ms = (requests: readonly SampleRequest[]): number[] => requests.map((one) => one.ms);
const wholeMs = (requests: readonly SampleRequest[]): number[] => ms(requests).map(Math.round);
const seconds = (decimals: number) => (requests: readonly SampleRequest[]) =>
  ms(requests).map((value) => Number((value / 1000).toFixed(decimals)));

const line = (
  requests: readonly SampleRequest[],
  of: (one: SampleRequest, index: number) => string,
): string => requests.map((one, index) => `${of(one, index)}\n`).join('');

const CLIENTS = [
  'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko)',
  'curl/8.5',
  'Mozilla/5.0 (X11; Linux x86_64) \\"x\\" Gecko',
];

const accessLog =
  (last: (one: SampleRequest) => string, clients = 3) =>
  (requests: readonly SampleRequest[]) =>
    line(requests, (one, index) => {
      const { status = 200 } = one;
      const time = `26/Nov/2026:23:06:${String(index % 60).padStart(2, '0')} +0000`;
      const request = `"GET /a?id=${index} HTTP/1.1" ${status} ${600 + ((index * 31) % 97)}`;
      const client = CLIENTS[index % clients]!;
      return `127.0.0.1 - - [${time}] ${request} "http://h/a b" "${client}"${last(one)}`;
    });

const FORMATS: readonly Format[] = [
  { name: 'vegeta in CSV', text: vegetaTable, values: ms, unit: 'ns' },
  { name: 'vegeta in JSON', text: vegetaLines, values: ms, unit: 'ns' },
  { name: 'JMeter', text: jmeterTable, values: wholeMs, unit: 'ms' },
  {
    name: 'JMeter with semicolons',
    text: (requests) => jmeterTable(requests, ';'),
    values: wholeMs,
    unit: 'ms',
  },
  { name: 'ab -g', text: abTable, values: wholeMs, unit: 'ms' },
  { name: 'hey', text: heyTable, values: seconds(4), unit: 's' },
  { name: 'oha', text: ohaTable, values: ms, unit: 's' },
  {
    name: 'nginx with the time of the request',
    text: accessLog((one) => ` ${(one.ms / 1000).toFixed(3)}`),
    values: seconds(3),
    unit: 's',
  },
  {
    name: 'nginx with one client',
    text: accessLog((one) => ` ${(one.ms / 1000).toFixed(3)}`, 1),
    values: seconds(3),
    unit: 's',
  },
  {
    name: 'Apache with microseconds',
    text: accessLog((one) => ` ${Math.round(one.ms * 1000)}`),
    values: (requests) => ms(requests).map((value) => Math.round(value * 1000)),
    unit: 'none',
  },
  {
    name: 'fio',
    text: (requests) =>
      line(requests, (one, index) => `${index * 3}, ${Math.round(one.ms * 1e6)}, ${index % 2}, 4096, 0, 0`),
    values: (requests) => ms(requests).map((value) => Math.round(value * 1e6)),
    unit: 'none',
  },
  {
    name: 'curl',
    text: (requests) =>
      line(requests, (one, index) =>
        JSON.stringify({
          ...{ content_type: 'text/html', errormsg: null, exitcode: 0, http_code: 200, http_connect: 0 },
          ...{ local_port: 40_000 + index, num_connects: 1, remote_port: 80, response_code: one.status },
          ...{ size_download: 1024 + index, speed_download: Math.round(1e6 / one.ms), time_appconnect: 0 },
          ...{ time_connect: 0.000234, time_namelookup: 0.000012, time_starttransfer: one.ms / 1100 },
          ...{ time_total: Number((one.ms / 1000).toFixed(6)), url: 'http://h/' },
        }),
      ),
    values: seconds(6),
    unit: 'none',
  },
  {
    name: 'a log in JSON',
    text: (requests) =>
      line(requests, (one, index) =>
        JSON.stringify({
          ...{ level: 30, time: 1_795_380_746_000 + index, pid: 7, req: { id: index, url: '/' } },
          ...{ res: { statusCode: one.status }, responseTime: one.ms },
        }),
      ),
    values: ms,
    unit: 'none',
  },
  {
    name: 'a table with durations that have units',
    text: (requests) =>
      `when,bytes,time\n${line(requests, (one, index) => `${at(index)},${index * 7 + 40},${one.ms}ms`)}`,
    values: ms,
    unit: 'ms',
  },
];

// Forms that record counts, although nobody says where the numbers are.
const isKnown = ({ name }: Format): boolean => /^(?:vegeta|JMeter|ab|hey|oha|nginx)/.test(name);

test.each(FORMATS.filter((format) => !isKnown(format)).map((format) => [format.name, format] as const))(
  'the command that is proposed for %s prints the median of its values',
  async (name, { text, values, unit }) => {
    await fc.assert(
      fc.asyncProperty(durations, async (microseconds) => {
        const requests = requestsOf(microseconds);
        const path = folder.write(`${name}.txt`, text(requests));
        const { command, text: said } = await adviceFor(path);
        if (command === undefined) throw new Error(said);
        const median = await medianBy(command);
        expect(median.unit).toBe(unit);
        const scale = unit === 'none' || values !== ms ? 1 : MS_PER[unit]!;
        const expected = medianOf(values(requests)) / scale;
        expect(Math.abs(median.value - expected)).toBeLessThanOrEqual(expected * 1e-3);
      }),
      { numRuns: caseCount(5, 40) },
    );
  },
);

const REQUESTS = requestsOf(Array.from({ length: 40 }, (_, index) => 1500 + ((index * 7919) % 41) * 997));
const PLAIN = (cells: (one: SampleRequest, index: number) => readonly unknown[]): string =>
  line(
    REQUESTS,
    (one, index) => `2026-11-26 23:06:${String(index).padStart(2, '0')} ${cells(one, index).join(' ')}`,
  );

test.each([
  [
    'a date and several numbers',
    PLAIN(({ ms }, index) => [ms, 600 + ((index * 31) % 97), (index * 17) % 23]),
    '3, 4 or 5',
  ],
  [
    'two durations',
    `latency,duration\n${line(REQUESTS, ({ ms }) => `${ms},${ms * 2}`)}`,
    'latency or duration',
  ],
  [
    'two times in an access log',
    accessLog(({ ms }) => ` ${(ms / 1000).toFixed(3)} ${(ms / 2000).toFixed(3)}`)(REQUESTS),
    '11 or 12',
  ],
  [
    'fields that are equally likely',
    line(REQUESTS, ({ ms }) => JSON.stringify({ a: ms, b: ms / 2 })),
    'a or b',
  ],
  [
    'a sorted table',
    `t,bytes\n${line(REQUESTS, (_, index) => `${index * 3 + 1},${(index * 31) % 97}`)}`,
    't or bytes',
  ],
])('of places that are equally likely all are named, and none is proposed: %s', async (_, text, places) => {
  const { command, text: said } = await adviceFor(folder.write('equal.txt', text));
  expect(command).toBeUndefined();
  expect(said).toMatch(
    new RegExp(`; measured values may be in ${places}: hdrscope record --\\w+ [A-Z]+ \\S+ counts one\n$`),
  );
});

const SUMMARY = { mean: 5, '50th': 4, '99th': 9, max: 12, min: 1 };

test.each([
  ['an access log without times', accessLog(() => '')(REQUESTS)],
  [
    'percentiles of each interval',
    `time,p50,p99\n${line(REQUESTS, ({ ms }, index) => `${index},${ms},${ms * 2}`)}`,
  ],
  [
    'a report of vegeta in JSON',
    `${JSON.stringify({ latencies: SUMMARY, duration: 9.9e9, requests: 500, rate: 50 })}\n`,
  ],
  ['a document of several lines', JSON.stringify({ duration: 12, jobs: 4 }, undefined, 2)],
  ['statuses', `path,status\n${line(REQUESTS, ({ status }) => `/a,${status}`)}`],
  ['shares', `host,cpu_percent\n${line(REQUESTS, (_, index) => `a,${index % 100}`)}`],
  ['moments', `host,ts_ms\n${line(REQUESTS, (_, index) => `a,${at(index)}000`)}`],
])('nothing is proposed for %s', async (_, text) => {
  const { command, text: said } = await adviceFor(folder.write('none.txt', text));
  expect([command, said]).toEqual([
    undefined,
    expect.stringContaining('; none of them is surely a measured value: '),
  ]);
});

test.each([
  ['ab -e', abPercentiles(REQUESTS), 'has percentiles without counts'],
  ['vegeta report --type=hdrplot', vegetaPlot(REQUESTS), 'is percentile text'],
  ['a summary of k6', k6Summaries['--summary-export']!({ med: 1 }), 'is a summary of k6'],
  ['a summary of oha', ohaSummary({ p50: 0.001 }, { 200: 2 }), 'is a summary of oha'],
  ['autocannon', autocannonLine({ p50: 4, totalCount: 10 }), 'is a summary of autocannon'],
])('no column of %s is proposed', async (_, text, message) => {
  const { command, text: said } = await adviceFor(folder.write('other.txt', text));
  expect([command, said]).toEqual([undefined, expect.stringContaining(message)]);
});

// Files that commands take, although nobody says where the numbers are.
const TAKEN: readonly Format[] = [
  ...FORMATS.filter(isKnown),
  { name: 'k6 in JSON', text: k6Points, values: ms, unit: 'ms' },
  { name: 'k6 in CSV', text: k6Table, values: ms, unit: 'ms' },
  { name: 'vegeta report --type=hdrplot', text: vegetaPlot, values: ms, unit: 'ms' },
];

const ERRORS_MS: Readonly<Record<string, number>> = {
  hey: 0.05,
  'ab -g': 0.5,
  JMeter: 1,
  'JMeter with semicolons': 1,
  'nginx with the time of the request': 1,
  'nginx with one client': 1,
};

test.each(
  TAKEN.filter(({ name }) => !name.includes('hdrplot')).map((format) => [format.name, format] as const),
)('record counts the durations of %s without options', async (name, { text, values, unit }) => {
  const path = folder.write('known.txt', text(REQUESTS));
  const expected = medianOf(values(REQUESTS)) * (values === ms ? 1 : MS_PER[unit]!);
  const median = await medianBy(`record ${path}`);
  expect(median.unit).toBe('ms');
  expect(Math.abs(median.value - expected)).toBeLessThanOrEqual(expected * 1e-3 + (ERRORS_MS[name] ?? 0));
});

test.each(TAKEN.map((format) => [format.name, format] as const))(
  'check takes %s, and judges the median of its values',
  async (name, { text, values, unit }) => {
    const path = folder.write('taken.txt', text(REQUESTS));
    const expected = medianOf(values(REQUESTS)) * (values === ms ? 1 : MS_PER[unit]!);
    // What the tool has rounded is judged within bounds.
    const error = ERRORS_MS[name] ?? 0;
    const judge = async (ms: number) =>
      (await hdrscope(['check', path, '--slo', `p50=${ms.toFixed(6)}ms`])).exitCode;
    expect(await judge(expected * 1.001 + error)).toBe(0);
    expect(await judge(expected * 0.999 - error)).toBe(1);
    if (error > 0) expect(await judge(expected + error * 0.8)).toBe(3);
  },
);

test('the percentiles of vegeta are named as estimates', async () => {
  const { stderr } = await hdrscope([
    'check',
    folder.write('plot.txt', vegetaPlot(REQUESTS)),
    '--slo',
    'p50=1s',
  ]);
  expect(stderr).toContain('vegeta, which estimates percentiles with a t-digest');
});

test('check knows which requests of vegeta and JMeter have failed', async () => {
  for (const text of [vegetaTable(REQUESTS), vegetaLines(REQUESTS), jmeterTable(REQUESTS)]) {
    const failed = REQUESTS.filter(({ status }) => status !== 200).length;
    const path = folder.write('failed.txt', text);
    const { stdout } = await hdrscope(['check', path, '--max-errors', '1%']);
    expect(stdout).toContain(`${failed} of 40 requests failed`);
  }
});

// Tables that nobody has thought of.

const OTHERS: readonly (readonly [title: string, cell: (index: number) => string])[] = [
  ['timestamp', (index) => String(at(index) * 1000 + index)],
  ['start_ms', (index) => String(at(index) * 1000)],
  ['time', (index) => String(at(index))],
  ['seconds', (index) => String(at(index))],
  ['when', (index) => `2026-11-26T23:06:${String(index % 60).padStart(2, '0')}Z`],
  ['id', (index) => String((index * 7919) % 10_007)],
  ['request_id', (index) => String(index)],
  ['status', (index) => (index % 9 === 0 ? '503' : '200')],
  ['responseCode', (index) => (index % 9 === 0 ? '404' : '200')],
  ['error_rate', (index) => String((index % 10) / 10)],
  ['cpu %', (index) => String((index * 13) % 100)],
  ['threads', () => '8'],
  ['p99', (index) => String(index * 3)],
  ['bytes', (index) => String((index * 31) % 4096)],
  ['worker', (index) => String(index % 4)],
  ['path', (index) => `/a/${index % 3}`],
];

const DURATIONS: readonly (readonly [title: string, unit: string])[] = [
  ['latency', 'none'],
  ['duration_ms', 'ms'],
  ['elapsed', 'none'],
  ['response time (s)', 's'],
  ['requestTime', 'none'],
  ['ttime', 'none'],
  ['time_total', 'none'],
  ['Value(us)', 'us'],
  ['http.server.duration', 'none'],
  ['time-taken', 'none'],
  ['end_to_end_latency_ns', 'ns'],
  ['rtt', 'none'],
];

test('a column of a table of any columns is proposed only if it has the durations', async () => {
  const table = fc.record({
    others: fc.shuffledSubarray([...OTHERS], { maxLength: 7 }),
    duration: fc.constantFrom(...DURATIONS),
    place: fc.nat(),
    microseconds: durations,
    form: fc.constantFrom(',', ';', '\t', 'json'),
  });
  await fc.assert(
    fc.asyncProperty(table, async ({ others, duration: [title, unit], place, microseconds, form }) => {
      const column = [title, (index: number) => String(microseconds[index]! / 8)] as const;
      const columns = others.toSpliced(place % (others.length + 1), 0, column);
      const rows = microseconds.map((_, index) => columns.map(([, cell]) => cell(index)));
      const titles = columns.map(([name]) => name);
      const numberOf = (cell: string): number | string => (Number.isNaN(Number(cell)) ? cell : Number(cell));
      const text =
        form === 'json'
          ? rows.map((row) =>
              JSON.stringify(Object.fromEntries(row.map((cell, at) => [titles[at], numberOf(cell)]))),
            )
          : [titles.join(form), ...rows.map((row) => row.join(form))];
      const path = folder.write('any.txt', `${text.join('\n')}\n`);
      // A single column is no table, so nothing can be proposed.
      if (columns.length === 1 && form !== 'json') return;
      const { command, text: said } = await adviceFor(path);
      if (command === undefined) throw new Error(said);
      const median = await medianBy(command);
      const expected = medianOf(microseconds) / 8;
      // Nanoseconds are counted whole.
      const error = Math.max(1e-3 * expected, unit === 'ns' ? 0.5 : 0);
      expect([median.unit, Math.abs(median.value - expected) <= error]).toEqual([unit, true]);
    }),
    { numRuns: caseCount(60, 500) },
  );
});
