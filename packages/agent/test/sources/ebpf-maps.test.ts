import {
  explicitKernelLayout,
  type Frame,
  framesSource,
  type KernelLayout,
  queueDepthLayout,
} from '@hdrscope/ebpf';
import type { HostMap } from '@hdrscope/ebpf/internal';
import { createRegistry, IngestMemory } from '@hdrscope/registry';
import { EntryMemory } from '../../src/memory.ts';
import type { EntryContext, Running } from '../../src/part.ts';
import { createEbpfMaps } from '../../src/sources/ebpf-maps.ts';
import { configOf } from '../support/agents.ts';

interface MapFacts {
  readonly id: number;
  readonly name?: string;
  readonly programs?: readonly string[];
  readonly layout?: KernelLayout;
  readonly frames?: readonly (Frame | Error)[];
}

/** A map of which 3 values were counted. */
function hostMap({
  id,
  name = 'hists',
  programs = ['handle_exit'],
  layout = queueDepthLayout(),
  frames,
}: MapFacts): HostMap {
  const found = frames ?? [frameWith(3, id, name, layout)];
  return { id, name, programs, layout, source: framesSource(found, { name: `map ${id}` }) };
}

/** A state of a map that has counted so many values in its second slot. */
function frameWith(count: number, id = 1, name = 'hists', layout = queueDepthLayout()): Frame {
  const counts = Float64Array.from({ length: layout.slots.slotCount }, (_, slot) => (slot === 1 ? count : 0));
  const histograms = [{ name, attributes: {}, layout, counts, sums: undefined }];
  return { generation: `map ${id}`, cpuCount: 1, counterBits: 64, histograms };
}

const framesWith = (...counts: readonly number[]): readonly Frame[] =>
  counts.map((count) => frameWith(count));

let running: Running | undefined;
afterEach(() => running?.stop());

/** Starts the source on a machine whose looks are given. */
async function start(
  keys: string,
  looks: readonly { readonly came?: readonly HostMap[]; readonly gone?: readonly HostMap[] }[],
  /** The maps that other sources read at each look. */
  others: readonly (readonly number[])[] = [],
  /** Whether a look after the last one goes on until its signal ends it. */
  isEndless = false,
) {
  const registry = createRegistry();
  const failures: unknown[] = [];
  let successes = 0;
  const left = [...looks];
  const taken = [...others];
  const lines: string[] = [];
  const look = async ({ signal }: { readonly signal?: AbortSignal } = {}) => {
    if (left.length === 0 && isEndless) {
      signal!.throwIfAborted();
      await new Promise<void>((_, reject) => {
        signal!.addEventListener('abort', () => reject(signal!.reason));
      });
    }
    // What a map has counted before it goes was read.
    await registry.gather();
    return { came: [], gone: [], ...left.shift(), incomplete: undefined };
  };
  const { sources } = configOf(
    `sources: [{ type: ebpf-maps, refresh: 10ms${keys} }]\nsinks: [{ type: prometheus, listen: 'localhost:0' }]`,
  );
  const context = {
    registry,
    memory: new EntryMemory(),
    intake: () => ({
      ...{ sourceName: 'kernel', memory: new IngestMemory() },
      observer: { failed: (error: unknown) => failures.push(error) },
    }),
    info: (line: string) => lines.push(line),
    mapsOfOthers: async () =>
      new Map((taken.length > 1 ? taken.shift()! : (taken[0] ?? [])).map((id) => [id, 'queue'])),
    failed: (error: unknown) => failures.push(error),
    succeeded: () => successes++,
  };
  running = await createEbpfMaps(() => ({ look })).start(sources[0]!, context as unknown as EntryContext);
  /** The totals of all series, once all looks are over. */
  const totals = async (): Promise<Record<string, number>> => {
    while (left.length > 0) await new Promise((resolve) => setTimeout(resolve, 5));
    await new Promise((resolve) => setTimeout(resolve, 20));
    const { families } = await registry.gather();
    return Object.fromEntries(
      families.flatMap(({ name, series }) =>
        series.map(({ attributes, histogram }) => [
          `${name}${JSON.stringify(attributes)}`,
          histogram.totalCount,
        ]),
      ),
    );
  };
  return { totals, failures, lines, successes: () => successes };
}

test('a look that goes on for long ends when the agent stops, which is no failure', async () => {
  const { failures } = await start('', [{ came: [hostMap({ id: 1 })] }], [], true);
  // The next look has begun.
  await new Promise((resolve) => setTimeout(resolve, 50));
  await running!.stop();
  expect(failures).toEqual([]);
});

test('maps of all programs are families with the program as an attribute', async () => {
  const came = [
    hostMap({ id: 1 }),
    hostMap({ id: 2, programs: ['b', 'c'] }),
    hostMap({ id: 3, name: 'wait', programs: [] }),
  ];
  const { totals } = await start('', [{ came }]);
  expect(await totals()).toEqual({
    'hists{"program":"handle_exit"}': 3,
    'hists{"program":"b,c"}': 3,
    'wait{}': 3,
  });
  expect(running?.note).toBe('3 maps of this machine');
});

test('maps of one name and program have series of their own, and another layout a family of its own', async () => {
  const layout = explicitKernelLayout([10, 20]);
  const came = [
    hostMap({ id: 1 }),
    hostMap({ id: 2 }),
    hostMap({ id: 3, layout }),
    hostMap({ id: 4, layout: explicitKernelLayout([30]) }),
  ];
  const { totals } = await start('', [{ came }]);
  expect(await totals()).toEqual({
    'hists{"program":"handle_exit"}': 3,
    'hists{"program":"handle_exit","map":"2"}': 3,
    'hists_handle_exit{"program":"handle_exit"}': 3,
    'hists_4{"program":"handle_exit"}': 3,
  });
});

test.each([
  [', allow: [wait*]', ['wait_us']],
  [', deny: ["*_us"]', ['hists']],
  [', allow: ["*"], deny: [hists, wait_us]', []],
])('reads what %s leaves', async (keys, expected) => {
  const came = [hostMap({ id: 1 }), hostMap({ id: 2, name: 'wait_us' })];
  const { totals } = await start(keys, [{ came }]);
  expect(Object.keys(await totals()).map((key) => key.split('{')[0])).toEqual(expected);
});

test('maps that come are added, and the counts of those that go stay', async () => {
  const [one, two] = [hostMap({ id: 1 }), hostMap({ id: 2, name: 'wait' })];
  const { totals, failures } = await start('', [{ came: [one] }, { came: [two] }, { gone: [one] }]);
  expect(await totals()).toEqual({ 'hists{"program":"handle_exit"}': 3, 'wait{"program":"handle_exit"}': 3 });
  expect(failures).toEqual([]);
  // It is closed.
  expect(() => one.source.read()).toThrow('closed');
});

test('a map that another source reads is left to it, and is read once that source has ended', async () => {
  const came = [hostMap({ id: 1 }), hostMap({ id: 2, name: 'wait' })];
  const alone = await start('', [{ came }], [[1]]);
  expect(await alone.totals()).toEqual({ 'wait{"program":"handle_exit"}': 3 });
  expect(running?.note).toBe('1 map of this machine, 1 left to other sources');
  expect(alone.lines).toEqual(['the map hists (1) is left to the source queue, which reads it']);
  await running?.stop();
  // Its first reading is what the other source has counted.
  const { totals } = await start(
    '',
    [{ came: [hostMap({ id: 1, frames: framesWith(3, 4, 5, 6, 7, 8) })] }, {}, {}],
    [[1], [1], []],
  );
  const [total] = Object.values(await totals());
  expect(total).toBeLessThan(8);
});

test('a map is left to a source that begins to read it, and counts no more here, which the log states', async () => {
  const { totals, lines } = await start(
    '',
    [{ came: [hostMap({ id: 1, frames: framesWith(1, 2, 3, 4, 5, 6, 7, 8, 9) })] }, {}, {}],
    [[], [1]],
  );
  const before = await totals();
  expect(Object.values(before)[0]).toBeGreaterThan(0);
  expect(await totals()).toEqual(before);
  expect(lines).toEqual([
    'the map hists (1) is left to the source queue, which reads it; what was counted before stays, and queue may count it again',
  ]);
});

test('an entry whose last map has gone works, although that map could not be read', async () => {
  const broken = hostMap({ id: 1, frames: [new Error('slot 3 has -1 values')] });
  const { totals, failures, successes } = await start('', [{ came: [broken] }, { gone: [broken] }]);
  expect(await totals()).toEqual({});
  expect([failures.length > 0, successes() > 0]).toEqual([true, true]);
});

test('a map that breaks a law hides no other one', async () => {
  const came = [
    hostMap({ id: 1, frames: [new Error('slot 3 has -1 values')] }),
    hostMap({ id: 2, name: 'wait' }),
  ];
  const { totals, failures } = await start('', [{ came }]);
  expect(await totals()).toEqual({ 'wait{"program":"handle_exit"}': 3 });
  expect(String(failures[0])).toContain('slot 3 has -1 values');
});
