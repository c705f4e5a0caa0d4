import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { parseConfig, startAgent } from '@hdrscope/agent';
import { type ExporterHistogram, ingestKernel, kernelMap } from '@hdrscope/ebpf';
import { convertSnapshot, render } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';
import { describeUnless, describeWithPeers, lackOfPeer, lackOfProgram } from '@hdrscope/testing';
import { type HistogramSeries, readHistogram } from './prometheus-text.ts';
import { type Bpffs, lackOfKernel, mountBpffs } from './support/bpffs.ts';
import {
  configOf,
  type Entry,
  type Exporter,
  entriesOf,
  examples,
  fill,
  histogramsOf,
  isAttached,
  knownCgroup,
  labelSamples,
  startExporter,
} from './support/ebpf-exporter.ts';
import { createFolder, startPeer, stopPeers, waitFor } from './support/peer-process.ts';

const HDRSCOPE = fileURLToPath(
  import.meta.resolve('hdrscope/package.json').replace('package.json', 'bin/hdrscope.js'),
);

let bpffs: Bpffs;

beforeEach(() => {
  bpffs = mountBpffs();
});

afterEach(async () => {
  await stopPeers();
  bpffs.unmount();
});

// bpftool fills maps.
const describeHere = describeUnless(
  lackOfPeer('ebpf-exporter'),
  lackOfProgram('bpftool'),
  await lackOfKernel(),
);

describeWithPeers(['ebpf-exporter'])('the examples of ebpf_exporter', () => {
  describeHere('have the buckets of its own page', () => {
    test.each(examples())('%s', async (example) => {
      const histograms = histogramsOf(example);
      const isLive = await countLive(example, histograms);
      // The maps of the running example are pinned, so they are still there. Nothing counts in them now.
      const exporter = await startExporter(example, 'stopped', bpffs);
      const names = histograms.map(({ name }) => name);
      console.log(
        isLive
          ? `${example}: ${names.join(', ')} counted by its own programs`
          : `${example}: ${names.join(', ')} filled, because its programs cannot be loaded or attached here`,
      );
      if (!isLive) for (const histogram of histograms) fillHistogram(histogram);
      const [theirs, ours] = [await exporter.page(), await pageOf(histograms)];
      for (const histogram of histograms) expectEqualBuckets(histogram, ours, theirs);
    });
  });
});

describeWithPeers(['ebpf-exporter'])('block I/O that a program of ebpf_exporter has counted', () => {
  describeHere('with maps whose page is known', () => {
    let exporter: Exporter;
    const [histogram] = examples().length === 0 ? [] : histogramsOf('biolatency');

    beforeEach(async () => {
      exporter = await startExporter('biolatency', 'stopped', bpffs);
      fillHistogram(histogram!);
    });

    test('is served by the agent with the same buckets', async () => {
      const { config, issues } = parseConfig(`
sources: [{ type: ebpf-exporter, config: ${configOf('biolatency')}, pins: ${bpffs.path('')} }]
sinks: [{ type: prometheus, listen: 'localhost:0', buckets: classic }]
`);
      expect(issues).toEqual([]);
      const lines: string[] = [];
      const agent = await startAgent(config!, { log: (line) => void lines.push(line) });
      try {
        const [url] = /http:\S+/.exec(lines.join('\n'))!;
        const ours = await (await fetch(url)).text();
        expectEqualBuckets(histogram!, ours, await exporter.page());
      } finally {
        await agent.stop();
      }
    });

    test('is served by the command with the same buckets, for all maps in a folder', async () => {
      const args = ['ebpf', 'serve', bpffs.path(''), '--config', configOf('biolatency'), '--port', '0'];
      const command = await startPeer(process.execPath, [HDRSCOPE, ...args], {
        folder: await createFolder(),
        isReady: (output) => /^http:.*$/m.test(output),
      });
      const [url] = /^http:\S+/m.exec(command.output())!;
      expectEqualBuckets(histogram!, await (await fetch(url)).text(), await exporter.page());
    });
  });
});

describeWithPeers(['ebpf-exporter'])('labels that ebpf_exporter decodes', () => {
  describeHere('in a map with all decoders', () => {
    test('have the same texts', async () => {
      const [histogram] = histogramsOf('decoders');
      const exporter = await startExporter('decoders', 'stopped', bpffs);
      const { key, keySize } = histogram!.map.shape!;
      const samples = labelSamples();
      const entries = [10, 100, 1000].flatMap((bucket, at) =>
        [0, 1, 2, 3].map((sample): Entry => {
          const bytes = Buffer.alloc(keySize!);
          for (const { name, offset } of key!) samples[name]?.[sample]?.copy(bytes, offset);
          bytes.writeBigUInt64LE(BigInt(bucket), key!.at(-1)!.offset);
          return { key: bytes, count: BigInt(1 + at + 10 * sample) };
        }),
      );
      fill(bpffs.path('decoded_bytes'), entries);
      const [theirs, ours] = [await exporter.page(), await pageOf([histogram!])];
      expectEqualBuckets(histogram!, ours, theirs);
      // The expressions for the last sample match nothing.
      expect(readHistogram(ours, histogram!.family.name!)).toHaveLength(3);
      expect(ours).toContain('symbol="unknown_addr:0x');
      expect(ours).toContain('domain="example.com"');
    });
  });
});

/**
 * Lets the programs of an example count until all of its histograms have counts. Meanwhile its page is compared with ours.
 *
 * @returns Whether they have counted. Otherwise they cannot do so here, and nothing was counted.
 */
async function countLive(example: string, histograms: readonly ExporterHistogram[]): Promise<boolean> {
  let exporter: Exporter;
  try {
    exporter = await startExporter(example, 'running', bpffs);
  } catch {
    return false;
  }
  try {
    if (!(await isAttached(exporter))) return false;
    const counts = async () => {
      // Answers by the loopback interface raise interrupts, and written files move to the disk.
      const page = await exporter.page();
      spawnSync('sync');
      return histograms.every(({ family }) =>
        readHistogram(page, family.name!).some(({ count }) => count > 0),
      );
    };
    await waitFor(counts, { timeoutMs: 90_000, what: `counts of ${example}` });
    const before = await pageOf(histograms);
    const page = await exporter.page();
    const after = await pageOf(histograms);
    for (const { family } of histograms) {
      const [first, theirs, last] = [before, page, after].map((one) => readHistogram(one, family.name!));
      for (const { labels, buckets } of first!) expectNotAbove(buckets, seriesOf(theirs!, labels).buckets);
      for (const { labels, buckets } of theirs!) {
        if (buckets.at(-1)![1] > 0) expectNotAbove(buckets, seriesOf(last!, labels).buckets);
      }
    }
    return true;
  } finally {
    await exporter.peer.stop();
  }
}

/** The page that hdrscope has for the maps of an example. */
async function pageOf(histograms: readonly ExporterHistogram[]): Promise<string> {
  const registry = createRegistry();
  const opened = histograms.map(({ name, map, family, decode }) =>
    ingestKernel(registry, decode(kernelMap({ path: bpffs.path(name), ...map })), family),
  );
  const snapshot = await registry.gather();
  expect(snapshot.errors).toEqual([]);
  await Promise.all(opened.map((one) => one.close()));
  return new TextDecoder().decode(render(convertSnapshot(snapshot), 'text'));
}

type Buckets = HistogramSeries['buckets'];

function seriesOf(all: readonly HistogramSeries[], labels: string): HistogramSeries {
  const found = all.find((one) => one.labels === labels);
  if (found === undefined)
    throw new Error(`no series has the labels ${labels}: ${all.map((one) => one.labels)}`);
  return found;
}

/** Counts of a later page are not below those of an earlier one, bucket by bucket, at the bounds that both have. */
function expectNotAbove(earlier: Buckets, later: Buckets): void {
  const wrong = earlier.filter(([le, count]) => {
    const same = later.find(([other]) => isSameBound(le, other));
    return same !== undefined && count > same[1];
  });
  expect(wrong).toEqual([]);
}

/** Go multiplies bounds by the multiplier in floating point, which may miss the nearest number by one. */
function isSameBound(a: number, b: number): boolean {
  return a === b || (Number.isFinite(a) && Math.abs(a - b) <= Math.abs(a) * 2 ** -51);
}

/**
 * Compares all series. ebpf_exporter has one bound more: it closes the last bucket, in which programs count all larger values
 * too. Here these are above all bounds.
 */
function expectEqualBuckets({ family, map }: ExporterHistogram, ours: string, theirs: string): void {
  const [mine, others] = [ours, theirs].map((page) =>
    readHistogram(page, family.name!).filter(({ count }) => count > 0),
  );
  expect(mine!.length).toBeGreaterThan(0);
  expect(mine!.map(({ labels }) => labels).sort()).toEqual(others!.map(({ labels }) => labels).sort());
  // Keys of linear buckets are quotients that were rounded down. Its page has them below their smallest value.
  const isLinear = map.layout.name === 'ebpf-exporter-linear';
  const step = isLinear ? map.layout.slots.upper(0) : 0;
  for (const { labels, buckets, count, sum } of mine!) {
    const other = seriesOf(others!, labels);
    const open = other.buckets.at(-1)!;
    expect(buckets.map(([, cumulative]) => cumulative)).toEqual([
      ...other.buckets.slice(0, -2).map(([, cumulative]) => cumulative),
      open[1],
    ]);
    expect(other.buckets.at(-2)![1]).toBe(open[1]);
    const bounds = other.buckets.slice(0, -2).map(([le]) => le + step);
    expect(buckets.slice(0, -1).filter(([le], i) => !isSameBound(le, bounds[i]!))).toEqual([]);
    expect(count).toBe(other.count);
    // Without a sum of the program its page has 0, and ours an estimate.
    if (other.sum !== 0) expect(Math.abs(sum - other.sum)).toBeLessThan(1e-9 * other.sum);
  }
}

/** Fills a map with counts in all buckets, for several keys, with sums that these counts may have. */
function fillHistogram({ name, map }: ExporterHistogram): void {
  const { layout, shape } = map;
  const { slots, firstIndex } = layout;
  const fields = shape!.key!;
  const labels = fields.slice(0, -1);
  const { offset, type } = fields.at(-1)!;
  const width = Number(type.slice(1)) / 8;
  const isArray = labels.length === 0 && width === 4;
  const entries: Entry[] = [];
  // Maps of names have some of these numbers. Of control groups, where groups of several hierarchies have an id, ebpf_exporter
  // shows one of them, and hdrscope none.
  const isOfCgroups = labels.some(({ name: label }) => label === 'cgroup');
  const values = isOfCgroups ? [4_000_000_000, knownCgroup() ?? 4_000_000_001] : [0, 1, 9];
  const room = Math.floor(entriesOf(bpffs.path(name)) / (slots.slotCount + 1));
  for (const value of labels.length === 0 ? [0] : values.slice(0, room)) {
    const entry = (bucket: number, count: number): void => {
      const key = Buffer.alloc(shape!.keySize!);
      for (const label of labels) {
        if (value < 256) key.writeUInt8(value, label.offset);
        else key.writeUInt32LE(value, label.offset);
      }
      if (width === 8) key.writeBigUInt64LE(BigInt(bucket), offset);
      else key.writeUIntLE(bucket, offset, width);
      entries.push({ key, count: BigInt(count) });
    };
    let sum = 0;
    for (let slot = 0; slot < slots.slotCount; slot++) {
      const count = ((slot + 1) * 7919 * ((value % 1000) + 1)) % 1000;
      // Keys of which nothing was counted are not in a hash.
      if (count % 3 === 0) continue;
      entry(firstIndex + slot, count);
      sum += count * slots.lower(slot);
    }
    const hasNoSum = layout.name === 'ebpf-exporter-linear' || name === 'shrink_node_latency_seconds';
    if (!hasNoSum) entry(firstIndex + slots.slotCount, sum);
    if (isArray) break;
  }
  fill(bpffs.path(name), entries);
}
