import { refusalOf } from '@hdrscope/testing/refusals';
import {
  type Axis,
  explicitAxis,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramCounter,
  histogramDump,
  histogramSchema,
  PerfHistogram,
  parseHistogramDump,
} from '../../src/index.ts';

// The proposed histograms: https://github.com/ceph/ceph/pull/70827. The axes, the recorded values and the expected numbers are
// those of its unit tests for admin sockets and for axes, in the state of August 2026.

const axis = (
  scale: Axis['scale'],
  name: string,
  min: number,
  quantSize: number,
  buckets: number,
  unit?: Axis['unit'],
): Axis => ({ name, scale, min, quantSize, buckets, ...(unit && { unit }) });

function counter(
  name: string,
  axes: readonly Axis[],
  events: readonly (readonly number[])[],
): HistogramCounter {
  const histogram = new PerfHistogram(axes);
  for (const [first, ...others] of events) histogram.record(first!, ...others);
  return { name, histogram, priority: 0 };
}

const LINES = [
  counter('bytes', [axis('log2', 'bytes', 0, 512, 4, 'bytes')], [[511], [1500]]),
  counter('latency', [axis('log2', 'lat', 0, 1000, 4, 'ns')], [[5e8], [5.05e8]]),
  counter('web_latency', [axis('log2', 'weblat', 0, 1e6, 6, 'ns')], [[1e8], [5e6]]),
  counter('counter', [axis('linear', 'count', 0, 100, 4)], [[100]]),
];

const PLANES = [
  counter(
    'lat_bytes',
    [axis('log2', 'lat', 0, 1000, 4), axis('log2', 'bytes', 0, 512, 4)],
    [
      [500, 100],
      [999, 511],
      [1000, 512],
      [1500, 4096],
      [10_000, 1 << 20],
    ],
  ),
  counter(
    'count_lat',
    [axis('linear', 'replicas', 0, 1, 4), axis('log2', 'dur', 0, 250_000, 4)],
    [
      [0, 1000],
      [1, 300_000],
      [2, 900_000],
      [7, 100],
    ],
  ),
  counter(
    'asym',
    [axis('linear', 'x', 0, 10, 3), axis('log2', 'y', 0, 4096, 2)],
    [
      [5, 0],
      [5, -1],
      [50, 1 << 20],
      [-1, 4096],
    ],
  ),
  counter(
    'offset',
    [axis('linear', 'off', 100, 50, 4), axis('log2', 'lg', 8, 4, 3)],
    [
      [99, 7],
      [100, 8],
      [175, 12],
      [1000, 100],
    ],
  ),
];

const next = { release: 'next' } as const;

test('histograms of one and two axes have the sums and cells that the proposal dumps', () => {
  const shown = (counters: readonly HistogramCounter[]): object => {
    const dump = histogramDump([{ name: 'test', counters }], next);
    return Object.fromEntries(
      Object.entries(dump.test!).map(([name, { sum, values }]) => [name, [sum, values]]),
    );
  };
  expect(shown(LINES)).toEqual({
    bytes: [[2011], [0, 1, 0, 1]],
    latency: [[1_005_000_000], [0, 0, 0, 2]],
    web_latency: [[105_000_000], [0, 0, 0, 0, 1, 1]],
    counter: [[100], [0, 0, 1, 0]],
  });
  expect(shown(PLANES)).toEqual({
    lat_bytes: [
      [13_999, 1_053_795],
      [
        [0, 0, 0, 0],
        [0, 2, 0, 0],
        [0, 0, 1, 1],
        [0, 0, 0, 1],
      ],
    ],
    count_lat: [
      [10, 1_201_100],
      [
        [0, 0, 0, 0],
        [0, 1, 0, 0],
        [0, 0, 1, 0],
        [0, 1, 0, 1],
      ],
    ],
    asym: [
      [59, 1_052_671],
      [
        [0, 1],
        [1, 1],
        [0, 1],
      ],
    ],
    offset: [
      [1374, 127],
      [
        [1, 0, 0],
        [0, 1, 0],
        [0, 0, 1],
        [0, 0, 1],
      ],
    ],
  });
});

test('the text of a dump has units and sums where the proposal has them', () => {
  const text = formatHistogramDump([{ name: 'test', counters: LINES.slice(0, 1) }], next);
  const indent = (depth: number): string => '    '.repeat(depth);
  const ranges = [{ max: -1 }, { min: 0, max: 511 }, { min: 512, max: 1023 }, { min: 1024 }];
  const expected = {
    test: {
      bytes: {
        axes: [
          { name: 'bytes', min: 0, quant_size: 512, buckets: 4, scale_type: 'log2', unit: 'bytes', ranges },
        ],
        sum: [2011],
        values: [0, 1, 0, 1],
      },
    },
  };
  expect(text).toBe(`${JSON.stringify(expected, undefined, 4)}\n`);
  expect(text).toContain(`${indent(3)}"sum": [\n${indent(4)}2011\n${indent(3)}],`);
  const xml = formatHistogramDump([{ name: 'test', counters: LINES.slice(0, 1) }], {
    ...next,
    format: 'xml',
  });
  expect(xml).toContain('</axes><sum><sum>2011</sum></sum><values>');
});

test('a schema has the type of times for a line of nanoseconds, in this release only', () => {
  const loggers = [{ name: 'test', counters: [...LINES, ...PLANES] }];
  const typesOf = (release: 'next' | 'tentacle'): object =>
    Object.values(histogramSchema(loggers, { release }).test!).map(({ type, value_type }) => [
      type,
      value_type,
    ]);
  const planes = PLANES.map(() => [26, 'integer-2d-histogram']);
  expect(typesOf('next')).toEqual([
    [26, 'integer-1d-histogram'],
    [25, 'real-1d-histogram'],
    [25, 'real-1d-histogram'],
    [26, 'integer-1d-histogram'],
    ...planes,
  ]);
  expect(typesOf('tentacle')).toEqual([...LINES.map(() => [26, 'integer-1d-histogram']), ...planes]);
  expect(formatHistogramSchema(loggers, { ...next, format: 'json' })).toContain(
    '"latency":{"type":25,"metric_type":"counter","value_type":"real-1d-histogram","description":"","nick":"","priority":0,"units":"none"}',
  );
});

describe('an explicit axis', () => {
  // The default buckets of Prometheus in nanoseconds.
  const SECONDS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];
  const WEB = explicitAxis(
    'weblat',
    SECONDS.map((bound) => bound * 1e9),
    'ns',
  );

  test('counts each bound in the slot below it, and negative values apart', () => {
    const { layouts } = new PerfHistogram([explicitAxis('x', [100, 200, 500])]);
    const values = [-1, 0, 99, 100, 101, 200, 201, 500, 501, -(2 ** 63), 2 ** 63];
    expect(values.map((value) => layouts[0]!.slotOf(value))).toEqual([0, 1, 1, 1, 2, 2, 3, 3, 4, 0, 4]);

    const histogram = new PerfHistogram([WEB]);
    for (const value of [5_000_000, 5_000_001, 10_000_000_001]) histogram.record(value);
    expect(histogram.layouts[0]!.slotCount).toBe(13);
    expect([1, 2, 12].map((slot) => histogram.countAt([slot]))).toEqual([1n, 1n, 1n]);
    expect(histogram.sum(0)).toBe(10_010_000_002);
  });

  test('is read back as it was written', () => {
    const web = counter('web', [WEB], [[5_000_000], [5_000_001]]);
    const [read] = parseHistogramDump(formatHistogramDump([{ name: 'rgw', counters: [web] }], next));
    expect(read!.histogram.axes).toEqual([{ ...WEB, min: 0 }]);
    expect([read!.sums, read!.unitSources]).toEqual([[10_000_001n], ['dump']]);
    expect(read!.histogram.cells).toEqual(web.histogram.cells);
  });

  test.each([[[0.5]], [[5, 5]], [[-1]], ['5']])('%# refuses the bounds %j', (bounds) => {
    refusalOf(() => explicitAxis('x', bounds as number[]), 'ERR_INVALID_OPTION');
  });
});

describe('sums', () => {
  const NEGATIVE = counter('x', [axis('linear', 'x', -100, 10, 5)], [[-90], [-50]]);

  test('below 0 are written in 64 bits without a sign, as Ceph keeps them, and read with their sign', () => {
    const text = formatHistogramDump([{ name: 'a', counters: [NEGATIVE] }], { ...next, format: 'json' });
    expect(text).toContain('"sum":[18446744073709551476]');
    expect(parseHistogramDump(text)[0]!.sums).toEqual([-140n]);
  });

  test('of axes without negative values have 64 bits', () => {
    const big = { ...counter('x', [axis('log2', 'x', 0, 512, 4)], [[1]]), sums: [2n ** 64n - 1n] };
    const text = formatHistogramDump([{ name: 'a', counters: [big] }], next);
    expect(parseHistogramDump(text)[0]!.sums).toEqual([2n ** 64n - 1n]);
  });

  test('and units come back from XML', () => {
    const loggers = [{ name: 'a', counters: [...LINES, ...PLANES] }];
    const shown = (format: 'xml-pretty' | 'json'): object[] =>
      parseHistogramDump(formatHistogramDump(loggers, { ...next, format })).map(
        ({ counter: name, histogram, sums }) => [name, histogram.axes, histogram.cells, sums],
      );
    expect(shown('xml-pretty')).toEqual(shown('json'));
  });

  test('are left out where the values are not known', () => {
    const histogram = new PerfHistogram([axis('linear', 'x', 0, 10, 3)]);
    histogram.addAt([1], 5);
    const text = formatHistogramDump([{ name: 'a', counters: [{ name: 'x', histogram }] }], next);
    expect(text).not.toContain('"sum"');
    expect(parseHistogramDump(text)[0]!.sums).toBeUndefined();
  });
});
