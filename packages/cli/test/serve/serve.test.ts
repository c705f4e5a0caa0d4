import { appendFileSync } from 'node:fs';
import { formatPercentiles, Histogram } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatInterval, LEGEND_LINE } from '@hdrscope/interval-log';
import { Termination } from '../../src/command.ts';
import { hdrscope, type Ran } from '../support/fake-io.ts';
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

test('shows each log and each percentile text in its own view', async () => {
  const histogram = new Histogram({ autoResize: true, significantDigits: 3 });
  histogram.record(5_000_000, 7);
  const paths = [
    folder.write('service.hlog', LOG),
    folder.write('before.hgrm', formatPercentiles(histogram, { valueScale: 1e6 })),
  ];

  const { exitCode, stderr } = await served(paths, async (url) => {
    const text = await eventsUntil(`${url}events?view=service.hlog`, (all) =>
      /event: view\n.*\n\n/.test(all),
    );
    expect(text).toContain('"views":["service.hlog","before.hgrm"]');
    const [, json] = /event: view\ndata: (.*)\n/.exec(text)!;
    expect(JSON.parse(json!)).toMatchObject({
      name: 'service.hlog',
      plots: [
        { kind: 'percentiles', unit: 'ns', curves: [{ name: 'get', totalCount: 20 }] },
        { kind: 'over-time', timesMs: [1_700_000_000_000, 1_700_000_001_000] },
        { kind: 'heat-map' },
      ],
    });
    const other = await eventsUntil(`${url}events?view=before.hgrm`, (all) =>
      /event: view\n.*\n\n/.test(all),
    );
    expect(other).toContain('"totalCount":7');
  });

  expect({ exitCode, stderr }).toEqual({ exitCode: 130, stderr: '' });
});

test('with -f, the page shows intervals that are written later', async () => {
  const path = folder.write('growing.hlog', LOG);

  await served(['-f', path], async (url) => {
    const isShown = (count: number) => (text: string) => text.includes(`"totalCount":${count}`);
    await eventsUntil(`${url}events?view=growing.hlog`, isShown(20));
    appendFileSync(path, intervalOf(2, 3_000_000));
    await eventsUntil(`${url}events?view=growing.hlog`, isShown(30));
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
  [['nowhere.hlog'], 1, /^hdrscope: cannot read nowhere\.hlog: there is no such file/],
])('refuses %j', async (args, exitCode, message) => {
  const ran = await hdrscope(['serve', ...args]);

  expect(ran.exitCode).toBe(exitCode);
  expect(ran.stderr).toMatch(message);
});

test('refuses a file that is neither a log nor percentile text', async () => {
  const path = folder.write('notes.txt', 'milk\neggs\n');

  expect(await hdrscope(['serve', path])).toMatchObject({
    exitCode: 1,
    stderr: `hdrscope: ${path}: it must be an interval log or percentile text, and has no interval\n`,
  });
});
