import { readdirSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { lackOfShared, sharedPath, testUnless } from '@hdrscope/testing';
import { hdrscope } from '../support/fake-io.ts';
import { parseValues } from '../support/figure-values.ts';
import { evenly, intervalLine, logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

const HEAD =
  '#[StartTime: 1500000000.000 (seconds since epoch), Fri Jul 14 02:40:00 UTC 2017]\n#[BaseTime: 1500000000.000 (seconds since epoch)]\n';
const VERSION = '#[Histogram log format version 1.3]\n';
const LEGEND = '"StartTimestamp","Interval_Length","Interval_Max","Interval_Compressed_Histogram"\n';

const [first, second, third] = [
  { tag: 'get', at: 1, ms: [1] },
  { tag: 'get', at: 2, ms: [2] },
  { tag: 'get', at: 61, ms: [61] },
] as const;

test('merge puts logs in the order of time', async () => {
  const a = folder.write('a.hlog', logText([first, third]));
  const { exitCode, stdout, stderr } = await hdrscope(['log', 'merge', a, '-'], { stdin: logText([second]) });
  expect([exitCode, stderr]).toEqual([0, '']);
  expect(stdout).toBe(VERSION + HEAD + LEGEND + [first, second, third].map(intervalLine).join(''));
});

test('merge reports an interval that is out of order', async () => {
  const { exitCode, stderr } = await hdrscope(['log', 'merge', '-'], {
    stdin: logText([third, first, second, first]),
  });
  expect(exitCode).toBe(0);
  expect(stderr).toBe(
    'hdrscope: standard input: line 4 starts before one above it, and so does 1 more: all intervals are kept, but not in the order of time\n',
  );
});

test('slice copies a part of the time, which may be written in several ways', async () => {
  const stdin = logText([first, second, third]);
  for (const from of ['2', '2s', '2017-07-14T02:40:02Z', '1500000002']) {
    const { exitCode, stdout } = await hdrscope(['log', 'slice', '-', '--since', from, '--until', '1m'], {
      stdin,
    });
    expect([exitCode, stdout]).toEqual([0, HEAD + intervalLine(second)]);
  }
});

test('reinterval makes longer intervals', async () => {
  const stdin = logText([first, second, third]);
  const { stdout } = await hdrscope(['log', 'reinterval', '1m', '-'], { stdin });
  expect(
    stdout
      .split('\n')
      .slice(4, -1)
      .map((line) => line.split(',').slice(0, 3)),
  ).toEqual([
    ['Tag=get', '1.000', '2.000'],
    ['Tag=get', '61.000', '1.000'],
  ]);
});

test('convert writes JSON lines, CSV and percentile text', async () => {
  const stdin = logText([
    { tag: 'a"b', at: 1, ms: [2] },
    { at: 2, ms: [] },
  ]);
  const encoded = stdin
    .split('\n')
    .slice(2, 4)
    .map((line) => line.split(',').at(-1));
  const to = async (...args: string[]): Promise<string> =>
    (await hdrscope(['log', 'convert', '-', '--format', ...args], { stdin })).stdout;

  const rows = (await to('ndjson', '--percentiles', '50')).trimEnd().split('\n');
  expect(rows.map((row) => parseValues(row))).toMatchObject([
    {
      startSec: 1_500_000_001,
      endSec: 1_500_000_002,
      tag: 'a"b',
      count: 1,
      unit: 'ms',
      min: 1.999872,
      mean: 2.000384,
      percentiles: [{ percentile: 50, value: 2.000895 }],
      resolution: 0.000001,
      max: 2.000895,
      encoded: encoded[0],
    },
    expect.objectContaining({
      tag: null,
      count: 0,
      min: null,
      percentiles: [{ percentile: 50, value: null }],
      encoded: encoded[1],
    }),
  ]);
  expect(await to('csv', '--percentiles', '50,99.9', '--unit', 'none')).toBe(`\
start_s,end_s,tag,count,min,mean,p50,p99.9,max,encoded
1500000001,1500000002,"a""b",1,1999872,2000384,2000895,2000895,2000895,${encoded[0]}
1500000002,1500000003,,0,,,,,,${encoded[1]}
`);
  expect(await to('hgrm', '--tag', 'a"b')).toMatch(
    /^ +Value +Percentile TotalCount 1\/\(1-Percentile\)\n\n +2\.001 0\.0/,
  );
});

const RECORDED = 'data/hlog/jHiccup-2.0.1.logV0.hlog';

testUnless(lackOfShared(RECORDED))('convert writes a log of 2015 in the encoding of today', async () => {
  const path = sharedPath(RECORDED);
  const converted = folder.pathOf('v2.hlog');
  expect(await hdrscope(['log', 'convert', path, '--format', 'v2', '-o', converted])).toMatchObject({
    exitCode: 0,
  });
  const [before, after] = [path, converted].map((one) => hdrscope(['log', 'summary', '--json', one]));
  expect((await after)?.stdout).toBe((await before)?.stdout);
  expect(readFileSync(converted, 'utf8')).not.toContain('HISTi');
});

test('-o writes a complete file, which may replace an input', async () => {
  const path = folder.write('own.hlog', logText([first, second]));
  expect(await hdrscope(['log', 'slice', path, '--until', '2', '-o', path])).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: '',
  });
  expect(readFileSync(path, 'utf8')).toBe(HEAD + intervalLine(first));
});

test('-o leaves nothing behind when it fails', async () => {
  const path = folder.pathOf('not.hlog');
  const dated = folder.write('dated.hlog', logText([first]));
  const undated = folder.write('undated.hlog', intervalLine(first));
  const { exitCode, stderr } = await hdrscope(['log', 'merge', dated, undated, '-o', path]);
  expect([exitCode, stderr]).toEqual([
    1,
    expect.stringContaining(
      `merged logs must all have absolute times or all lack them: ${dated} has them, and ${undated} does not`,
    ),
  ]);
  expect(readdirSync(dirname(path)).filter((name) => name.startsWith('not'))).toEqual([]);
  const nowhere = await hdrscope(['log', 'merge', dated, '-o', '/nowhere/a.hlog']);
  expect([nowhere.exitCode, nowhere.stderr]).toEqual([1, expect.stringContaining('/nowhere/a.hlog')]);
});

test('tail prints the last intervals', async () => {
  const stdin = logText([...[1, 2, 3].map((at) => ({ tag: 'get', at, ms: evenly(100) })), { at: 4, ms: [] }]);
  const { exitCode, stdout } = await hdrscope(['log', 'tail', '-n', '2', '-'], { stdin });
  expect(exitCode).toBe(0);
  expect(stdout).toBe(`\
start                        length s  tag                  count         p50         p90         p99       p99.9      max ms
2017-07-14 02:40:03.000 UTC     1.000  get                    100      50.004      90.046      99.025     100.008     100.008
2017-07-14 02:40:04.000 UTC     1.000                           0           -           -           -           -           -
`);
});

test('tail goes on below a line that it cannot read', async () => {
  const stdin = `nonsense\n1,1,0,HISTFAAAno\n${intervalLine({ at: 3, ms: [1] })}`;
  const { exitCode, stdout, stderr } = await hdrscope(['log', 'tail', '-'], { stdin });
  expect(exitCode).toBe(1);
  expect(stdout.split('\n')).toHaveLength(3);
  expect(stderr).toMatch(/^hdrscope: line 1: .*\nhdrscope: line 2: /);
});

test.each([
  ['log', 'summary'],
  ['log', 'slice'],
  ['log', 'reinterval', '10s'],
  ['log', 'convert', '--format', 'csv'],
  ['plot'],
  ['diff', 'OTHER'],
])('a tag that no interval of a file has is refused, with the nearest one: %s %s %s', async (...words) => {
  const tags = ['get', 'put', 'delete', 'head', 'list', 'patch'];
  const text = logText(tags.map((tag, at) => ({ tag, at, ms: [1] })));
  const [path, other] = [folder.write('tags.hlog', text), folder.write('other.hlog', text)];
  const run = (...tags: string[]): ReturnType<typeof hdrscope> =>
    hdrscope([
      ...words.map((word) => (word === 'OTHER' ? other : word)),
      path,
      ...tags.flatMap((tag) => ['--tag', tag]),
    ]);
  expect((await run('get', 'put')).stderr).not.toContain('has the tag');
  const typo = await run('get', 'ptu');
  expect([typo.exitCode, typo.stdout]).toEqual([1, '']);
  expect(typo.stderr).toMatch(
    /^hdrscope: no interval of .*tags\.hlog has the tag 'ptu': did you mean put\?\n$/,
  );
  expect((await run('xyzzy')).stderr).toMatch(
    /has the tag 'xyzzy': the tags are get, put, delete, head, list and 1 more\n$/,
  );
});

test('reports that no interval is selected', async () => {
  const stdin = logText([first]);
  const run = (...args: string[]): ReturnType<typeof hdrscope> =>
    hdrscope(['log', ...args, '--tag', 'none', '-'], { stdin });
  expect(await run('tail')).toEqual({
    exitCode: 0,
    stdout: '',
    stderr: 'hdrscope: no interval is selected\n',
  });
  expect((await run('summary')).stderr).toContain('no interval is selected: leave out --tag,');
  expect(await run('convert', '--format', 'hgrm')).toMatchObject({ exitCode: 1, stdout: '' });
});
