import { existsSync, readFileSync } from 'node:fs';
import { DoubleHistogram } from '@hdrscope/core';
import { formatInterval } from '@hdrscope/interval-log';
import { parseRange } from '../../src/moment.ts';
import { hdrscope, type World } from '../support/fake-io.ts';
import { writeHistory } from '../support/history-rows.ts';
import { logText, useFolder, type Written } from '../support/logs.ts';

const folder = useFolder();
let history: string;
beforeAll(async () => {
  history = folder.pathOf('history');
  const quiet = { 10: 90_000, 100: 9_950, 200: 50 };
  await writeHistory(history, [
    ['2026-03-10T14:00', { route: '/pay', host: 'a' }, quiet],
    ['2026-03-10T14:00', { route: '/cart', host: 'a' }, quiet],
    ['2026-03-10T14:00', { route: '/list', host: 'b' }, quiet],
    ['2026-03-10T14:30', { route: '/list', host: 'b' }, quiet],
    ['2026-03-10T15:10', { route: '/pay', host: 'a' }, { 10: 9_000, 1000: 1_000 }],
    ['2026-03-10T15:10', { route: '/cart', host: 'a' }, quiet],
    ['2026-03-10T15:10', { route: '/list', host: 'b' }, quiet],
  ]);
});

const RANGES = ['--before', '2026-03-10T14:00/15:10', '--after', '2026-03-10T15:10/8m'];
const explain = (args: readonly string[], world: World = {}) =>
  hdrscope(['explain', history, '--metric', 'rpc', ...args], world);

test('the percentile before and after, a table and a sentence', async () => {
  const { exitCode, stdout, stderr } = await explain(RANGES);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('rpc, values in ms\n');
  expect(stdout).toMatch(/^before +2026-03-10 14:00 +2026-03-10 15:10 +400,000 +100\.\d+ /m);
  expect(stdout).toMatch(/^after +2026-03-10 15:10 +2026-03-10 15:18 +210,000 +1,00\d\.\d+ /m);
  expect(stdout).toMatch(
    /^route=\/pay +100\.\d+ +1,00\d\.\d+ +100,000 +10,000 +100 % +values +explains it$/m,
  );
  expect(stdout).toMatch(
    /p99\.9 moved from 100\.\d+ ms to 1,00\d\.\d+ ms, and route=\/pay explains 100 % of it: its values changed\.\n$/,
  );
});

test('the only metric of a history is taken', async () => {
  const [named, taken] = [await explain(RANGES), await hdrscope(['explain', history, ...RANGES])];
  expect([taken.exitCode, taken.stdout]).toEqual([0, named.stdout]);
});

test('a route that is slow on one host, and another one, are causes side by side', async () => {
  const both = folder.pathOf('both');
  const quiet = { 10: 9_980, 100: 15, 200: 5 };
  const slow = { 10: 9_800, 1000: 200 };
  await writeHistory(
    both,
    ['/pay', '/cart', '/list', '/item'].flatMap((route) =>
      ['a', 'b', 'c'].flatMap((host) => {
        const isSlow = route === '/cart' || (route === '/pay' && host === 'b');
        return [
          ['2026-03-10T14:00', { route, host }, quiet] as const,
          ['2026-03-10T15:10', { route, host }, isSlow ? slow : quiet] as const,
        ];
      }),
    ),
  );
  const { stdout } = await hdrscope(['explain', both, '--metric', 'rpc', ...RANGES]);
  expect(stdout).toMatch(/^route=\/cart .* 50 % +values +explains it$/m);
  expect(stdout).toMatch(/^route=\/pay & host=b .* 50 % +values +explains it as well$/m);
  expect(stdout).toMatch(
    /route=\/cart explains 50 % of it: its values changed\. So does route=\/pay & host=b, with 50 % of it: its values changed\.\n$/,
  );
});

test('ranges without a difference get no verdict', async () => {
  const { exitCode, stdout } = await explain([
    '--before',
    '2026-03-10T14:00/10m',
    '--after',
    '2026-03-10T14:30/10m',
  ]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('No difference of p99.9 is shown, so there is nothing to explain.\n');
  expect(stdout).not.toContain('attribute');
});

test('a difference that all series share has no cause', async () => {
  const alike = folder.pathOf('alike');
  await writeHistory(
    alike,
    ['/pay', '/cart', '/list'].flatMap((route) => [
      ['2026-03-10T14:00', { route }, { 10: 9_950, 100: 50 }] as const,
      ['2026-03-10T15:10', { route }, { 10: 9_950, 400: 50 }] as const,
    ]),
  );
  const { stdout } = await hdrscope(['explain', alike, '--metric', 'rpc', ...RANGES]);
  expect(stdout).toMatch(
    /p99\.9 moved from 100\.\d+ ms to 400\.\d+ ms, but no attribute value explains it: either all series moved alike, or the series that moved share no attribute value that the others lack\.\n$/,
  );
});

test('too few values, and none, are said', async () => {
  const { stdout } = await explain([...RANGES, '--where', 'route=/none']);
  expect(stdout).toContain(
    'Too few values for p99.9 with 99.9 % confidence: 0 values before, 0 values after.',
  );
});

test('JSON has all figures, in the unit that it names', async () => {
  const json = JSON.parse((await explain([...RANGES, '--json', '--percentile', 'p99.9'])).stdout);
  expect(json).toMatchObject({
    metric: 'rpc',
    unit: 'ms',
    percentile: 99.9,
    verdict: 'explained',
    before: { startSec: Date.parse('2026-03-10T14:00Z') / 1000, count: 400_000 },
    after: { count: 210_000 },
    causes: [
      {
        attributes: [[{ key: 'route', value: '/pay' }]],
        parts: { values: 1, share: 0 },
        kind: 'values',
        explains: 1,
        verdict: 'explains it',
        before: { count: 100_000 },
      },
      {},
      {},
      {},
    ],
  });
  expect(json.difference.interval.lower).toBeGreaterThan(0);
});

test('--top cuts the table', async () => {
  const { stdout } = await explain([...RANGES, '--top', '1']);
  expect(stdout.match(/^(route|host)=/gm)).toHaveLength(1);
});

test.each([
  ['2026-03-10T14:00/15:10', '2026-03-10T14:00Z', '2026-03-10T15:10Z'],
  ['2026-03-10T14:00/2026-03-11', '2026-03-10T14:00Z', '2026-03-11T00:00Z'],
  ['2026-03-10 14:00/70m', '2026-03-10T14:00Z', '2026-03-10T15:10Z'],
  ['1d/2026-03-10', '2026-03-09T00:00Z', '2026-03-10T00:00Z'],
  ['2026-03-10T14:00+02:00/15:10', '2026-03-10T12:00Z', '2026-03-10T13:10Z'],
  ['2026-03-10T14:00:00+02:00/15:10:30Z', '2026-03-10T12:00Z', '2026-03-10T15:10:30Z'],
  ['1772366400/1772370000', '2026-03-01T12:00Z', '2026-03-01T13:00Z'],
])('%s is from %s to %s', (text, since, until) => {
  expect(parseRange(text, '--before')).toEqual({ sinceMs: Date.parse(since), untilMs: Date.parse(until) });
});

test.each(['', '2026-03-10', '2026-03-10/', '2026-03-10/x', '1h/2h', '2026-03-10/1/2', '14:00/15:10'])(
  '%j is no range',
  (text) => {
    expect(() => parseRange(text, '--before')).toThrow(
      '--before must be a start and an end, or a duration, as in 2026-03-10T14:00/15:10 or 2026-03-10T14:00/70m',
    );
  },
);

test.each([
  [
    ['--before', '2026-03-10T14:00/13:00'],
    "--before must be a range whose end is after its start, got '2026-03-10T14:00/13:00'",
  ],
  [
    ['--before', '2026-03-10T14:00/15:10', '--after', '2026-03-10T15:00/16:00'],
    '--before and --after must not overlap',
  ],
  [
    [],
    '--before and --after are required: ranges, as in --before 2026-03-10T14:00/15:10 --after 2026-03-10T15:10/15:18',
  ],
  [['--before', '2026-03-10T14:00/15:10'], '--after is required: a range, as in 2026-03-10T15:10/15:18'],
  [['--after', '2026-03-10T14:00/15:10'], '--before is required: a range, as in 2026-03-10T14:00/15:10'],
  [[...RANGES, '--unit', 'us'], '--unit is for logs: in a history, --where selects series'],
  [[...RANGES, '--no-tag'], '--tag and --no-tag are for logs: in a history, --where selects series'],
  [[...RANGES, '--since', '10'], '--since is for logs: in a history, --where selects series'],
  [
    [...RANGES, '--percentile', '100'],
    "--percentile must be a number above 0 and below 100, as in 99.9, got '100'",
  ],
])('%j is a wrong command line', async (args, message) => {
  const { exitCode, stderr } = await explain(args);
  expect([exitCode, stderr]).toEqual([2, expect.stringContaining(message)]);
});

test('a bare folder gets all that its question lacks in one sentence', async () => {
  const { exitCode, stderr } = await hdrscope(['explain', history]);
  expect([exitCode, stderr]).toEqual([
    2,
    'hdrscope: --before and --after are required: ranges, as in --before 2026-03-10T14:00/15:10 --after 2026-03-10T15:10/15:18; a history of several metrics needs --metric, too\n',
  ]);
});

test('the folder of a history may stand behind the ranges', async () => {
  const { exitCode, stdout } = await hdrscope(['explain', '--metric', 'rpc', ...RANGES, history]);
  expect(exitCode).toBe(0);
  expect(stdout).toContain('route=/pay explains 100 % of it');
});

// Logs.

/** A thousand values of 10 ms, of which some take longer. */
const withSlow = (count: number, ms: number): number[] =>
  Array.from({ length: 10_000 }, (_, i) => (i < count ? ms : 10));
const interval = (tag: string | undefined, slow: number, ms: number, at = 0): Written => ({
  tag,
  at,
  length: 60,
  ms: withSlow(slow, ms),
});
const SERIES = ['/pay', '/cart', '/list', '/item'].flatMap((route) =>
  ['a', 'b', 'c'].map((host) => `rpc?host=${host}&route=${route}`),
);

/** A log with an interval of each series; those of which it is said so are slow. */
const writeLog = (name: string, isSlow: (tag: string) => boolean, at = 0): string =>
  folder.write(
    name,
    logText(SERIES.map((tag) => (isSlow(tag) ? interval(tag, 500, 1000, at) : interval(tag, 15, 100, at)))),
  );
const isGuilty = (tag: string): boolean =>
  tag.includes('/cart') || (tag.includes('/pay') && tag.includes('host=b'));

test('two logs: tags are series, and their attributes the causes', async () => {
  const before = writeLog('before.hlog', () => false);
  const after = writeLog('after.hlog', isGuilty, 3600);
  const { exitCode, stdout, stderr } = await hdrscope(['explain', '--before', before, '--after', after]);
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toContain('rpc, values in ms\n');
  expect(stdout).toMatch(/^before +2017-07-14 02:40 +2017-07-14 02:41 +120,000 /m);
  expect(stdout).toMatch(/^after +2017-07-14 03:40 +2017-07-14 03:41 +120,000 /m);
  expect(stdout).toMatch(/^route=\/cart .* 50 % +values +explains it$/m);
  expect(stdout).toMatch(/^host=b & route=\/pay .* 50 % +values +explains it as well$/m);
  expect((await hdrscope(['explain', before, after])).stdout).toBe(stdout);
});

test('a history and two logs of the same values are explained alike', async () => {
  const [before, after] = [writeLog('old.hlog', () => false), writeLog('new.hlog', isGuilty, 3600)];
  const imported = folder.pathOf('imported');
  for (const log of [before, after]) await hdrscope(['history', 'import', log, '-o', imported]);
  const ranges = ['--before', '2017-07-14T02:40/10m', '--after', '2017-07-14T03:40/10m'];
  const json = async (...args: string[]) => {
    const { causes, ...document } = JSON.parse((await hdrscope(['explain', ...args, '--json'])).stdout);
    const named = causes
      .filter(({ verdict }: { verdict: string }) => verdict.startsWith('explains it'))
      // Series are added in another order.
      .map((cause: { evidence: number }) => ({ ...cause, evidence: cause.evidence.toFixed(6) }));
    return { ...document, named, before: document.before.interval, after: document.after.interval };
  };
  const ofLogs = await json(before, after);
  expect(ofLogs.named).toHaveLength(2);
  expect(ofLogs).toEqual(await json(imported, '--metric', 'rpc', ...ranges));
});

test('several logs of a side are added up, and their selected intervals only', async () => {
  const parts = ['a', 'b'].map((name) => writeLog(`quiet-${name}.hlog`, () => false));
  const after = folder.write(
    'later.hlog',
    logText(
      [0, 60].flatMap((at) =>
        SERIES.map((tag) =>
          at === 60 && isGuilty(tag) ? interval(tag, 500, 1000, at) : interval(tag, 15, 100, at),
        ),
      ),
    ),
  );
  const of = async (...args: string[]) =>
    JSON.parse(
      (await hdrscope(['explain', ...args, '--before', ...parts, '--after', after, '--json'])).stdout,
    );
  const all = await of();
  expect([all.before.count, all.before.files, all.after.count]).toEqual([240_000, parts, 240_000]);
  expect(all.verdict).toBe('explained');
  const first = await of('--until', '60');
  expect([first.after.count, first.verdict]).toEqual([120_000, 'no difference shown']);
});

test('plain tags are values of the attribute tag, and values without one have none', async () => {
  const tags = ['get', 'put', 'scan', undefined];
  const [before, after] = [0, 500].map((slow) =>
    folder.write(
      `plain-${slow}.hlog`,
      logText(tags.map((tag) => interval(tag, tag === 'put' && slow > 0 ? slow : 15, slow > 0 ? 1000 : 100))),
    ),
  );
  const { stdout } = await hdrscope(['explain', before!, after!, '--unit', 'us', '--percentile', '99']);
  expect(stdout).toMatch(/^values, values in ms$/m);
  expect(stdout).toMatch(/p99 moved from 10,\d+\.\d+ ms to .* and tag=put explains 100 % of it/);
});

test('a picture shows the parts as a waterfall, in the format of the ending', async () => {
  const [before, after] = [writeLog('b.hlog', () => false), writeLog('a.hlog', isGuilty)];
  for (const [name, beginning] of [
    ['parts.svg', '<svg'],
    ['parts.png', '\u0089PNG'],
  ] as const) {
    const output = folder.pathOf(name);
    const { exitCode, stdout, stderr } = await hdrscope(['explain', before, after, '-o', output]);
    expect([exitCode, stdout, stderr]).toEqual([0, '', '']);
    expect(readFileSync(output, 'latin1').startsWith(beginning)).toBe(true);
  }
  const svg = readFileSync(folder.pathOf('parts.svg'), 'utf8');
  for (const text of [
    'What moved p99.9 of rpc',
    'route=/cart',
    '+450 ms (50 %)',
    'host=b &amp; route=/pay',
  ]) {
    expect(svg).toContain(text);
  }
});

test('a picture of no parts is refused with the reason', async () => {
  const [before, after] = [writeLog('b.hlog', () => false), writeLog('c.hlog', () => false)];
  const say = async (...args: string[]) => {
    const { exitCode, stderr } = await hdrscope(['explain', before, after, ...args]);
    return [exitCode, stderr];
  };
  const output = folder.pathOf('none.svg');
  expect(await say('-o', output)).toEqual([
    1,
    'hdrscope: there are no parts to draw: No difference of p99.9 is shown, so there is nothing to explain.\n',
  ]);
  expect(existsSync(output)).toBe(false);
  expect(await say('--format', 'png')).toEqual([2, expect.stringContaining('a PNG picture needs a file')]);
  expect(await say('-o', 'x.html')).toEqual([
    2,
    expect.stringContaining('it writes text (.txt), json (.json), svg (.svg), png (.png)'),
  ]);
});

test('a log may have more series than a registry takes of a service', async () => {
  const log = (name: string, slow: number): string =>
    folder.write(
      name,
      logText(
        Array.from({ length: 2100 }, (_, i) => ({
          ...{ tag: `rpc?kind=${i < 1800 ? 'a' : 'b'}&user=${i}`, at: 0 },
          ms: Array.from({ length: 10 }, () => (i < 1800 ? 10 : slow)),
        })),
      ),
    );
  const { stdout } = await hdrscope(['explain', log('fast.hlog', 10), log('slow.hlog', 900), '--json']);
  const { causes } = JSON.parse(stdout);
  expect(causes[0]).toMatchObject({ attributes: [[{ key: 'kind', value: 'b' }]], after: { count: 3000 } });
});

test('logs with several metrics ask for one, and name a wrong one', async () => {
  const two = folder.write('two.hlog', logText([interval('rpc?a=1', 1, 2), interval('db?a=1', 1, 2)]));
  const one = folder.write('one.hlog', logText([interval('rpc?a=1', 1, 2)]));
  const say = async (...args: string[]) => {
    const { exitCode, stderr } = await hdrscope(['explain', one, two, ...args]);
    return [exitCode, stderr];
  };
  expect(await say()).toEqual([
    1,
    'hdrscope: --metric chooses one of several metrics: the logs have db, rpc\n',
  ]);
  expect(await say('--metric', 'rcp')).toEqual([
    1,
    expect.stringContaining("there is no metric 'rcp': did you mean rpc?"),
  ]);
  expect((await say('--metric', 'rpc'))[0]).toBe(0);
});

test('malformed lines are left out, and named', async () => {
  const damaged = folder.write('damaged.hlog', `${logText([interval('rpc?a=1', 1, 2)])}Tag=x,1,2\n`);
  const whole = folder.write('whole.hlog', logText([interval('rpc?a=1', 1, 2)]));
  const { exitCode, stdout, stderr } = await hdrscope(['explain', whole, damaged]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('left out 1 malformed line')]);
  expect(stdout).toContain('No difference of p99.9 is shown');
});

test('intervals of doubles are left out, and counted', async () => {
  const whole = writeLog('integers.hlog', () => false);
  const doubles = new DoubleHistogram();
  doubles.record(0.5);
  const mixed = folder.write(
    'mixed.hlog',
    `${logText(SERIES.map((tag) => interval(tag, 15, 100)))}${formatInterval(doubles, { tag: 'rpc?a=1', startSec: 1, endSec: 2 })}`,
  );
  const { exitCode, stdout, stderr } = await hdrscope(['explain', whole, mixed]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('1 interval of doubles is left out')]);
  expect(stdout).toContain('No difference of p99.9 is shown');
});

test.each([
  [[], 2, 'two files, before and after, or the runs of --before and --after, got 0 files'],
  [['LOG'], 2, 'is one log, and two are compared: hdrscope log slice cuts it in two'],
  [['LOG', 'OTHER', 'LOG'], 2, 'got 3 files'],
  [['LOG', 'OTHER', '--allow-missing'], 2, '--allow-missing is for a history'],
  [['--before', 'LOG'], 2, '--before and --after need each other'],
  [['--before', 'LOG', '--after', 'LOG'], 2, 'is given twice'],
  [RANGES, 2, 'is a time of a history: give the folder of the history, as in hdrscope explain history'],
  [['LOG', 'NUMBERS'], 1, 'is a text of numbers'],
  [['LOG', 'OTHER', '--tag', 'none'], 1, "has the tag 'none'"],
])('%j is refused with the cure', async (args, code, message) => {
  const files: Record<string, string> = {
    LOG: writeLog('x.hlog', () => false),
    OTHER: writeLog('y.hlog', () => false),
    NUMBERS: folder.write('numbers.txt', '1\n2\n3\n'),
  };
  const { exitCode, stderr } = await hdrscope(['explain', ...args.map((word) => files[word] ?? word)]);
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(message)]);
});
