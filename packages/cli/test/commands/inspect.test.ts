import { Histogram } from '@hdrscope/core';
import { k6Table, ohaSummary } from '@hdrscope/testing/load-samples';
import { hdrscope } from '../support/fake-io.ts';
import { logText, useFolder } from '../support/logs.ts';

const folder = useFolder();

test.each<[string, string, string, number]>([
  ['a log', logText([{ at: 0, ms: [1] }]), 'is an interval log: hdrscope log summary, check, diff,', 0],
  ['numbers', '12\n0.5\n', 'is a text of numbers: hdrscope record, check, diff and plot take it', 0],
  [
    'requests of k6',
    k6Table([{ ms: 1 }]),
    'has the requests of k6: hdrscope record, check, diff and plot',
    0,
  ],
  ['a summary', ohaSummary({ p50: 0.1 }, { 200: 9 }), 'is a summary of oha, which has a few percentiles', 0],
  [
    'histograms',
    new Histogram().toBase64(),
    'has encoded histograms in Base64: hdrscope diff, plot, check and convert take it',
    0,
  ],
  ['OTLP', '{"resourceMetrics":[]}\n', 'has metrics of OTLP: hdrscope record, check, diff, plot,', 0],
  ['a picture', '<svg xmlns="http://www.w3.org/2000/svg"/>', 'is a picture: hdrscope reads logs', 1],
  ['a letter', 'Dear all.\n', 'is text of no known form', 1],
])('says what %s is, and which commands take it', async (_, text, sentence, exitCode) => {
  const path = folder.write('it', text);
  const ran = await hdrscope(['inspect', path]);
  expect(ran).toMatchObject({ exitCode, stderr: '' });
  expect(ran.stdout.replaceAll('\n', ' ')).toContain(`${path} ${sentence}`);
});

test('lists the columns and fields that have numbers, with the command that counts them', async () => {
  const table = folder.write('requests.csv', 'route,ms,bytes\n/a,1,2\n/b,3,4\n');
  const json = folder.write('requests.jsonl', '{"latency":{"ms":1.5}}\n{"latency":{"ms":2}}\n');
  const { stdout } = await hdrscope(['inspect', table, json]);
  expect(stdout).toBe(
    `${table} is a table; the columns with numbers are ms, bytes: hdrscope record --column ms --unit ms ${table}\n` +
      `${json} is JSON; the fields with numbers are latency.ms: hdrscope record --field latency.ms --unit ms ${json}\n`,
  );
  const { stdout: document } = await hdrscope(['inspect', '--json', table, json, '-'], { stdin: '1\n2\n' });
  expect(JSON.parse(document).files).toEqual([
    { name: table, form: 'table', columns: ['ms', 'bytes'], likely: ['ms'], isTaken: true },
    { name: json, form: 'json', fields: ['latency.ms'], likely: ['latency.ms'], isTaken: true },
    { name: 'standard input', form: 'numbers', isTaken: true },
  ]);
});

test('lists the labels of requests, which record --by takes', async () => {
  const upstream = '10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET /a HTTP/1.1" 200 5 "-" "-" 0.003\n';
  const json = '{"request_time":0.012,"status":200,"upstream_addr":"10.0.0.7:80"}\n';
  const paths = [upstream, json, k6Table([{ ms: 1 }])].map((text, at) => folder.write(`${at}.log`, text));
  const { stdout } = await hdrscope(['inspect', '--json', ...paths]);
  const labels = (JSON.parse(stdout).files as { labels: string[] }[]).map((file) => file.labels);
  expect(labels[0]).toEqual(expect.arrayContaining(['route', 'status', 'method']));
  expect(labels[0]).not.toContain('upstream');
  expect(labels[1]).toEqual(expect.arrayContaining(['route', 'status', 'upstream', 'upstream_addr']));
  for (const [at, path] of paths.entries()) {
    for (const label of labels[at]!) {
      const ran = await hdrscope(['record', path, '--by', label]);
      expect([path, label, ran.exitCode]).toEqual([path, label, 0]);
    }
  }
});

test('says that an access log needs its format', async () => {
  const log = folder.write(
    'access.log',
    '10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET /a HTTP/1.1" 200 5 0.003 -\n',
  );
  const { stdout } = await hdrscope(['inspect', '--json', log]);
  expect(JSON.parse(stdout).files).toMatchObject([{ form: 'table', needs: '--log-format' }]);
});

test('a file that is missing is refused', async () => {
  const { exitCode, stderr } = await hdrscope(['inspect', folder.pathOf('absent')]);
  expect([exitCode, stderr]).toEqual([1, expect.stringContaining('no such file: ')]);
});
