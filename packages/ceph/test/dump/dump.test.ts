import { refusalOf } from '@hdrscope/testing/refusals';
import {
  type Axis,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramLogger,
  histogramDump,
  PerfHistogram,
} from '../../src/index.ts';

const ITEMS: Axis = { name: 'Items', scale: 'linear', min: 0, quantSize: 1, buckets: 3 };

function counter(name: string, axes: readonly Axis[] = [ITEMS, ITEMS], count: number | bigint = 1) {
  const histogram = new PerfHistogram(axes);
  histogram.addAt(
    axes.map(() => 1),
    count,
  );
  return { name, histogram };
}

const LOGGERS: readonly HistogramLogger[] = [
  { name: 'osd', counters: [counter('b'), counter('a')] },
  { name: 'cct', counters: [] },
  { name: '7', counters: [counter('a')] },
  { name: 'Z', counters: [] },
];

const namesIn = (text: string): string[] =>
  [...text.matchAll(/^ {4}("[^"]+"|\})/gm)].map(([, name]) => name!);

describe('a dump', () => {
  test('has loggers in the byte order of their names, and counters in the given order', () => {
    const text = formatHistogramDump(LOGGERS, { counter: 'nope' });
    expect(text).toBe('{\n    "7": {},\n    "Z": {},\n    "cct": {},\n    "osd": {}\n}\n');
    const osd = formatHistogramDump(LOGGERS, { logger: 'osd' });
    expect(osd.indexOf('"b": {')).toBeLessThan(osd.indexOf('"a": {'));
    expect(namesIn(osd)).toEqual(['"osd"', '}']);
  });

  test('keeps names that look like integers in their place', () => {
    const loggers = ['12', '2', 'a', '__proto__'].map((name) => ({ name, counters: [counter(name)] }));
    const text = formatHistogramDump(loggers, { counter: 'none', format: 'json' });
    expect(text).toBe('{"12":{},"2":{},"__proto__":{},"a":{}}');
    expect(Object.keys(histogramDump(loggers))).toContain('__proto__');
  });

  test.each([
    [{ logger: 'nope' }, '{}'],
    [{ logger: 'osd', counter: 'nope' }, '{"osd":{}}'],
    [{ logger: 'cct' }, '{"cct":{}}'],
    [{ logger: 'osd', counter: 'a' }, /^\{"osd":\{"a":\{"axes":/],
    [{ counter: 'a' }, /^\{"7":\{"a":.*\},"Z":\{\},"cct":\{\},"osd":\{"a":/],
  ])('filtered by %j is %p', (filter, expected) => {
    const text = formatHistogramDump(LOGGERS, { ...filter, format: 'json' });
    if (typeof expected === 'string') expect(text).toBe(expected);
    else expect(text).toMatch(expected);
  });

  test('has exact counts of 64 bits', () => {
    const loggers = [{ name: 'osd', counters: [counter('a', [ITEMS], 2n ** 64n - 1n)] }];
    expect(formatHistogramDump(loggers, { format: 'json' })).toContain('"values":[0,18446744073709551615,0]');
    expect(histogramDump(loggers).osd!.a!.values).toEqual([0, 2n ** 64n - 1n, 0]);
  });

  test('has exact edges above 2^53', () => {
    const axis: Axis = { name: 'x', scale: 'log2', min: 1, quantSize: 1, buckets: 64 };
    const text = formatHistogramDump([{ name: 'osd', counters: [counter('a', [axis])] }], { format: 'json' });
    expect(text).toContain('{"min":2305843009213693953}]');
  });

  test('of three dimensions has arrays three levels deep', () => {
    const loggers = [{ name: 'osd', counters: [counter('a', [ITEMS, ITEMS, ITEMS])] }];
    const [values] = [histogramDump(loggers).osd!.a!.values as number[][][]];
    expect(values[1]![1]).toEqual([0, 1, 0]);
    expect(formatHistogramSchema(loggers)).toContain('"integer-3d-histogram"');
  });

  test("has units and sums for the release 'next' only", () => {
    const axis: Axis = { ...ITEMS, unit: 'ns' };
    const loggers = [{ name: 'osd', counters: [{ ...counter('a', [axis]), sums: [7n] }] }];
    const next = formatHistogramDump(loggers, { release: 'next', format: 'json' });
    expect(next).toContain('"scale_type":"linear","unit":"nanoseconds","ranges":[');
    expect(next).toContain('],"sum":[7],"values":[');
    expect(formatHistogramDump(loggers, { format: 'json' })).not.toMatch(/unit|sum/);
  });

  test("has explicit axes for the release 'next' only", () => {
    const axis: Axis = { ...ITEMS, scale: 'explicit', edges: [0n, 7n] };
    const loggers = [{ name: 'osd', counters: [counter('a', [axis])] }];
    expect(histogramDump(loggers, { release: 'next' }).osd!.a!.axes[0]!.ranges).toEqual([
      { max: -1 },
      { min: 0, max: 6 },
      { min: 7 },
    ]);
    expect(refusalOf(() => histogramDump(loggers), 'ERR_INVALID_OPTION').message).toMatch(
      /osd\.a: the axes of a tentacle dump must be linear or log2, got the explicit axis "Items"/,
    );
  });

  test('is well-formed XML, whatever the names are', () => {
    const loggers = [{ name: 'app-x=<1>', counters: [counter('a b', [{ ...ITEMS, name: `<"&'>` }])] }];
    const text = formatHistogramDump(loggers, { format: 'xml' });
    expect(text).toContain('<app-x__1_><a_b><axes><axis><name>&lt;&quot;&amp;&apos;&gt;</name>');
    expect(text.endsWith('</a_b></app-x__1_></perfcounter_collection>')).toBe(true);
  });

  test.each([
    [
      { format: 'table' as 'json' },
      /format must be 'json', 'json-pretty', 'xml' or 'xml-pretty', got "table"/,
    ],
    [{ release: 'nautilus' as 'reef' }, /release must be 'pacific', .*, got "nautilus"/],
  ])('%# refuses an unknown format or release', (options, message) => {
    expect(refusalOf(() => formatHistogramDump(LOGGERS, options), 'ERR_INVALID_OPTION').message).toMatch(
      message,
    );
  });
});

test.each([
  [
    [
      { name: 'a', counters: [] },
      { name: 'a', counters: [] },
    ],
    /the names of loggers must be all different, got "a"/,
  ],
  [
    [{ name: 'a', counters: [counter('x'), counter('x')] }],
    /the names of counters of "a" must be all different/,
  ],
  [[{ name: '', counters: [] }], /must be non-empty strings/],
  [
    [{ name: 'a', counters: [{ ...counter('x'), priority: 11 }] }],
    /a\.x: priority must be an integer from 0 to 10/,
  ],
])('%# refuses loggers with wrong names or priorities', (loggers, message) => {
  expect(refusalOf(() => formatHistogramSchema(loggers), 'ERR_INVALID_OPTION').message).toMatch(message);
});
