import { mkdirSync, readFileSync } from 'node:fs';
import { HdrscopeError } from '@hdrscope/core';
import type { Frame } from '@hdrscope/ebpf';
import { plotToJson } from '@hdrscope/plot';
import { OSD_DUMP, OSD_DUMP_LATER, OSD_SCHEMA } from '@hdrscope/testing/osd';
import { type Io, Termination } from '../src/command.ts';
import { commandTree } from '../src/commands/completion/index.ts';
import { command as list } from '../src/commands/ebpf/list.ts';
import { command as read } from '../src/commands/ebpf/read.ts';
import { command as watch } from '../src/commands/ebpf/watch.ts';
import { HDRSCOPE } from '../src/program.ts';
import { cleanIo } from '../src/screen/clean-output.ts';
import { hdrscope, type Ran } from './support/fake-io.ts';
import { fakeKernel, frameOf, QUEUE_HIST, runWith } from './support/fake-kernel.ts';
import { evenly, logText, useFolder } from './support/logs.ts';

const [ESC, BEL, CSI, OVERRIDE] = ['\u001b', '\u0007', '\u009b', '\u202e'];
// A colour of a background, which no command uses.
const HOSTILE = `h${ESC}[41mred${ESC}]0;title${BEL}${CSI}2J\r${OVERRIDE}txt\u200f\u2066x`;
const SHOWN = 'h\\x1b[41mred\\x1b]0;title\\x07\\x9b2J\\x0d\\u202etxt\\u200f\\u2066x';
// A message may show it as JSON does.
const SOMEHOW_SHOWN = /\\(?:x|u00)1b\[41m/;
const IN_JSON = JSON.stringify(HOSTILE).slice(1, -1);

const OBEYED = /(?![\t\n])\p{Cc}|[\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069\ufeff]/u;
// biome-ignore lint/suspicious/noControlCharactersInRegex: the colours of commands.
const COLOURS = /\u001b\[(?!41m)[\d;]*m/g;

const folder = useFolder();

// A carriage return ends a line of a log, and so no tag has one.
const [HOSTILE_TAG, SHOWN_TAG] = [HOSTILE.replace('\r', ''), SHOWN.replace('\\x0d', '')];

// Our own writer refuses a tag with control characters.
const hostileLog = (): string =>
  logText([
    { at: 1, tag: 'TAG', ms: evenly(100) },
    { at: 2, tag: 'TAG', ms: evenly(100, 2) },
  ]).replaceAll('TAG', () => HOSTILE_TAG);

function log(): string {
  return folder.write(`${HOSTILE}.hlog`, hostileLog());
}

function brokenLog(): string {
  const lines = `${hostileLog()}Tag=${HOSTILE},${HOSTILE},1,1,HISTFAAA${HOSTILE}\n#[Comment ${HOSTILE}]\n${HOSTILE}\n`;
  return folder.write(`broken ${HOSTILE}.hlog`, lines);
}

const numbers = (): string => folder.write(`${HOSTILE}.txt`, `1\n2\n3\n${HOSTILE}\n4${HOSTILE}\n`);

function dump(text: string = OSD_DUMP): string {
  const hostile = text
    .replaceAll('op_w_latency_in_bytes_histogram', IN_JSON)
    .replaceAll('Latency (usec)', `Latency (usec) ${IN_JSON}`)
    .replaceAll('"osd"', `"${IN_JSON}"`);
  return folder.write(`${HOSTILE}.json`, `osd.${HOSTILE}: ${hostile}\n`);
}

function schema(): string {
  return folder.write(`schema ${HOSTILE}.json`, OSD_SCHEMA.replaceAll('Histogram of', `${IN_JSON} of`));
}

function plotJson(): string {
  const curve = { name: HOSTILE, totalCount: 1, points: [{ percentile: 100, value: 1 }] };
  const plot = {
    kind: 'percentiles',
    unit: 'ms',
    title: HOSTILE,
    subtitle: HOSTILE,
    curves: [curve],
  } as const;
  return folder.write(`plot ${HOSTILE}.json`, plotToJson(plot));
}

function yaml(): string {
  const text = `sources:\n  - type: "${IN_JSON}"\n    ${IN_JSON.replace(/[^\w]/g, '')}: 1\nsinks: "${IN_JSON}"\n`;
  return folder.write(`${HOSTILE}.yaml`, text);
}

type Row = readonly [path: string, words: () => readonly string[]];

// Each row runs a command over foreign text, and its output names that text.
const ROWS: readonly Row[] = [
  ['hdrscope', () => [HOSTILE]],
  ['hdrscope record', () => ['--unit', 'ms', numbers()]],
  ['hdrscope record', () => ['--unit', HOSTILE]],
  ['hdrscope diff', () => [numbers(), log()]],
  ['hdrscope diff', () => [log(), brokenLog()]],
  ['hdrscope check', () => [log(), '--slo', 'p99=1s']],
  ['hdrscope check', () => [brokenLog(), '--slo', 'p99=1s', '--format', 'markdown']],
  ['hdrscope inspect', () => [log(), numbers()]],
  ['hdrscope advise', () => ['--max', HOSTILE]],
  ['hdrscope bounds', () => ['--from', '1ms', '--to', HOSTILE]],
  ['hdrscope log', () => [HOSTILE]],
  ['hdrscope log summary', () => [log()]],
  ['hdrscope log summary', () => ['--markdown', log()]],
  ['hdrscope log summary', () => [brokenLog()]],
  ['hdrscope log summary', () => [numbers()]],
  ['hdrscope log tail', () => [log()]],
  ['hdrscope log tail', () => ['-n', '1', brokenLog()]],
  ['hdrscope log merge', () => [log(), brokenLog()]],
  ['hdrscope log slice', () => ['--until', '100', log()]],
  ['hdrscope log reinterval', () => ['10s', log()]],
  ['hdrscope log convert', () => ['--format', 'csv', log()]],
  ['hdrscope log convert', () => ['--format', 'v2', log()]],
  ['hdrscope log process', () => ['-i', log(), '-listtags']],
  ['hdrscope log process', () => ['-i', HOSTILE]],
  ['hdrscope log process', () => [`-${HOSTILE}`]],
  ['hdrscope plot', () => [log(), brokenLog()]],
  ['hdrscope plot', () => ['--title', HOSTILE, log()]],
  ['hdrscope plot', () => ['--kind', 'comparison', log(), brokenLog()]],
  ['hdrscope plot', () => ['--kind', 'bars', log()]],
  ['hdrscope plot', () => ['--kind', 'heat-map', '--title', HOSTILE, log()]],
  ['hdrscope plot', () => ['--kind', 'over-time', '--title', HOSTILE, log()]],
  ['hdrscope plot', () => [dump()]],
  ['hdrscope plot', () => [plotJson()]],
  ['hdrscope plot', () => ['-o', folder.pathOf(HOSTILE), log()]],
  ['hdrscope ceph', () => [HOSTILE]],
  ['hdrscope ceph dump', () => [dump()]],
  ['hdrscope ceph dump', () => ['--where', `${HOSTILE}=1..2`, dump()]],
  ['hdrscope ceph heatmap', () => [dump()]],
  ['hdrscope ceph heatmap', () => ['--earlier', dump(OSD_DUMP), dump(OSD_DUMP_LATER)]],
  ['hdrscope ceph heatmap', () => ['--x', HOSTILE, dump()]],
  ['hdrscope ceph schema', () => [schema()]],
  ['hdrscope config init', () => [folder.pathOf(`init ${HOSTILE}`)]],
  ['hdrscope config check', () => [yaml()]],
  ['hdrscope run', () => [yaml()]],
  ['hdrscope completion', () => [HOSTILE]],
];

// What these write is read by programs, or is what Java's processor writes.
const COPIES_DATA = /^log (?:merge|slice|reinterval|convert|process)\b/;

async function onTerminal(args: readonly string[], hasColours: boolean, columns = 120): Promise<Ran> {
  const environment: Record<string, string> = hasColours ? {} : { NO_COLOR: '1' };
  return hdrscope(args, { isTerminal: true, columns, environment });
}

function wordsOf(path: string): string[] {
  return path.split(' ').slice(1);
}

function assertClean({ stdout, stderr }: Pick<Ran, 'stdout' | 'stderr'>): void {
  expect(stdout.replace(COLOURS, '')).not.toMatch(OBEYED);
  expect(stderr.replace(COLOURS, '')).not.toMatch(OBEYED);
}

test.each(ROWS)('%s shows control characters of others on a terminal (row %#)', async (path, words) => {
  const args = [...wordsOf(path), ...words()];

  const plain = await onTerminal(args, false);
  expect(plain.stdout + plain.stderr).toMatch(SOMEHOW_SHOWN);
  expect(plain.stdout).not.toMatch(OBEYED);
  expect(plain.stderr).not.toMatch(OBEYED);
  assertClean(await onTerminal(args, true));

  // A program that collects the output, such as CI, shows it to somebody later.
  const piped = await hdrscope(args);
  expect(piped.stderr).not.toMatch(OBEYED);
  if (!COPIES_DATA.test(args.join(' '))) expect(piped.stdout).not.toMatch(OBEYED);
});

const paths = (await commandTree(HDRSCOPE)).map(({ path }) => path);

test.each(paths)('%s shows control characters of a wrong command line', async (path) => {
  mkdirSync(folder.pathOf('missing'), { recursive: true });
  const operand = folder.pathOf(`missing/${HOSTILE}/x`);
  for (const words of [[`--${HOSTILE}`], [operand], [operand, operand], ['--unit', HOSTILE, operand]]) {
    const ran = await hdrscope([...wordsOf(path), ...words], {
      isTerminal: true,
      environment: { NO_COLOR: '1' },
      // Some commands wait for a map that is not there yet, until they are ended.
      onNote: (_note, end) => end(new Termination('SIGTERM', 143)),
    });
    // A statement about a folder or a table is printed whatever its name is: the engine looks for it.
    if (!/^hdrscope history sql (unique|table)$/.test(path)) expect(ran.exitCode).not.toBe(0);
    expect(ran.stdout + ran.stderr).not.toMatch(OBEYED);
  }
});

test('the names of kernel maps are shown on a terminal', async () => {
  const map = { ...QUEUE_HIST, name: HOSTILE, pins: [`/sys/fs/bpf/${HOSTILE}`] };
  const listing = fakeKernel({
    list: async () => ({ maps: [map], incomplete: new HdrscopeError('ERR_KERNEL', HOSTILE) }),
    frames: [frameOf([1, 2, 3, 0, 0, 0, 0, 0], { name: HOSTILE })],
  });
  const frames = (): Frame[] => [
    frameOf([1, 2, 3, 0, 0, 0, 0, 0], { name: HOSTILE }),
    frameOf([2, 3, 4, 0, 0, 0, 0, 0], { name: HOSTILE }),
  ];
  const reading = (): ReturnType<typeof fakeKernel> => fakeKernel({ frames: frames() });
  const given = ['id:42', '--layout', 'queue-depth'];
  const rans = [
    await runWith(list, [], listing, { isTerminal: true }),
    await runWith(read, given, reading(), { isTerminal: true }),
    await runWith(watch, [...given, '-n', '1', '--interval', '1ms'], reading(), { isTerminal: true }),
  ];
  for (const ran of rans) {
    expect(ran.stdout + ran.stderr).toContain('\\x1b[41m');
    assertClean(ran);
  }
});

test.each([
  [['log', 'merge']],
  [['log', 'slice', '--until', '100']],
  [['log', 'convert', '--format', 'csv']],
  [['log', 'convert', '--format', 'v2']],
])('%j writes the bytes of a log to a pipe', async (words) => {
  const path = log();

  expect((await hdrscope([...words, path])).stdout).toContain(HOSTILE_TAG);
  expect((await hdrscope([...words, path], { isTerminal: true })).stdout).toContain(SHOWN_TAG);
});

test('the columns of a table stay below their titles when a tag has control characters', async () => {
  const path = folder.write('two.hlog', hostileLog() + logText([{ at: 3, tag: 'get', ms: [1] }]));

  const { stdout } = await onTerminal(['log', 'summary', path], false, 300);
  const [titles, ...rows] = stdout.trimEnd().split('\n').slice(2);
  expect(new Set([titles, ...rows].map((line) => line!.length)).size).toBe(1);
});

test('a file gets no colours, also when the command runs on a terminal', async () => {
  const path = folder.pathOf('recorded.txt');

  await hdrscope(['record', '-o', path], { stdin: '1\n2\n', isTerminal: true });
  expect(readFileSync(path, 'utf8')).toMatch(/^2 values of standard input, to 3 significant digits\n/);
});

test('reports in files are clean', async () => {
  const [text, markdown, xml] = ['r.txt', 'r.md', 'r.xml'].map((name) => folder.pathOf(name));
  await hdrscope(['check', log(), '--slo', 'p99=1s', '-o', text!, '--report', markdown!, '--report', xml!]);
  const recorded = folder.pathOf('recorded-hostile.txt');
  await hdrscope(['record', numbers(), '-o', recorded]);
  const summed = folder.pathOf('summed.txt');
  await hdrscope(['log', 'summary', log(), '-o', summed]);
  for (const path of [text!, markdown!, xml!, recorded, summed]) {
    const written = readFileSync(path, 'utf8');
    expect(written).toMatch(/\\(?:x|u00)1b\\?\[41m/);
    expect(written).not.toMatch(OBEYED);
  }
});

test('standard error shows no keys in the queries of URLs', async () => {
  const of = async (url: string): Promise<string> => (await hdrscope(['log', 'summary', url])).stderr;
  expect(await of('https://host/a.hlog?api_key=canary==&x=canary')).toBe(
    'hdrscope: no such file: https://host/a.hlog?api_key=***&x=***\n',
  );
  expect(await of('https://me:canary@host/a?canary')).toBe(
    'hdrscope: no such file: https://***@host/a?***\n',
  );
  expect(await of('a?b=c.hlog')).toBe('hdrscope: no such file: a?b=c.hlog\n');
});

test.each(['me:secret', 'me:se/cr?et#', 'me:s@cret', 'secret'])(
  'standard error shows no %s of a URL',
  async (user) => {
    const { stderr } = await hdrscope(['log', 'summary', `https://${user}@host/a.hlog`]);

    expect(stderr).toBe('hdrscope: no such file: https://***@host/a.hlog\n');
  },
);

test('a text that looks like a colour of the command stays visible beside one', async () => {
  let written = '';
  const output = (isTerminal: boolean) => ({
    isTerminal,
    columns: 80,
    write: async (text: string) => {
      written += text;
    },
  });
  const io = cleanIo({ stdout: output(true), stderr: output(false) } as unknown as Io);

  await io.stdout.write('\u001b[1m\0a\0\u001b[1m');
  expect(written).toBe('\\x1b[1m\\x00a\\x00\\x1b[1m');
  expect(io.stdout.columns).toBe(80);
});

test('a long message takes time in proportion to its length', async () => {
  const start = process.cpuUsage();
  await hdrscope(['log', 'summary', '://'.repeat(40_000)]);
  const { user, system } = process.cpuUsage(start);
  expect((user + system) / 1000).toBeLessThan(2000);
});
