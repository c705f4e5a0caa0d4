import { createRegistry } from '@hdrscope/registry';
import { refusalOf } from '@hdrscope/testing/refusals';
import {
  dumpIncrease,
  explicitAxis,
  formatHistogramDump,
  ingestCeph,
  PerfHistogram,
  parseCounterSchema,
  parseCounters,
  parseHistogramDump,
} from '../../src/index.ts';

// The form of an OSD of 19.2.3, shortened.
const COUNTERS = `{
    "AsyncMessenger::Worker": [
        { "labels": { "id": "0" }, "counters": { "msgr_connection_ready_timeouts": 0 } },
        { "labels": { "id": "1" }, "counters": { "msgr_connection_ready_timeouts": 3 } }
    ],
    "osd": [
        {
            "labels": {},
            "counters": {
                "op": 62,
                "op_latency": { "avgcount": 62, "sum": 0.166579165, "avgtime": 0.002686760 },
                "osd_map_bl_cache_hit": 18446744073709551615,
                "numpg": 8
            }
        }
    ]
}
`;

describe('counters of a daemon', () => {
  test('have labels in the answer to `counter dump`', () => {
    const [first, second, osd] = parseCounters(COUNTERS);
    expect([first!.labels, second!.labels, osd!.labels]).toEqual([{ id: '0' }, { id: '1' }, {}]);
    expect([...second!.counters]).toEqual([['msgr_connection_ready_timeouts', 3]]);
    expect(osd!.counters.get('op_latency')).toEqual({ count: 62, sum: 0.166_579_165 });
    expect(osd!.counters.get('osd_map_bl_cache_hit')).toBe(2n ** 64n - 1n);
  });

  test('have none in the answer to `perf dump`, and the names of daemons come from `ceph tell`', () => {
    const read = parseCounters(`osd.0: {"osd":{"op":1}}\nosd.1: {"osd":{"op":2}}`);
    expect(read.map(({ daemon, labels, counters }) => [daemon, labels, counters.get('op')])).toEqual([
      ['osd.0', {}, 1],
      ['osd.1', {}, 2],
    ]);
  });

  test('are filtered by exact names', () => {
    const read = parseCounters(COUNTERS, { logger: 'osd', counter: 'op' });
    expect(read.map(({ logger, counters }) => [logger, [...counters]])).toEqual([['osd', [['op', 62]]]]);
  });

  test.each<[text: string, message: RegExp]>([
    ['{"osd":[{"labels":{}}]}', /osd\[0\]\.counters must be an object/],
    ['{"osd":[{"counters":{}}]}', /osd\[0\]\.labels must be an object/],
    ['{"osd":[{"labels":{"id":5},"counters":{}}]}', /osd\[0\]\.labels\.id must be a text/],
    ['{"osd":[7]}', /osd\[0\] must be an object/],
    ['{"osd":[]}', /osd must be an object/],
    ['{"osd":7}', /osd must be an object/],
    ['{"osd":{"op":"x"}}', /osd\.op must be a number, or an object with avgcount and sum, got "x"/],
    ['{"osd":{"op":[]}}', /osd\.op must be a number/],
    ['{"osd":{"op":{"avgcount":-1,"sum":2}}}', /osd\.op\.avgcount must be an integer from 0/],
    ['{"osd":{"op":{"avgcount":1}}}', /osd\.op\.sum must be a number/],
    ['nothing', /a line that begins with/],
  ])('%# are refused where they are malformed', (text, message) => {
    expect(refusalOf(() => parseCounters(text), 'ERR_DECODE').message).toMatch(message);
  });

  test('have a limit of elements, before they are parsed', () => {
    const text = `{"osd":[${'{},'.repeat(1000)}{}]}`;
    refusalOf(() => parseCounters(text, { maxElements: 100 }), 'ERR_TOO_LARGE');
  });
});

test('a schema describes the counters of each set of labels', () => {
  const described = parseCounterSchema(`{"rgw_op":[
    {"labels":{"bucket":"a"},"counters":{"ops":{"type":10,"metric_type":"counter","value_type":"integer","priority":5}}},
    {"labels":{"bucket":"b"},"counters":{"lat":{"type":5,"metric_type":"gauge","value_type":"real-integer-pair"}}}]}`);
  expect(described.map(({ logger, labels, counter, type }) => [logger, labels, counter, type])).toEqual([
    ['rgw_op', { bucket: 'a' }, 'ops', 10],
    ['rgw_op', { bucket: 'b' }, 'lat', 5],
  ]);
  expect(
    refusalOf(() => parseCounterSchema('{"a":[{"labels":{},"counters":{"b":{}}}]}'), 'ERR_DECODE').message,
  ).toMatch(/a\[0\]\.counters\.b\.type must be an integer/);
});

describe('histograms with labels', () => {
  const bounds = explicitAxis('Latency', [5_000_000, 10_000_000], 'ns');

  /** An answer to `counter dump` of a release that has histograms there. */
  function answer(values: Readonly<Record<string, readonly number[]>>): string {
    const entries = Object.entries(values).map(([op, recorded]) => {
      const histogram = new PerfHistogram([bounds]);
      for (const value of recorded) histogram.record(value);
      const dump = formatHistogramDump([{ name: 'x', counters: [{ name: 'lat', histogram }] }], {
        release: 'next',
        format: 'json',
      });
      const { lat } = JSON.parse(dump).x;
      return { labels: { op }, counters: { requests: recorded.length, lat } };
    });
    return JSON.stringify({ rgw_op_hist: entries, rgw: [{ labels: {}, counters: { qlen: 0 } }] });
  }

  test('are read beside plain counters, with sums and exact bounds', () => {
    const read = parseHistogramDump(answer({ put: [5_000_000, 5_000_001], get: [1] }));
    expect(read.map(({ logger, counter, labels, sums }) => [logger, counter, labels, sums])).toEqual([
      ['rgw_op_hist', 'lat', { op: 'put' }, [10_000_001n]],
      ['rgw_op_hist', 'lat', { op: 'get' }, [1n]],
    ]);
    expect([...read[0]!.histogram.cells]).toEqual([0n, 1n, 1n, 0n]);
    expect(parseCounters(answer({ put: [5] }))[0]!.counters).toEqual(new Map([['requests', 1]]));
  });

  test('keep their labels from dump to dump', () => {
    const before = parseHistogramDump(answer({ put: [5], get: [5, 6] }));
    const after = parseHistogramDump(answer({ get: [5, 6, 7], put: [5] }));
    const since = dumpIncrease(before, after);
    expect(since.map(({ labels, histogram, isReset }) => [labels, histogram.totalCount, isReset])).toEqual([
      [{ op: 'get' }, 1, false],
      [{ op: 'put' }, 0, false],
    ]);
  });

  test('come into a registry with labels as attributes', async () => {
    const registry = createRegistry();
    let text = answer({ put: [5_000_000], get: [2_000_000, 6_000_000] });
    ingestCeph(registry, () => text, { attributes: { ceph_daemon: 'rgw.a' } });
    await registry.gather();
    text = answer({ put: [5_000_000, 7_000_000], get: [2_000_000, 6_000_000] });
    const [family] = (await registry.gather()).families;

    expect(family!.boundaries).toEqual([0.005, 0.01]);
    expect(
      family!.series.map(({ attributes, histogram, sum }) => [attributes, histogram.totalCount, sum]),
    ).toEqual([
      [{ op: 'put', ceph_daemon: 'rgw.a' }, 2, 0.012],
      [{ op: 'get', ceph_daemon: 'rgw.a' }, 2, 0.008],
    ]);
  });

  test('of another form are refused without the cure for an answer that has none', () => {
    const without = (name: string) => answer({ put: [5] }).replace(`"${name}":`, `"other_${name}":`);
    expect(refusalOf(() => parseHistogramDump(without('values')), 'ERR_DECODE').message).toMatch(
      /values must be an array, got undefined$/,
    );
    for (const name of ['labels', 'counters'])
      expect(refusalOf(() => parseHistogramDump(without(name)), 'ERR_DECODE').message).toMatch(
        new RegExp(`\\.${name} must be an object, got undefined`),
      );
  });

  test('are missed in the answer of today, with the cure', () => {
    expect(refusalOf(() => parseHistogramDump(COUNTERS), 'ERR_DECODE').message).toMatch(
      /must have histograms, got none: this is the answer to 'counter dump', .* 'perf histogram dump' is the command/,
    );
  });
});
