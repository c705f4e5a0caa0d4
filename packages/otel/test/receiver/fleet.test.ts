import { findQuantile } from '@hdrscope/core';
import { exponentialIndex } from '@hdrscope/core/internal';
import fc from 'fast-check';
import type { OtlpReceiverOptions } from '../../src/receiver/options.ts';
import { CUMULATIVE, DELTA, explicitPoint, exponentialPoint, Receiving } from './support/receiving.ts';
import { attributesJson, type ExponentialJson } from './support/request.ts';

/** Hosts of one fleet: their streams stay apart, and their counts are in one series. */
const ONE_SERIES: OtlpReceiverOptions = {
  resourceAttributes: ['service.name', 'host.name'],
  dropAttributes: { 'http.*': ['host.name', 'absent'] },
};

function exponentialOf(values: readonly number[], scale: number, times: ExponentialJson): ExponentialJson {
  if (values.length === 0) return exponentialPoint(scale, 0, [], times);
  const [min, max] = [Math.min(...values), Math.max(...values)];
  const offset = exponentialIndex(scale, min);
  const counts = new Array<number>(exponentialIndex(scale, max) - offset + 1).fill(0);
  for (const value of values) counts[exponentialIndex(scale, value) - offset]! += 1;
  const sum = values.reduce((all, value) => all + value, 0);
  return exponentialPoint(scale, offset, counts, { ...times, min, max, sum });
}

const hosts = fc.array(
  fc.record({
    temporality: fc.constantFrom(DELTA, CUMULATIVE),
    scale: fc.integer({ min: 0, max: 5 }),
    minutes: fc.array(
      fc.record({
        values: fc.array(fc.double({ min: 1e-3, max: 1e3, noNaN: true }), { maxLength: 8 }),
        isRestarted: fc.boolean(),
        isRepeated: fc.boolean(),
      }),
      { minLength: 1, maxLength: 5 },
    ),
  }),
  { minLength: 1, maxLength: 5 },
);

test('hosts whose name is dropped count in one series, whatever they send, again or in another order', async () => {
  await fc.assert(
    fc.asyncProperty(hosts, fc.infiniteStream(fc.nat(1000)), async (fleet, noise) => {
      const receiving = new Receiving(ONE_SERIES);
      const all: number[] = [];
      const requests = fleet.flatMap(({ temporality, scale, minutes }, host) => {
        let [startNs, since] = [1, 1];
        let counted: number[] = [];
        return minutes.flatMap(({ values, isRestarted, isRepeated }, minute) => {
          const timeNs = 1000 * (minute + 1);
          if (isRestarted) {
            startNs = since;
            counted = [];
          }
          all.push(...values);
          counted = [...(temporality === DELTA ? [] : counted), ...values];
          const times = {
            startTimeUnixNano: temporality === DELTA ? since : startNs,
            timeUnixNano: timeNs,
          };
          since = timeNs;
          const exponentialHistogram = {
            aggregationTemporality: temporality,
            dataPoints: [exponentialOf(counted, scale, times)],
          };
          const send = (): void => {
            const metric = { name: 'http.duration', unit: 's', exponentialHistogram };
            const resource = { 'service.name': 'shop', 'host.name': `host-${host}` };
            expect(receiving.metrics([metric], resource).pointCount).toBe(0);
          };
          return isRepeated ? [send, send] : [send];
        });
      });
      // Points of deltas come in any order. A cumulative point that comes late is part of the one that overtook it.
      const shuffled = requests.map((send) => ({ send, at: noise.next().value })).sort((a, b) => a.at - b.at);
      for (const { send } of shuffled) send();
      if (all.length === 0) return;
      const [series, ...others] = await receiving.series();
      expect([series!.attributes, others]).toEqual([{ 'service.name': 'shop' }, []]);
      const sorted = all.sort((a, b) => a - b);
      expect(series!.histogram.totalCount).toBe(sorted.length);
      for (const quantile of [0.01, 0.5, 0.99, 1]) {
        const truth = sorted[Math.max(1, Math.ceil(quantile * sorted.length)) - 1]!;
        const { lower, upper } = findQuantile(series!, quantile);
        // In nanoseconds, at the nearest of which a value counts.
        expect([quantile, lower <= truth * 1e9 + 1, truth * 1e9 <= upper + 1]).toEqual([
          quantile,
          true,
          true,
        ]);
      }
    }),
  );
});

/** Sends a point of a host. */
function send(
  receiving: Receiving,
  host: string,
  temporality: number,
  count: number,
  times: { readonly start: number; readonly time: number },
): number {
  const dataPoints = [
    explicitPoint([count, 0, 0, 0], { startTimeUnixNano: times.start, timeUnixNano: times.time }),
  ];
  const metric = {
    name: 'http.duration',
    unit: 's',
    histogram: { aggregationTemporality: temporality, dataPoints },
  };
  return receiving.metrics([metric], { 'service.name': 'shop', 'host.name': host }).pointCount;
}

test.each([
  ['delta', DELTA, 5 + 7 + 9],
  ['cumulative', CUMULATIVE, 9 + 7],
])(
  'two hosts that differ in the dropped attribute only are two %s streams',
  async (_, temporality, total) => {
    const receiving = new Receiving(ONE_SERIES);
    send(receiving, 'a', temporality, 5, { start: 1, time: 10 });
    send(receiving, 'b', temporality, 7, { start: 1, time: 10 });
    send(receiving, 'a', temporality, 9, { start: temporality === DELTA ? 10 : 1, time: 20 });
    expect(await receiving.total()).toBe(total);
    expect(receiving.health).toMatchObject({ streams: 2, duplicates: 0, resets: 0 });
  },
);

test('the fall of one host is no fall of another, and each begins anew alone', async () => {
  const receiving = new Receiving(ONE_SERIES);
  send(receiving, 'a', CUMULATIVE, 100, { start: 1, time: 10 });
  send(receiving, 'b', CUMULATIVE, 1, { start: 1, time: 11 });
  send(receiving, 'a', CUMULATIVE, 3, { start: 15, time: 20 });
  send(receiving, 'b', CUMULATIVE, 2, { start: 1, time: 21 });
  expect(await receiving.total()).toBe(100 + 3 + 2);
  expect(receiving.health.resets).toBe(1);
});

test('a dropped key that no point has changes nothing', async () => {
  const receiving = new Receiving({ dropAttributes: { '*': ['absent'] } });
  const point = explicitPoint([1, 0, 0, 0], { attributes: attributesJson({ route: '/a' }) });
  receiving.explicit(DELTA, point);
  expect((await receiving.series()).map(({ attributes }) => attributes)).toEqual([
    { 'service.name': 'shop', route: '/a' },
  ]);
});

test('beyond the limit of series the overflow series takes the rest, and no count is lost', async () => {
  const receiving = new Receiving({
    resourceAttributes: ['host.name'],
    familyOptions: () => ({ cardinalityLimit: 2 }),
  });
  for (const [i, host] of ['a', 'b', 'c', 'd', 'c'].entries())
    send(receiving, host, DELTA, 1, { start: i, time: i + 1 });
  expect(
    (await receiving.series()).map(({ attributes, histogram }) => [attributes, histogram.totalCount]),
  ).toEqual([
    [{ 'host.name': 'a' }, 1],
    [{ 'host.name': 'b' }, 1],
    [{ 'otel.metric.overflow': true }, 3],
  ]);
});

test('beyond the limit of streams points are refused, whether or not their series exists, and known ones go on', async () => {
  const receiving = new Receiving({ ...ONE_SERIES, maxStreams: 2 });
  expect(send(receiving, 'a', DELTA, 1, { start: 0, time: 1 })).toBe(0);
  expect(send(receiving, 'b', DELTA, 2, { start: 0, time: 1 })).toBe(0);
  expect(send(receiving, 'c', DELTA, 4, { start: 0, time: 1 })).toBe(1);
  expect(send(receiving, 'a', DELTA, 8, { start: 1, time: 2 })).toBe(0);
  expect(await receiving.total()).toBe(1 + 2 + 8);
  expect(receiving.health).toMatchObject({ streams: 2, refused: { tooManyStreams: 1 } });
});

describe('a receiver that takes the place of one that has died', () => {
  /** It begins at 100 s. */
  function successor(more: OtlpReceiverOptions = {}): { receiving: Receiving; wait: (ms: number) => void } {
    let nowMs = 100_000;
    const clock = { nowMs: () => nowMs, monotonicMs: () => nowMs - 90_000 };
    return {
      receiving: new Receiving({ ...ONE_SERIES, clock, since: 'now', ...more }),
      wait: (ms) => (nowMs += ms),
    };
  }
  const seconds = (count: number): number => count * 1e9;

  test.each([
    ['that began before it', seconds(40), 3],
    ['that began when nobody knows', 0, 3],
    ['that has begun since', seconds(101), 10 + 3],
  ])('counts of a cumulative stream %s what is new', async (_, start, total) => {
    const { receiving, wait } = successor();
    wait(2000);
    send(receiving, 'a', CUMULATIVE, 10, { start, time: seconds(102) });
    wait(2000);
    send(receiving, 'a', CUMULATIVE, 13, { start, time: seconds(104) });
    expect(await receiving.total()).toBe(total);
  });

  test('counts all points of delta streams', async () => {
    const { receiving } = successor();
    send(receiving, 'a', DELTA, 10, { start: seconds(40), time: seconds(99) });
    expect(await receiving.total()).toBe(10);
  });

  test('counts a late point of a stream of which it knows a later one once', async () => {
    const { receiving } = successor();
    send(receiving, 'a', CUMULATIVE, 10, { start: seconds(40), time: seconds(99) });
    send(receiving, 'a', CUMULATIVE, 7, { start: seconds(40), time: seconds(98) });
    send(receiving, 'a', CUMULATIVE, 12, { start: seconds(40), time: seconds(101) });
    expect(await receiving.total()).toBe(2);
  });

  test('does not count a stream again that it has forgotten', async () => {
    const { receiving, wait } = successor({ maxStreams: 1, forgetAfterMs: 1000 });
    wait(1000);
    send(receiving, 'a', CUMULATIVE, 10, { start: seconds(100.5), time: seconds(101) });
    wait(2000);
    send(receiving, 'b', CUMULATIVE, 1, { start: seconds(102), time: seconds(103) });
    wait(2000);
    send(receiving, 'a', CUMULATIVE, 15, { start: seconds(100.5), time: seconds(105) });
    wait(100);
    send(receiving, 'a', CUMULATIVE, 16, { start: seconds(100.5), time: seconds(105.1) });
    expect(await receiving.total()).toBe(10 + 1 + 1);
  });
});
