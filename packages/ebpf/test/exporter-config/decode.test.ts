import { lstatSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Attributes, createRegistry } from '@hdrscope/registry';
import { decodedSource } from '../../src/exporter-config/decoded-source.ts';
import { readLabels } from '../../src/exporter-config/labels.ts';
import { SystemNames } from '../../src/exporter-config/system-names.ts';
import { YamlValue } from '../../src/exporter-config/yaml-value.ts';
import {
  exporterExp2Layout,
  type Frame,
  framesSource,
  ingestKernel,
  type KernelHistogram,
  parseEbpfExporterConfig,
} from '../../src/index.ts';

let folder: string;
let names: SystemNames;

/** Names of a machine that the tests make. */
function write(name: string, text: string): void {
  writeFileSync(join(folder, name), text);
}

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'hdrscope-names-'));
  write('partitions', 'major minor  #blocks  name\n\n   8        0  268435456 sda\n 259 1048575 1 nvme0n1\n');
  mkdirSync(join(folder, 'net', 'eth0'), { recursive: true });
  write('net/eth0/ifindex', '2\n');
  write('net/bonding_masters', '');
  write(
    'symbols',
    'ffffffeb19d90830 T pipe_lock\nffffffeb19d90870 t pipe_unlock\nffffffeb29d90000 t of_module [module]\n',
  );
  mkdirSync(join(folder, 'cgroup', 'a.slice', 'b c.service'), { recursive: true });
  write('mounts', `1 2 0:3 / ${folder}/cgroup rw - cgroup2 cgroup2 rw\n`);
  names = new SystemNames({
    partitions: join(folder, 'partitions'),
    interfaces: join(folder, 'net'),
    symbols: join(folder, 'symbols'),
    mounts: join(folder, 'mounts'),
  });
});

afterEach(() => rmSync(folder, { recursive: true }));

function labelsOf(size: number, ...decoders: string[]) {
  const text = `labels: [{ name: label, size: ${size}, decoders: [${decoders.join(', ')}] }]`;
  return readLabels(YamlValue.parse(text).get('labels')).labels;
}

function frameOf(...histograms: Partial<KernelHistogram>[]): Frame {
  const layout = exporterExp2Layout({ max: 2 });
  return {
    generation: 'map 7',
    cpuCount: 1,
    counterBits: 64,
    histograms: histograms.map((one) => ({
      name: 'hist',
      attributes: {},
      layout,
      counts: Float64Array.of(1, 0, 0),
      sums: undefined,
      ...one,
    })),
  };
}

/** Decodes keys of one label, each of them in a histogram. */
async function decoded(labels: ReturnType<typeof labelsOf>, ...raw: readonly (string | number)[]) {
  const frame = frameOf(...raw.map((label) => ({ attributes: { label } })));
  const { histograms } = await decodedSource(framesSource([frame]), { labels, names }).read();
  return histograms.map(({ attributes }) => attributes.label);
}

const UINT = '{ name: uint }';
const STRING = '{ name: string }';

// Those of ebpf_exporter's own tests are the same there: `decoder/*_test.go` at 3b8f4d7.
test.each([
  ['an integer', 8, [UINT], 443, 443],
  ['an integer above 2^53', 8, [UINT], '18446744073709551615', '18446744073709551615'],
  ['a text', 16, [STRING], 'systemd', 'systemd'],
  ['bytes', 4, ['{ name: hex }'], 'deadbeef', 'deadbeef'],
  ['a text in hexadecimal', 2, [UINT, '{ name: hex }'], 10, '3130'],
  ['a name of a map', 4, [UINT, '{ name: static_map, static_map: { 1: read, 2: write } }'], 1, 'read'],
  [
    'a name that is written as an answer',
    4,
    [UINT, '{ name: static_map, static_map: { 1: true } }'],
    1,
    'true',
  ],
  [
    'a name that is written as a number',
    4,
    [UINT, '{ name: static_map, static_map: { 1: 1.10 } }'],
    1,
    '1.10',
  ],
  ['no name of a map', 4, [UINT, '{ name: static_map, static_map: { 1: read } }'], 3, 'unknown:3'],
  ['an allowed number', 4, [UINT, '{ name: static_map, allow_unknown: true, static_map: { 1: a } }'], 3, '3'],
  ['a text of a map', 8, [STRING, '{ name: static_map, static_map: { sda: first } }'], 'sda', 'first'],
  ['a match', 16, [STRING, '{ name: regexp, regexps: ["^a$", "^systemd.*$"] }'], 'systemd-x', 'systemd-x'],
  [
    'the group of a match',
    16,
    [STRING, '{ name: regexp, regexps: ["^(systemd).*$"] }'],
    'systemd-x',
    'systemd',
  ],
  ['no match', 16, [STRING, '{ name: regexp, regexps: ["^a$"] }'], 'systemd', undefined],
  ['an error', 4, [UINT, '{ name: errno }'], 104, 'ECONNRESET'],
  ['an error that Node.js does not know', 4, [UINT, '{ name: errno }'], 121, 'EREMOTEIO'],
  ['the last error', 4, [UINT, '{ name: errno }'], 133, 'EHWPOISON'],
  ['no error', 4, [UINT, '{ name: errno }'], 0, 'unknown:0'],
  ['an error that does not exist', 4, [UINT, '{ name: errno }'], 1000, 'unknown:1000'],
  ['a number between errors', 4, [UINT, '{ name: errno }'], 41, 'unknown:41'],
  ['IPv4', 4, ['{ name: inet_ip }'], '01020304', '1.2.3.4'],
  [
    'IPv6',
    16,
    ['{ name: inet_ip }'],
    '2400cb00000410240000000 0a29efd8f'.replace(' ', ''),
    '2400:cb00:4:1024::a29e:fd8f',
  ],
  ['IPv6 without zeros', 16, ['{ name: inet_ip }'], '00010002000300040005000600070008', '1:2:3:4:5:6:7:8'],
  ['IPv6 with one zero', 16, ['{ name: inet_ip }'], '00010002000300040000000600070008', '1:2:3:4:0:6:7:8'],
  ['IPv6 of zeros', 16, ['{ name: inet_ip }'], '0'.repeat(32), '::'],
  [
    'IPv6 with two runs of zeros',
    16,
    ['{ name: inet_ip }'],
    '00010000000000040000000000000008',
    '1:0:0:4::8',
  ],
  ['IPv4 within IPv6', 16, ['{ name: inet_ip }'], '00000000000000000000ffff01020304', '1.2.3.4'],
  ['a name of DNS', 12, ['{ name: dname }'], '076578616d706c6503636f6d', 'example.com'],
  ['a name of DNS as a text', 16, [STRING, '{ name: dname }'], '\x07example\x03com', 'example.com'],
  ['an empty name of DNS', 16, [STRING, '{ name: dname }'], '', '.'],
  ['no name of DNS', 4, ['{ name: dname }'], '05636f6d', '\x05com'],
  ['a device', 4, ['{ name: majorminor }'], '00080000', 'sda'],
  ['a device with large numbers', 4, ['{ name: majorminor }'], 'ff03f1ff', 'nvme0n1'],
  ['an unknown device', 4, ['{ name: majorminor }'], '10880000', 'unknown:136:16'],
  ['an interface', 4, ['{ name: ifname }'], '02000000', 'eth0'],
  ['an unknown interface', 4, ['{ name: ifname }'], '07000000', 'unknown:7'],
  ['a symbol', 8, ['{ name: ksym }'], '3008d919ebffffff', 'pipe_lock'],
  ['a symbol of a module', 8, ['{ name: ksym }'], '0000d929ebffffff', 'of_module'],
  [
    'an address within a symbol',
    8,
    ['{ name: ksym }'],
    '7808d919ebffffff',
    'unknown_addr:0xffffffeb19d90878',
  ],
  [
    'a stack',
    24,
    ['{ name: kstack }'],
    `7808d919ebffffff${'3008d919ebffffff'}${'0'.repeat(16)}`,
    'pipe_unlock\npipe_lock',
  ],
  ['a stack outside the kernel', 8, ['{ name: kstack }'], '0100000000000000', '??'],
  ['an empty stack', 16, ['{ name: kstack }'], '0'.repeat(32), ''],
  ['an unknown control group', 8, [UINT, '{ name: cgroup }'], 4_000_000_000, 'unknown_cgroup_id:4000000000'],
])('%s', async (_, size, decoders, raw, expected) => {
  expect(await decoded(labelsOf(size, ...decoders), raw)).toEqual(expected === undefined ? [] : [expected]);
});

describe('control groups', () => {
  const labels = labelsOf(8, UINT, '{ name: cgroup }');
  const idOf = (path: string): string => String(lstatSync(join(folder, path), { bigint: true }).ino);

  test('have the paths of their ids, those that are made later too', async () => {
    const path = 'cgroup/a.slice/b c.service';
    expect(await decoded(labels, idOf(path))).toEqual([join(folder, path)]);
    const later = 'cgroup/later.service';
    mkdirSync(join(folder, later));
    expect(await decoded(labels, idOf(path), idOf(later))).toEqual([join(folder, path), join(folder, later)]);
  });

  test('keep their names after they have ended', async () => {
    const later = 'cgroup/later.service';
    mkdirSync(join(folder, later));
    const frame = frameOf({ attributes: { label: Number(idOf(later)) } });
    const source = decodedSource(framesSource([frame]), { labels, names });
    await source.read();
    rmSync(join(folder, later), { recursive: true });
    expect((await source.read()).histograms[0]!.attributes).toEqual({ label: join(folder, later) });
  });

  test('of one hierarchy that is mounted twice have one path', async () => {
    const line = `1 2 0:3 / ${folder}/cgroup rw - cgroup2 cgroup2 rw\n`;
    write('mounts', `1 2 0:3 / ${folder}/cgroup/a.slice rw - cgroup cgroup rw,cpu\n${line}`);
    expect(await decoded(labels, idOf('cgroup/a.slice'))).toEqual([join(folder, 'cgroup/a.slice')]);
  });
});

describe('numbers without a name', () => {
  const labels = labelsOf(8, UINT, '{ name: cgroup }');
  let nowMs: number;
  let tables: number;
  let watched: SystemNames;

  beforeEach(() => {
    [nowMs, tables] = [0, 0];
    const paths = {
      partitions: '',
      interfaces: '',
      symbols: '',
      get mounts() {
        tables++;
        return join(folder, 'mounts');
      },
    };
    watched = new SystemNames(paths, () => nowMs);
  });

  /** Reads keys of a map whose keys come and go, and returns the number of tables that were read for them. */
  async function tablesFor(...ids: readonly number[]): Promise<number> {
    tables = 0;
    const frame = frameOf(...ids.map((label) => ({ attributes: { label } })));
    const { histograms } = await decodedSource(framesSource([frame]), { labels, names: watched }).read();
    expect(histograms.map(({ attributes }) => attributes.label)).toEqual(
      ids.map((id) => `unknown_cgroup_id:${id}`),
    );
    return tables;
  }

  test('make a source read the names once a minute, not at each gather', async () => {
    expect([await tablesFor(7, 8), await tablesFor(7), await tablesFor(8)]).toEqual([1, 0, 0]);
    expect(await tablesFor(7, 9)).toBe(1);
    nowMs = 59_999;
    expect(await tablesFor(7, 8, 9)).toBe(0);
    nowMs = 60_000;
    expect([await tablesFor(7), await tablesFor(7)]).toEqual([1, 0]);
  });

  test('are looked up again after a minute, and may have a name then', async () => {
    const path = join(folder, 'cgroup/later.service');
    const id = () => Number(lstatSync(path).ino);
    mkdirSync(path);
    const later = id();
    rmSync(path, { recursive: true });
    const labelOf = async () => {
      const frame = frameOf({ attributes: { label: later } });
      const { histograms } = await decodedSource(framesSource([frame]), { labels, names: watched }).read();
      return histograms[0]!.attributes.label;
    };
    expect(await labelOf()).toBe(`unknown_cgroup_id:${later}`);
    mkdirSync(path);
    // The file system may give the folder another number than the one that was just freed.
    if (id() !== later) return;
    expect(await labelOf()).toBe(`unknown_cgroup_id:${later}`);
    nowMs = 60_000;
    expect(await labelOf()).toBe(path);
  });

  test('take bounded memory: the oldest ones are looked up again', async () => {
    await tablesFor(...Array.from({ length: 10_001 }, (_, id) => 10 ** 12 + id));
    expect([await tablesFor(10 ** 12 + 1), await tablesFor(10 ** 12)]).toEqual([0, 1]);
  });
});

test('addresses that are hidden from this user are an error with a cure', async () => {
  write('symbols', '0000000000000000 T pipe_lock\n');
  await expect(decoded(labelsOf(8, '{ name: ksym }'), '3008d919ebffffff')).rejects.toThrow(
    expect.objectContaining({
      code: 'ERR_KERNEL',
      message: expect.stringMatching(/shows no addresses to this user: .* CAP_SYSLOG$/),
    }),
  );
});

test('a table that cannot be read is an error', async () => {
  rmSync(join(folder, 'partitions'));
  await expect(decoded(labelsOf(4, '{ name: majorminor }'), '00080000')).rejects.toThrow(
    expect.objectContaining({ code: 'ERR_KERNEL', message: expect.stringMatching(/partitions.*ENOENT/) }),
  );
});

test('an expression that takes too long is an error', async () => {
  const labels = labelsOf(64, STRING, '{ name: regexp, regexps: ["^(a+)+$"] }');
  await expect(decoded(labels, `${'a'.repeat(60)}b`)).rejects.toThrow(
    expect.objectContaining({ code: 'ERR_KERNEL', message: expect.stringMatching(/longer than 1000 ms/) }),
  );
});

describe('histograms of one label', () => {
  const labels = labelsOf(4, UINT, '{ name: static_map, static_map: { 1: read, 2: read } }');

  test('are kept apart by their keys, so that the fall of one hides no other', async () => {
    const frame = frameOf({ attributes: { label: 1 } }, { attributes: { label: 2 } });
    const { histograms } = await decodedSource(framesSource([frame]), { labels, names }).read();
    expect(histograms.map(({ attributes }) => attributes)).toEqual([{ label: 'read' }, { label: 'read' }]);
    expect(new Set(histograms.map(({ identity }) => identity)).size).toBe(2);
  });

  test('add up in one series, which counts nothing twice when one of them goes and comes back', async () => {
    const of = (label: number, count: number) => ({
      attributes: { label },
      counts: Float64Array.of(count, 0, 0),
    });
    const frames = [frameOf(of(1, 10), of(2, 100)), frameOf(of(1, 12)), frameOf(of(1, 12), of(2, 5))];
    const registry = createRegistry();
    const source = decodedSource(framesSource(frames), { labels, names });
    const kernel = ingestKernel(registry, source, {});
    const totals: unknown[] = [];
    for (let i = 0; i < frames.length; i++) {
      const [family] = (await registry.gather()).families;
      totals.push(family!.series.map(({ attributes, histogram }) => [attributes, histogram.totalCount]));
    }
    await kernel.close();
    const series = (count: number) => [[{ label: 'read' }, count]];
    expect(totals).toEqual([series(110), series(112), series(117)]);
  });
});

describe('sums', () => {
  const read = async (frame: Frame) => {
    const source = decodedSource(framesSource([frame]), { labels: [], names });
    return (await source.read()).histograms.map(({ sums }) => sums && [...sums]);
  };
  const of = (counts: readonly number[], sum: number, a = 0): Partial<KernelHistogram> => ({
    attributes: { a } as Attributes,
    counts: Float64Array.from(counts),
    sums: Float64Array.of(sum),
  });

  test('are undefined in a map that keeps none', async () => {
    expect(await read(frameOf(of([3, 2, 0], 0), of([0, 0, 0], 0, 1)))).toEqual([undefined, undefined]);
  });

  test('are 0 for zeros where other histograms have a sum', async () => {
    expect(await read(frameOf(of([3, 0, 0], 0), of([3, 2, 0], 5, 1)))).toEqual([[0], [5]]);
  });

  test('are undefined for values that have none, where other histograms have a sum', async () => {
    expect(await read(frameOf(of([3, 7, 0], 0), of([3, 2, 0], 5, 1)))).toEqual([undefined, [5]]);
  });

  test('are refused when the counts do not allow them, because the program counts values there', async () => {
    await expect(read(frameOf(of([0, 1000, 0], 3)))).rejects.toThrow(
      expect.objectContaining({
        code: 'ERR_KERNEL',
        message:
          'the frames has the sum 3 at the key 3, where ebpf_exporter keeps the sum of all values, and the counts do not allow that sum: if the program counts values at this key, raise bucket_max',
      }),
    );
    await expect(read(frameOf(of([1, 1, 0], 100)))).rejects.toThrow(/do not allow that sum/);
  });

  test('are undefined when the counts do not allow them because the map drops entries', async () => {
    const frame = { ...frameOf(of([0, 1000, 0], 3)), isLossy: true };
    expect(await read(frame)).toEqual([undefined]);
  });

  test('that a reader sees while the map counts are read again', async () => {
    const frames = [frameOf(of([0, 1000, 0], 3)), frameOf(of([0, 1001, 0], 2002))];
    const source = decodedSource(framesSource(frames), { labels: [], names });
    expect((await source.read()).histograms[0]!.sums).toEqual(Float64Array.of(2002));
  });
});

test('a configuration decodes what a source reads', async () => {
  const [histogram] = parseEbpfExporterConfig(`
metrics:
  histograms:
    - name: sizes
      bucket_type: linear
      bucket_max: 2
      bucket_multiplier: 50
      labels:
        - { name: op, size: 4, decoders: [{ name: uint }, { name: static_map, static_map: { 1: read } }] }
        - { name: bucket, size: 4, decoders: [{ name: uint }] }
`);
  const { layout } = histogram!.map;
  const frame = frameOf({
    attributes: { op: 1 },
    layout,
    counts: Float64Array.of(1, 2, 0),
    sums: Float64Array.of(150),
  });
  const { histograms } = await histogram!.decode(framesSource([frame])).read();
  expect(histograms).toMatchObject([{ attributes: { op: 'read' }, sums: Float64Array.of(150) }]);
});
