import { appendFileSync, copyFileSync, renameSync, truncateSync, writeFileSync } from 'node:fs';
import { vegetaLines } from '@hdrscope/testing/load-samples';
import { Termination } from '../../src/command.ts';
import { hdrscope } from '../support/fake-io.ts';
import { useFolder } from '../support/logs.ts';

const folder = useFolder();

const line = (path: string, ms: number, status = 200): string =>
  `10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET ${path} HTTP/1.1" ${status} 5 "-" "x" ${(ms / 1000).toFixed(3)}\n`;

interface Interval {
  readonly groups: readonly { labels: Record<string, string>; count: number; failed: number | null }[];
}

test('-f shows each request that comes once, in the groups of its interval, over rotations and torn lines', async () => {
  const path = folder.write('access.log', line('/old', 1).repeat(3));
  const torn = line('/search', 40);
  const steps: (() => void)[] = [
    () => appendFileSync(path, line('/cart/1', 5) + line('/search', 30, 503) + torn.slice(0, 50)),
    () => appendFileSync(path, torn.slice(50)),
    () => {
      appendFileSync(path, line('/cart/2', 6));
      renameSync(path, `${path}.1`);
      writeFileSync(path, line('/cart/3', 7));
    },
    () => {
      appendFileSync(path, line('/search', 50));
      copyFileSync(path, `${path}.2`);
      truncateSync(path);
      appendFileSync(path, line('/cart/4', 8));
    },
  ];
  const counts: Record<string, number> = {};
  let [failed, quiet] = [0, 0];
  const { exitCode, stderr } = await hdrscope(
    ['record', '-f', path, '--by', 'route', '--interval', '150ms', '--json'],
    {
      within: 'several texts of a program come at once',
      onOutput(text, end) {
        const { groups } = JSON.parse(text) as Interval;
        for (const { labels, count, failed: ofGroup } of groups) {
          counts[labels.route!] = (counts[labels.route!] ?? 0) + count;
          failed += ofGroup ?? 0;
        }
        if (steps.length > 0) steps.shift()!();
        // The system may report a change late.
        else if (groups.length > 0) quiet = 0;
        else if (++quiet === 10) end(new Termination('SIGINT', 130));
      },
    },
  );
  expect(counts).toEqual({ '/cart/:id': 4, '/search': 3 });
  expect(failed).toBe(1);
  expect(exitCode).toBe(130);
  expect(stderr).toContain(`${path} is another file now: reading it from its start`);
});

test('-f -n ends after some intervals, and says so when nothing came', async () => {
  const path = folder.write('results.jsonl', vegetaLines([{ ms: 3 }]));
  const { exitCode, stdout, stderr } = await hdrscope([
    'record',
    '-f',
    path,
    '--interval',
    '10ms',
    '-n',
    '2',
  ]);
  const nothing = `no requests in the last 0.01 s of ${path}\n\n`;
  expect([exitCode, stdout, stderr]).toEqual([0, nothing + nothing, '']);
});

const access = (): string => folder.write('access.log', line('/a', 1));

test.each<[what: string, args: () => string[], code: number, problem: string]>([
  ['--interval without -f', () => [access(), '--interval', '5s'], 2, '--interval goes with -f'],
  ['-n without -f', () => [access(), '-n', '5'], 2, '--intervals goes with -f'],
  ['numbers', () => ['-f', folder.write('n.txt', '1\n2\n')], 1, 'is for access logs and load tests'],
  ['two files', () => ['-f', access(), folder.write('b.log', line('/b', 1))], 2, '-f takes one file, got 2'],
  ['standard input', () => ['-f', '-'], 2, '-f takes one file, got standard input'],
  ['a file to write', () => ['-f', access(), '-o', folder.pathOf('x.json')], 2, '-f prints text or json'],
  ['other formats', () => ['-f', access(), '--format', 'hgrm'], 2, '-f prints text or json'],
  ['an unknown label', () => ['-f', access(), '--by', 'rout'], 2, 'the requests have no label rout'],
])('-f refuses %s', async (_, args, code, problem) => {
  const { exitCode, stderr } = await hdrscope(['record', ...args()], { stdin: line('/a', 1) });
  expect([exitCode, stderr]).toEqual([code, expect.stringContaining(problem)]);
});
