import { testShared } from '@hdrscope/testing';
import { COUNTER, OSD_DUMP, OSD_SCHEMA } from '@hdrscope/testing/osd';
import { expectRefused, refusalOf } from '@hdrscope/testing/refusals';
import { runInThread } from '@hdrscope/testing/threads';
import { formatHistogramDump, type ImportedHistogram, parseHistogramDump } from '../../src/index.ts';
import { dumpOf, LINEAR } from '../support/dumps.ts';

const SPEED = new URL('../support/parse-speed-thread.ts', import.meta.url);

const one = (text: string, options = {}): ImportedHistogram => parseHistogramDump(text, options)[0]!;

describe('a dump of an OSD', () => {
  const written = one(OSD_DUMP);

  test('has the counts, the axes and the units of the OSD', () => {
    expect(written).toMatchObject({
      daemon: undefined,
      logger: 'osd',
      counter: COUNTER,
      notes: [],
      sums: undefined,
    });
    expect(written.histogram.totalCount).toBe(62_049);
    expect(written.unitSources).toEqual(['known-mislabel', 'name']);
    expect(written.histogram.axes).toEqual([
      { name: 'Latency (usec)', scale: 'log2', min: 0, quantSize: 100_000, buckets: 32, unit: 'ns' },
      { name: 'Request size (bytes)', scale: 'log2', min: 0, quantSize: 512, buckets: 32, unit: 'bytes' },
    ]);
  });

  test('has the latency of writes of 4 KiB', () => {
    const where = [{ axis: 'Request size (bytes)', from: 4096, to: 8192 }];
    expect(written.histogram.marginal(0, where).totalCount).toBe(62_048);
    expect(written.histogram.quantile(0, 0.5, { where })).toMatchObject({ lower: 400_000, upper: 800_000 });
  });

  test('is written again byte for byte', () => {
    const loggers = [{ name: 'osd', counters: [{ name: COUNTER, histogram: written.histogram }] }];
    expect(formatHistogramDump(loggers, { format: 'json' })).toBe(OSD_DUMP);
  });

  test.each([
    ['pretty', JSON.stringify(JSON.parse(OSD_DUMP), null, 4)],
    ['with carriage returns', JSON.stringify(JSON.parse(OSD_DUMP), null, 4).replaceAll('\n', '\r\n')],
  ])('%s reads alike', (_, text) => {
    expect(parseHistogramDump(text)).toEqual([written]);
  });

  test('by `ceph tell osd.*` has the name of each daemon', () => {
    const dumps = parseHistogramDump(
      `osd.0: ${OSD_DUMP}\nosd.1: ${JSON.stringify(JSON.parse(OSD_DUMP), null, 4)}\n`,
    );
    expect(dumps.map(({ daemon, histogram }) => [daemon, histogram.totalCount])).toEqual([
      ['osd.0', 62_049],
      ['osd.1', 62_049],
    ]);
  });

  test('can be limited to a logger and a counter', () => {
    expect(parseHistogramDump(OSD_DUMP, { logger: 'mon' })).toEqual([]);
    expect(parseHistogramDump(OSD_DUMP, { counter: 'nope' })).toEqual([]);
    expect(parseHistogramDump(OSD_DUMP, { logger: 'osd', counter: COUNTER })).toHaveLength(1);
  });
});

describe('telemetry', () => {
  const { axes, values } = JSON.parse(OSD_DUMP).osd[COUNTER];
  const listed = axes.map((axis: { ranges: { min?: number; max?: number }[] }) => ({
    ...axis,
    ranges: axis.ranges.map(({ min, max }) => [min ?? null, max ?? null]),
  }));
  const entry = {
    axes: listed,
    osds: [
      { osd_id: 3, values },
      { osd_id: 5, values },
    ],
  };

  test('has a histogram for each OSD', () => {
    for (const report of [
      { report: { osd_perf_histograms: [{ [COUNTER]: entry }] } },
      { osd_perf_histograms: [{ [COUNTER]: entry }] },
    ]) {
      const read = parseHistogramDump(JSON.stringify(report, null, 4));
      expect(read.map(({ daemon }) => daemon)).toEqual(['osd.3', 'osd.5']);
      expect(read[1]!.histogram.cells).toEqual(one(OSD_DUMP).histogram.cells);
      expect(read[0]!.unitSources[0]).toBe('known-mislabel');
    }
  });

  test('can hold all OSDs together, or have arrays as strings', () => {
    const shown = {
      axes: listed.map((axis: { ranges: unknown[] }) => ({
        ...axis,
        ranges: axis.ranges.map((range) => JSON.stringify(range)),
      })),
      num_combined_osds: 2,
      values: values.map((row: unknown) => JSON.stringify(row)),
    };
    const [read] = parseHistogramDump(JSON.stringify({ osd_perf_histograms: [{ [COUNTER]: shown }] }));
    expect(read).toEqual({ ...one(OSD_DUMP), counter: COUNTER });
  });

  test('is refused without values', () => {
    const text = JSON.stringify({
      osd_perf_histograms: [{ [COUNTER]: { axes: listed, osds: [{ osd_id: 1 }] } }],
    });
    expect(refusalOf(() => parseHistogramDump(text), 'ERR_DECODE').message).toMatch(
      /osds\[0\]\.values must be an array/,
    );
  });
});

describe('units', () => {
  const unitsOf = (axis: object, options = {}) => {
    const { histogram, unitSources } = one(dumpOf([0, 0, 0], [{ ...LINEAR, ...axis }]), options);
    return [histogram.axes[0]!.unit, unitSources[0]];
  };

  test.each([
    [{ name: 'Latency (usec)' }, ['us', 'name']],
    [{ name: 'Latency (nsec)' }, ['ns', 'name']],
    [{ name: 'Latency (msec)' }, ['ms', 'name']],
    [{ name: 'Latency (s)' }, ['s', 'name']],
    [{ name: 'duration' }, ['ns', 'known']],
    [{ name: 'Number of items' }, ['none', 'unknown']],
    [{ name: 'Latency (usec)', unit: 'nanoseconds' }, ['ns', 'dump']],
    [{ name: 'Latency (usec)', unit: 'fortnights' }, ['us', 'name']],
  ])('%j', (axis, expected) => {
    expect(unitsOf(axis)).toEqual(expected);
  });

  test('the option `units` overrides the dump', () => {
    expect(unitsOf({ name: 'x', unit: 'bytes' }, { units: { x: 'ms' } })).toEqual(['ms', 'override']);
    expect(one(OSD_DUMP, { units: { 'Latency (usec)': 'us' } }).unitSources[0]).toBe('override');
    const wrong = { units: { Items: 'weeks' as 's' } };
    expect(refusalOf(() => one(dumpOf([0, 0, 0]), wrong), 'ERR_INVALID_OPTION').message).toMatch(
      /units\["Items"\] must be one of/,
    );
  });
});

describe('a dump of a release to come', () => {
  test('can have one dimension, units, sums and unknown keys', () => {
    const text = dumpOf([0, 3, 1], [{ ...LINEAR, unit: 'none', colour: 'red' }], {
      sum: [42],
      labels: { a: 'b' },
    });
    const read = one(text);
    expect(read.sums).toEqual([42n]);
    expect(read.histogram.totalCount).toBe(4);
  });

  test('has an explicit axis when its scale is explicit, or its ranges do not follow from its scale', () => {
    const ranges = [{ max: 4 }, { min: 5, max: 99 }, { min: 100 }];
    for (const axis of [
      { name: 'x', scale_type: 'explicit', ranges },
      { ...LINEAR, name: 'x', ranges },
      { ...LINEAR, name: 'x', min: 0.5, ranges },
    ]) {
      const { histogram, notes } = one(dumpOf([1, 2, 3], [axis]));
      expect(histogram.axes[0]).toMatchObject({ scale: 'explicit', edges: [5n, 100n], min: 5 });
      expect(histogram.quantile(0, 0.5)).toMatchObject({ lower: 5, upper: 100 });
      expect(notes[0]).toMatch(/^osd\.items\.axes\[0\] has .*: the ranges count$/);
    }
  });

  test('has the ranges of its scale when it has no others', () => {
    const { ranges, ...axis } = LINEAR;
    expect(ranges).toBeDefined();
    expect(one(dumpOf([0, 0, 0], [axis])).histogram.axes[0]).toMatchObject({ scale: 'linear', buckets: 3 });
  });
});

test('counts and edges of 64 bits are exact', () => {
  const text = dumpOf(['A', 'B', 0])
    .replace('"A"', '18446744073709551615')
    .replace('"B"', '1152921504606846977');
  expect([...one(text).histogram.cells]).toEqual([2n ** 64n - 1n, 1152921504606846977n, 0n]);
  const axis = { name: 'x', min: 1, quant_size: 1, buckets: 64, scale_type: 'log2' };
  const { histogram } = one(dumpOf(Array(64).fill(0), [axis]));
  const dumped = formatHistogramDump([{ name: 'osd', counters: [{ name: 'items', histogram }] }]);
  expect(dumped).toContain('2305843009213693953');
  expect(one(dumped).notes).toEqual([]);
});

describe('an error names the bad input:', () => {
  const row = [0, 0, 0];
  const ranged = (...ranges: object[]) => [{ ...LINEAR, ranges, buckets: ranges.length }];
  test.each([
    [
      'a short row',
      dumpOf([row, [0, 0], row], [LINEAR, LINEAR]),
      /^osd\.items\.values\[1\] must be 3 items, one for each bucket of its axis, got an array of 2$/,
    ],
    ['a long row', dumpOf([row, [0, 0, 0, 0], row], [LINEAR, LINEAR]), /values\[1\] must be 3 items/],
    ['too few rows', dumpOf([row, row], [LINEAR, LINEAR]), /^osd\.items\.values must be 3 items/],
    [
      'a row that is not an array',
      dumpOf([row, 7, row], [LINEAR, LINEAR]),
      /values\[1\] must be an array, got 7/,
    ],
    ['no values', dumpOf(undefined), /values must be an array, got undefined/],
    [
      'a negative count',
      dumpOf([0, -1, 0]),
      /^osd\.items\.values\[1\] must be an integer from 0 to 2\^64 - 1, got -1$/,
    ],
    ['a fraction', dumpOf([0, 0.5, 0]), /values\[1\] must be an integer from 0/],
    ['a count that is a text', dumpOf([0, '1', 0]), /values\[1\] must be an integer/],
    [
      'a count beyond 64 bits',
      dumpOf([0, 'X', 0]).replace('"X"', '18446744073709551616'),
      /got 18446744073709551616$/,
    ],
    [
      'another number of buckets',
      dumpOf(row, [{ ...LINEAR, buckets: 4 }]),
      /axes\[0\]\.buckets must be 3, the number of ranges, got 4$/,
    ],
    ['no axes', dumpOf(row, []), /axes must be from 1 to 8 axes/],
    ['an axis without a name', dumpOf(row, [{ ...LINEAR, name: 5 }]), /axes\[0\]\.name must be a text/],
    [
      'an axis without scale and ranges',
      dumpOf(row, [{ name: 'x' }]),
      /axes\[0\] must be a linear or log2 axis with min/,
    ],
    [
      'a gap between ranges',
      dumpOf(row, ranged({ max: -1 }, { min: 1, max: 9 }, { min: 10 })),
      /ranges\[1\]\.min must be 0, got 1$/,
    ],
    [
      'a range that ends before it begins',
      dumpOf(row, ranged({ max: -1 }, { min: 0, max: -5 }, { min: -4 })),
      /ranges\[1\]\.max must be at least 0/,
    ],
    [
      'a first range with a minimum',
      dumpOf(row, ranged({ min: 0, max: 1 }, { min: 2 })),
      /ranges\[0\]\.min must be left out/,
    ],
    [
      'a last range with a maximum',
      dumpOf(row, ranged({ max: 1 }, { min: 2, max: 3 })),
      /ranges\[1\]\.max must be left out/,
    ],
    [
      'a range without an end',
      dumpOf(row, ranged({ max: 1 }, { min: 2 }, { min: 3 })),
      /ranges\[1\]\.max must be an integer/,
    ],
    ['a string that does not hold an array', dumpOf('[0, 0'), /values must be an array, got "\[0, 0"/],
    [
      'edges that are the same double',
      dumpOf(row, ranged({ max: 'A' }, { min: 'B', max: 'B' }, { min: 'C' }))
        .replace('"A"', '9007199254740991')
        .replaceAll('"B"', '9007199254740992')
        .replace('"C"', '9007199254740993'),
      /axes\[0\]\.ranges must be at most 65536 ranges whose bounds are different doubles/,
    ],
    ['no range', dumpOf(row, ranged()), /ranges must be at least one range/],
    [
      'a range of three ends',
      dumpOf(row, [{ ...LINEAR, ranges: [[1, 2, 3]] }]),
      /ranges\[0\] must be two ends/,
    ],
    ['other sums than axes', dumpOf(row, [LINEAR], { sum: [1, 2] }), /sum must be 1 sums, one for each axis/],
    [
      'a counter that is no histogram',
      '{"osd":{"op":5}}',
      /^osd\.op must be an object, got 5: this is the answer to 'perf dump', which has no histograms; 'perf histogram dump' is the command/,
    ],
    [
      'a perf dump in XML',
      '<perfcounter_collection><osd><op_w>5</op_w></osd></perfcounter_collection>',
      /^osd\.op_w must be an object, got 5: this is the answer to 'perf dump'/,
    ],
    [
      'a schema of histograms',
      OSD_SCHEMA,
      /axes must be an array, got undefined: this is the answer to 'perf histogram schema', which hdrscope ceph schema reads/,
    ],
    ['a schema of numbers', '{"osd":{"op":{"type":10}}}', /this is the answer to 'perf schema'/],
    [
      'labelled numbers',
      '{"osd":[{"labels":{},"counters":{"op":5}}]}',
      /^labelled counters must have histograms, got none: this is the answer to 'counter dump'/,
    ],
    ['a logger that is not an object', '{"osd":[]}', /^osd must be an object, got an array of 0$/],
    ['a named daemon', 'osd.4: {"osd":{"op":5}}', /^osd\.4\.osd\.op must be an object/],
    [
      'no JSON',
      'ERROR: (22) Invalid argument',
      /the text must have a line that begins with \{ or <perfcounter_collection>, got no such line/,
    ],
    [
      'broken JSON',
      '{"osd": {"op": nope}}',
      /^line 1, column 16: the text must be JSON with a value here, got "nope}}"$/,
    ],
    ['JSON that is cut off', OSD_DUMP.slice(0, 700), /the text must be JSON with .* here, got the end/],
    ['JSON that is too deep', `{"a":${'['.repeat(5000)}`, /at most 64 levels/],
  ])('%s', (_, text, message) => {
    expect(refusalOf(() => parseHistogramDump(text), 'ERR_DECODE').message).toMatch(message);
  });

  test('a value that is not a string', () => {
    expectRefused(() => parseHistogramDump(7 as unknown as string), 'ERR_DECODE');
  });

  test('a text that is too long', () => {
    const text = 'x'.repeat(200 * 2 ** 20);
    expect(refusalOf(() => parseHistogramDump(text), 'ERR_TOO_LARGE').message).toMatch(
      /at most 67108864 characters, got 209715200/,
    );
    expectRefused(() => parseHistogramDump(OSD_DUMP, { maxLength: 1000 }), 'ERR_TOO_LARGE');
  });

  test('a histogram with too many cells', () => {
    const axis = { ...LINEAR, buckets: 60_000, ranges: undefined };
    expectRefused(() => parseHistogramDump(dumpOf([], [axis, axis])), 'ERR_TOO_LARGE');
  });
});

describe('lenient reading', () => {
  test.each([
    [
      'a stray end of an object in an array',
      '{"osd":{"items":{"axes":[{"name":"x","ranges":[{"max":-1},{"min":0,"max":9},},{"min":10}]}],"values":[0,1,2]}}}',
    ],
    [
      'members without an object around them',
      '"osd":{"items":{"axes":[{"name":"x","ranges":[{"max":-1},{"min":0,"max":9},{"min":10}]}],"values":[0,1,2]}},',
    ],
    [
      'trailing commas',
      '{"osd":{"items":{"axes":[{"name":"x","ranges":[{"max":-1},{"min":0,"max":9},{"min":10},],},],"values":[0,1,2,],},},}',
    ],
  ])('takes %s', (_, text) => {
    expect([...one(text, { lenient: true }).histogram.cells]).toEqual([0n, 1n, 2n]);
    expectRefused(() => parseHistogramDump(text), 'ERR_DECODE');
  });

  test('reads missing rows as empty rows, and notes it', () => {
    const text = dumpOf([[0, 1, 0]], [LINEAR, LINEAR]);
    const { histogram, notes } = one(text, { lenient: true });
    expect(histogram.totalCount).toBe(1);
    expect(notes).toEqual(['osd.items.values has 1 of 3 rows: the missing rows count as empty']);
    expectRefused(() => one(dumpOf([[0]], [LINEAR, LINEAR]), { lenient: true }), 'ERR_DECODE');
  });

  testShared(
    "accepts the sample of Ceph's documentation, which is not JSON",
    ['reference/source-docs/ceph-perf-histograms.txt'],
    (documentation) => {
      const start = documentation!.lastIndexOf('    "osd": {');
      const sample = documentation!.slice(start, documentation!.indexOf('This represents', start));
      const { histogram, counter, notes } = one(sample, { lenient: true });
      expect(counter).toBe('op_r_latency_out_bytes_histogram');
      expect(histogram.axes.map(({ scale, buckets }) => [scale, buckets])).toEqual([
        ['log2', 32],
        ['log2', 32],
      ]);
      expect(notes).toEqual([`osd.${counter}.values has 9 of 32 rows: the missing rows count as empty`]);
      expectRefused(() => parseHistogramDump(sample), 'ERR_DECODE');
    },
  );
});

testShared(
  'a whole dump has the counts of its daemon',
  ['data/ceph/real-dump.json', 'data/ceph/real-dump2.json'],
  (first, second) => {
    const totals = (text: string) => parseHistogramDump(text).map(({ histogram }) => histogram.totalCount);
    expect(totals(first!)).toEqual([0, 62_049, 0, 0]);
    expect(totals(second!)).toEqual([62_050, 83_959, 0, 0]);
  },
);

testShared(
  'reading a whole dump takes at most four times as long as JSON.parse',
  ['data/ceph/real-dump2.json'],
  async (text) => {
    expect(await runInThread<number>(SPEED, { text, limit: 4 })).toBeLessThan(4);
  },
);
