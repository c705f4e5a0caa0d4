import { createMap, mapInfo, type NewMap, updateElement } from '../../src/bpf/maps.ts';
import { kernelMap, parseEbpfExporterConfig } from '../../src/index.ts';
import { indexKey, kernelSession, perCpuValue } from '../support/kernel.ts';

const PREFIX = 'hdr_exporter';
const { kernelTest, bpf, open } = await kernelSession(PREFIX);

function config(labels: string): string {
  return `metrics: { histograms: [{ name: h, bucket_type: exp2, bucket_max: 2, labels: [${labels}] }] }`;
}

const BUCKET = '{ name: bucket, size: 4, decoders: [{ name: uint }] }';

/** Counts of a map with counters of 64 bits by its keys, read as a configuration describes it. */
async function read(
  yaml: string,
  map: Pick<NewMap, 'type' | 'keySize' | 'maxEntries'>,
  entries: readonly (readonly [key: Uint8Array, count: number])[],
) {
  const fd = createMap(bpf, { ...map, valueSize: 8, name: PREFIX });
  open.push(fd);
  for (const [key, count] of entries) updateElement(bpf, fd, key, perCpuValue(count));
  const [histogram] = parseEbpfExporterConfig(yaml);
  const source = histogram!.decode(kernelMap({ id: mapInfo(bpf, fd).id, ...histogram!.map }));
  try {
    const { histograms } = await source.read();
    return histograms.map(({ counts, sums }) => ({ counts: [...counts], sums: sums && [...sums] }));
  } finally {
    await source.close();
  }
}

const counted = (counts: readonly number[]) => counts.map((count, i) => [indexKey(i), count] as const);

kernelTest('an array that ends before the sum has no sum', async () => {
  const map = { type: 'array', keySize: 4, maxEntries: 3 } as const;
  expect(await read(config(BUCKET), map, counted([5, 3, 1]))).toEqual([
    { counts: [5, 3, 1], sums: undefined },
  ]);
});

kernelTest('an array has its sum after the last bucket', async () => {
  const map = { type: 'array', keySize: 4, maxEntries: 4 } as const;
  expect(await read(config(BUCKET), map, counted([5, 3, 1, 17]))).toEqual([
    { counts: [5, 3, 1], sums: [17] },
  ]);
});

kernelTest('a linear histogram has its sum in steps, also when many values are counted', async () => {
  const linear = (multiplier: number) =>
    `metrics: { histograms: [{ name: h, bucket_type: linear, bucket_max: 2, bucket_multiplier: ${multiplier}, labels: [${BUCKET}] }] }`;
  const map = { type: 'array', keySize: 4, maxEntries: 4 } as const;
  // The program divides values by 50: 500 of them are 1 then, and 100 are 2.
  const entries = counted([0, 500, 100, 700]);
  expect(await read(linear(50), map, entries)).toEqual([{ counts: [0, 500, 100], sums: [35_000] }]);
  // Parts of a step have a thousand units.
  expect(await read(linear(0.5), map, entries)).toEqual([{ counts: [0, 500, 100], sums: [700_000] }]);
});

kernelTest.each(['lru_hash', 'hash'] as const)('a %s that has lost the entry of a slot', async (type) => {
  // 998 of the values have no entry any more, and the sum has them.
  const reading = read(config(BUCKET), { type, keySize: 4, maxEntries: 9 }, counted([150, 2, 0, 200_000]));
  // Only a map of the type LRU drops entries: its counts stay, without the sum.
  if (type === 'lru_hash') expect(await reading).toEqual([{ counts: [150, 2, 0], sums: undefined }]);
  else await expect(reading).rejects.toThrow(/contradicts map \d+/);
});

kernelTest('counts beyond the sum are refused, because the buckets end too early', async () => {
  const map = { type: 'hash', keySize: 4, maxEntries: 9 } as const;
  await expect(read(config(BUCKET), map, counted([5, 3, 1, 17, 2]))).rejects.toThrow(
    /counts at index 4, for which the layout ebpf-exporter-exp2 of 3 slots has no slot/,
  );
});

kernelTest('labels of another size than the keys are refused', async () => {
  const map = { type: 'hash', keySize: 8, maxEntries: 9 } as const;
  await expect(read(config(BUCKET), map, [])).rejects.toThrow(
    /its keys have 8 bytes, and the shape describes 4/,
  );
});

kernelTest('several labels in the index of an array are refused', async () => {
  const map = { type: 'array', keySize: 4, maxEntries: 9 } as const;
  const labels = ['level', 'bucket'].map((name) => `{ name: ${name}, size: 2, decoders: [{ name: uint }] }`);
  await expect(read(config(labels.join(', ')), map, [])).rejects.toThrow(
    /the key of an array is an index, which has no fields/,
  );
});
