import { createRegistry } from '@hdrscope/registry';
import { OSD_DUMP, OSD_DUMP_LATER } from '@hdrscope/testing/osd';
import { refusalOf } from '@hdrscope/testing/refusals';
import { askHistograms, dumpIncrease, ingestCeph, parseHistogramDump } from '../../src/index.ts';
import { dumpOf, LINEAR } from '../support/dumps.ts';

const increase = (before: string, after: string) =>
  dumpIncrease(parseHistogramDump(before), parseHistogramDump(after)).map(({ histogram, isReset, sums }) => ({
    cells: [...histogram.cells].map(Number),
    isReset,
    sums,
  }));

test('two histograms of one name are refused: one would be compared with the other', async () => {
  const text = dumpOf([0, 1, 0]);
  const [one, two] = [parseHistogramDump(text), parseHistogramDump(text + text)];
  for (const compare of [() => dumpIncrease(one, two), () => dumpIncrease(two, one)])
    expect(refusalOf(compare, 'ERR_DECODE').message).toMatch(
      /^two histograms are osd\.items: .* must name them/,
    );
  const asked = askHistograms(async (prefix) => (prefix === 'perf dump' ? '{}' : text + text));
  await expect(asked).rejects.toMatchObject({ code: 'ERR_DECODE' });
  const registry = createRegistry();
  const ceph = ingestCeph(registry, () => text + text);
  expect((await registry.gather()).errors).toHaveLength(1);
  expect(ceph.latest).toEqual([]);
  const named = parseHistogramDump(`osd.1: ${text}osd.2: ${text}`);
  expect(dumpIncrease(named, named)).toHaveLength(2);
});

test('the increase between two dumps of an OSD is what was written in between', () => {
  const [written] = dumpIncrease(parseHistogramDump(OSD_DUMP), parseHistogramDump(OSD_DUMP_LATER));
  expect(written!.isReset).toBe(false);
  expect(written!.histogram.totalCount).toBe(83_959 - 62_049);
  // Removals have no size. All other operations wrote 64 KiB, and are in the slot of this size.
  const large = [{ axis: 'Request size (bytes)', from: 65_536, to: 131_072 }];
  expect(written!.histogram.marginal(0, large).totalCount).toBe(10_954);
});

test('after `perf reset` all counts are new', () => {
  expect(
    increase(dumpOf([0, 5, 2], [LINEAR], { sum: [40] }), dumpOf([0, 1, 2], [LINEAR], { sum: [22] })),
  ).toEqual([{ cells: [0, 1, 2], isReset: true, sums: [22n] }]);
});

test('sums are those of the increase, and absent when a dump has no sums', () => {
  const before = dumpOf([0, 5, 2], [LINEAR], { sum: [40] });
  expect(increase(before, dumpOf([0, 6, 2], [LINEAR], { sum: [47] }))[0]!.sums).toEqual([7n]);
  expect(increase(before, dumpOf([0, 6, 2]))[0]!.sums).toBeUndefined();
  expect(increase(dumpOf([0, 5, 2]), dumpOf([0, 6, 2], [LINEAR], { sum: [47] }))[0]!.sums).toBeUndefined();
});

test('a daemon that came back with other axes began anew', () => {
  const { ranges, ...axis } = LINEAR;
  expect(ranges).toBeDefined();
  expect(increase(dumpOf([0, 5, 2]), dumpOf([0, 6, 2, 1], [{ ...axis, buckets: 4 }]))).toEqual([
    { cells: [0, 6, 2, 1], isReset: true, sums: undefined },
  ]);
});

test('a histogram that the earlier dump does not have is new', () => {
  expect(increase('{}', dumpOf([0, 5, 2]))).toEqual([{ cells: [0, 5, 2], isReset: false, sums: undefined }]);
  expect(increase(dumpOf([0, 5, 2]), '{"osd":{}}')).toEqual([]);
});

test('histograms of different daemons are not compared', () => {
  const before = `osd.0: ${dumpOf([0, 5, 0])}\nosd.1: ${dumpOf([0, 1, 0])}`;
  const after = `osd.0: ${dumpOf([0, 6, 0])}\nosd.1: ${dumpOf([0, 9, 0])}`;
  expect(increase(before, after).map(({ cells }) => cells[1])).toEqual([1, 8]);
});
