import { explicitCounts } from '@hdrscope/core/internal';
import { createRegistry, type FamilySnapshot, type Snapshot } from '@hdrscope/registry';
import { OSD_DUMP, OSD_DUMP_LATER } from '@hdrscope/testing/osd';
import { refusalOf } from '@hdrscope/testing/refusals';
import { type IngestCephOptions, ingestCeph, parseHistogramDump } from '../../src/index.ts';
import { dumpOf, LINEAR } from '../support/dumps.ts';

/** A registry with a source that reads one text after the other, and then the last one again and again. */
function reading(texts: readonly (string | Error)[], options: IngestCephOptions = {}) {
  const registry = createRegistry();
  let reads = 0;
  const fetch = async () => {
    const text = texts[Math.min(reads++, texts.length - 1)]!;
    if (text instanceof Error) throw text;
    return text;
  };
  const source = ingestCeph(registry, fetch, options);
  return { registry, source, gather: () => registry.gather() };
}

const familyOf = ({ families }: Snapshot, name: string): FamilySnapshot =>
  families.find((one) => one.name === name)!;
const LATENCY = 'ceph.osd.op_w_latency_in_bytes.latency';
const SIZE = 'ceph.osd.op_w_latency_in_bytes.request_size_bytes';
const axis = (name: string, buckets: number) => ({
  name,
  min: 0,
  quant_size: 8,
  buckets,
  scale_type: 'linear',
});
const LATENCY_AXIS = axis('Latency (nsec)', 3);
const total = (snapshot: Snapshot, name: string): number =>
  familyOf(snapshot, name).series.reduce((sum, { histogram }) => sum + histogram.totalCount, 0);

test('each axis is a family in seconds or bytes, with the bounds of its slots', async () => {
  const { gather } = reading([OSD_DUMP]);
  const snapshot = await gather();
  expect(snapshot.errors).toEqual([]);
  expect(snapshot.families.map(({ name, unit }) => [name, unit])).toEqual([
    [LATENCY, 's'],
    [SIZE, 'By'],
  ]);
  const [latency, size] = snapshot.families;
  expect(latency!.boundaries!.slice(0, 3)).toEqual([0.000099999, 0.000199999, 0.000399999]);
  expect(size!.boundaries!.slice(0, 3)).toEqual([511, 1023, 2047]);
  expect(latency!.description).toBe(
    'Latency of osd.op_w_latency_in_bytes_histogram; the sum is an estimate, from the middles of the buckets',
  );
});

test.each([
  ['op_hist_lat', [LATENCY_AXIS], ['ceph.rgw.op_hist_lat s']],
  // A second axis of one slot is there for tools that want two.
  ['op_hist_lat', [LATENCY_AXIS, axis('All', 1)], ['ceph.rgw.op_hist_lat s']],
  ['op_histogram', [axis('Size (bytes)', 3)], ['ceph.rgw.op By']],
  ['put_bytes_histogram', [axis('Size (bytes)', 3)], ['ceph.rgw.put_bytes By']],
  [
    'op_w_latency_in_bytes_histogram',
    [LATENCY_AXIS, axis('Request size (bytes)', 3)],
    ['ceph.rgw.op_w_latency_in_bytes.latency s', 'ceph.rgw.op_w_latency_in_bytes.request_size_bytes By'],
  ],
  ['all', [axis('All', 1)], ['ceph.rgw.all ']],
])(
  'the families of %s with the axes %j are %j, with the labels of the logger',
  async (counter, axes, names) => {
    const values = axes.reduceRight<unknown>(
      (inner, { buckets }) => Array.from({ length: buckets }, () => inner),
      1,
    );
    const entry = { labels: { op: 'put_obj' }, counters: { [counter]: { axes, values } } };
    const { families } = await reading([JSON.stringify({ rgw: [entry] })]).gather();
    expect(families.map(({ name, unit }) => `${name} ${unit}`)).toEqual(names);
    for (const { series } of families)
      expect(series.map(({ attributes }) => attributes)).toEqual([{ op: 'put_obj' }]);
  },
);

test('classic buckets have exactly the counts of the slots of the daemon', async () => {
  const { gather } = reading([OSD_DUMP_LATER]);
  const snapshot = await gather();
  const [imported] = parseHistogramDump(OSD_DUMP_LATER);
  for (const [axis, name] of [LATENCY, SIZE].entries()) {
    const { boundaries, series, ...family } = familyOf(snapshot, name);
    const { counts } = imported!.histogram.marginal(axis);
    const buckets = explicitCounts(series[0]!.histogram.counts, family, boundaries!);
    // All slots but the underflow, which is empty, and whose bound a family cannot have.
    expect(buckets).toEqual(Array.from({ length: counts.length - 1 }, (_, slot) => counts.at(slot + 1)));
    expect(buckets.reduce((sum, count) => sum + count)).toBe(83_959);
  }
});

test('totals only grow, even when the daemon is reset', async () => {
  const { gather, source } = reading([OSD_DUMP, OSD_DUMP_LATER, OSD_DUMP, '{}', OSD_DUMP]);
  const totals = [];
  for (let i = 0; i < 5; i++) totals.push(total(await gather(), LATENCY));
  expect(totals).toEqual([62_049, 83_959, 146_008, 146_008, 146_008]);
  expect(source.health).toMatchObject({ resets: 1, readErrors: 0, open: 0 });
});

test('latest holds the last dump that could be parsed', async () => {
  const texts = [OSD_DUMP, new Error('gone'), 'nonsense', OSD_DUMP_LATER, OSD_DUMP, '{}'];
  const { gather, source } = reading(texts, { since: 'now' });
  const latest = (): number[] => source.latest.map(({ histogram }) => histogram.totalCount);
  expect(latest()).toEqual([]);
  const totals = [];
  for (let i = 0; i < texts.length; i++) {
    await gather();
    totals.push(latest());
  }
  expect(totals).toEqual([[62_049], [62_049], [62_049], [83_959], [62_049], []]);
});

test('with `since: now` the counts of the first dump are left out', async () => {
  const { gather } = reading([OSD_DUMP, OSD_DUMP_LATER], { since: 'now' });
  expect((await gather()).families.flatMap(({ series }) => series)).toEqual([]);
  expect(total(await gather(), LATENCY)).toBe(83_959 - 62_049);
  const since = 'then' as 'now';
  expect(
    refusalOf(() => ingestCeph(createRegistry(), () => '', { since }), 'ERR_INVALID_OPTION').message,
  ).toMatch(/since must be 'beginning' or 'now'/);
});

test('an ingestion that goes on from the memory of another counts nothing twice, also after a reset and with classes', async () => {
  const registry = createRegistry();
  const classes = { axis: 'Request size (bytes)', bounds: [4096, 65_536] };
  let text = OSD_DUMP_LATER;
  const first = ingestCeph(registry, () => text, { classes });
  await registry.gather();
  text = OSD_DUMP; // the daemon began anew
  const before = total(await registry.gather(), LATENCY);
  await first.close();
  ingestCeph(registry, () => text, { classes, memory: first.memory });
  expect(before).toBe(83_959 + 62_049);
  expect(total(await registry.gather(), LATENCY)).toBe(before);
  text = OSD_DUMP_LATER;
  expect(total(await registry.gather(), LATENCY)).toBe(before + 83_959 - 62_049);
});

test('classes divide latencies by the size of requests', async () => {
  const classes = { axis: 'Request size (bytes)', bounds: [4096, 65_536] };
  const { gather } = reading([OSD_DUMP_LATER], { classes, attributes: { host: 'a' } });
  const snapshot = await gather();
  expect(familyOf(snapshot, LATENCY).series.map(({ attributes }) => attributes)).toEqual([
    { host: 'a', size: '0-4095' },
    { host: 'a', size: '4096-65535' },
    { host: 'a', size: '65536-' },
  ]);
  expect(total(snapshot, LATENCY)).toBe(83_959);
  expect(familyOf(snapshot, SIZE).series.map(({ attributes }) => attributes)).toEqual([{ host: 'a' }]);
});

test('a class that begins within a slot is an error of the source, and nothing is counted', async () => {
  const { gather } = reading([OSD_DUMP], { classes: { axis: 'Request size (bytes)', bounds: [5000] } });
  const { errors, families } = await gather();
  expect(String(errors[0]!.error)).toMatch(/must be the lower bound of a slot/);
  expect(families.flatMap(({ series }) => series)).toEqual([]);
});

test('each daemon has its own series', async () => {
  const { gather } = reading([`osd.0: ${OSD_DUMP}\nosd.1: ${OSD_DUMP_LATER}`]);
  const { series } = familyOf(await gather(), LATENCY);
  expect(series.map(({ attributes, histogram }) => [attributes.ceph_daemon, histogram.totalCount])).toEqual([
    ['osd.0', 62_049],
    ['osd.1', 83_959],
  ]);
});

test('a daemon without an answer in JSON is an error of the source, and earlier counts stay', async () => {
  const { gather, source } = reading([OSD_DUMP, new Error('ENOENT'), 'ERROR: (22)', OSD_DUMP_LATER], {
    sourceName: 'osd.0',
  });
  await gather();
  for (const message of [/ENOENT/, /must have a line that begins with/]) {
    const { errors, ...snapshot } = await gather();
    expect(errors.map(({ source: name }) => name)).toEqual(['osd.0']);
    expect(String(errors[0]!.error)).toMatch(message);
    expect(total({ errors, ...snapshot }, LATENCY)).toBe(62_049);
  }
  expect(total(await gather(), LATENCY)).toBe(83_959);
  expect(source.health.readErrors).toBe(2);
});

test('gathers at the same time share one reading', async () => {
  const { gather } = reading([OSD_DUMP, OSD_DUMP_LATER]);
  const [first, second] = await Promise.all([gather(), gather()]);
  expect([total(first, LATENCY), total(second, LATENCY)]).toEqual([62_049, 62_049]);
});

test('sums come from the dump, when it has sums', async () => {
  const texts = [dumpOf([0, 2, 1], [LINEAR], { sum: [31] }), dumpOf([0, 3, 1], [LINEAR], { sum: [36] })];
  const { gather } = reading(texts, { familyName: () => 'items' });
  expect(familyOf(await gather(), 'items').series[0]!.sum).toBe(31);
  expect(familyOf(await gather(), 'items').series[0]!.sum).toBe(36);
});

test('health counts values in underflows and overflows, and negative values are rejected', async () => {
  const { gather, source } = reading([dumpOf([4, 2, 1])], { familyName: () => 'items' });
  const [series] = familyOf(await gather(), 'items').series;
  expect(series!.histogram.totalCount).toBe(3);
  expect(series!.rejected.negative).toBe(4);
  expect(source.health.open).toBe(5);
});

test('a family goes on when its daemon comes back with other axes', async () => {
  const { ranges, ...axis } = LINEAR;
  expect(ranges).toBeDefined();
  const { gather } = reading([dumpOf([0, 2, 1]), dumpOf([0, 2, 1, 1], [{ ...axis, buckets: 4 }])], {
    familyName: () => 'items',
  });
  await gather();
  expect(total(await gather(), 'items')).toBe(7);
});

test('counts slots that are too narrow for 5 digits', async () => {
  const axis = { name: 'Items', min: 1_000_000_000, quant_size: 1, buckets: 4, scale_type: 'linear' };
  const { gather } = reading([dumpOf([0, 2, 1, 1], [axis])], { familyName: () => 'items' });
  expect(total(await gather(), 'items')).toBe(4);
});

test('the values of a histogram of one bucket, which has no bounds, count at 0', async () => {
  const axis = { name: 'All', min: 0, quant_size: 1, buckets: 1, scale_type: 'linear' };
  const { gather, source } = reading([dumpOf([3], [axis])], { familyName: () => 'all' });
  const [family] = (await gather()).families;
  expect([family!.boundaries, family!.series[0]!.histogram.max]).toEqual([[], 0]);
  expect(source.health.open).toBe(3);
});
