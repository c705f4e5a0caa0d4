import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { Histogram } from '@hdrscope/core';
import { lackOfBuild, testUnless } from '@hdrscope/testing';
import { cellsOfShare } from '@hdrscope/testing/case-count';
import { autocannonLine, k6Summaries, ohaSummary, requestTexts } from '@hdrscope/testing/load-samples';
import type { Form } from '../../src/inputs/form.ts';
import { FORMS } from '../../src/inputs/form-table.ts';
import { evenly, intervalLine } from '../support/logs.ts';

const BIN = fileURLToPath(new URL('../../bin/hdrscope.js', import.meta.url));
const MIB = 2 ** 20;

/** How a form comes on standard input: the arguments, what it begins with, and what follows again and again. */
type Sample = readonly [args: readonly string[], head: string, rest: string];

const golden = (name: string): string =>
  readFileSync(new URL(`../../../inputs/test/load/goldens/${name}`, import.meta.url), 'utf8');
const repeatTo = (text: string, bytes = 2 ** 16): string => text.repeat(Math.ceil(bytes / text.length));
const record = ['record', '-'];
const check = ['check', '--slo', 'p99=1s', '-'];
const BLANK = ' '.repeat(2 ** 16);

const ACCESS: Readonly<Record<string, string>> = {
  'nginx log': '10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET /cart/7 HTTP/1.1" 200 5 "-" "curl/8" 0.003\n',
  'nginx json':
    '{"time":"2026-11-28T21:52:36+00:00","method":"GET","uri":"/cart/2","status":200,"request_time":0.036}\n',
  'envoy log':
    '[2026-11-28T21:00:00.250Z] "GET /cart/7?x=1 HTTP/1.1" 200 - 0 154 12 11 "10.0.0.1" "curl/8" "a-b" "shop.example" "10.1.2.3:80"\n',
  'envoy json':
    '{"start_time":"2026-11-28T21:00:00.250Z","method":"GET","path":"/a/1","response_code":200,"response_flags":"-","duration":12,"upstream_host":"10.1.2.3:80"}\n',
  'caddy json':
    '{"level":"info","ts":1795899600.25,"logger":"http.log.access.log0","msg":"handled request","request":{"method":"GET","uri":"/a/1"},"duration":0.0120005,"status":200}\n',
  'traefik json':
    '{"DownstreamStatus":200,"Duration":12000500,"RequestMethod":"GET","RequestPath":"/a/1","ServiceAddr":"10.1.2.3:80","StartUTC":"2026-11-28T21:00:00.25Z"}\n',
};

const requests = Array.from({ length: 500 }, (_, i) => ({ ms: 1 + (i % 100) }));
const byRequest = Object.entries(requestTexts).map(([form, write]): [string, Sample] => {
  const head = write([]).replace(/([^\n])$/, '$1\n');
  return [form, [record, head, write(requests).slice(head.length)]];
});

/** The forms that are read line by line, interval by interval or request by request. */
const STREAMS: Readonly<Record<string, Sample>> = {
  log: [['log', 'summary', '-'], '', repeatTo(intervalLine({ at: 1, ms: evenly(10_000) }))],
  numbers: [record, '', repeatTo('1.25\n20\n')],
  table: [['record', '--column', 'ms', '-'], 'name,ms\n', repeatTo('/cart,1.25\n')],
  json: [['record', '--field', 'ms', '-'], '', repeatTo('{"route":"/cart","ms":1.25}\n')],
  ...Object.fromEntries(byRequest),
  'gatling log': [
    record,
    'RUN\tSim\tsim\t1795891351155\t \t3.12.0\n',
    repeatTo('REQUEST\t\thome\t1795891352289\t1795891352511\tOK\t \n'),
  ],
  'fio histograms': [record, '', repeatTo(golden('fio-3.33_clat_hist.log'))],
  ...Object.fromEntries(
    Object.entries(ACCESS).map(([form, line]): [string, Sample] => [
      form,
      [['record', '--by', 'route', '-'], '', repeatTo(line)],
    ]),
  ),
  'access log': [
    ['record', '--log-format', '%h %U %>s %D', '-'],
    '',
    repeatTo('10.0.0.1 /cart/7 200 1234\n'),
  ],
};

const encoded = new Histogram().toBase64();
const sketch = (from: string): Sample => [['convert', '--from', from, '--to', 'json', '-'], '', BLANK];

/** The forms of which one part explains another, so they are read as a whole. */
const WHOLES: Readonly<Record<string, Sample>> = {
  encoded: [check, '', repeatTo(`${encoded}\n`)],
  recorded: [check, '', repeatTo(`{"unit":"ms","resolution":0.000001,"encoded":"${encoded}"}\n`)],
  percentiles: [
    check,
    'Value,Percentile,TotalCount,1/(1-Percentile)\n',
    repeatTo('1.000,0.500000000000,1,2.00\n'),
  ],
  'fio json': [record, golden('fio-3.33.json').slice(0, 20_000), BLANK],
  'locust json': [record, golden('locust-2.47.0.json').slice(0, -2), BLANK],
  'locust table': [check, golden('locust-2.47.0_stats.csv'), repeatTo('\n')],
  'artillery report': [check, golden('artillery-2.0.34.json').slice(0, -2), BLANK],
  'hey report': [check, golden('hey-0.1.4.txt'), repeatTo('\n')],
  'wrk report': [check, golden('wrk-4.1.0.txt'), repeatTo('\n')],
  'k6 summary': [check, k6Summaries['--summary-export']!({ med: 1 }).trimEnd().slice(0, -1), BLANK],
  'oha summary': [check, ohaSummary({ p50: 0.001 }, { 200: 2 }).trimEnd().slice(0, -1), BLANK],
  autocannon: [check, autocannonLine({ p50: 4, totalCount: 10 }).trimEnd().slice(0, -1), BLANK],
  ...Object.fromEntries(
    FORMS.filter(({ group }) => group === 'Sketches and scrapes').map((form: Form): [string, Sample] => [
      form.name,
      sketch(form.convert!),
    ]),
  ),
};

/** Gives the command so many bytes. */
async function pipe([args, head, rest]: Sample, bytes: number) {
  const atExit = 'process.on("exit",()=>console.error("peak",process.resourceUsage().maxRSS))';
  const child = spawn(process.execPath, ['--import', `data:text/javascript,${atExit}`, BIN, ...args]);
  try {
    let stderr = '';
    child.stderr.on('data', (text) => (stderr += text));
    child.stdout.resume();
    // A command that refuses its input reads no more of it.
    child.stdin.on('error', () => {});
    const closed = once(child, 'close');
    child.stdin.write(head);
    for (let written = 0; written < bytes && child.stdin.writable; written += rest.length)
      if (!child.stdin.write(rest)) await Promise.race([once(child.stdin, 'drain').catch(() => {}), closed]);
    child.stdin.end();
    const [code] = await closed;
    return { code, stderr, peakMib: Number(/^peak (\d+)$/m.exec(stderr)?.[1]) / 1024 };
  } finally {
    child.kill('SIGKILL');
  }
}

const testBuilt = testUnless(lackOfBuild('cli'));

test('all forms of files are in one of the lists', () => {
  const ofFiles = FORMS.filter((form: Form) => form.isStated !== true && form.reads.length > 0);
  expect([...Object.keys(STREAMS), ...Object.keys(WHOLES)].sort()).toEqual(
    ofFiles.map(({ name }) => name).sort(),
  );
});

testBuilt.each(cellsOfShare(Object.entries(STREAMS)))(
  'an endless %s takes the memory of a short one',
  async (_, sample) => {
    // More than the limit of the memory, so a reader that holds its input passes it.
    const { code, stderr, peakMib } = await pipe(sample, 256 * MIB);
    expect([code, stderr]).toEqual([0, expect.stringMatching(/^(hdrscope: .*\n)*peak/)]);
    expect(peakMib).toBeLessThan(200);
  },
  600_000,
);

testBuilt.each(cellsOfShare(Object.entries(WHOLES)))(
  'an endless %s is refused at 64 MiB',
  async (_, sample) => {
    const { code, stderr, peakMib } = await pipe(sample, 1024 * MIB);
    expect([code, stderr]).toEqual([
      1,
      expect.stringMatching(/^hdrscope: (?=.*64 MiB).*is read as a whole: give it in parts/),
    ]);
    expect(peakMib).toBeLessThan(500);
  },
);
