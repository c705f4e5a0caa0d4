import { testUnless } from '@hdrscope/testing';
import { countingProgram } from '../../src/bpf/counting-program.ts';
import { createMap, type MapInfo, mapInfo, type NewMap, updateElement } from '../../src/bpf/maps.ts';
import { loadProgram, testRun } from '../../src/bpf/programs.ts';
import { type Bpf, loadBpf } from '../../src/bpf/syscall.ts';
import {
  type KernelHistogram,
  type KernelMapOptions,
  kernelMap,
  parseKernelLayout,
  queueDepthLayout,
  sumCpus,
} from '../../src/index.ts';
import { onlineCpus } from '../../src/system-files.ts';
import { indexKey, lackOfKernel } from '../support/kernel.ts';
import { lackOfMatrix, loadMatrix, type Matrix } from '../support/matrix.ts';

const noKernel = await lackOfKernel();
const matrixTest = testUnless(noKernel ?? lackOfMatrix());
const kernelTest = testUnless(noKernel);

/** Values on both sides of the bounds of all conventions. */
const VALUES = [
  0, 1, 2, 3, 4, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 64, 65, 127, 128, 255, 256, 257, 1000, 4096,
].concat([65_535, 65_536, 1_000_000, 2 ** 25, 2 ** 26, 2 ** 27 + 1, 2 ** 31, 2 ** 32, 2 ** 40 + 3]);
/** Events by name: value i of `osd` comes i % 7 + 1 times, and each third value once under `mon`. */
const EVENTS: Readonly<Record<string, readonly number[]>> = {
  osd: VALUES.flatMap((value, i) => new Array<number>(1 + (i % 7)).fill(value)),
  mon: VALUES.filter((_, i) => i % 3 === 0),
};
const NAMES = Object.keys(EVENTS);

let matrix: Matrix;
let bpf: Bpf;

beforeAll(async () => {
  if (noKernel !== undefined) return;
  bpf = await loadBpf();
  if (lackOfMatrix() === undefined) matrix = await loadMatrix();
});

afterAll(() => matrix?.close());

async function read(fd: number, options: Partial<KernelMapOptions> = {}) {
  const source = kernelMap({ id: mapInfo(bpf, fd).id, ...options });
  try {
    return await source.read();
  } finally {
    await source.close();
  }
}

/** The numbers of a histogram that must be those of the events: in each slot as many as there are events in its range. */
function expectEvents(histogram: KernelHistogram | undefined, events: readonly number[]): void {
  const { counts, layout } = sumCpus(histogram!);
  const seen = [];
  const expected = [];
  for (let slot = 0; slot < layout.slotCount; slot++) {
    const [lower, upper] = [layout.lower(slot), layout.upper(slot)];
    const inside = events.filter((value) => value >= lower && value <= upper).length;
    if (inside > 0 || counts.at(slot) > 0) {
      seen.push([lower, upper, counts.at(slot)]);
      expected.push([lower, upper, inside]);
    }
  }
  expect(seen).toEqual(expected);
  expect(counts.total).toBe(events.length);
}

const KINDS = ['array', 'pcarray', 'hash', 'pchash', 'lru', 'pclru', 'amaps', 'hmaps'] as const;
type Kind = (typeof KINDS)[number];

/** Which attributes the histogram of a name has; `undefined` when the map does not distinguish names. */
function attributesOf(kind: Kind, hasNames: boolean, name: number): object | undefined {
  if (kind === 'amaps' || kind === 'hmaps') return { key: name };
  if (kind === 'array' || kind === 'pcarray') return hasNames ? { key: name } : undefined;
  return { comm: NAMES[name] };
}

function feed(map: string): void {
  for (const [number, name] of NAMES.entries()) {
    for (const value of EVENTS[name]!) matrix.count(map, value, number);
  }
}

function expectRight(histograms: readonly KernelHistogram[], kind: Kind, hasNames: boolean): void {
  if (attributesOf(kind, hasNames, 0) === undefined) {
    expect(histograms.map(({ attributes }) => attributes)).toEqual([{}]);
    expectEvents(
      histograms[0],
      NAMES.flatMap((name) => EVENTS[name]!),
    );
    return;
  }
  expect(histograms).toHaveLength(NAMES.length);
  for (const [number, name] of NAMES.entries()) {
    const wanted = attributesOf(kind, hasNames, number)!;
    const found = histograms.find(({ attributes }) =>
      Object.entries(wanted).every(([key, value]) => attributes[key] === value),
    );
    expectEvents(found, EVENTS[name]!);
  }
}

/** The conventions of the matrix, as options. A hash has no last slot, so that of bcc goes on to the largest integers. */
const LAYOUTS = {
  tools: 'libbpf-tools:26',
  gadget: 'inspektor-gadget:27',
  own: 'log-linear-8:496',
  bcc: 'bcc:64',
  exporter: 'exporter-exp2:26',
  aya: 'queue-depth',
} as const;
const TOOLS = Object.keys(LAYOUTS) as (keyof typeof LAYOUTS)[];
/** Their programs keep a sum. */
const SUMMED: readonly string[] = ['own', 'exporter'];
/** A name has its own histogram in maps of these, whatever the kind is. */
const WITH_NAMES: readonly string[] = ['tools', 'gadget', 'own'];

matrixTest.each(TOOLS.flatMap((tool) => KINDS.map((kind) => [tool, kind] as const)))(
  '%s in a map of the kind %s is read as its type states or its program counts, and as an option states',
  async (tool, kind) => {
    const map = `${tool}_${kind}`;
    feed(map);
    const { histograms, ground } = await read(matrix.fdOf(map));
    const isHash = ['hash', 'pchash', 'lru', 'pclru'].includes(kind);
    const text = tool === 'bcc' && isHash ? 'bcc:65' : LAYOUTS[tool];
    if (tool === 'gadget') expect(ground).toMatch(/Inspektor Gadget/);
    else
      expect(ground).toMatch(
        new RegExp(`^measured from program \\d+ \\(${map.slice(0, 15)}\\w*\\): it counts as ${text}$`),
      );
    expectRight(histograms, kind, WITH_NAMES.includes(tool));
    expect(new Set(histograms.map(({ name }) => name))).toEqual(new Set([map]));

    const layout = parseKernelLayout(text);
    const stated = await read(matrix.fdOf(map), {
      layout,
      ...(tool === 'exporter' && { shape: { sum: 'after-last' } }),
    });
    expect(stated.histograms.map(countsOf)).toEqual(histograms.map(countsOf));
    if (!SUMMED.includes(tool)) return;
    const sums = histograms.map((histogram) => sumCpus(histogram).sum!);
    const values = NAMES.flatMap((name) => EVENTS[name]!);
    expect(sums.reduce((sum, one) => sum + one)).toBe(values.reduce((sum, value) => sum + value));
  },
);

function countsOf({ attributes, counts, sums, layout: { name, slots, firstIndex } }: KernelHistogram) {
  return { attributes, counts, sums, name, bounds: slots.bounds, firstIndex };
}

/** A map of Aya: it has no types, and a name in capitals. */
function ayaMap(map: Pick<NewMap, 'type'> & Partial<NewMap>): {
  readonly fd: number;
  readonly info: MapInfo;
} {
  const fd = createMap(bpf, { keySize: 4, valueSize: 8, maxEntries: 8, name: 'QUEUE_HIST', ...map });
  return { fd, info: mapInfo(bpf, fd) };
}

function countDepths(mapFd: number): void {
  const program = loadProgram(bpf, countingProgram({ mapFd, layout: queueDepthLayout() }));
  const cpus = onlineCpus();
  for (const [i, value] of EVENTS.osd!.entries())
    testRun(bpf, program, [value], { cpu: cpus[i % cpus.length]! });
  bpf.close(program);
}

kernelTest.each(['array', 'percpu_array'] as const)(
  'a map of Aya, %s without types, is refused whatever its name is, and read with its layout',
  async (type) => {
    for (const name of ['QUEUE_HIST', 'DEPTHS']) {
      const { fd } = ayaMap({ type, name });
      countDepths(fd);
      await expect(read(fd)).rejects.toThrow('its numbers fit queue-depth, libbpf-tools:8');
      expectEvents((await read(fd, { layout: queueDepthLayout() })).histograms[0], EVENTS.osd!);
      bpf.close(fd);
    }
  },
);

kernelTest.each(['array_of_maps', 'hash_of_maps'] as const)(
  'maps without types in a map of the type %s are read, each with its own life',
  async (type) => {
    const inner = [ayaMap({ type: 'percpu_array' }), ayaMap({ type: 'percpu_array' })] as const;
    const outer = createMap(bpf, {
      ...{ type, keySize: 4, valueSize: 4, maxEntries: 4, name: 'BY_DEVICE', innerMapFd: inner[0].fd },
    });
    const put = (key: number, fd: number) => updateElement(bpf, outer, indexKey(key), indexKey(fd));
    put(0, inner[0].fd);
    put(3, inner[1].fd);
    countDepths(inner[0].fd);
    countDepths(inner[1].fd);
    countDepths(inner[1].fd);
    const { histograms, generation } = await read(outer, { layout: queueDepthLayout() });
    const found = histograms.map(({ attributes, name, generation }) => [attributes.key, name, generation]);
    expect(found.sort()).toEqual([
      [0, 'BY_DEVICE', `map ${inner[0].info.id}`],
      [3, 'BY_DEVICE', `map ${inner[1].info.id}`],
    ]);
    expectEvents(
      histograms.find(({ attributes }) => attributes.key === 0),
      EVENTS.osd!,
    );
    expectEvents(
      histograms.find(({ attributes }) => attributes.key === 3),
      [...EVENTS.osd!, ...EVENTS.osd!],
    );
    expect(generation).toBe(`map ${mapInfo(bpf, outer).id}`);
    for (const fd of [outer, inner[0].fd, inner[1].fd]) bpf.close(fd);
  },
);
