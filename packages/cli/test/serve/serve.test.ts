import { appendFileSync, readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { DoubleHistogram, formatPercentiles, Histogram } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatInterval, LEGEND_LINE } from '@hdrscope/interval-log';
import { Termination } from '../../src/command.ts';
import { hdrscope, type Ran } from '../support/fake-io.ts';
import { writeHistory } from '../support/history-rows.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

function intervalOf(second: number, value: number): string {
  const histogram = new Histogram({ autoResize: true, significantDigits: 3 });
  histogram.record(value, 10);
  const startSec = 1_700_000_000 + second;
  return formatInterval(histogram, { startSec, endSec: startSec + 1, tag: 'get' });
}

const LOG = FORMAT_VERSION_LINE + LEGEND_LINE + intervalOf(0, 1_000_000) + intervalOf(1, 2_000_000);

/** Runs the command until the given function has looked at the page. */
async function served(args: readonly string[], look: (url: string) => Promise<void>): Promise<Ran> {
  let looked: Promise<void> = Promise.resolve();
  const ran = await hdrscope(['serve', '--port', '0', ...args], {
    onOutput: (text, end) => {
      const [, url] = /the page is at (\S+)/.exec(text) ?? [];
      looked = look(url!).finally(() => end(new Termination('SIGINT', 130)));
    },
  });
  await looked;
  return ran;
}

/** The events of the page, up to the first that matches. */
async function eventsUntil(url: string, isThere: (text: string) => boolean): Promise<string> {
  const ending = new AbortController();
  const { body } = await fetch(url, { signal: ending.signal });
  const decoder = new TextDecoder();
  let text = '';
  for await (const chunk of body!) {
    text += decoder.decode(chunk, { stream: true });
    if (isThere(text)) break;
  }
  ending.abort();
  return text;
}

/** The data of the last event of a kind. */
function lastOf(text: string, event: string): Record<string, unknown> {
  const all = [...text.matchAll(new RegExp(`event: ${event}\\n(?:id: .*\\n)?data: (.*)\\n`, 'g'))];
  return JSON.parse(all.at(-1)![1]!);
}

test('shows a log with all of its intervals, and percentile text in a tab of its own', async () => {
  const histogram = new Histogram({ autoResize: true, significantDigits: 3 });
  histogram.record(5_000_000, 7);
  const paths = [
    folder.write('service.hlog', LOG),
    folder.write('before.hgrm', formatPercentiles(histogram, { valueScale: 1e6 })),
  ];

  const { exitCode, stderr } = await served(paths, async (url) => {
    const pick = new URLSearchParams({ pick: 'values tag=get' });
    const text = await eventsUntil(`${url}events?${pick}`, (all) =>
      /event: detail\n.*"totalCount":20.*\n\n/.test(all),
    );
    expect(lastOf(text, 'table')).toMatchObject({
      ...{ isRecord: true, tabs: ['before.hgrm'] },
      history: { intervals: 2, range: { fromMs: 1_700_000_000_000, toMs: 1_700_000_002_000 } },
    });
    expect(lastOf(text, 'rows')).toMatchObject({ rows: [{ count: 20, perSecond: 10 }] });
    expect(lastOf(text, 'detail')).toMatchObject({
      plots: [
        { kind: 'percentiles', unit: 's', curves: [{ totalCount: 20 }] },
        { kind: 'over-time', timesMs: [1_700_000_000_000, 1_700_000_001_000] },
        { kind: 'heat-map' },
      ],
    });
    const other = await eventsUntil(`${url}events?tab=before.hgrm`, (all) => /event: tab\n.*\n\n/.test(all));
    expect(other).toContain('"totalCount":7');
  });

  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
});

test('series of several logs have the names of their files, and tags with attributes have these', async () => {
  const one = folder.write('one.hlog', LOG);
  const other = folder.write('other.hlog', LOG.replaceAll('Tag=get', 'Tag=rpc?method=put'));

  await served([one, other], async (url) => {
    const text = await eventsUntil(`${url}events`, (all) => all.includes('"count":20'));
    // Later events have the changes only.
    const whole = text.split('event: ').find((event) => event.includes('"method=put"'))!;
    const { series, families } = JSON.parse(/data: (.*)/.exec(whole)![1]!) as Record<
      string,
      { name: string; attributes: string[] }[]
    >;
    expect(families!.map(({ name }) => name)).toEqual(['values', 'rpc']);
    expect(series!.map(({ attributes }) => attributes)).toEqual([
      ['file=one.hlog', 'tag=get'],
      ['file=other.hlog', 'method=put'],
    ]);
  });
});

test.each([
  [2, 4],
  [4, 2],
])('logs of %i and of %i digits share a page, and the coarser one has bounds', async (...digits) => {
  const paths = digits.map((significantDigits) => {
    const histogram = new Histogram({ autoResize: true, significantDigits });
    histogram.record(1_234_567, 10);
    const startSec = 1_700_000_000;
    const log =
      FORMAT_VERSION_LINE + LEGEND_LINE + formatInterval(histogram, { startSec, endSec: startSec + 1 });
    return folder.write(`digits-${significantDigits}.hlog`, log);
  });
  const { stderr } = await served(paths, async (url) => {
    const text = await eventsUntil(
      `${url}events`,
      (all) => /event: rows\n.*digits-2.*\n/.test(all) && /event: rows\n.*digits-4.*\n/.test(all),
    );
    const { errors } = lastOf(text, 'table');
    expect(errors).toEqual([]);
    const { rows } = lastOf(text, 'rows') as { rows: { attributes: string[]; values: Values }[] };
    const bounds = new Map(
      rows.map(({ attributes, values }) => [attributes[0], [values.lower[0], values.upper[0]]]),
    );
    expect(bounds.size).toBe(2);
    const [fine, coarse] = [4, 2].map((n) => bounds.get(`file=digits-${n}.hlog`)!);
    expect(fine).toEqual([0.00123456, 0.001234623]);
    expect(coarse).toEqual([0.0012288, 0.001236991]);
  });
  expect(stderr).toBe('');
});

interface Values {
  readonly lower: readonly number[];
  readonly upper: readonly number[];
}

test('logs of two units cannot share a family: the page and the terminal name both units', async () => {
  const paths = ['s', 'By'].map((unit) => {
    const note = JSON.stringify({ name: 'x', unit, description: '', resolution: 1, significantDigits: 3 });
    return folder.write(
      `${unit}.hlog`,
      `${FORMAT_VERSION_LINE}#[Family: ${note}]\n${LEGEND_LINE}${intervalOf(0, 9).replace('Tag=get', 'Tag=x')}`,
    );
  });
  const { stderr } = await served(paths, async (url) => {
    const text = await eventsUntil(`${url}events`, (all) => /"errors":\["[^\n]*\n\n/.test(all));
    expect(lastOf(text, 'table')).toMatchObject({
      errors: ['the record: the family "x" is registered with unit "s", got "By"'],
    });
  });
  expect(stderr).toBe(
    'hdrscope: the page shows what was read before this: the family "x" is registered with unit "s", got "By": show the logs on two pages\n',
  );
});

test('intervals of doubles and broken lines are left out and reported', async () => {
  const doubles = new DoubleHistogram({ significantDigits: 2 });
  doubles.record(0.5);
  const double = formatInterval(doubles, { startSec: 1_700_000_001, endSec: 1_700_000_002 });
  const path = folder.write('mixed.hlog', `${LOG}${double}broken\n`);
  const { stderr } = await served([path], async (url) => {
    await eventsUntil(`${url}events`, (all) => all.includes('"count":20'));
  });
  expect(stderr).toBe(`hdrscope: ${path}: 1 interval of doubles is left out, 1 malformed line is left out\n`);
});

test('with -f, the page shows intervals that are written later', async () => {
  const path = folder.write('growing.hlog', LOG);

  await served(['-f', path], async (url) => {
    const isShown = (count: number) => (text: string) => text.includes(`"count":${count}`);
    await eventsUntil(`${url}events`, isShown(20));
    appendFileSync(path, intervalOf(2, 3_000_000));
    await eventsUntil(`${url}events`, isShown(30));
  });
});

test('--demo has series', async () => {
  await served(['--demo'], async (url) => {
    const text = await eventsUntil(`${url}events`, (all) => all.includes('"rows":[['));
    expect(text).toContain('"http.server.request.duration"');
  });
});

test('--token without a text puts a random token into the printed address', async () => {
  await served(['--host', '127.0.0.1', '--token'], async (url) => {
    const { origin, searchParams } = new URL(url);
    expect(searchParams.get('token')).toMatch(/^[\w-]{32}$/);
    expect((await fetch(`${origin}/events`)).status).toBe(401);
    const headers = { authorization: `Bearer ${searchParams.get('token')}` };
    expect((await fetch(`${origin}/nothing`, { headers })).status).not.toBe(401);
  });
});

test.each([
  [['--host', '0.0.0.0'], 1, /^hdrscope: host must be loopback .* without a token, got "0\.0\.0\.0"/],
  [['--host', '0.0.0.0', '--token', 'short'], 1, /^hdrscope: token must be at least 16 letters/],
  [['--port', '70000'], 2, /^hdrscope: --port must be an integer from 0 to 65535, got '70000'/],
  [['--unit', 'parsec'], 2, /^hdrscope: --unit must be /],
  [['-'], 2, /^hdrscope: a page shows files, not standard input/],
  [['--demo', 'a.hlog'], 2, /^hdrscope: --demo shows an invented service: it takes no files/],
  [['nowhere.hlog'], 1, /^hdrscope: no such file: nowhere\.hlog/],
])('refuses %j', async (args, exitCode, message) => {
  const ran = await hdrscope(['serve', ...args]);

  expect(ran.exitCode).toBe(exitCode);
  expect(ran.stderr).toMatch(message);
});

test('refuses a file that is neither a log nor percentile text', async () => {
  const path = folder.write('notes.txt', 'milk\neggs\n');

  expect(await hdrscope(['serve', path])).toMatchObject({
    exitCode: 1,
    stderr: expect.stringContaining(`hdrscope: ${path} is text of no known form: hdrscope reads logs, `),
  });
});

describe('a history', () => {
  let history: string;
  beforeAll(async () => {
    history = folder.pathOf('history');
    const minutes = Array.from(
      { length: 30 },
      (_, minute) => `2026-11-10T00:${String(minute).padStart(2, '0')}:00`,
    );
    await writeHistory(history, [
      ...minutes.flatMap((time) =>
        ['/pay', '/search'].map((route) => [time, { route }, { 10: 90, 200: 10 }] as const),
      ),
      ['2026-11-12T00:00:00', { route: '/pay' }, { 10: 7 }],
    ]);
  });

  /** The table of the page once the history has been read, and its rows and its detail have as many values. */
  const tableOf = async (count: number, ...args: string[]): Promise<Ran & { text: string }> => {
    let text = '';
    const ran = await served([history, ...args], async (url) => {
      const pick = new URLSearchParams({ pick: 'rpc route=/pay' });
      text = await eventsUntil(
        `${url}events?${pick}`,
        (all) =>
          /"isReading":false[\s\S]*event: detail\n.*\n\n/.test(all) &&
          JSON.stringify(lastOf(all, 'rows')).includes(`"count":${count}`) &&
          JSON.stringify(lastOf(all, 'detail')).includes(`"totalCount":${count}`),
      );
    });
    return { ...ran, text };
  };

  test('is shown with all its intervals, as a log is', async () => {
    const { exitCode, stderr, text } = await tableOf(3000, '--until', '2026-11-11');
    expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
    expect(lastOf(text, 'table')).toMatchObject({
      ...{ isRecord: true, title: 'history' },
      history: {
        intervals: 30,
        finestMs: 60_000,
        range: { fromMs: Date.UTC(2026, 10, 10), toMs: Date.UTC(2026, 10, 10, 0, 30) },
      },
    });
    expect(lastOf(text, 'rows')).toMatchObject({ rows: [{ count: 3000 }, { count: 3000 }] });
    expect(lastOf(text, 'detail')).toMatchObject({
      plots: [
        { kind: 'percentiles', unit: 's', curves: [{ totalCount: 3000 }] },
        { kind: 'over-time' },
        { kind: 'heat-map' },
      ],
    });
  });

  test('is merged to fewer stretches when its time is long, and the command says so', async () => {
    const { stderr, text } = await tableOf(3007, '--metric', 'rpc');
    expect(stderr).toBe(
      'hdrscope: the page shows stretches of 10m, because the time is long; --since and --until choose a shorter one\n',
    );
    // Three stretches, a gap of two days, and one more.
    expect(lastOf(text, 'table')).toMatchObject({ history: { intervals: 5, finestMs: 600_000 } });
    expect(lastOf(text, 'rows')).toMatchObject({ rows: [{ count: 3007 }, { count: 3000 }] });
  });

  test.each([
    [['--metric', 'rcp'], 1, "has no metric 'rcp': did you mean rpc?"],
    [
      ['--metric', 'rpc', '--since', '2026-11-13'],
      1,
      'no values are selected: rpc has values from 2026-11-10',
    ],
    [['--since', '2026-11-13'], 1, 'no values are selected: '],
    [['-f'], 2, '-f follows logs: a history is shown as it is now'],
    [['service.hlog'], 2, 'is a folder: the page shows one history, and no files beside it'],
    [['--since', '2026-11-12', '--until', '2026-11-11'], 2, '--since must be before --until'],
  ])('refuses %j', async (args, code, message) => {
    const { exitCode, stdout, stderr } = await hdrscope(['serve', history, '--port', '0', ...args]);
    expect([exitCode, stdout]).toEqual([code, '']);
    expect(stderr).toContain(message);
  });

  test.each([[], ['--metric', 'rpc'], ['--metric', 'rpc', '--since', '2026-11-13']])(
    'a damaged file is named, and not taken for one without the metric, %#',
    async (...args) => {
      const damaged = folder.pathOf('damaged');
      await writeHistory(damaged, [['2026-11-10T00:00:00', {}, { 10: 7 }]]);
      const [file] = readdirSync(damaged, { recursive: true, encoding: 'utf8' }).filter((name) =>
        name.endsWith('.parquet'),
      );
      writeFileSync(join(damaged, file!), 'damaged');
      const { exitCode, stdout, stderr } = await hdrscope(['serve', damaged, '--port', '0', ...args]);
      expect([exitCode, stdout]).toEqual([1, '']);
      expect(stderr).toContain(`cannot read ${join(damaged, file!)}: `);
      expect(stderr).toContain(`: hdrscope history verify ${damaged} --repair sets such files aside\n`);
    },
  );

  test('the options of a history need one', async () => {
    const { exitCode, stderr } = await hdrscope(['serve', '--since', '1d']);
    expect([exitCode, stderr]).toEqual([
      2,
      expect.stringContaining('--metric go with the folder of a history'),
    ]);
    const empty = await hdrscope(['serve', folder.pathOf('')]);
    expect([empty.exitCode, empty.stderr]).toEqual([1, expect.stringContaining('has no rows of a history')]);
  });
});
