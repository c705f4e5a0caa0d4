import { testShared } from '@hdrscope/testing';
import { OSD_DUMP } from '@hdrscope/testing/osd';
import fc from 'fast-check';
import {
  type Axis,
  formatHistogramDump,
  PerfHistogram,
  parseHistogramDump,
  parseHistogramLoggers,
} from '../../src/index.ts';

const axis = fc
  .record({
    scale: fc.constantFrom<Axis['scale'][]>('linear', 'log2'),
    min: fc.integer({ min: -1000, max: 1000 }),
    quantSize: fc.integer({ min: 1, max: 1_000_000 }),
    buckets: fc.integer({ min: 1, max: 8 }),
    unit: fc.constantFrom<NonNullable<Axis['unit']>[]>('ns', 'us', 'ms', 's', 'bytes', 'none'),
  })
  .map((one): Axis => ({ name: 'x', ...one }));

const FORMATS = ['json', 'json-pretty', 'xml', 'xml-pretty'] as const;

test('a written dump is read again, whatever the axes, the counts and the format', () => {
  const axes = fc.array(axis, { minLength: 1, maxLength: 3 });
  const counts = fc.array(fc.bigInt({ min: 0n, max: 2n ** 64n - 1n }), { maxLength: 20 });
  fc.assert(
    fc.property(axes, counts, fc.constantFrom(...FORMATS), (all, some, format) => {
      const histogram = new PerfHistogram(all);
      const cells = histogram.cells;
      for (const [i, count] of some.entries()) cells[(i * 7) % cells.length] = count;
      histogram.addCells(cells);
      const sums = all.map((_, i) => 10n ** BigInt(i * 17));
      const summed = [{ name: 'a', counters: [{ name: 'b', histogram, sums }] }];
      const [read] = parseHistogramDump(formatHistogramDump(summed, { release: 'next', format }));
      expect(read!.sums).toEqual(sums);
      expect(read!.histogram.axes).toEqual(histogram.axes);
      expect(read!.histogram.cells).toEqual(cells);
      // The sums are not those of the counts.
      expect(read!.notes.filter((note) => !note.includes('.sum['))).toEqual([]);
    }),
  );
});

test('an explicit axis is read again as an explicit axis', () => {
  const explicit: Axis = {
    name: 'x',
    scale: 'explicit',
    min: 5,
    quantSize: 1,
    buckets: 3,
    unit: 'none',
    edges: [5n, 77n],
  };
  const histogram = new PerfHistogram([explicit]);
  histogram.record(60);
  const text = formatHistogramDump([{ name: 'a', counters: [{ name: 'b', histogram }] }], {
    release: 'next',
  });
  const [read] = parseHistogramDump(text);
  expect(read!.histogram.axes).toEqual([explicit]);
  expect(read!.histogram.cells).toEqual(histogram.cells);
});

// The axes of releases up to 20.2.4: name, scale, minimum, quantum and number of buckets.
test.each([
  ['Latency (usec)', 'log2', 100_000, 32, 'osd', 'ns'],
  ['Request size (bytes)', 'log2', 512, 32, 'osd', 'bytes'],
  ['number of replicas', 'linear', 1, 8, 'osd', 'none'],
  ['duration', 'log2', 250_000, 10, 'osd', 'ns'],
  ['Latency (nsec)', 'log2', 5000, 16, 'librbd-pwl', 'ns'],
  ['Request size (bytes)', 'log2', 512, 16, 'librbd-pwl', 'bytes'],
  ['Number of items', 'linear', 1, 32, 'librbd-pwl', 'none'],
  ['Number of items', 'linear', 1, 260, 'librbd-pwl', 'none'],
] as const)('the axis "%s" (%s, %d, %d) of %s is known', (name, scale, quantSize, buckets, logger, unit) => {
  const histogram = new PerfHistogram([{ name, scale, min: 0, quantSize, buckets }]);
  const [read] = parseHistogramDump(
    formatHistogramDump([{ name: logger, counters: [{ name: 'x', histogram }] }]),
  );
  expect(read!.histogram.axes[0]).toEqual({ name, scale, min: 0, quantSize, buckets, unit });
});

test('reads all loggers of each daemon, including those without histograms', () => {
  const text = `osd.0: {"cct":{},${OSD_DUMP.slice(1)}\nosd.1: {"cct":{}}`;
  const imported = parseHistogramLoggers(text);
  const names = imported.map(({ daemon, loggers }) => [daemon, loggers.map(({ name }) => name)]);
  expect(names).toEqual([
    ['osd.0', ['cct', 'osd']],
    ['osd.1', ['cct']],
  ]);
  const [, osd] = imported[0]!.loggers;
  expect(osd!.counters.map(({ histogram }) => histogram.totalCount)).toEqual([62_049]);
  expect(parseHistogramLoggers(text, { logger: 'cct' })[0]!.loggers).toEqual([{ name: 'cct', counters: [] }]);
});

testShared(
  'a dump of Ceph 16.2.15 can be written again byte for byte',
  ['data/ceph/real-dump.json', 'data/ceph/real-dump2.json'],
  (...texts) => {
    for (const text of texts) expect(formatHistogramDump(parseHistogramLoggers(text)[0]!.loggers)).toBe(text);
  },
);
