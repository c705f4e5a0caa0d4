import { parseBpftraceLine } from '../../src/source/bpftrace-output.ts';

test.each([
  ['', { kind: 'other' }],
  ['{"type": "attached_probes", "data": {"probes": 3}}', { kind: 'attached' }],
  ['{"type": "lost_events", "data": {"events": 7}}', { kind: 'lost', events: 7 }],
  ['{"type": "stats", "data": {"@s": {"count": 5, "average": 3, "total": 15}}}', { kind: 'other' }],
  ['{"type": "map", "data": {"@c": 5}}', { kind: 'other' }],
  ['{"type": "tseries", "data": {"@a": []}}', { kind: 'other' }],
  ['{"type": "hist", "data": {}}', { kind: 'other' }],
])('parses %j', (line, expected) => {
  expect(parseBpftraceLine(line)).toEqual(expected);
});

test('parses buckets that are open at an end, and integers as text', () => {
  const line =
    '{"type": "hist", "data": {"@h": [{"max": 4, "count": 5}, {"min": "4611686018427387904", "max": "9223372036854775807", "count": 0}, {"min": 100, "count": 2}]}}';
  const { NEGATIVE_INFINITY, POSITIVE_INFINITY } = Number;
  expect(parseBpftraceLine(line)).toEqual({
    kind: 'histograms',
    variable: '@h',
    printed: [
      {
        key: undefined,
        buckets: [
          { min: NEGATIVE_INFINITY, max: 4, isCapped: false, count: 5 },
          { min: 2 ** 62, max: 2 ** 63, isCapped: false, count: 0 },
          { min: 100, max: POSITIVE_INFINITY, isCapped: false, count: 2 },
        ],
      },
    ],
  });
});

test('parses the bucket in which bpftrace 0.17 counts 2^31 and more', () => {
  const line = '{"type": "hist", "data": {"@h": {"a,b": [{"min": -2147483648, "max": 0, "count": 1}]}}}';
  expect(parseBpftraceLine(line)).toMatchObject({
    printed: [{ key: 'a,b', buckets: [{ min: 2 ** 31, max: Number.POSITIVE_INFINITY, isCapped: true }] }],
  });
});

test.each([
  [
    'Attaching 1 probe...',
    'bpftrace must print lines of JSON, got "Attaching 1 probe...": run it with -f json',
  ],
  ['[1]', 'bpftrace must print histograms with bounds and counts, got "[1]"'],
  ['{"type": "hist", "data": {"@h": 5}}', 'must print histograms'],
  ['{"type": "hist", "data": {"@h": {"a": 5}}}', 'must print histograms'],
  ['{"type": "hist", "data": {"@h": [{"count": 5}]}}', 'must print histograms'],
  ['{"type": "hist", "data": {"@h": [{"min": 5, "max": 1, "count": 5}]}}', 'must print histograms'],
  ['{"type": "hist", "data": {"@h": [{"min": 0, "max": 1, "count": -5}]}}', 'must print histograms'],
  ['{"type": "hist", "data": {"@h": [{"min": 0.5, "max": 1, "count": 5}]}}', 'must print histograms'],
])('refuses %s', (line, message) => {
  expect(() => parseBpftraceLine(line)).toThrow(message);
});
