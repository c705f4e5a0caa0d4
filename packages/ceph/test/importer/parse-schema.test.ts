import { OSD_SCHEMA } from '@hdrscope/testing/osd';
import { formatHistogramSchema, PerfHistogram, parseHistogramSchema } from '../../src/index.ts';

test('reads the schema of an OSD', () => {
  const described = parseHistogramSchema(OSD_SCHEMA);
  expect(described).toHaveLength(4);
  expect(described[0]).toEqual({
    daemon: undefined,
    logger: 'osd',
    counter: 'op_r_latency_out_bytes_histogram',
    type: 26,
    description: 'Histogram of operation latency (including queue time) + data read',
    nick: '',
    priority: 5,
    metricType: 'counter',
    valueType: 'integer-2d-histogram',
    units: 'none',
    notes: [],
  });
});

test('reads schemas of several daemons, of old releases and of releases to come', () => {
  const text = `osd.0: {"osd":{"op":{"type":18,"description":"x","nick":""}}}
osd.1: {"osd":{"op":{"type":26,"is_new":[1]}},"cct":{}}`;
  expect(parseHistogramSchema(text).map(({ daemon, type, priority }) => [daemon, type, priority])).toEqual([
    ['osd.0', 18, undefined],
    ['osd.1', 26, undefined],
  ]);
});

test.each([
  ['nothing', 'the text must have a line that begins with { or <perfcounter_collection>, got no such line'],
  ['{"osd":[]}', 'osd must be an object, got an array of 0'],
  [
    '{"osd":{"op":{"axes":[],"values":[]}}}',
    "type must be an integer, got undefined: this is the answer to 'perf histogram dump', which hdrscope ceph dump reads",
  ],
  ['{"osd":{"op_w":5}}', "osd.op_w must be an object, got 5: this is the answer to 'perf dump'"],
  ['{"osd":{"op":{"nick":"x"}}}', 'osd.op.type must be an integer, got undefined'],
  ['osd.3: {"osd":{"op":{"type":26,"nick":7}}}', 'osd.3.osd.op.nick must be a text, got 7'],
])('refuses %s', (text, message) => {
  expect(() => parseHistogramSchema(text)).toThrow(message);
});

test('reads XML', () => {
  const loggers = [{ name: 'osd', counters: [{ name: 'op', histogram, description: '<1 & 2>', nick: '7' }] }];
  for (const format of ['xml', 'xml-pretty'] as const) {
    const xml = parseHistogramSchema(formatHistogramSchema(loggers, { format }));
    expect(xml).toEqual(parseHistogramSchema(formatHistogramSchema(loggers)));
    expect(xml[0]).toMatchObject({ type: 26, description: '<1 & 2>', nick: '7' });
  }
});

const histogram = new PerfHistogram([{ name: 'x', scale: 'linear', min: 0, quantSize: 1, buckets: 2 }]);
