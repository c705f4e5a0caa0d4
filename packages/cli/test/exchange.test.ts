import { OSD_DUMP } from '@hdrscope/testing/osd';
import { command as ebpfRead } from '../src/commands/ebpf/read.ts';
import { hdrscope, type Ran } from './support/fake-io.ts';
import { fakeKernel, frameOf, QUEUE_HIST, runWith } from './support/fake-kernel.ts';
import { evenly, logText, useFolder } from './support/logs.ts';

const folder = useFolder();

const LOG = logText([
  { tag: 'get', at: 0, ms: evenly(100) },
  { tag: 'put', at: 1, ms: evenly(100) },
]);
const NUMBERS = evenly(200, 0.5).join('\n');

const recorded = (format: string) => async (): Promise<string> =>
  (await hdrscope(['record', '--unit', 'ms', '--format', format], { stdin: NUMBERS })).stdout;
const converted = (format: string) => async (): Promise<string> =>
  (await hdrscope(['log', 'convert', '-', '--format', format], { stdin: LOG })).stdout;
const printed =
  (...args: string[]) =>
  async (): Promise<string> =>
    (await hdrscope([...args, '-'], { stdin: args[0] === 'ceph' ? OSD_DUMP : LOG })).stdout;

/** What one command writes. */
const WRITTEN: Readonly<Record<string, () => Promise<string>>> = {
  'record hgrm': recorded('hgrm'),
  'record csv': recorded('csv'),
  'record json': recorded('json'),
  'record base64': recorded('base64'),
  'record hlog': recorded('hlog'),
  'convert v2': converted('v2'),
  'convert ndjson': converted('ndjson'),
  'convert csv': converted('csv'),
  'convert hgrm': converted('hgrm'),
  'summary json': printed('log', 'summary', '--json'),
  'diff json': async () =>
    (await hdrscope(['diff', '--json', '-', folder.write('b.hlog', LOG)], { stdin: LOG })).stdout,
  'plot json': printed('plot', '--json'),
  'ceph json': printed('ceph', 'dump', '--json'),
  'ceph raw': printed('ceph', 'dump', '--raw'),
  async 'ebpf json'() {
    const kernel = fakeKernel({ frames: [frameOf([5, 4, 3, 2, 1, 0, 0, 1])] });
    return (await runWith(ebpfRead, [QUEUE_HIST.pins[0]!, '--json'], kernel)).stdout;
  },
};

/** What other commands read. */
const READERS: Readonly<Record<string, (path: string) => Promise<Ran>>> = {
  record: (path) => hdrscope(['record', path]),
  diff: (path) => hdrscope(['diff', path, path]),
  plot: (path) => hdrscope(['plot', path]),
  summary: (path) => hdrscope(['log', 'summary', path]),
  serve: (path) =>
    hdrscope(['serve', '--port', '0', path], {
      onOutput: (_, end) => end(Object.assign(new Error('done'), { exitCode: 0 }) as never),
    }),
};

const LOG_KIND = 'is an interval log: hdrscope log summary';
const TEXT_KIND =
  'is percentile text (.hgrm, its CSV, wrk2 --latency), which has neither times nor intervals: hdrscope log summary';
const ENCODED = 'has encoded histograms in Base64: hdrscope diff';
const RECORDED = 'has figures and encoded histograms in JSON: hdrscope diff';
const FIGURES = 'has percentiles without the counts between them: hdrscope record --json';
const JSON_KIND = 'is JSON: hdrscope plot draws';
const OF_CEPH = 'has perf histograms of Ceph: hdrscope ceph dump, schema and heatmap take it, and plot';
const TABLE = (command: string): string =>
  `is a table; the columns with numbers are start_s, end_s, count, min_ms, mean_ms, p50_ms, p90_ms, p99_ms, p99.9_ms, max_ms; none of them is surely a measured value: hdrscope ${command} --column COLUMN`;
const A_TABLE = 'is a table: hdrscope record';

/** The refusals, with their cures, by what is written and what reads it. The other pairs work. */
const EXPECTED: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  'record hgrm': { record: TEXT_KIND },
  'record csv': { record: TEXT_KIND },
  'record json': { record: RECORDED, summary: RECORDED, serve: RECORDED },
  'record base64': { record: ENCODED, summary: ENCODED, serve: ENCODED },
  'record hlog': { record: LOG_KIND },
  'convert v2': { record: LOG_KIND },
  'convert ndjson': { record: RECORDED, summary: RECORDED, serve: RECORDED },
  'convert csv': {
    record: TABLE('record'),
    diff: TABLE('diff'),
    plot: TABLE('plot'),
    summary: A_TABLE,
    serve: A_TABLE,
  },
  'convert hgrm': { record: TEXT_KIND },
  'summary json': { record: FIGURES, diff: FIGURES, plot: FIGURES, summary: FIGURES, serve: FIGURES },
  'diff json': { record: FIGURES, diff: FIGURES, plot: FIGURES, summary: FIGURES, serve: FIGURES },
  'plot json': { record: JSON_KIND, diff: JSON_KIND, summary: JSON_KIND, serve: JSON_KIND },
  'ceph json': { record: FIGURES, diff: FIGURES, plot: FIGURES, summary: FIGURES, serve: FIGURES },
  'ceph raw': { record: OF_CEPH, diff: OF_CEPH, summary: OF_CEPH, serve: OF_CEPH },
  'ebpf json': { record: JSON_KIND, diff: JSON_KIND, summary: JSON_KIND, serve: JSON_KIND },
};

const PAIRS = Object.keys(WRITTEN).flatMap((written) =>
  Object.keys(READERS).map((reader) => [written, reader]),
);

test.each(PAIRS)('what %s writes, %s reads or refuses with a cure', async (written, reader) => {
  const path = folder.write(`${written}.out`, await WRITTEN[written]!());
  const { exitCode, stdout, stderr } = await READERS[reader]!(path);
  const refusal = EXPECTED[written]![reader];
  if (refusal === undefined) {
    expect([
      exitCode,
      stderr.replace(/.*(percentile text|known only to lie|above its last row|counts nanoseconds).*\n/g, ''),
    ]).toEqual([0, '']);
    expect(stdout).not.toBe('');
  } else {
    expect([exitCode, stdout]).toEqual([1, '']);
    expect(stderr.replaceAll(path, 'FILE')).toContain(`hdrscope: FILE ${refusal}`);
  }
});

test('what record writes as JSON has its values when it is read again', async () => {
  const stdin = await recorded('json')();
  const { stdout } = await hdrscope(
    ['diff', '--json', '-', folder.write('numbers.txt', NUMBERS), '--unit', 'ms'],
    {
      stdin,
    },
  );
  const { before, after } = JSON.parse(stdout);
  expect({ ...before.runs[0], name: '' }).toEqual({ ...after.runs[0], name: '' });
});
