import { readFileSync } from 'node:fs';
import { readIntervals, summarizeLogs } from '@hdrscope/interval-log';
import { createRandom } from '@hdrscope/testing/random';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

interface Request {
  readonly path: string;
  readonly ms: number;
  /** Seconds after 21:00:00. */
  readonly at: number;
  /** @default 200 */
  readonly status?: number;
}

const START_SEC = Date.UTC(2026, 10, 28, 21) / 1000;

function accessLog(requests: readonly Request[]): string {
  return requests
    .map(({ path, ms, at, status = 200 }) => {
      const time = new Date((START_SEC + at) * 1000).toISOString().slice(11, 19);
      return `10.0.0.1 - - [28/Nov/2026:${time} +0000] "GET ${path} HTTP/1.1" ${status} 5 "-" "x" ${(ms / 1000).toFixed(3)}\n`;
    })
    .join('');
}

/** Requests to two routes over 20 minutes, of which one has as many paths as make a route of them. */
function makeRequests(count: number): Request[] {
  const random = createRandom(7);
  return Array.from({ length: count }, (_, at) => ({
    path: random() < 0.5 ? '/search' : `/items/item-${Math.floor(random() * 150)}`,
    ms: Math.floor(random() * 500),
    at: Math.floor((at * 1200) / count),
  }));
}

interface Group {
  readonly startSec: number;
  readonly labels: { readonly route: string };
  readonly count: number;
}

test('--every counts each request once, in its interval and under the route that it has in the end', async () => {
  const requests = makeRequests(3000);
  const path = folder.write('access.log', accessLog(requests));
  const { exitCode, stdout } = await hdrscope([
    ...['record', path, '--by', 'route', '--every', '5m', '--json'],
  ]);
  const { groups } = JSON.parse(stdout) as { groups: Group[] };
  const expected = new Map<string, number>();
  for (const { path: own, at } of requests) {
    const key = `${START_SEC + 300 * Math.floor(at / 300)} ${own === '/search' ? own : '/items/:id'}`;
    expected.set(key, (expected.get(key) ?? 0) + 1);
  }
  expect(exitCode).toBe(0);
  expect(
    new Map(groups.map(({ startSec, labels, count }) => [`${startSec} ${labels.route}`, count])),
  ).toEqual(expected);
});

test('-o makes a log whose tags have the values of all intervals together, which commands for logs select by time', async () => {
  const requests = makeRequests(2000);
  const path = folder.write('access.log', accessLog(requests));
  const log = folder.pathOf('access.hlog');
  expect((await hdrscope(['record', path, '--by', 'route', '--every', '1m', '-o', log])).exitCode).toBe(0);
  const { tags } = await summarizeLogs([log]);
  expect(tags.map(({ tag, histogram }) => [tag, histogram.totalCount])).toEqual([
    ['request.duration?route=/items/:id', requests.filter((one) => one.path !== '/search').length],
    ['request.duration?route=/search', requests.filter((one) => one.path === '/search').length],
  ]);
  expect(readFileSync(log, 'utf8')).toContain('#[durations of nginx may be 1 ms off');
  for await (const { startTimeMs, endTimeMs } of readIntervals(log)) {
    expect([startTimeMs % 60_000, endTimeMs - startTimeMs]).toEqual([0, 60_000]);
  }
  const { stdout } = await hdrscope([
    ...['log', 'summary', log, '--tag', 'request.duration?route=/search', '--json'],
    ...['--since', '2026-11-28T21:05:00Z', '--until', '2026-11-28T21:10:00Z'],
  ]);
  const inFive = requests.filter((one) => one.path === '/search' && one.at >= 300 && one.at < 600);
  expect(JSON.parse(stdout).tags[0].count).toBe(inFive.length);
});

test('--every shows a row for each interval with its failures, and --where chooses requests', async () => {
  const requests = [
    { path: '/a', ms: 10, at: 0 },
    { path: '/b', ms: 900, at: 30 },
    { path: '/a', ms: 3000, at: 61, status: 503 },
  ];
  const path = folder.write('access.log', accessLog(requests));
  const { stdout } = await hdrscope([
    ...['record', path, '--where', 'route=/a', '--every', '1m', '--percentiles', '99'],
  ]);
  expect(stdout).toBe(`2 requests of ${path} by time (UTC), in ms

time (UTC)        failed  count                    mean                     p99                     max
2026-11-28 21:00       0      1         9.000 to 11.000         9.000 to 11.000         9.000 to 11.000
2026-11-28 21:01       1      1  2,999.000 to 3,002.000  2,999.000 to 3,002.000  2,999.000 to 3,002.000
`);
});

test.each([
  ['numbers', () => [folder.write('n.txt', '1\n2\n')], 'n.txt has no requests with times'],
  [
    '-f',
    () => ['-f', folder.write('a.log', accessLog(makeRequests(1)))],
    '--every and -f exclude each other',
  ],
  [
    'percentile text',
    () => ['--format', 'hgrm', folder.write('a.log', accessLog(makeRequests(1)))],
    "--every writes text, json or hlog, got 'hgrm'",
  ],
] as const)('--every refuses %s', async (_, args, message) => {
  const { exitCode, stderr } = await hdrscope(['record', '--every', '1m', ...args()]);
  expect(exitCode).not.toBe(0);
  expect(stderr).toContain(message);
});
