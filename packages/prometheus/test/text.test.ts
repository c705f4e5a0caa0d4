import fc from 'fast-check';
import { type Metric, type MetricFamily, render } from '../src/index.ts';
import { decodeFamilies } from './support/decode.ts';
import { family, rendered, samplesIn } from './support/text.ts';

const number = (value: number): Metric['value'] => ({ kind: 'number', value });

test('an empty list of families is an empty text', () => {
  expect(rendered([], 'text')).toBe('');
});

test.each<[type: MetricFamily['type'], lines: string[]]>([
  ['counter', ['# HELP x_total h', '# TYPE x_total counter', 'x_total 1']],
  ['gauge', ['# HELP x h', '# TYPE x gauge', 'x 1']],
  ['info', ['# HELP x_info h', '# TYPE x_info gauge', 'x_info 1']],
  ['unknown', ['# HELP x h', '# TYPE x untyped', 'x 1']],
])('a family of type %s has its type and suffix', (type, lines) => {
  expect(rendered([family(type, number(1), { help: 'h' })], 'text')).toBe(`${lines.join('\n')}\n`);
});

test.each([
  [Number.NaN, 'NaN'],
  [Number.POSITIVE_INFINITY, '+Inf'],
  [Number.NEGATIVE_INFINITY, '-Inf'],
  [-0, '0'],
  [1e21, '1e+21'],
  [5e-324, '5e-324'],
  [2 ** 53 - 1, '9007199254740991'],
  [0.1 + 0.2, '0.30000000000000004'],
])('the value %d is written as %s', (value, text) => {
  const families = [family('gauge', number(value))];
  expect(samplesIn(rendered(families, 'text'))).toEqual([`x ${text}`]);
  expect(samplesIn(rendered(families, 'openmetrics'))).toEqual([`x ${text}`]);
});

test.each([
  ['plain', 'plain'],
  ['quote " here', 'quote \\" here'],
  ['back\\slash', 'back\\\\slash'],
  ['line\nfeed', 'line\\nfeed'],
  ['\\n is no line feed', '\\\\n is no line feed'],
  ['"\\\n"', '\\"\\\\\\n\\"'],
  ['tab\tand\rreturn', 'tab\tand\rreturn'],
  ['日本 🎉 ü', '日本 🎉 ü'],
  ['', ''],
])('the label value %j is escaped', (value, escaped) => {
  const families = [family('gauge', number(1), { metrics: [{ labels: [['l', value]], value: number(1) }] })];
  for (const format of ['text', 'openmetrics'] as const) {
    expect(samplesIn(rendered(families, format))).toEqual([`x{l="${escaped}"} 1`]);
  }
});

test.each([
  ['two\nlines', 'two\\nlines', 'two\\nlines'],
  ['back\\slash', 'back\\\\slash', 'back\\\\slash'],
  ['a "quote"', 'a "quote"', 'a \\"quote\\"'],
])('the help %j is escaped, quotes in OpenMetrics only', (help, text, openMetrics) => {
  const families = [family('gauge', number(1), { help })];
  expect(rendered(families, 'text')).toContain(`# HELP x ${text}\n`);
  expect(rendered(families, 'openmetrics')).toContain(`# HELP x ${openMetrics}\n`);
});

test('reading gives back every label value', () => {
  fc.assert(
    fc.property(fc.string({ unit: 'grapheme' }), (value) => {
      const metrics: Metric[] = [{ labels: [['l', value]], value: number(1) }];
      const text = rendered([family('gauge', number(1), { metrics })], 'text');
      const [, escaped] = /^x\{l="(.*)"\} 1$/su.exec(text.split('\n')[2]!) ?? [];
      expect(escaped?.replace(/\\(.)/gsu, (_all, one) => (one === 'n' ? '\n' : one))).toBe(value);
    }),
  );
});

test('half a surrogate pair becomes the replacement character, not invalid UTF-8', () => {
  const metrics: Metric[] = [{ labels: [['l', 'a\ud800b']], value: number(1) }];
  const families = [family('gauge', number(1), { metrics })];
  for (const format of ['text', 'openmetrics'] as const) {
    const bytes = render(families, format);
    expect(new TextDecoder('utf-8', { fatal: true }).decode(bytes)).toContain('a\ufffdb');
  }
  expect(decodeFamilies(render(families, 'protobuf'))[0]!.metrics[0]!.labels).toEqual([['l', 'a\ufffdb']]);
});

test('a histogram shows its classic buckets cumulative, after count and sum', () => {
  const value: Metric['value'] = {
    kind: 'histogram',
    count: 2 ** 53 - 1,
    sum: 1.5,
    classic: { boundaries: [-1, 0.5, 10], counts: [1, 0, 2 ** 33, 2 ** 53 - 2 - 2 ** 33] },
  };
  const metrics: Metric[] = [{ labels: [['a', 'b']], timestampMs: 1234, value }];
  expect(samplesIn(rendered([family('histogram', value, { metrics })], 'text'))).toEqual([
    'x_count{a="b"} 9007199254740991 1234',
    'x_sum{a="b"} 1.5 1234',
    'x_bucket{a="b",le="-1"} 1 1234',
    'x_bucket{a="b",le="0.5"} 1 1234',
    'x_bucket{a="b",le="10"} 8589934593 1234',
    'x_bucket{a="b",le="+Inf"} 9007199254740991 1234',
  ]);
});

test('times are whole milliseconds, the only ones that Prometheus reads', () => {
  const metrics: Metric[] = [{ labels: [], timestampMs: 1234.5678, value: number(1) }];
  expect(samplesIn(rendered([family('gauge', number(1), { metrics })], 'text'))).toEqual(['x 1 1235']);
  expect(decodeFamilies(render([family('gauge', number(1), { metrics })], 'protobuf'))).toMatchObject([
    { metrics: [{ timestampMs: 1235 }] },
  ]);
});

test('a histogram without buckets and sum has the infinite bucket', () => {
  const value: Metric['value'] = { kind: 'histogram', count: 3, sum: undefined };
  expect(samplesIn(rendered([family('histogram', value)], 'text'))).toEqual([
    'x_count 3',
    'x_bucket{le="+Inf"} 3',
  ]);
});
