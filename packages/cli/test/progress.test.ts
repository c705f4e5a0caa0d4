import { formatProgress } from '../src/screen/progress.ts';
import { hdrscope } from './support/fake-io.ts';
import { evenly, logText, useFolder } from './support/logs.ts';

test.each([
  [12_300_000, 40_000_000, 2, '12.3 of 40.0 MB (30 %), 6.2 MB/s, 5 s left'],
  [40_000_000, 40_000_000, 4, '40.0 of 40.0 MB (100 %), 10.0 MB/s, 0 s left'],
  [0, 40_000_000, 2, '0.0 of 40.0 MB (0 %), 0.0 MB/s'], // nothing says how long it takes
  [12_300_000, undefined, 2, '12.3 MB, 6.2 MB/s'],
  [50_000_000, 40_000_000, 5, '50.0 MB, 10.0 MB/s'], // the file has grown meanwhile
])('formats %d of %s bytes in %d s', (bytes, total, seconds, text) => {
  expect(formatProgress(bytes, total, seconds)).toBe(text);
});

test.each([
  [39, '1234.5 of 4000.0 MB (30 %), 23 s left'],
  [20, '30 %, 23 s left'],
  [10, '30 %'],
  [2, '30'],
])('keeps the share and the time left in %d columns', (width, text) => {
  expect(formatProgress(1_234_500_000, 4_000_000_000, 10, width)).toBe(text);
});

const ERASE = '\r\u001b[K';
const stdin = logText([{ at: 0, ms: evenly(10) }]);
/** A clock by which each look at it takes a second. */
const slowClock = (): (() => number) => {
  let now = 0;
  return () => (now += 1000);
};

test('appears on a terminal after a second, and disappears at the end', async () => {
  const world = { stdin, isTerminal: true };
  const slow = await hdrscope(['log', 'summary', '-'], { ...world, monotonicMs: slowClock() });
  expect(slow.stderr).toBe(`${ERASE}0.0 MB, 0.0 MB/s${ERASE}`);
  let now = 0;
  const quick = await hdrscope(['log', 'summary', '-'], { ...world, monotonicMs: () => (now += 300) });
  expect(quick.stderr).toBe('');
});

test('does not appear for short work, nor without a terminal', async () => {
  expect((await hdrscope(['log', 'summary', '-'], { stdin, isTerminal: true })).stderr).toBe('');
  expect((await hdrscope(['log', 'summary', '-'], { stdin, monotonicMs: slowClock() })).stderr).toBe('');
});

const folder = useFolder();
const ACCESS = '10.0.0.1 - - [29/Nov/2026:10:00:00 +0000] "GET / HTTP/1.1" 200 12 "-" "curl/8" 0.012\n';
const METRICS = '# TYPE d histogram\nd_bucket{le="1"} 2\nd_bucket{le="+Inf"} 2\nd_sum 1\nd_count 2\n';
const LOG_FORMAT = [
  '--log-format',
  '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent "-" "$agent" $request_time',
];

describe.each<
  [form: string, text: string, options: readonly string[], commands: readonly (readonly string[])[]]
>([
  ['numbers', '1\n2\n3\n', [], [['record'], ['check', '--slo', 'p99=9'], ['plot'], ['diff', 'FILE']]],
  [
    'a log',
    stdin,
    [],
    [
      ['log', 'summary'],
      ['check', '--slo', 'p99=9s'],
      ['plot'],
      ['diff', 'FILE'],
      ['log', 'convert', '-o', 'OUT'],
    ],
  ],
  [
    'an access log',
    ACCESS.repeat(9),
    LOG_FORMAT,
    [['record'], ['record', '--by', 'route'], ['check', '--slo', 'p99=9s'], ['plot'], ['diff', 'FILE']],
  ],
  [
    'a scrape',
    METRICS,
    ['--min', '0'],
    [['check', '--slo', 'p99=9s', '--unit', 's'], ['plot'], ['diff', 'FILE'], ['convert', '--to', 'json']],
  ],
])('reading %s', (_, text, options, commands) => {
  test.each(commands.map((words) => [words.join(' '), words]))(
    '%s shows the share of its bytes',
    async (_name, words) => {
      const [file, out] = [folder.write('in.txt', text), folder.pathOf('out.csv')];
      const args = [...words.map((word) => ({ FILE: file, OUT: out })[word] ?? word), ...options, file];
      const { stderr } = await hdrscope(args, { isTerminal: true, columns: 60, monotonicMs: slowClock() });
      expect(stderr).toMatch(/0\.0 of 0\.0 MB \(\d+ %\), 0\.0 MB\/s, \d+ s left/);
      // Whatever is printed afterwards begins on an empty line.
      const [, ...shown] = stderr.split(ERASE);
      expect(shown.at(-1)).not.toContain('MB');
    },
  );
});
