import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough } from 'node:stream';
import { setTimeout as sleep } from 'node:timers/promises';
import { lackOfProgram, testUnless } from '@hdrscope/testing';
import { mapInfo } from '../../src/bpf/maps.ts';
import { loadBpf } from '../../src/bpf/syscall.ts';
import {
  bpftoolMap,
  bpftrace,
  type Frame,
  framesSource,
  iteratorFile,
  queueDepthLayout,
} from '../../src/index.ts';
import { describeKernelSource } from '../support/contract.ts';
import { indexKey, lackOfKernel } from '../support/kernel.ts';
import { countedMap } from '../support/kernel-counted.ts';

describeKernelSource('the output of bpftrace', test, () => {
  const stream = new PassThrough();
  const counts = { first: [0, 0], second: [0, 0] };
  stream.write('{"type": "attached_probes", "data": {"probes": 1}}\n');
  return {
    source: bpftrace({ stream, keys: { '@h': ['who'] } }),
    attributesOf: (who) => ({ who }),
    async count(slot, times, who) {
      counts[who][slot - 1]! += times;
      const histogram = (each: readonly number[]) =>
        each.map((count, value) => ({ min: value, max: value, count })).filter(({ count }) => count > 0);
      const data = { '@h': { first: histogram(counts.first), second: histogram(counts.second) } };
      stream.write(`${JSON.stringify({ type: 'hist', data })}\n`);
      await sleep(5);
    },
    dispose: () => void stream.destroy(),
  };
});

describeKernelSource('an iterator file', test, () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-'));
  const path = join(folder, 'depths');
  let lines = new Map<number, number>([[8, 0]]);
  const text = (): string => [...lines].map(([index, count]) => `${index} ${count}\n`).join('');
  const add = (index: number, count: number): void => {
    lines.set(index, (lines.get(index) ?? 0) + count);
    writeFileSync(path, text());
  };
  const replace = (): void => {
    lines = new Map([[8, 0]]);
    writeFileSync(`${path}.new`, text());
    renameSync(`${path}.new`, path);
  };
  replace();
  return {
    source: iteratorFile({ path, layout: queueDepthLayout(), sumIndex: 8 }),
    count: add,
    addToSum: (amount) => add(8, amount),
    replace,
    // The file keeps its inode under another name, so the next file gets another inode.
    lose: () => renameSync(path, `${path}.old`),
    restore: replace,
    dispose: () => rmSync(folder, { recursive: true }),
  };
});

describeKernelSource('frames of a test', test, () => {
  const frames: (Frame | Error)[] = [];
  const layout = queueDepthLayout();
  let counts = new Float64Array(8);
  let generation = 1;
  const push = (): void => {
    const histogram = { name: 'depth', attributes: {}, layout, counts: counts.slice(), sums: undefined };
    frames.push({ generation: `${generation}`, cpuCount: 1, counterBits: 64, histograms: [histogram] });
  };
  const begin = (): void => {
    counts = new Float64Array(8);
    generation++;
  };
  return {
    source: framesSource(frames),
    count(slot, times) {
      counts[slot]! += times;
      push();
    },
    replace: begin,
    dispose: () => {},
  };
});

const toolTest = testUnless(lackOfProgram('bpftool'), await lackOfKernel());

describeKernelSource('a map through bpftool', toolTest, async () => {
  const bpf = await loadBpf();
  const shape = { type: 'percpu_array', keySize: 4, valueSize: 8, maxEntries: 8, name: 'hdr_tool' } as const;
  const map = countedMap(bpf, shape);
  return {
    source: bpftoolMap({ id: mapInfo(bpf, map.fd).id, layout: queueDepthLayout() }),
    count: (slot, times) => map.add(indexKey(slot), times),
    dispose: () => map.close(),
  };
});
