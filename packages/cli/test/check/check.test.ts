import { readFileSync } from 'node:fs';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { formatInterval } from '@hdrscope/interval-log';
import {
  autocannonLine,
  k6Points,
  k6Summaries,
  k6Table,
  ohaSummary,
  ohaTable,
} from '@hdrscope/testing/load-samples';
import { createRandom } from '@hdrscope/testing/random';
import { hdrscope, type Ran } from '../support/fake-io.ts';
import { evenly, logText, useFolder, type Written } from '../support/logs.ts';

const folder = useFolder();

/** Milliseconds from 0.05 to 200, in an order in which none depends on the one before. */
const MS = mixed(evenly(4000, 0.05));

function mixed(values: readonly number[]): number[] {
  const random = createRandom(2026);
  return values
    .map((value) => ({ value, place: random() }))
    .sort((one, other) => one.place - other.place)
    .map(({ value }) => value);
}

/** Fifty intervals of values. */
function intervals(ms: readonly number[], tag?: string): Written[] {
  const size = ms.length / 50;
  return Array.from({ length: 50 }, (_, at) => ({ tag, at, ms: ms.slice(at * size, at * size + size) }));
}

const log = (name = 'service.hlog'): string =>
  folder.write(name, logText([...intervals(MS, 'get'), ...intervals(mixed(evenly(4000, 0.15)), 'put')]));

function nanoseconds(values: readonly number[]): Histogram {
  const histogram = new Histogram();
  for (const ms of values) histogram.record(Math.round(ms * 1e6));
  return histogram;
}

const requests = MS.map((ms, at) => ({ ms, at: 1_795_380_746 + Math.floor(at / 100) }));

/** A verdict as a line of JSON has it. */
interface Verdict {
  readonly objective: string;
  readonly verdict: string;
  readonly note: string | null;
  readonly actual: { readonly lower: number; readonly upper: number } | null;
  readonly within: { readonly lower: number; readonly upper: number } | null;
}

async function check(...args: readonly string[]): Promise<Ran & { readonly verdicts: readonly Verdict[][] }> {
  const ran = await hdrscope(['check', '--json', ...args]);
  const verdicts =
    ran.stdout === ''
      ? []
      : JSON.parse(ran.stdout).subjects.map((one: { objectives: Verdict[] }) => one.objectives);
  return { ...ran, verdicts };
}

const BEYOND_DOUBT = { kept: 'kept beyond doubt', missed: 'missed beyond doubt' };
/** Without times, nothing shows whether values are independent. */
const WITHOUT_TIMES = { kept: 'kept', missed: 'missed' };

test.each([
  ['an interval log', 'a.hlog', logText(intervals(MS)), [], BEYOND_DOUBT],
  ['percentile text', 'a.hgrm', formatPercentiles(nanoseconds(MS), { valueScale: 1e6 }), [], WITHOUT_TIMES],
  ['an encoded histogram', 'a.b64', `${nanoseconds(MS).toBase64()}\n`, [], WITHOUT_TIMES],
  ['numbers', 'a.txt', `${MS.join('\n')}\n`, ['--unit', 'ms'], WITHOUT_TIMES],
  ['numbers with units', 'b.txt', MS.map((ms) => `${ms.toFixed(1)}ms\n`).join(''), [], WITHOUT_TIMES],
  [
    'a column of a table',
    'a.csv',
    `id,took\n${MS.map((ms, at) => `${at},${ms}\n`).join('')}`,
    ['--column', 'took', '--unit', 'ms'],
    WITHOUT_TIMES,
  ],
  ['points of k6', 'k6.json', k6Points(requests), [], BEYOND_DOUBT],
  ['a table of k6', 'k6.csv', k6Table(requests), [], BEYOND_DOUBT],
  ['a table of oha', 'oha.csv', ohaTable(requests), [], BEYOND_DOUBT],
])('judges %s', async (_what, name, text, options, verdicts) => {
  const path = folder.write(name, text);
  const kept = await check(
    path,
    ...options,
    '--slo',
    'p50=120ms',
    '--slo',
    'p99=250ms',
    '--min-count',
    '4000',
  );
  expect(kept.stderr.includes('left out')).toBe(false);
  expect(kept.verdicts[0]!.map(({ verdict }) => verdict)).toEqual([verdicts.kept, verdicts.kept, 'kept']);
  expect(kept.exitCode).toBe(0);
  const missed = await check(path, ...options, '--slo', 'p99=100ms');
  expect(missed.verdicts[0]![0]!.verdict).toBe(verdicts.missed);
  expect(missed.exitCode).toBe(1);
});

test('reads recorded figures, and standard input', async () => {
  const recorded = (await hdrscope(['record', '--unit', 'ms', '--format', 'json'], { stdin: MS.join('\n') }))
    .stdout;
  const args = ['check', '-', '--slo', 'p50=120ms'];
  for (const stdin of [recorded, k6Points(requests), logText([{ at: 0, ms: MS }])]) {
    expect(await hdrscope(args, { stdin })).toMatchObject({ exitCode: 0, stderr: '' });
  }
});

test('each tag of a log is judged on its own', async () => {
  const { stdout, exitCode } = await hdrscope(['check', log(), '--slo', 'p50=120ms', '--slo', 'max=700ms']);
  expect(exitCode).toBe(1);
  const path = folder.pathOf('service.hlog');
  expect(stdout).toContain(`${path} get (4,000 values, in ms)`);
  expect(
    stdout
      .split('\n')
      .filter((line) => line.startsWith('p50'))
      .map((line) => line.replace(/.* {2}/, '')),
  ).toEqual(['kept beyond doubt', 'missed beyond doubt']);
  expect((await check(log(), '--slo', 'p50=120ms', '--tag', 'get')).exitCode).toBe(0);
});

test('--together judges all tags and files as one', async () => {
  const { verdicts, exitCode } = await check(
    log(),
    log('other.hlog'),
    '--together',
    '--slo',
    'p50=200ms',
    '--min-count',
    '16000',
  );
  expect(verdicts.length).toBe(1);
  expect(verdicts[0]!.map(({ verdict }) => verdict)).toEqual(['kept beyond doubt', 'kept']);
  expect(exitCode).toBe(0);
});

test('values of coarse slots are judged together as they are alone, whatever the other files are', async () => {
  const logOf = (significantDigits: number): string => {
    const histogram = new Histogram({ significantDigits, highestTrackableValue: 2 ** 40 });
    histogram.record(100_900_000, 500);
    return formatInterval(histogram, { startSec: 1, endSec: 2 });
  };
  const [coarse, again, fine] = [2, 2, 3].map((digits, at) =>
    folder.write(`digits-${at}.hlog`, logOf(digits)),
  );
  // 2 digits do not tell 100.9 ms from 100.8 ms.
  for (const files of [[coarse!], [coarse!, again!], [coarse!, fine!], [fine!, coarse!]]) {
    const { verdicts, exitCode } = await check(...files, '--together', '--strict', '--slo', 'p99=100.8ms');
    expect(verdicts[0]!.map(({ verdict }) => verdict)).toEqual(['cannot be judged']);
    expect(exitCode).toBe(3);
  }
});

test('exact counts and errors of several files add up', async () => {
  const slow = folder.write(
    'slow.json',
    k6Points(Array.from({ length: 100 }, () => ({ ms: 250, status: 500 }))),
  );
  const fast = folder.write('fast.json', k6Points(Array.from({ length: 900 }, () => ({ ms: 5 }))));
  const { verdicts } = await check(slow, fast, '--together', '--slo', 'p90=5ms', '--max-errors', '10%');
  expect(verdicts[0]).toMatchObject([
    { verdict: 'kept', within: { lower: 900, upper: 900 } },
    { verdict: 'kept', actual: { upper: 100 } },
  ]);
});

test('refuses to add up percentiles of several runs', async () => {
  const paths = ['a', 'b'].map((name) =>
    folder.write(`${name}.json`, autocannonLine({ p50: 4, totalCount: 100 })),
  );
  const { exitCode, stderr } = await check(...paths, '--together', '--slo', 'p50=5ms');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('those of several cannot be added up')]);
});

test('a tag that is missing cannot be judged', async () => {
  const { verdicts, exitCode } = await check(log(), '--slo', 'p50=120ms', '--tag', 'get', '--tag', 'delete');
  expect(verdicts.map(([one]) => [one!.verdict, one!.note])).toEqual([
    ['kept beyond doubt', null],
    ['cannot be judged', 'there are no values'],
  ]);
  expect(exitCode).toBe(3);
});

test('a number at the threshold is within it, whatever the slots are', async () => {
  const path = folder.write('equal.txt', '250\n'.repeat(1000));
  const { verdicts } = await check(path, '--unit', 'ms', '--slo', 'p50=250ms', '--slo', 'p50=249.999ms');
  expect(verdicts[0]!.map(({ verdict }) => verdict)).toEqual(['kept', 'missed']);
});

test('--time shows how dependent numbers are', async () => {
  const table = (values: readonly number[]): string =>
    folder.write('timed.csv', `at,ms\n${values.map((ms, at) => `${at / 100},${ms}\n`).join('')}`);
  const args = ['--column', 'ms', '--unit', 'ms', '--slo', 'p50=120ms'];
  const verdictOf = async (path: string, ...more: readonly string[]): Promise<string> =>
    (await check(path, ...args, ...more)).verdicts[0]![0]!.verdict;
  expect(await verdictOf(table(MS))).toBe('kept');
  expect(await verdictOf(table(MS), '--time', 'at')).toBe('kept beyond doubt');
  // The program becomes slower all the time.
  expect(await verdictOf(table(evenly(4000, 0.05)), '--time', 'at')).toBe('kept');
  const bare = await hdrscope(['check', table(MS), '--time', 'at', '--slo', 'p50=1']);
  expect([bare.exitCode, bare.stderr]).toEqual([
    2,
    expect.stringContaining('--time needs --column or --field'),
  ]);
});

test('a number in JSON at the threshold is within it as well', async () => {
  const path = folder.write('equal.jsonl', '{"ms":250}\n'.repeat(1000));
  const { verdicts } = await check(path, '--field', 'ms', '--unit', 'ms', '--slo', 'p50=250ms');
  expect(verdicts[0]![0]).toMatchObject({
    verdict: 'kept',
    within: { lower: 1000, upper: 1000 },
  });
});

test('a unit of seconds moves no number across the threshold', async () => {
  const path = folder.write('seconds.txt', '0.0051\n'.repeat(1000));
  const table = folder.write('seconds.csv', ohaTable(Array.from({ length: 1000 }, () => ({ ms: 5.1 }))));
  for (const args of [[path, '--unit', 's'], [table]]) {
    const [[one]] = (await check(...args, '--slo', 'p50=5.1ms')).verdicts as [[Verdict]];
    expect(one.within).toEqual({ lower: 1000, upper: 1000 });
    expect(one.verdict).toMatch(/^kept/);
  }
});

test('a slot that contains the threshold is stated with its bounds', async () => {
  const path = folder.write('equal.hlog', logText([{ at: 0, ms: Array.from({ length: 1000 }, () => 250) }]));
  const { stdout, exitCode } = await hdrscope(['check', path, '--slo', 'p50=250ms']);
  expect(exitCode).toBe(3);
  expect(stdout).toMatch(/p50 ≤ 250 ms +249\.954 to 250\.085 .*0 to 100 % +cannot be judged/);
});

test('a summary is judged by the percentiles that it prints, with the cure for others', async () => {
  const path = folder.write(
    'sum.json',
    k6Summaries['--summary-export']!({ med: 2, 'p(90)': 8, 'p(95)': 11 }),
  );
  const { verdicts, exitCode } = await check(
    path,
    '--slo',
    'p95=11ms',
    '--slo',
    'p90=7ms',
    '--slo',
    'p99.9=250ms',
  );
  expect(verdicts[0]).toMatchObject([
    { verdict: 'kept', note: null },
    { verdict: 'missed', note: null },
    {
      verdict: 'cannot be judged',
      note: expect.stringContaining('no p99.9, only p50, p90, p95: k6 run --summary-trend-stats'),
    },
  ]);
  expect(exitCode).toBe(1);
});

test('a rounded percentile is judged by its bounds', async () => {
  const path = folder.write(
    'cannon.json',
    autocannonLine({ p50: 4, p99: 9, p99_9: 20, totalCount: 100_000 }),
  );
  const { verdicts } = await check(
    path,
    '--slo',
    'p50=5ms',
    '--slo',
    'p50=4ms',
    '--slo',
    'p50=3ms',
    '--slo',
    'p99=20ms',
  );
  expect(verdicts[0]!.map(({ verdict }) => verdict)).toEqual([
    // p99 is 9 to 10 ms, so only p50 itself is known to be below 5.
    'kept',
    'cannot be judged',
    'missed',
    // p99.9 is 20 to 21 ms, beyond the interval of p99.
    'kept',
  ]);
});

describe('--max-errors', () => {
  const failing = (): string =>
    folder.write(
      'failing.json',
      ohaSummary({ p50: 0.001 }, { 200: 9990, 500: 4 }, { 'connection error': 6 }),
    );

  test.each([
    ['0.1%', 'kept', 0],
    ['0.05%', 'missed', 1],
    ['0.01%', 'missed', 1],
    ['1%', 'kept', 0],
    ['10', 'kept', 0],
    ['9', 'missed', 1],
    ['0%', 'missed beyond doubt', 1],
  ])('%s is %s when 10 of 10,000 requests failed', async (limit, verdict, code) => {
    const { verdicts, exitCode } = await check(failing(), '--max-errors', limit);
    expect([verdicts[0]![0]!.verdict, exitCode]).toEqual([verdict, code]);
  });

  test('a share is beyond doubt where outcomes have times, and do not come in one burst', async () => {
    const among = (isFailed: (at: number) => boolean): string =>
      folder.write(
        'outcomes.json',
        k6Points(requests.map((one, at) => ({ ...one, status: isFailed(at) ? 500 : 200 }))),
      );
    const verdictOf = async (path: string): Promise<string> =>
      (await check(path, '--max-errors', '2%')).verdicts[0]![0]!.verdict;
    // 1 % of 4,000 requests, spread over 40 seconds or in one of them.
    const random = createRandom(7);
    const spread = new Set(Array.from({ length: 40 }, () => Math.floor(random() * 4000)));
    expect(await verdictOf(among((at) => spread.has(at)))).toBe('kept beyond doubt');
    expect(await verdictOf(among((at) => at >= 2000 && at < 2040))).toBe('kept');
    // At the limit, four of 4,000 would fail.
    const few = (
      await check(
        among(() => false),
        '--max-errors',
        '0.1%',
      )
    ).verdicts[0]![0]!;
    expect(few).toMatchObject({
      verdict: 'kept',
      note: 'a limit of 0.1 % is judged beyond doubt from 20,000 independent requests on',
    });
  });

  test('needs an input that states errors', async () => {
    const { verdicts, exitCode } = await check(log(), '--tag', 'get', '--max-errors', '1%');
    expect(exitCode).toBe(3);
    expect(verdicts[0]).toMatchObject([
      {
        verdict: 'cannot be judged',
        note: expect.stringContaining('the outputs of autocannon, JMeter, k6, oha'),
      },
    ]);
    const table = folder.write('oha.csv', ohaTable(requests));
    expect((await check(table, '--max-errors', '1')).verdicts[0]![0]!.note).toContain(
      'oha --output-format json',
    );
  });

  test('reads the errors of wrk2', async () => {
    const report = `${formatPercentiles(nanoseconds(MS), { valueScale: 1e6 })}----------------------------------------------------------
  2000 requests in 10.00s, 241.64KB read
  Non-2xx or 3xx responses: 20
`;
    const path = folder.write('wrk2.txt', report);
    expect((await check(path, '--max-errors', '19')).exitCode).toBe(1);
    expect((await check(path, '--max-errors', '1%')).exitCode).toBe(0);
  });
});

test('--strict wants objectives kept beyond doubt, and takes a count for a fact', async () => {
  const args = [log(), '--tag', 'get', '--min-count', '4000', '--slo'];
  expect((await check(...args, 'p99=199ms')).exitCode).toBe(0);
  const strict = await hdrscope(['check', ...args, 'p99=199ms', '--strict']);
  expect(strict.exitCode).toBe(1);
  expect(strict.stdout).toContain('Of 2 objectives: 1 kept, but not beyond doubt.');
  expect((await check(...args, 'p99=250ms', '--strict')).exitCode).toBe(0);
});

test.each([
  [[], 'there is nothing to check: --slo p99.9=250ms states an objective'],
  [['--slo', '250ms'], '--slo must be a percentile above 0 and a value'],
  [['--slo', 'p0=1ms'], '--slo must be a percentile above 0 and a value'],
  [['--slo', 'p99=250'], '--slo needs a unit because the values are in ms'],
  [['--slo', 'p99=1KiB'], '--slo cannot be a size because the values are in ms'],
  [['--max-errors', 'some'], '--max-errors must be a percentage below 100 or an integer'],
  [['--max-errors', '100%'], '--max-errors must be a percentage below 100 or an integer'],
  [['--min-count', '0'], '--min-count must be an integer'],
  [
    ['--slo', 'p99=1s', '--report', 'report'],
    '--report must be a file that ends with .xml, .md, .json, .txt',
  ],
  [['--slo', 'p99=1s', '--report', 'a.md', '-o', 'a.md'], 'two reports cannot go to a.md'],
])('%j is a wrong command line', async (options, message) => {
  const { exitCode, stderr, stdout } = await hdrscope(['check', log(), ...options]);
  expect([exitCode, stdout, stderr]).toEqual([2, '', expect.stringContaining(message)]);
});

test('judges sizes and plain numbers', async () => {
  const path = folder.write('sizes.txt', `${evenly(1000, 64).join('\n')}\n`);
  expect((await check(path, '--unit', 'bytes', '--slo', 'p99=64KiB')).exitCode).toBe(0);
  expect((await check(path, '--slo', 'p99=65000')).exitCode).toBe(0);
});

test('refuses other JSON, and a selection of inputs without tags', async () => {
  const json = folder.write('other.json', '{"a": "x"}\n');
  expect((await check(json, '--slo', 'p99=1s')).stderr).toContain('is JSON, and not a summary of autocannon');
  const lines = folder.write('lines.json', '{"a": 1}\n{"a": 2}\n');
  expect((await check(lines, '--slo', 'p99=1s')).stderr).toContain(
    `is JSON; the fields with numbers are a: hdrscope check --field a ${lines}\n`,
  );
  const points = folder.write('k6.json', k6Points(requests));
  expect((await check(points, '--slo', 'p99=1s', '--tag', 'get')).stderr).toContain('is no interval log');
});

test('malformed lines make the exit code 1, and the rest is judged', async () => {
  const path = folder.write('cut.json', `${k6Points(requests)}{"metric":"http_req_duration","type":`);
  const { verdicts, exitCode, stderr } = await check(path, '--slo', 'p99=1s');
  expect(verdicts[0]![0]!.verdict).toBe('kept beyond doubt');
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('left out 1 malformed line')]);
});

test('-o and --report write files', async () => {
  const [text, json] = [folder.pathOf('r.txt'), folder.pathOf('r.json')];
  const { exitCode, stdout } = await hdrscope([
    'check',
    log(),
    '--slo',
    'max=1s',
    '-o',
    text,
    '--report',
    json,
  ]);
  expect([exitCode, stdout]).toEqual([0, '']);
  expect(readFileSync(text, 'utf8')).toContain('All 2 objectives are kept.');
  expect(JSON.parse(readFileSync(json, 'utf8')).isKept).toBe(true);
});
