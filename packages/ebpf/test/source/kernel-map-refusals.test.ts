import { chmodSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { lackOfNobody, spawnNodeAsNobody, testUnless } from '@hdrscope/testing';
import { createMap, mapInfo, type NewMap, pin, updateElement } from '../../src/bpf/maps.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import {
  type KernelMapOptions,
  kernelMap,
  libbpfToolsLayout,
  parseKernelLayout,
  parseMapShape,
  sumCpus,
} from '../../src/index.ts';
import { indexKey, lackOfKernel, lackOfMount, mountBpffs, type PrivateBpffs } from '../support/kernel.ts';
import { BtfBuilder, loadBtf } from '../support/kernel-btf.ts';
import { buildEbpf } from '../support/kernel-built.ts';
import { countedMap } from '../support/kernel-counted.ts';

const noKernel = (await lackOfKernel()) ?? (await lackOfMount());
const kernelTest = testUnless(noKernel);
const nobodyTest = testUnless(noKernel ?? lackOfNobody());

let bpf: Bpf;
let bpffs: PrivateBpffs;
const open: number[] = [];

beforeAll(async () => {
  if (noKernel !== undefined) return;
  bpf = await loadBpf();
  bpffs = mountBpffs();
});

afterAll(() => bpffs?.unmount());

afterEach(() => {
  for (const fd of open.splice(0)) bpf.close(fd);
});

async function read(options: KernelMapOptions) {
  const source = kernelMap(options);
  try {
    return await source.read();
  } finally {
    await source.close();
  }
}

async function messageOf(options: KernelMapOptions): Promise<string> {
  const error = await read(options).catch((reason) => reason);
  expect(error.code).toBe('ERR_KERNEL');
  return error.message;
}

function newMap(map: Partial<NewMap> = {}): number {
  const fd = createMap(bpf, {
    type: 'array',
    keySize: 4,
    valueSize: 8,
    maxEntries: 8,
    name: 'queue_hist',
    ...map,
  });
  open.push(fd);
  return fd;
}

/** A map of values `{ u64 latency, count; u32 slots[26]; }` with 278 values in two slots of each of its two keys. */
function latencies(struct: string): number {
  const btf = new BtfBuilder();
  const u32 = btf.int(4);
  const u64 = btf.int(8);
  const value = btf.struct(
    120,
    [
      { name: 'latency', type: u64, bitOffset: 0 },
      { name: 'count', type: u64, bitOffset: 64 },
      { name: 'slots', type: btf.array(u32, 26), bitOffset: 128 },
    ],
    struct,
  );
  const btfFd = loadBtf(bpf, btf.build());
  open.push(btfFd);
  const types = { btfFd, keyTypeId: u32, valueTypeId: value };
  const map = countedMap(bpf, {
    type: 'hash',
    keySize: 4,
    valueSize: 120,
    maxEntries: 64,
    name: 'hists',
    types,
  });
  open.push(map.fd);
  for (const key of [1, 2].map(indexKey)) {
    map.add(key, 1_000_000, { offset: 0, width: 8 });
    map.add(key, 139, { offset: 8, width: 8 });
    map.add(key, 100, { offset: 16 + 4 * 12, width: 4 });
    map.add(key, 39, { offset: 16 + 4 * 13, width: 4 });
  }
  return map.fd;
}

kernelTest('members before the slots are not counts', async () => {
  const totalOf = async (options: KernelMapOptions) =>
    (await read(options)).histograms.reduce((total, one) => total + sumCpus(one).counts.total, 0);
  const known = mapInfo(bpf, latencies('hist')).id;
  const other = mapInfo(bpf, latencies('stats')).id;
  expect(await totalOf({ id: known, layout: libbpfToolsLayout() })).toBe(278);
  expect(await totalOf({ id: other, layout: libbpfToolsLayout() })).toBe(278);
  expect(await messageOf({ id: other })).toContain('its numbers fit libbpf-tools:26, bcc:26');
  const [withSum] = (await read({ id: known, layout: libbpfToolsLayout(), shape: { sum: 'latency' } }))
    .histograms;
  expect(sumCpus(withSum!).sum).toBe(1_000_000);
});

kernelTest('a sum that the slots cannot have is refused, unless it is another number', async () => {
  const id = mapInfo(bpf, latencies('hist')).id;
  // The slots hold 139 values of at least 4096, or with the layout of bcc of at least 2048.
  const layout = parseKernelLayout('libbpf-tools:26');
  expect(await messageOf({ id, layout, shape: { sum: 'count' } })).toMatch(
    /the layout libbpf-tools contradicts map \d+ \(hists\): its slots cannot have the sum .* set `sum` to 'none'/,
  );
  expect((await read({ id, layout, shape: { sum: 'none' } })).histograms[0]!.sums).toBeUndefined();
});

kernelTest('a described shape decides, and one of another size is refused', async () => {
  const id = mapInfo(bpf, latencies('stats')).id;
  const layout = libbpfToolsLayout();
  const shape = {
    ...parseMapShape('key { u16 cpu; u16 op; } value { u64 latency; u64 n; u32 slots[26]; }'),
    sum: 'latency',
  };
  const { histograms } = await read({ id, layout, shape });
  expect(
    histograms.map(({ attributes }) => attributes).sort((a, b) => Number(a.cpu) - Number(b.cpu)),
  ).toEqual([
    { cpu: 1, op: 0 },
    { cpu: 2, op: 0 },
  ]);
  const short = parseMapShape('value { u32 slots[26]; }');
  expect(await messageOf({ id, layout, shape: short })).toContain(
    'its values have 120 bytes, and the shape describes 104',
  );
  const wrong = parseMapShape('key { u64 pid; }');
  expect(await messageOf({ id, layout, shape: wrong })).toContain(
    'its keys have 4 bytes, and the shape describes 8',
  );
});

kernelTest(
  'a layout with an index that the map lacks, or without one at which it counts, is refused',
  async () => {
    const fd = newMap({ maxEntries: 27 });
    updateElement(bpf, fd, indexKey(26), new Uint8Array(new BigUint64Array([7n]).buffer));
    const { id } = mapInfo(bpf, fd);
    expect(await messageOf({ id, layout: parseKernelLayout('bcc') })).toContain('counts at index 27');
    expect(await messageOf({ id, layout: parseKernelLayout('libbpf-tools:26') })).toContain(
      'counts at index 26',
    );
    expect(await messageOf({ id })).not.toContain('libbpf-tools:26');
  },
);

kernelTest('each place without a map has an error of its own', async () => {
  const fd = newMap();
  const pinned = bpffs.path('queue_hist');
  pin(bpf, fd, pinned);
  mkdirSync(bpffs.path('folder'));
  const empty = bpffs.path('folder');
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-no-bpffs-'));
  const file = join(folder, 'queue_hist');
  writeFileSync(file, '');
  try {
    expect(await messageOf({ path: bpffs.path('nope') })).toContain(
      'nothing is pinned there: is the program loaded',
    );
    expect(await messageOf({ path: 'queue_hist' })).toContain('or by its name, as name:queue_hist');
    expect(await messageOf({ path: './queue_hist' })).toContain(
      `nothing is pinned there, ${process.cwd()}/queue_hist:`,
    );
    expect(await messageOf({ path: bpffs.folder })).toContain(
      'that is a folder, and a pin is a file: it has queue_hist',
    );
    expect(await messageOf({ path: empty })).toContain(
      'that is a folder, and a pin is a file: it has no pin',
    );
    expect(await messageOf({ path: file })).toContain('that file is not in a bpffs');
    expect(await messageOf({ id: 2 ** 31 - 2 })).toContain('no map has that id: a map gets another id');
    expect(await messageOf({ name: 'no_such_map' })).toContain(
      'no map is called "no_such_map": is the program loaded?',
    );
    expect(await messageOf({ path: pinned })).toContain('nothing states which values its slots hold');
  } finally {
    rmSync(folder, { recursive: true });
  }
});

nobodyTest('a user without any capability gets errors that say what helps', async () => {
  const built = buildEbpf();
  try {
    const script = built.script(
      'asker',
      `import { kernelMap } from '@hdrscope/ebpf';
       for (const options of JSON.parse(process.argv[2])) {
         const source = kernelMap(options);
         const said = await Promise.resolve().then(() => source.read()).then(({ ground }) => ground, ({ message }) => message);
         console.log(said);
         await source.close();
       }`,
    );
    const fd = newMap();
    const { id } = mapInfo(bpf, fd);
    pin(bpf, fd, bpffs.path('private'));
    pin(bpf, fd, bpffs.path('public'));
    chmodSync(bpffs.path('public'), 0o444);
    const typed = latencies('hist');
    pin(bpf, typed, bpffs.path('typed'));
    chmodSync(bpffs.path('typed'), 0o444);
    mkdirSync(bpffs.path('closed'), { mode: 0o700 });
    const asked = [
      ...['public', 'private', 'typed', 'nope', 'closed', 'closed/pin', ''].map((name) => ({
        path: bpffs.path(name),
      })),
      { id },
      { name: 'queue_hist' },
    ];
    const { stdout, stderr } = spawnNodeAsNobody([script, JSON.stringify(asked)]);
    expect(stderr).toBe('');
    const answers = stdout.trim().split('\n');
    for (const [i, part] of [
      'nothing states which values its slots hold',
      'the pin has mode 0600 and belongs to uid 0: `chmod 0444',
      'reading its types takes CAP_SYS_ADMIN',
      'nothing is pinned there',
      'that is a folder',
      'this user may not enter a folder above it',
      'that is a folder',
      'finding objects by id or name takes CAP_SYS_ADMIN',
      'finding objects by id or name takes CAP_SYS_ADMIN',
    ].entries()) {
      expect([asked[i], answers[i]]).toEqual([asked[i], expect.stringContaining(part)]);
    }
  } finally {
    built.remove();
  }
});

test.each([
  [{}, 'a map must be named by one of path, id and name'],
  [{ path: 'a', name: 'b' }, 'a map must be named by one of path, id and name'],
  [{ id: 0 }, 'id must be an integer of at least 1, got 0'],
  [{ id: 1, maxBytes: Number.NaN }, 'maxBytes must be an integer of at least 1, got NaN'],
])('the options %j are refused', (options, message) => {
  expect(() => kernelMap(options)).toThrow(
    expect.objectContaining({ code: 'ERR_INVALID_OPTION', message: expect.stringContaining(message) }),
  );
});
