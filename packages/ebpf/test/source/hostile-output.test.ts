import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { HdrscopeError } from '@hdrscope/core';
import { caseCount } from '@hdrscope/testing/case-count';
import { costOf } from '@hdrscope/testing/cost';
import { refusalOf } from '@hdrscope/testing/refusals';
import fc from 'fast-check';
import type { MapInfo } from '../../src/bpf/maps.ts';
import {
  bpftrace,
  explicitKernelLayout,
  formatKernelBars,
  formatKernelHistogram,
  iteratorFile,
  parseEbpfExporterConfig,
  queueDepthLayout,
} from '../../src/index.ts';
import { entriesOfDump, infoOfShow } from '../../src/source/bpftool-json.ts';
import { BpftraceState, parseBpftraceLine } from '../../src/source/bpftrace-output.ts';
import { parseCpuList } from '../../src/system-files.ts';

/** Changes characters and words of a text. */
const edits = fc.array(
  fc.tuple(
    fc.double({ min: 0, max: 1, noNaN: true }),
    fc.nat(8),
    fc.constantFrom(
      ...[
        '{',
        '}',
        '[',
        ']',
        ',',
        ':',
        '"',
        '0',
        '-1',
        '1e400',
        '9007199254740993',
        '"9223372036854775807"',
        'null',
      ],
      ...[
        '{"toString":1,"valueOf":1}',
        '{"toJSON":1}',
        '[{"toString":1}]',
        '1.5',
        '"x"',
        '\n',
        ' ',
        '-',
        '*a',
        '&a ',
      ],
    ),
  ),
  { minLength: 1, maxLength: 3 },
);

function edited(text: string, changes: readonly (readonly [number, number, string])[]): string {
  let result = text;
  for (const [where, length, added] of changes) {
    const at = Math.floor(where * result.length);
    result = result.slice(0, at) + added + result.slice(at + length);
  }
  return result;
}

function isHandled(action: () => unknown): void {
  try {
    action();
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
  }
}

const LINE =
  '{"type": "hist", "data": {"@us": {"read,1": [{"max": -1, "count": 2}, {"min": 4, "max": 7, "count": 9}, {"min": 8, "max": 15, "count": 1}], "b": [{"min": 16, "max": 31, "count": 3}]}}}';
const SHOW = '{"id":7,"type":"percpu_hash","name":"m","bytes_key":4,"bytes_value":8,"max_entries":10}';
const DUMP =
  '[{"key":["0x01","0x00","0x00","0x00"],"values":[{"cpu":0,"value":["0x01","0x00","0x00","0x00","0x00","0x00","0x00","0x00"]}],"formatted":{"key":1}},' +
  '{"key":["0x02","0x00","0x00","0x00"],"values":[{"cpu":0,"value":{"error":"No such file"}}]}]';
const INFO: MapInfo = infoOfShow(SHOW, ['id', '7']);
const YAML = `
metrics:
  histograms:
    - name: bio_latency_seconds
      help: Block IO latency
      bucket_type: exp2
      bucket_max: 26
      bucket_multiplier: 0.000001
      labels:
        - { name: operation, size: 8, decoders: [{ name: uint, }, { name: static_map, static_map: { 0: read, 1: write } }] }
        - { name: bucket, size: 8, decoders: [{ name: uint }] }
`;

test.each<[what: string, text: string, read: (text: string) => unknown]>([
  [
    'a line of bpftrace',
    LINE,
    (text) => {
      const state = new BpftraceState();
      for (const each of [LINE, text]) {
        const line = parseBpftraceLine(each);
        if (line.kind === 'histograms') state.update(line.variable, line.printed);
        state.histograms((_, key) => (key === undefined ? {} : { key }));
      }
    },
  ],
  ['the facts of bpftool', SHOW, (text) => infoOfShow(text, ['name', 'm'])],
  ['the list of bpftool', `[${SHOW},${SHOW}]`, (text) => infoOfShow(text, ['name', 'm'])],
  ['the dump of bpftool', DUMP, (text) => entriesOfDump(text, INFO)],
  ['a dump of an array', DUMP, (text) => entriesOfDump(text, { ...INFO, type: 'array' })],
  ['a configuration of ebpf_exporter', YAML, parseEbpfExporterConfig],
])(
  '%s is read or refused, however it is mutated',
  (_, text, read) => {
    fc.assert(
      fc.property(edits, (changes) => isHandled(() => read(edited(text, changes)))),
      { numRuns: caseCount(200, 1000), seed: 17 },
    );
  },
  60_000,
);

test.each<[what: string, make: () => string, read: (text: string) => unknown]>([
  ['deep lines of bpftrace', () => '['.repeat(4e6) + ']'.repeat(4e6), parseBpftraceLine],
  ['dense lines of bpftrace', () => `[${'{},'.repeat(5e6)}{}]`, parseBpftraceLine],
  ['deep output of bpftool', () => '['.repeat(4e6) + ']'.repeat(4e6), (text) => entriesOfDump(text, INFO)],
  ['dense output of bpftool', () => `[${'{},'.repeat(5e6)}{}]`, (text) => entriesOfDump(text, INFO)],
  ['deep YAML', () => '['.repeat(1e6), parseEbpfExporterConfig],
  ['deep lists of YAML', () => '- '.repeat(5e5), parseEbpfExporterConfig],
  ['dense YAML', () => `[${'1,'.repeat(4e5)}1]`, parseEbpfExporterConfig],
  ['YAML with 40,000 errors', () => 'a: b: c\n'.repeat(40_000), parseEbpfExporterConfig],
  ['long YAML', () => 'a'.repeat(8e6), parseEbpfExporterConfig],
])('%s are refused at once', (_, make, read) => {
  const text = make();
  const { cpuMs, grownMib } = costOf(() => refusalOf(() => read(text)));
  expect(cpuMs).toBeLessThan(1500);
  expect(grownMib).toBeLessThan(150);
});

test('YAML whose aliases multiply is refused', () => {
  const levels = Array.from(
    { length: 30 },
    (_, i) => `a${i}: &a${i} [${i === 0 ? 1 : `*a${i - 1}, *a${i - 1}`}]`,
  );
  refusalOf(() => parseEbpfExporterConfig(`${levels.join('\n')}\nmetrics: { histograms: *a29 }`));
  refusalOf(() => parseEbpfExporterConfig(`a: &a 1\nmetrics: [${'*a,'.repeat(5000)}]`), 'ERR_TOO_LARGE');
});

test('sizes of maps that do not fit into 32 bits are refused', () => {
  refusalOf(() => infoOfShow(SHOW.replace('10}', '9007199254740991}'), ['id', '7']), 'ERR_KERNEL');
  refusalOf(() => entriesOfDump(DUMP, { ...INFO, keySize: 2 ** 31, valueSize: 2 ** 31 }), 'ERR_KERNEL');
});

test('control characters of names are visible in errors', () => {
  const line = LINE.replace('@us', '@\\u001b[31m\\u202e').replace(
    '"min": 8, "max": 15',
    '"min": 9, "max": 9',
  );
  const parsed = parseBpftraceLine(line);
  if (parsed.kind !== 'histograms') throw new Error('the line must be a histogram');
  const { message } = refusalOf(
    () => new BpftraceState().update(parsed.variable, parsed.printed),
    'ERR_KERNEL',
  );
  expect(message).toMatch(/^@\\x1b\[31m\\u202e must have/);
});

test('an lhist() that begins and ends far apart is refused', () => {
  const buckets = '[{"min": 5, "max": 5, "count": 1}, {"min": 4611686018427387904, "count": 1}]';
  const line = parseBpftraceLine(`{"type": "hist", "data": {"@l": ${buckets}}}`);
  if (line.kind !== 'histograms') throw new Error('the line must be a histogram');
  refusalOf(() => new BpftraceState().update(line.variable, line.printed), 'ERR_KERNEL');
});

test('a script that prints ever new variables is refused', () => {
  const state = new BpftraceState();
  const buckets = [{ min: 1, max: 1, isCapped: false, count: 1 }];
  const update = (i: number) => state.update(`@${i}`, [{ key: undefined, buckets }]);
  for (let i = 0; i < 1000; i++) update(i);
  refusalOf(() => update(1000), 'ERR_TOO_LARGE');
  update(999);
});

test('a stream without line feeds takes no more memory than the longest line, and later lines are read', async () => {
  const stream = new PassThrough();
  const source = bpftrace({ stream });
  const chunk = Buffer.alloc(2 ** 20, 97);
  const reading = source.read();
  const before = process.memoryUsage().rss;
  for (let mib = 0; mib < 200; mib++)
    if (!stream.write(chunk)) await new Promise((resolve) => setImmediate(resolve));
  expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(150);
  await expect(reading).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
  stream.write(`\n${LINE}\r\n`);
  await new Promise((resolve) => setImmediate(resolve));
  expect((await source.read()).histograms).toHaveLength(2);
  await source.close();
});

describe('a file of an iterator', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-iterator-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const path = join(folder, 'lines');

  test.each([
    ['of empty lines', () => '\n'.repeat(16e6), undefined],
    ['of comments', () => '#\n'.repeat(8e6), undefined],
    ['with one line of counts', () => `0${' 1'.repeat(4e6)}`, 'ERR_TOO_LARGE'],
  ])('%s takes memory in proportion', async (_, make, code) => {
    writeFileSync(path, make());
    const source = iteratorFile({ path, layout: queueDepthLayout() });
    const before = process.memoryUsage().rss;
    const reading = Promise.resolve(source.read());
    if (code === undefined) expect((await reading).histograms).toHaveLength(1);
    else await expect(reading).rejects.toMatchObject({ code });
    expect((process.memoryUsage().rss - before) / 2 ** 20).toBeLessThan(300);
  });
});

test('a list of CPUs is refused when no machine has so many', () => {
  refusalOf(() => parseCpuList('0-99999999999'), 'ERR_KERNEL');
});

test('a layout of 200,000 slots is formatted', () => {
  const layout = explicitKernelLayout(Array.from({ length: 199_999 }, (_, i) => i));
  const counts = new Float64Array(200_000).fill(1);
  expect(formatKernelHistogram({ layout, counts }).split('\n')).toHaveLength(200_001);
  expect(formatKernelBars({ layout, counts }, { width: 1 }).split('\n')).toHaveLength(200_000);
});
