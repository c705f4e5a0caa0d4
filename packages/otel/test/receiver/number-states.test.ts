import type { Attributes } from '@hdrscope/registry';
import { type NumberStates, numberStates } from '../../src/receiver/index.ts';
import type { NumberStatesOptions } from '../../src/receiver/number-states.ts';
import { CUMULATIVE, DELTA, decodedJson, decodedProtobuf, Receiving } from './support/receiving.ts';
import { type MetricJson, type NumberJson, requestBytes, requestJson } from './support/request.ts';

const SECOND = 1_000_000_000n;

/** A receiver with states, and a clock that the test sets. */
class Keeping extends Receiving {
  readonly states: NumberStates;
  readonly time: { ms: number };

  constructor(options: NumberStatesOptions = {}) {
    const time = { ms: 1_700_000_000_000 };
    const states = numberStates({ clock: { nowMs: () => time.ms, monotonicMs: () => time.ms }, ...options });
    super({ numbers: states, resourceAttributes: ['service.name'] });
    this.states = states;
    this.time = time;
  }

  sum(
    temporality: number,
    isMonotonic: boolean,
    point: NumberJson,
    resource?: Record<string, string>,
  ): string {
    const sum = { aggregationTemporality: temporality, isMonotonic, dataPoints: [point] };
    return this.metrics([{ name: 'm', sum }], resource).message;
  }

  gauge(point: NumberJson, resource?: Record<string, string>): string {
    return this.metrics([{ name: 'm', gauge: { dataPoints: [point] } }], resource).message;
  }

  get values(): [Attributes, number][] {
    return this.states
      .metrics()
      .scopeMetrics.flatMap(({ metrics }) => metrics)
      .flatMap(({ dataPoints }) =>
        dataPoints.map(({ attributes, value }): [Attributes, number] => [attributes, value]),
      );
  }

  /** The value of the only series. */
  get value(): number {
    expect(this.values).toHaveLength(1);
    return this.values[0]![1];
  }
}

/** A point at a second, of a stream that began at another. */
function at(second: number, value: number, startSecond = 1): NumberJson {
  return {
    asDouble: value,
    timeUnixNano: `${BigInt(second) * SECOND}`,
    startTimeUnixNano: `${BigInt(startSecond) * SECOND}`,
  };
}

const NUMBERS: readonly MetricJson[] = [
  {
    name: 'orders',
    unit: '{order}',
    description: 'All orders',
    sum: {
      aggregationTemporality: CUMULATIVE,
      isMonotonic: true,
      dataPoints: [
        {
          asInt: '-9223372036854775808',
          attributes: [{ key: 'vip', value: { boolValue: true } }],
          startTimeUnixNano: '5',
          timeUnixNano: '7',
        },
        { asInt: 9007199254740991 },
        { asDouble: 0.5, flags: 1 },
        {},
      ],
    },
  },
  { name: 'level', gauge: { dataPoints: [{ asDouble: 'NaN', timeUnixNano: '9' }] } },
];

test.each<[encoding: string, decode: () => ReturnType<typeof decodedJson>]>([
  ['JSON', () => decodedJson(JSON.stringify(requestJson(NUMBERS)))],
  ['protobuf', () => decodedProtobuf(requestBytes(requestJson(NUMBERS)))],
])('sums and gauges are decoded from %s', (_encoding, decode) => {
  const none = { attributes: {}, startNs: 0n, timeNs: 0n, isEmpty: false };
  expect(decode().map(({ name, unit, description, data }) => ({ name, unit, description, data }))).toEqual([
    {
      name: 'orders',
      unit: '{order}',
      description: 'All orders',
      data: {
        kind: 'number',
        isSum: true,
        isMonotonic: true,
        temporality: 'cumulative',
        points: [
          { ...none, attributes: { vip: true }, startNs: 5n, timeNs: 7n, value: -(2 ** 63) },
          { ...none, value: 2 ** 53 - 1 },
          { ...none, isEmpty: true, value: 0.5 },
          { ...none, value: undefined },
        ],
      },
    },
    {
      name: 'level',
      unit: '',
      description: '',
      data: {
        kind: 'number',
        isSum: false,
        isMonotonic: false,
        temporality: undefined,
        points: [{ ...none, timeNs: 9n, value: Number.NaN }],
      },
    },
  ]);
});

test.each([{ asInt: 'one' }, { asInt: 0.5 }, { asDouble: 'much' }, { asDouble: true }])(
  'a body with the value %j cannot be read',
  (point) => {
    const metrics = [{ name: 'm', gauge: { dataPoints: [point as NumberJson] } }];
    expect(() => decodedJson(JSON.stringify(requestJson(metrics)))).toThrow(
      /asInt must be an integer|asDouble must be a number/,
    );
  },
);

describe('a cumulative counter', () => {
  test('has the last state, whatever comes twice or late', () => {
    const keeping = new Keeping();
    for (const [second, value] of [
      [10, 5],
      [20, 8],
      [20, 8],
      [10, 5],
    ] as const) {
      expect(keeping.sum(CUMULATIVE, true, at(second, value))).toBe('');
    }
    expect(keeping.value).toBe(8);
  });

  test('goes on from where it was when its process restarts, with another start time or without', () => {
    const keeping = new Keeping();
    keeping.sum(CUMULATIVE, true, at(10, 5));
    keeping.sum(CUMULATIVE, true, at(20, 2, 15));
    expect(keeping.value).toBe(7);
    keeping.sum(CUMULATIVE, true, at(30, 1, 15));
    expect(keeping.value).toBe(8);
    // The start time of a machine whose clock was set back.
    keeping.sum(CUMULATIVE, true, at(5, 4, 3));
    expect(keeping.value).toBe(12);
  });

  test('of two processes that look alike has the sum of both, though they report in turns', () => {
    const keeping = new Keeping();
    for (let i = 1; i <= 10; i++) {
      keeping.sum(CUMULATIVE, true, at(10 * i, i, 1));
      keeping.sum(CUMULATIVE, true, at(10 * i, 100 * i, 2));
    }
    expect(keeping.value).toBe(1010);
  });

  test('of several resources with one identity has the sum, and of several identities its own series', () => {
    const keeping = new Keeping();
    keeping.sum(CUMULATIVE, true, at(10, 5), { 'service.name': 'shop', 'host.name': 'a' });
    keeping.sum(CUMULATIVE, true, at(10, 7), { 'service.name': 'shop', 'host.name': 'b' });
    keeping.sum(CUMULATIVE, true, at(10, 1), { 'service.name': 'bank' });
    expect(keeping.values).toEqual([
      [{ 'service.name': 'shop' }, 12],
      [{ 'service.name': 'bank' }, 1],
    ]);
  });

  test('never falls, whatever order of points, lives and senders', () => {
    const keeping = new Keeping({ expireAfterMs: 50 });
    let random = 7;
    const next = (below: number): number => {
      random = (random * 1103515245 + 12345) % 2 ** 31;
      return Math.floor((random / 2 ** 31) * below);
    };
    let before = 0;
    const keepAlive = { 'service.name': 's', 'host.name': 'steady' };
    for (let i = 0; i < 2000; i++) {
      keeping.time.ms += next(20);
      keeping.sum(CUMULATIVE, true, at(i, i), keepAlive);
      keeping.sum(CUMULATIVE, true, at(next(100), next(50), next(3)), {
        'service.name': 's',
        'host.name': `${next(3)}`,
      });
      const { value } = keeping;
      expect(value).toBeGreaterThanOrEqual(before);
      before = value;
    }
  });
});

test('deltas are added up once', () => {
  const keeping = new Keeping();
  keeping.sum(DELTA, true, at(10, 5));
  keeping.sum(DELTA, true, at(20, 3, 10));
  keeping.sum(DELTA, true, at(20, 3, 10));
  keeping.sum(DELTA, true, { asInt: 1 });
  expect(keeping.value).toBe(9);
});

test('an up-down counter falls, and that of a new life replaces the old one', () => {
  const keeping = new Keeping();
  keeping.sum(CUMULATIVE, false, at(10, 5));
  keeping.sum(CUMULATIVE, false, at(20, -2));
  expect(keeping.value).toBe(-2);
  keeping.sum(CUMULATIVE, false, at(30, 1, 25));
  expect(keeping.value).toBe(1);
  keeping.sum(CUMULATIVE, false, at(30, 4), { 'service.name': 'shop', 'host.name': 'other' });
  expect(keeping.value).toBe(5);
});

test('a gauge without times has the value that came last', () => {
  const keeping = new Keeping();
  keeping.gauge({ asDouble: 5 });
  keeping.time.ms += 1000;
  keeping.gauge({ asDouble: 7 }, { 'service.name': 'shop', 'host.name': 'other' });
  expect(keeping.value).toBe(7);
  keeping.time.ms += 1000;
  keeping.gauge({ asDouble: 6 });
  expect(keeping.value).toBe(6);
});

test('a gauge has the latest value of all senders', () => {
  const keeping = new Keeping();
  keeping.gauge(at(10, 5));
  keeping.gauge(at(30, 7), { 'service.name': 'shop', 'host.name': 'other' });
  keeping.gauge(at(20, 6));
  expect(keeping.value).toBe(7);
  keeping.gauge({ asDouble: 'NaN', timeUnixNano: `${40n * SECOND}` });
  expect(keeping.value).toBeNaN();
  keeping.gauge({ ...at(50, 1), flags: 1 });
  expect(keeping.value).toBeNaN();
});

test('states expire, and what a counter counted stays while another sender goes on with it', () => {
  const keeping = new Keeping({ expireAfterMs: 1000 });
  keeping.sum(CUMULATIVE, true, at(10, 5), { 'service.name': 'shop', 'host.name': 'a' });
  keeping.gauge(at(10, 5));
  keeping.time.ms += 900;
  keeping.sum(CUMULATIVE, true, at(10, 7), { 'service.name': 'shop', 'host.name': 'b' });
  expect(keeping.values.map(([, value]) => value)).toEqual([12, 5]);
  keeping.time.ms += 500;
  expect(keeping.values.map(([, value]) => value)).toEqual([12]);
  expect(keeping.states.streams).toBe(1);
  keeping.time.ms += 2000;
  expect(keeping.values).toEqual([]);
  expect(keeping.states.metrics().scopeMetrics).toEqual([]);
});

test('metrics that differ in their kind, unit or scope stay apart', () => {
  const keeping = new Keeping();
  const dataPoints = [at(10, 1)];
  keeping.metrics([
    { name: 'm', gauge: { dataPoints } },
    { name: 'M', gauge: { dataPoints: [at(20, 2)] } },
    { name: 'm', unit: 's', gauge: { dataPoints } },
    { name: 'm', sum: { aggregationTemporality: CUMULATIVE, isMonotonic: true, dataPoints } },
    { name: 'm', sum: { aggregationTemporality: CUMULATIVE, dataPoints } },
  ]);
  const [scope] = keeping.states.metrics().scopeMetrics;
  expect(
    scope!.metrics.map(({ descriptor, dataPointType, isMonotonic, dataPoints: points }) => [
      ...[descriptor.name, descriptor.unit, dataPointType, isMonotonic, points[0]!.value],
    ]),
  ).toEqual([
    ['m', '', 2, false, 2],
    ['m', 's', 2, false, 1],
    ['m', '', 3, true, 1],
    ['m', '', 3, false, 1],
  ]);
});

test('an attribute without a value is no attribute', () => {
  const keeping = new Keeping();
  keeping.gauge({ ...at(10, 1), attributes: [{ key: 'a' }] });
  keeping.gauge(at(20, 2));
  expect(keeping.values).toEqual([[{ 'service.name': 'shop' }, 2]]);
});

test('points are refused that have no meaning, with the reason and nothing else', () => {
  const keeping = new Keeping();
  expect([
    keeping.gauge({ timeUnixNano: '1' }),
    keeping.sum(0, true, at(10, 1)),
    keeping.sum(CUMULATIVE, true, at(10, -1)),
    keeping.sum(DELTA, true, at(10, -1)),
    keeping.sum(CUMULATIVE, false, at(10, Number.POSITIVE_INFINITY)),
    keeping.metrics([{ gauge: { dataPoints: [at(10, 1)] } }]).message,
    keeping.metrics([{ name: 'x'.repeat(2000), gauge: { dataPoints: [at(10, 1)] } }]).pointCount,
    keeping.gauge({ ...at(10, 1), attributes: [{ key: 'x'.repeat(20_000), value: { boolValue: true } }] }),
    keeping.metrics([{ name: 's', summary: { dataPoints: [{}] } }]).message,
  ]).toEqual([
    '"m" has no value (1 point)',
    '"m" is neither delta nor cumulative (1 point)',
    '"m" only grows, and has -1 (1 point)',
    '"m" only grows, and has -1 (1 point)',
    '"m" is a sum of Infinity (1 point)',
    '"" has no name (1 point)',
    1,
    '"m" has attributes of more than 16384 characters (1 point)',
    '"s" is a summary: only histograms, sums and gauges are accepted (1 point)',
  ]);
  expect(keeping.values).toEqual([]);
  expect(keeping.health.refused).toMatchObject({ malformed: 8, notHistogram: 1 });
});

test('beyond maxStreams, further series are refused until others expire', () => {
  const keeping = new Keeping({ maxStreams: 2, expireAfterMs: 1000 });
  const series = (name: string): NumberJson => ({
    ...at(10, 1),
    attributes: [{ key: 'a', value: { stringValue: name } }],
  });
  expect([keeping.gauge(series('a')), keeping.gauge(series('b'))]).toEqual(['', '']);
  expect(keeping.gauge(series('c'))).toMatch(/there are as many as maxStreams/);
  expect(keeping.gauge(series('a'))).toBe('');
  expect(keeping.health.refused.tooManyStreams).toBe(1);
  keeping.time.ms += 2000;
  expect(keeping.gauge(series('c'))).toBe('');
  expect(keeping.values.map(([{ a }]) => a)).toEqual(['c']);
});

test('states keep nothing else of a request', () => {
  const keeping = new Keeping();
  const [metric] = decodedProtobuf(
    requestBytes(requestJson([{ name: 'm', gauge: { dataPoints: [at(10, 1), at(20, 2)] } }])),
  );
  const request = new WeakRef(metric!);
  keeping.take([metric!]);
  const [scope] = keeping.states.metrics().scopeMetrics;
  expect(Object.keys(scope!.metrics[0]!.descriptor)).toEqual(['name', 'unit', 'description']);
  expect(request.deref()!.scope).not.toBe(scope!.scope);
});

test('options that are out of range are refused', () => {
  expect(() => numberStates({ maxStreams: 0 })).toThrow('maxStreams must be an integer of at least 1, got 0');
  expect(() => numberStates({ expireAfterMs: 0 })).toThrow('expireAfterMs must be a number above 0, got 0');
});

test('the start of a sum stays, without a start of its own and after its oldest sender has gone', () => {
  const startOf = ({ states }: Keeping): unknown =>
    states.metrics().scopeMetrics[0]!.metrics[0]!.dataPoints[0]!.startTime;
  const unstarted = new Keeping();
  const point = (value: number): NumberJson => ({
    asDouble: value,
    timeUnixNano: `${BigInt(value) * SECOND}`,
  });
  unstarted.sum(CUMULATIVE, true, point(3));
  const before = startOf(unstarted);
  unstarted.time.ms += 60_000;
  unstarted.sum(CUMULATIVE, true, point(5));
  expect(unstarted.value).toBe(5);
  expect(startOf(unstarted)).toEqual(before);

  const lives = new Keeping({ expireAfterMs: 1000 });
  lives.sum(CUMULATIVE, true, at(2, 3, 1));
  lives.time.ms += 800;
  lives.sum(CUMULATIVE, true, at(9, 4, 8));
  const first = startOf(lives);
  lives.time.ms += 800;
  lives.sum(CUMULATIVE, true, at(10, 5, 8));
  expect(lives.value).toBe(8);
  expect(startOf(lives)).toEqual(first);
});
