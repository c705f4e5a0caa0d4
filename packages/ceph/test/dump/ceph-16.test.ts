import { testShared } from '@hdrscope/testing';
import { COUNTER, LATENCY, OSD_DUMP, OSD_SCHEMA, SIZE } from '@hdrscope/testing/osd';
import {
  type Axis,
  axisRanges,
  type DumpedHistogram,
  formatHistogramDump,
  formatHistogramSchema,
  type HistogramCounter,
  type HistogramDump,
  type HistogramLogger,
  type HistogramSchema,
  histogramDump,
  histogramSchema,
  PerfHistogram,
} from '../../src/index.ts';

function rebuilt({ values }: DumpedHistogram, axes: readonly Axis[]): PerfHistogram {
  const histogram = new PerfHistogram(axes);
  for (const [row, cells] of values.entries()) {
    for (const [column, count] of (cells as number[]).entries()) histogram.addAt([row, column], count);
  }
  return histogram;
}

/** The loggers of a dump, with histograms over the axes of an OSD. */
function loggersOf(dump: HistogramDump): HistogramLogger[] {
  return Object.entries(dump).map(([name, counters]) => ({
    name,
    counters: Object.entries(counters).map(([counter, dumped]) => ({
      name: counter,
      histogram: rebuilt(dumped, [LATENCY, SIZE]),
    })),
  }));
}

function described(schema: HistogramSchema): HistogramLogger[] {
  const histogram = new PerfHistogram([LATENCY, SIZE]);
  const counterOf = ([name, one]: [string, HistogramSchema[string][string]]): HistogramCounter => ({
    name,
    histogram,
    description: one.description,
    nick: one.nick,
    priority: one.priority,
  });
  return Object.entries(schema).map(([name, counters]) => ({
    name,
    counters: Object.entries(counters).map(counterOf),
  }));
}

test('the dump of a counter is that of Ceph 16.2.15, except for spaces', () => {
  expect(formatHistogramDump(loggersOf(JSON.parse(OSD_DUMP)), { format: 'json' })).toBe(OSD_DUMP);
});

test('the schema is that of Ceph 16.2.15, byte for byte', () => {
  expect(formatHistogramSchema(described(JSON.parse(OSD_SCHEMA)))).toBe(OSD_SCHEMA);
  expect(histogramSchema(described(JSON.parse(OSD_SCHEMA)))).toEqual(JSON.parse(OSD_SCHEMA));
});

test('XML has the length and the beginning of the XML of Ceph 16.2.15', () => {
  const schema = described(JSON.parse(OSD_SCHEMA));
  const compact = formatHistogramSchema(schema, { format: 'xml' });
  expect(compact).toHaveLength(2495);
  expect(
    compact.startsWith(
      '<perfcounter_collection><AsyncMessenger::Worker-0></AsyncMessenger::Worker-0><AsyncMessenger::Worker-1>',
    ),
  ).toBe(true);
  const pretty = formatHistogramSchema(schema, { format: 'xml-pretty' });
  expect(pretty).toHaveLength(2714);
  expect(
    pretty.startsWith(
      '<perfcounter_collection>\n <AsyncMessenger::Worker-0>\n </AsyncMessenger::Worker-0>\n <AsyncMessenger',
    ),
  ).toBe(true);
  const metrics =
    '\n  <op_r_latency_out_bytes_histogram>\n   <type>26</type>\n   <metric_type>counter</metric_type>\n';
  expect(pretty).toContain(metrics);

  const dump = formatHistogramDump(loggersOf(JSON.parse(OSD_DUMP)), { format: 'xml' });
  const begin =
    `<perfcounter_collection><osd><${COUNTER}><axes><axis><name>Latency (usec)</name><min>0</min>` +
    '<quant_size>100000</quant_size><buckets>32</buckets><scale_type>log2</scale_type><ranges><bucket><max>-1</max>' +
    '</bucket><bucket><min>0</min><max>99999</max></bucket>';
  expect(dump.startsWith(begin)).toBe(true);
  expect(dump).toContain('</axes><values><values><value>0</value>');
});

testShared(
  'a whole dump and schema are written again byte for byte, and axisRanges gives the ranges of every axis',
  ['data/ceph/real-dump.json', 'data/ceph/real-dump2.json', 'data/ceph/real-schema.json'],
  (first, second, schema) => {
    for (const text of [first!, second!]) {
      const parsed = JSON.parse(text) as HistogramDump;
      const loggers = loggersOf(parsed);
      expect(formatHistogramDump([...loggers].reverse())).toBe(text);
      expect(formatHistogramDump(loggers, { format: 'json' })).toBe(JSON.stringify(parsed));
      expect(histogramDump(loggers)).toEqual(parsed);
      const axes = Object.values(parsed)
        .flatMap((counters) => Object.values(counters))
        .flatMap(({ axes }) => axes);
      expect(axes).toHaveLength(8);
      for (const { name, min, quant_size, buckets, scale_type, ranges } of axes) {
        const axis = { name, min, quantSize: quant_size, buckets, scale: scale_type as 'log2' };
        const plain = axisRanges(axis).map(({ min: from, max: to }) => ({
          ...(from !== undefined && { min: Number(from) }),
          ...(to !== undefined && { max: Number(to) }),
        }));
        expect(plain).toEqual(ranges);
      }
    }
    expect(formatHistogramSchema(described(JSON.parse(schema!)))).toBe(schema);
  },
);
