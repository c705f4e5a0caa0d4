import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { HdrscopeError } from '@hdrscope/core';
import {
  exporterExp2Layout,
  exporterLinearLayout,
  type Frame,
  framesSource,
  type KernelHistogram,
} from '@hdrscope/ebpf';
import { UsageError } from '../../src/command.ts';
import { command as list } from '../../src/commands/ebpf/list.ts';
import type { Kernel } from '../../src/commands/ebpf/map.ts';
import { command as read } from '../../src/commands/ebpf/read.ts';
import { command as serve } from '../../src/commands/ebpf/serve.ts';
import { command as watch } from '../../src/commands/ebpf/watch.ts';
import { fakeKernel, QUEUE_HIST, runWith } from '../support/fake-kernel.ts';

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-config-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

function file(text: string): string {
  const path = join(folder, 'config.yaml');
  writeFileSync(path, text);
  return path;
}

const BUCKET = '{ name: bucket, size: 4, decoders: [{ name: uint }] }';
const OPERATION =
  '{ name: operation, size: 4, decoders: [{ name: uint }, { name: static_map, static_map: { 1: read, 2: read } }] }';
const LATENCY = `{ name: bio_latency_seconds, help: Block IO latency, bucket_type: exp2, bucket_max: 2, bucket_multiplier: 0.000001, labels: [${OPERATION}, ${BUCKET}] }`;
const BACKLOG = `{ name: tcp_syn_backlog, bucket_type: linear, bucket_max: 2, bucket_multiplier: 50, labels: [${BUCKET}] }`;

const config = (...histograms: string[]) => file(`metrics: { histograms: [${histograms.join(', ')}] }`);

const LAYOUT = exporterExp2Layout({ max: 2 });

function frame(...histograms: Partial<KernelHistogram>[]): Frame {
  return {
    generation: 'map 42',
    cpuCount: 1,
    counterBits: 64,
    histograms: histograms.map((one) => ({
      name: 'bio_latency_seconds',
      attributes: {},
      layout: LAYOUT,
      counts: Float64Array.of(0, 0, 0),
      sums: undefined,
      ...one,
    })),
  };
}

const TWO_KEYS = frame(
  { attributes: { operation: 1 }, counts: Float64Array.of(1, 2, 0), sums: Float64Array.of(5) },
  { attributes: { operation: 2 }, counts: Float64Array.of(0, 1, 4), sums: Float64Array.of(20) },
  { attributes: { operation: 9 }, counts: Float64Array.of(3, 0, 0), sums: Float64Array.of(3) },
);

test('read shows the labels of a configuration, in its unit, and finds its only map by its name', async () => {
  const opened: unknown[] = [];
  const kernel = fakeKernel({
    open: (options) => {
      opened.push(options);
      return framesSource([TWO_KEYS]);
    },
  });
  const args = ['--config', config(LATENCY), '--percentiles', '50', '--ascii'];
  const { stdout, stderr } = await runWith(read, args, kernel);
  expect(opened).toMatchObject([{ name: 'bio_latency_seconds', histogram: 'bio_latency_seconds' }]);
  expect(stderr).toBe('');
  expect(stdout.match(/^bio.*|^total.*/gm)).toEqual([
    'bio_latency_seconds{operation="read"}',
    'total 8; mean 3.13 us; p50 2 us',
    'bio_latency_seconds{operation="unknown:9"}',
    'total 3; mean 1 us; p50 0 ns to 1 us',
  ]);
});

test('watch adds up the increases of keys with the same labels', async () => {
  const later = frame(
    { attributes: { operation: 1 }, counts: Float64Array.of(1, 2, 7) },
    { attributes: { operation: 2 }, counts: Float64Array.of(0, 5, 4) },
  );
  const kernel = fakeKernel({ frames: [TWO_KEYS, later] });
  const args = ['--config', config(LATENCY), '--json', '--interval', '10ms', '--intervals', '1'];
  const { stdout } = await runWith(watch, args, kernel);
  const rows = stdout.trim().split('\n');
  expect(rows.map((row) => JSON.parse(row))).toMatchObject([
    { attributes: { operation: 'read' }, count: 11 },
  ]);
});

/** The page that serve has, which then ends. */
async function scraped(args: readonly string[], kernel: Kernel): Promise<string> {
  const ending = new AbortController();
  let page = '';
  const serving = runWith(serve, [...args, '--port', '0'], kernel, {
    onOutput: async (url) => {
      page = await (await fetch(url.trim())).text();
      ending.abort();
    },
    signal: ending.signal,
  });
  await expect(serving).rejects.toMatchObject({ name: 'AbortError' });
  return page;
}

test('serve has the metrics of the page of ebpf_exporter, of all maps by their names', async () => {
  const places: unknown[] = [];
  const kernel = fakeKernel({
    open: ({ name, histogram = '' }) => {
      places.push(name);
      const linear = { layout: exporterLinearLayout({ max: 2, step: 50 }), counts: Float64Array.of(6, 5, 4) };
      return framesSource([
        histogram === 'tcp_syn_backlog' ? frame({ name: histogram, ...linear }) : TWO_KEYS,
      ]);
    },
  });
  const page = await scraped(['--config', config(LATENCY, BACKLOG)], kernel);
  expect(places).toEqual(['bio_latency_seconds', 'tcp_syn_backlog']);
  expect(page).toContain('# HELP ebpf_exporter_bio_latency_seconds Block IO latency\n');
  expect(page.split('\n').filter((line) => /^ebpf_exporter_(bio.*"read"|tcp)/.test(line))).toEqual([
    'ebpf_exporter_bio_latency_seconds_count{operation="read"} 8',
    'ebpf_exporter_bio_latency_seconds_sum{operation="read"} 0.000025',
    'ebpf_exporter_bio_latency_seconds_bucket{operation="read",le="0.000001"} 1',
    'ebpf_exporter_bio_latency_seconds_bucket{operation="read",le="0.000002"} 4',
    'ebpf_exporter_bio_latency_seconds_bucket{operation="read",le="+Inf"} 8',
    'ebpf_exporter_tcp_syn_backlog_count 15',
    // The map has no sum, so each value counts as the middle of its slot.
    'ebpf_exporter_tcp_syn_backlog_sum 914',
    'ebpf_exporter_tcp_syn_backlog_bucket{le="49"} 6',
    'ebpf_exporter_tcp_syn_backlog_bucket{le="99"} 11',
    'ebpf_exporter_tcp_syn_backlog_bucket{le="+Inf"} 15',
  ]);
});

test('serve has the other maps when several have the first 15 characters of one', async () => {
  const message = '2 maps are called "bio_latency_seconds": choose one by its id (7, 8)';
  const ambiguous = new HdrscopeError('ERR_KERNEL', message, { details: { ids: [7, 8] } });
  const kernel = fakeKernel({
    open: ({ name, histogram = '' }) =>
      framesSource([name === 'bio_latency_seconds' ? ambiguous : frame({ name: histogram })]),
  });
  const page = await scraped(['--config', config(LATENCY, BACKLOG)], kernel);
  expect(page).toContain('hdrscope_ebpf_map_up{map="name:bio_latency_seconds"} 0\n');
  expect(page).toContain('choose one by its id (7, 8)"} 1\n');
  expect(page).toContain('hdrscope_ebpf_map_up{map="name:tcp_syn_backlog"} 1\n');
});

test('a folder stands for the pins of all maps in it', async () => {
  const paths: unknown[] = [];
  const kernel = fakeKernel({
    open: ({ path, histogram = '' }) => {
      paths.push(path);
      return framesSource([frame({ name: histogram })]);
    },
  });
  const pins = join(folder, 'pins');
  mkdirSync(pins);
  await scraped([`${pins},attributes.pool=a`, '--config', config(LATENCY, BACKLOG)], kernel);
  expect(paths).toEqual([join(pins, 'bio_latency_seconds'), join(pins, 'tcp_syn_backlog')]);
});

test('an id is the histogram that has the name of its map', async () => {
  const opened: unknown[] = [];
  const kernel = fakeKernel({
    list: async () => ({ maps: [{ ...QUEUE_HIST, name: 'bio_latency_sec' }], incomplete: undefined }),
    open: (options) => {
      opened.push(options);
      return framesSource([TWO_KEYS]);
    },
  });
  await runWith(read, ['id:42', '--config', config(BACKLOG, LATENCY)], kernel);
  expect(opened).toMatchObject([{ id: 42, histogram: 'bio_latency_seconds' }]);
});

test('list has the maps of a configuration, with its layouts', async () => {
  const maps = [QUEUE_HIST, { ...QUEUE_HIST, id: 7, name: 'tcp_syn_backlog', guess: undefined }];
  const kernel = fakeKernel({ list: async () => ({ maps, incomplete: undefined }), frames: [TWO_KEYS] });
  const { stdout } = await runWith(list, ['--config', config(LATENCY, BACKLOG)], kernel);
  expect(stdout.trim().split('\n').slice(1)).toEqual([
    expect.stringMatching(/^ *7 .* ebpf-exporter-linear +[1-9]\d* +\d/),
  ]);
});

test.each([
  ['no file', () => ['--config', '/nowhere.yaml'], /^no such file: \/nowhere.yaml/],
  [
    'a wrong line',
    () => ['--config', config('{ name: a, bucket_type: x }')],
    /^--config cannot be taken from \S+: line 1: metrics.histograms\[0\].labels must be/,
  ],
  ['a file without an end', () => ['--config', '/dev/zero'], /^--config cannot be taken from \/dev\/zero: /],
  ['no histograms', () => ['--config', file('metrics: {}')], /has none: counters are not read$/],
  [
    'several histograms',
    () => ['--config', config(LATENCY, BACKLOG)],
    /has several histograms: name one of name:bio_latency_seconds, name:tcp_syn_backlog$/,
  ],
  [
    'a map that it does not have',
    () => ['name:other', '--config', config(LATENCY, BACKLOG)],
    /^name:other must be one of the maps in \S+: name:bio_latency_seconds, name:tcp_syn_backlog$/,
  ],
  [
    'a layout too',
    () => ['--config', config(LATENCY), '--layout', 'bcc'],
    /^--layout and --config exclude each other/,
  ],
  ['no map', () => [], /^missing required argument 'map'$/],
])('%s is refused', async (_, args, message) => {
  const refused = runWith(read, args(), fakeKernel({ frames: [TWO_KEYS] }));
  await expect(refused).rejects.toThrow(UsageError);
  await expect(refused).rejects.toThrow(message);
});

test('serve refuses a unit besides that of the configuration', async () => {
  const kernel = fakeKernel({ frames: [TWO_KEYS] });
  const refused = runWith(serve, ['--config', config(LATENCY), '--unit', 'ns', '--port', '0'], kernel);
  await expect(refused).rejects.toThrow(/unit and --config exclude each other/);
});
