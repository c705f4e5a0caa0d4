import { explicitCounts, exponentialBuckets } from '@hdrscope/core/internal';
import { bucketCounts, valuesAtPercentiles } from '@hdrscope/registry';
import { CUMULATIVE, DELTA, explicitPoint, exponentialPoint, Receiving } from './support/receiving.ts';
import { attributesJson } from './support/request.ts';

describe('families and series', () => {
  test('a family has the scope, name, unit, description and bounds of its metric', async () => {
    const receiving = new Receiving();
    const dataPoints = [explicitPoint([1, 2, 3, 4], { sum: 9 })];
    receiving.metrics([
      {
        name: 'job.duration',
        unit: 's',
        description: 'How long.',
        histogram: { aggregationTemporality: DELTA, dataPoints },
      },
    ]);
    const { families } = await receiving.snapshot();
    expect(families).toHaveLength(1);
    expect(families[0]).toMatchObject({
      name: 'job.duration',
      unit: 's',
      description: 'How long.',
      scope: { name: 'meter', version: '1.2.3' },
      boundaries: [0.1, 0.5, 2],
    });
    expect(families[0]!.series[0]).toMatchObject({ attributes: { 'service.name': 'shop' }, sum: 9 });
  });

  test('a series has its own attributes and those that identify the resource', async () => {
    const receiving = new Receiving();
    const point = explicitPoint([1, 0, 0, 0], { attributes: attributesJson({ route: '/a' }) });
    const metric = { name: 'm', histogram: { aggregationTemporality: DELTA, dataPoints: [point] } };
    receiving.metrics([metric], { 'service.name': 'a', 'service.instance.id': 'x', 'host.name': 'h' });
    receiving.metrics([metric], { 'service.name': 'a', 'service.instance.id': 'y', 'host.name': 'h' });
    expect((await receiving.series()).map(({ attributes }) => attributes)).toEqual([
      { 'service.name': 'a', 'service.instance.id': 'x', route: '/a' },
      { 'service.name': 'a', 'service.instance.id': 'y', route: '/a' },
    ]);
  });

  test('processes that differ in other resource attributes are separate streams of one series', async () => {
    const receiving = new Receiving();
    const send = (count: number, pid: number): void => {
      const point = explicitPoint([count, 0, 0, 0], { startTimeUnixNano: 5, timeUnixNano: count });
      const metric = { name: 'm', histogram: { aggregationTemporality: CUMULATIVE, dataPoints: [point] } };
      receiving.metrics([metric], { 'service.name': 'a', 'process.pid': pid });
    };
    send(10, 1);
    send(3, 2);
    send(11, 1);
    send(5, 2);
    expect(await receiving.series()).toHaveLength(1);
    expect(await receiving.total()).toBe(16);
    expect(receiving.health).toMatchObject({ streams: 2, resets: 0 });
  });

  test('an option names the resource attributes that series have', async () => {
    const receiving = new Receiving({ resourceAttributes: ['host.name'] });
    const metric = {
      name: 'm',
      histogram: { aggregationTemporality: DELTA, dataPoints: [explicitPoint([1, 0, 0, 0])] },
    };
    receiving.metrics([metric], { 'service.name': 'a', 'host.name': 'h' });
    expect((await receiving.series())[0]!.attributes).toEqual({ 'host.name': 'h' });
  });

  test('an option replaces the choices for a family', async () => {
    const receiving = new Receiving({
      familyOptions: ({ name, unit }) =>
        name === 'm' && unit === 's' ? { significantDigits: 4, resolution: 1e-6 } : undefined,
    });
    receiving.explicit(DELTA, explicitPoint([1, 0, 0, 0]));
    const { families } = await receiving.snapshot();
    expect(families[0]!.layout.significantDigits).toBe(4);
    expect(families[0]!.resolution.ticksPerUnit).toBe(1e6);
  });

  test('a point whose family has another unit is refused', async () => {
    const receiving = new Receiving();
    const histogram = { aggregationTemporality: DELTA, dataPoints: [explicitPoint([1, 0, 0, 0])] };
    expect(receiving.metrics([{ name: 'm', unit: 's', histogram }]).pointCount).toBe(0);
    expect(receiving.metrics([{ name: 'M', unit: 'ms', histogram }])).toEqual({
      pointCount: 1,
      message: '"M" is refused: the family "M" is registered with unit "s", got "ms" (1 point)',
    });
    expect(await receiving.total()).toBe(1);
  });

  test('points are refused, with the reason, when the options cannot make a family', () => {
    const receiving = new Receiving({ familyOptions: () => ({ significantDigits: 9 }) });
    const { pointCount, message } = receiving.explicit(DELTA, explicitPoint([1, 0, 0, 0]));
    expect(pointCount).toBe(1);
    expect(message).toContain('"m" is refused: significantDigits must be');
    expect(receiving.health).toMatchObject({ points: 0, streams: 0, refused: { conflicting: 1 } });
  });

  test('points are refused, with the reason, when the choice of options fails', () => {
    const receiving = new Receiving({
      familyOptions: () => {
        throw new Error('no such metric');
      },
    });
    const { pointCount, message } = receiving.explicit(DELTA, explicitPoint([1, 0, 0, 0]));
    expect(pointCount).toBe(1);
    expect(message).toContain('no such metric');
    expect(receiving.health).toMatchObject({ points: 0, refused: { conflicting: 1 } });
  });

  test('a series starts when its sender began to count', async () => {
    const receiving = new Receiving();
    receiving.explicit(DELTA, explicitPoint([1, 0, 0, 0], { startTimeUnixNano: '1700000000123456789' }));
    expect((await receiving.series())[0]!.startTimeMs).toBe(1_700_000_000_123);
  });

  test('a series never starts in the future, even if the clock of its sender is ahead', async () => {
    const receiving = new Receiving({ clock: { nowMs: () => 5000, monotonicMs: () => 0 } });
    receiving.explicit(DELTA, explicitPoint([1, 0, 0, 0], { startTimeUnixNano: '6000000000' }));
    expect((await receiving.series())[0]!.startTimeMs).toBe(5000);
  });
});

describe('buckets', () => {
  test('explicit ones read back at the same bounds have the same counts, whatever the extremes', async () => {
    const bounds = [0, 0.005, 0.01, 0.025, 0.05, 0.075, 0.1, 0.25, 0.5, 0.75, 1, 2.5, 5, 7.5, 10];
    for (const [min, max] of [
      [undefined, undefined],
      [0, 10.0001],
      [-0, 73],
    ]) {
      const receiving = new Receiving();
      const counts = [...bounds.map((_, i) => 3 * i + 1), 77];
      const extremes = min === undefined ? {} : { min, max: max! };
      receiving.explicit(DELTA, explicitPoint(counts, { explicitBounds: bounds, ...extremes }));
      const { families } = await receiving.snapshot();
      const [family] = families;
      expect(explicitCounts(family!.series[0]!.histogram.counts, family!, bounds)).toEqual(counts);
    }
  });

  test.each([
    [[1, 1.0000001, 1.0000002, 1.000001]],
    [[0, 1e-12, 2e-12, 1]],
    [[100, 100.25, 100.5, 100.75, 101]],
  ])('explicit ones that share slots come out as they came in: %p', async (bounds) => {
    const receiving = new Receiving({ familyOptions: () => ({ significantDigits: 2 }) });
    const counts = bounds.map((_, i) => 3 * i + 1);
    for (const times of [1, 2]) {
      const point = explicitPoint([...counts, 7], { explicitBounds: bounds, timeUnixNano: `${times}` });
      receiving.explicit(DELTA, point);
      const { families } = await receiving.snapshot();
      const [family] = families;
      const read = bucketCounts(family!, family!.series[0]!, family!.boundaries!);
      expect(read).toEqual([...counts, 7].map((count) => times * count));
    }
  });

  test.each([
    ['ms', [0, 5, 10, 25, 50, 75, 100, 250, 500, 750, 1000, 2500, 5000, 7500, 10000]],
    ['', [0.0005, 0.25, 1, 3]],
    ['1', [0.5, 0.9, 0.99, 0.999, 0.9999999]],
    ['{item}', [0, 1, 2, 3, 4, 5, 6, 7, 8, 100, 101]],
    ['By', [1024, 1048576, 1e12]],
  ])('bounds in %s are kept apart: %p', async (unit, bounds) => {
    const receiving = new Receiving();
    const counts = [...bounds.map((_, i) => i + 1), 1000];
    const dataPoints = [explicitPoint(counts, { explicitBounds: bounds })];
    receiving.metrics([{ name: 'm', unit, histogram: { aggregationTemporality: DELTA, dataPoints } }]);
    const { families } = await receiving.snapshot();
    const [family] = families;
    expect(explicitCounts(family!.series[0]!.histogram.counts, family!, bounds)).toEqual(counts);
  });

  test.each([0, 3, 5, 9])('exponential ones of scale %i read back have the same counts', async (scale) => {
    const receiving = new Receiving();
    const bucketCounts = Array.from({ length: 160 }, (_, i) => (i * 7) % 5);
    bucketCounts[0] = 1;
    bucketCounts[159] = 1;
    // At scale 0 the largest value must stay below 104 days, the largest time that counts in nanoseconds.
    const offset = scale === 0 ? -140 : -9 * 2 ** scale;
    const used = scale === 0 ? bucketCounts.map((count, i) => (i < 115 ? 0 : count)) : bucketCounts;
    receiving.exponential(DELTA, exponentialPoint(scale, offset, used, { zeroCount: 4 }));
    const { families } = await receiving.snapshot();
    const { counts } = families[0]!.series[0]!.histogram;
    const readBack = exponentialBuckets(counts, families[0]!, { maxScale: scale, maxSize: 400 });
    const from = used.findIndex((count) => count > 0);
    expect(readBack).toEqual({ scale, zeroCount: 4, offset: offset + from, counts: used.slice(from) });
  });

  test('the extremes of a point narrow its buckets', async () => {
    const receiving = new Receiving();
    receiving.explicit(DELTA, explicitPoint([0, 0, 0, 5], { min: 7, max: 7, sum: 35 }));
    const { families } = await receiving.snapshot();
    const [family] = families;
    const [series] = family!.series;
    expect([series!.min, series!.max, series!.sum]).toEqual([7, 7, 35]);
    expect(valuesAtPercentiles(family!, series!, [50])[0]).toBeCloseTo(7, 0);
  });

  test.each([
    ['begins at 0', [0.1, 0.5], [4, 0, 0], {}, 0.05],
    ['begins at a minimum below 0, which is known', [0.1, 0.5], [4, 0, 0], { min: -0.02 }, 0.04],
    ['counts at its bound when all of its values are negative', [-1, 1], [3, 1, 0], {}, 0],
  ])('an open lowest bucket %s', async (_, explicitBounds, counts, extremes, value) => {
    const receiving = new Receiving();
    receiving.explicit(DELTA, explicitPoint(counts, { explicitBounds, ...extremes }));
    const [series] = await receiving.series();
    expect(series!.sum / series!.histogram.totalCount).toBeCloseTo(value, 9);
    expect(series!.rejected.negative).toBe(value === 0 ? 3 : 0);
    expect(receiving.health.open).toBe(value === 0 ? 3 : 0);
  });

  test('values in buckets that no maximum closes are reported as open', () => {
    const receiving = new Receiving();
    receiving.explicit(DELTA, explicitPoint([1, 2, 3, 4], { timeUnixNano: 1 }));
    receiving.explicit(DELTA, explicitPoint([1, 2, 3, 4], { timeUnixNano: 2, max: 3 }));
    expect(receiving.health).toMatchObject({ values: 20, open: 4 });
  });

  test('small values without a unit keep their digits', async () => {
    const receiving = new Receiving();
    const dataPoints = [exponentialPoint(5, -20 * 32, [1, 1, 1])];
    receiving.metrics([{ name: 'm', exponentialHistogram: { aggregationTemporality: DELTA, dataPoints } }]);
    const { families } = await receiving.snapshot();
    const [median] = valuesAtPercentiles(families[0]!, families[0]!.series[0]!, [50]);
    expect(Math.abs(median! / (2 ** -20 * 2 ** (1.5 / 32)) - 1)).toBeLessThan(0.002);
  });

  test('negative values count as rejected, and the other values of the point count', async () => {
    const receiving = new Receiving();
    const point = exponentialPoint(0, 0, [3], { negative: { offset: 0, bucketCounts: [2, 2] }, sum: -1 });
    expect(receiving.exponential(DELTA, point).pointCount).toBe(0);
    receiving.explicit(DELTA, explicitPoint([5, 6, 0, 7], { explicitBounds: [-3, -1, 1], timeUnixNano: 2 }));
    const [series] = await receiving.series();
    expect(series!.histogram.totalCount).toBe(3 + 7);
    expect(series!.rejected).toMatchObject({ negative: 4 + 11, tooLarge: 0 });
    expect(series!.sum).toBe(3 * 1.5 + 7);
  });

  test('values above the range of the family count as rejected', async () => {
    const receiving = new Receiving();
    receiving.exponential(DELTA, exponentialPoint(0, 0, [1, ...new Array(39).fill(0), 2]));
    const [series] = await receiving.series();
    expect(series!.histogram.totalCount).toBe(1);
    expect(series!.rejected.tooLarge).toBe(2);
  });
});

describe('delta streams', () => {
  test('each point is added once, in any order', async () => {
    const receiving = new Receiving();
    const point = (start: number, count: number) =>
      explicitPoint([count, 0, 0, 0], { startTimeUnixNano: start, timeUnixNano: start + 1, sum: count / 20 });
    receiving.explicit(DELTA, point(1, 5));
    receiving.explicit(DELTA, point(1, 5));
    receiving.explicit(DELTA, point(3, 7));
    receiving.explicit(DELTA, point(2, 1));
    const [series] = await receiving.series();
    expect([series!.histogram.totalCount, series!.sum]).toEqual([13, 0.65]);
    expect(receiving.health).toMatchObject({ points: 4, duplicates: 1, resets: 0, streams: 1 });
  });

  test('a point that is sent again after newer ones counts once', async () => {
    const receiving = new Receiving();
    for (const [startTimeUnixNano, timeUnixNano] of [
      [10, 20],
      [30, 40],
      [20, 30],
      [10, 20],
    ] as const) {
      receiving.explicit(DELTA, explicitPoint([1, 0, 0, 0], { startTimeUnixNano, timeUnixNano }));
    }
    expect(await receiving.total()).toBe(3);
    expect(receiving.health).toMatchObject({ points: 4, duplicates: 1, late: 0 });
  });

  test('points that share their end and differ in their start all count', async () => {
    const receiving = new Receiving();
    for (const startTimeUnixNano of [10, 15]) {
      receiving.explicit(DELTA, explicitPoint([1, 0, 0, 0], { startTimeUnixNano, timeUnixNano: 20 }));
    }
    expect(await receiving.total()).toBe(2);
  });
});

describe('cumulative streams', () => {
  const point = (start: number, time: number, counts: readonly number[], extremes = {}) =>
    explicitPoint(counts, { startTimeUnixNano: start, timeUnixNano: time, ...extremes });

  test('a point adds its increase since the point before', async () => {
    const receiving = new Receiving();
    receiving.explicit(CUMULATIVE, point(1, 2, [1, 2, 0, 0], { sum: 0.75 }));
    receiving.explicit(CUMULATIVE, point(1, 3, [1, 2, 4, 0], { sum: 5 }));
    receiving.explicit(CUMULATIVE, point(1, 3, [1, 2, 4, 0], { sum: 5 }));
    receiving.explicit(CUMULATIVE, point(1, 2, [1, 2, 0, 0], { sum: 0.75 }));
    const [series] = await receiving.series();
    expect([series!.histogram.totalCount, series!.sum]).toEqual([7, 5]);
    expect(receiving.health).toMatchObject({ points: 4, duplicates: 1, late: 1, resets: 0 });
  });

  test('another start time is a reset, and so are counts that have fallen', async () => {
    const receiving = new Receiving();
    receiving.explicit(CUMULATIVE, point(1, 2, [5, 0, 0, 0]));
    receiving.explicit(CUMULATIVE, point(3, 4, [6, 0, 0, 0]));
    receiving.explicit(CUMULATIVE, point(3, 5, [2, 1, 0, 0]));
    expect(await receiving.total()).toBe(14);
    expect(receiving.health.resets).toBe(2);
  });

  test('start times distinguish two processes with equal attributes', async () => {
    const receiving = new Receiving();
    for (let i = 1; i <= 20; i++) {
      receiving.explicit(CUMULATIVE, point(1, 10 + i, [i, 0, 0, 0]));
      receiving.explicit(CUMULATIVE, point(2, 10 + i, [0, 3 * i, 0, 0]));
    }
    expect(await receiving.total()).toBe(80);
    expect(receiving.health).toMatchObject({ resets: 1, streams: 1 });
  });

  test('other bounds are a reset when they divide a used bucket', async () => {
    const receiving = new Receiving();
    receiving.explicit(CUMULATIVE, point(1, 2, [5, 0, 0, 0]));
    receiving.explicit(CUMULATIVE, point(1, 3, [6, 0], { explicitBounds: [0.05] }));
    expect(await receiving.total()).toBe(11);
    expect(receiving.health.resets).toBe(1);
  });

  test('other bounds are not a reset when each used bucket lies within a new one', async () => {
    const receiving = new Receiving();
    receiving.explicit(CUMULATIVE, point(1, 2, [5, 0, 0, 0]));
    receiving.explicit(CUMULATIVE, point(1, 3, [6, 0], { explicitBounds: [1] }));
    expect(await receiving.total()).toBe(6);
    expect(receiving.health.resets).toBe(0);
  });

  test('buckets that have moved as far as a sender can move them are a reset', async () => {
    const receiving = new Receiving();
    for (const [time, offset] of [
      [2, -1000 * 2 ** 20],
      [3, 1000 * 2 ** 20],
    ] as const) {
      const times = { startTimeUnixNano: 1, timeUnixNano: time };
      receiving.exponential(CUMULATIVE, exponentialPoint(20, offset, [3], times));
    }
    const [series] = await receiving.series();
    expect([series!.histogram.totalCount, series!.rejected.tooLarge]).toEqual([3, 3]);
    expect(receiving.health.resets).toBe(1);
  });

  test('continue in a receiver that has the memory of the one before', async () => {
    const first = new Receiving();
    first.explicit(CUMULATIVE, point(1, 2, [5, 0, 0, 0]));
    const second = new Receiving({ memory: first.intake.memory });
    second.explicit(CUMULATIVE, point(1, 3, [7, 0, 0, 0]));
    expect(await second.total()).toBe(2);
  });

  test('an extreme belongs to the interval in which it was new', async () => {
    const receiving = new Receiving();
    receiving.explicit(CUMULATIVE, point(1, 2, [0, 0, 9, 0], { min: 0.6, max: 1.9 }));
    const first = await receiving.snapshot();
    receiving.explicit(CUMULATIVE, point(1, 3, [0, 1, 9, 0], { min: 0.2, max: 1.9 }));
    const second = await receiving.snapshot();
    const [series] = second.families[0]!.series;
    expect([series!.min, series!.max]).toEqual([0.2, 1.9]);
    const [news] = second.since(first).families[0]!.series;
    expect(news!.min).toBe(0.2);
    expect(news!.max).toBeLessThanOrEqual(0.5);
  });

  test('a coarser scale is not a reset: counts are compared at that scale', async () => {
    const receiving = new Receiving();
    const at = (time: number, scale: number, offset: number, counts: number[]) =>
      receiving.exponential(
        CUMULATIVE,
        exponentialPoint(scale, offset, counts, { startTimeUnixNano: 1, timeUnixNano: time }),
      );
    at(2, 3, -5, [1, 2, 3]);
    at(3, 1, -2, [1, 5, 0, 0, 0, 0, 5]);
    at(4, 3, -5, [1, 2, 3, 0, 0, 0, 0, ...new Array(16).fill(0), 7]);
    expect(receiving.health.resets).toBe(0);
    expect(await receiving.total()).toBe(13);
  });

  test('a larger zero threshold is not a reset', async () => {
    const receiving = new Receiving();
    const common = { startTimeUnixNano: 1 };
    receiving.exponential(
      CUMULATIVE,
      exponentialPoint(0, -10, [1, 2, 3, 4], { ...common, timeUnixNano: 2, zeroCount: 2 }),
    );
    receiving.exponential(
      CUMULATIVE,
      exponentialPoint(0, -8, [3, 5], { ...common, timeUnixNano: 3, zeroCount: 6, zeroThreshold: 2 ** -8 }),
    );
    expect(await receiving.total()).toBe(14);
    expect(receiving.health.resets).toBe(0);
  });

  test('a point without a recorded value changes nothing', async () => {
    const receiving = new Receiving();
    receiving.explicit(CUMULATIVE, point(1, 2, [5, 0, 0, 0]));
    receiving.explicit(CUMULATIVE, { startTimeUnixNano: 1, timeUnixNano: 3, flags: 1 });
    receiving.explicit(CUMULATIVE, point(1, 4, [6, 0, 0, 0]));
    expect(await receiving.total()).toBe(6);
    expect(receiving.health).toMatchObject({ points: 2, resets: 0 });
  });

  test('an empty point makes no series', async () => {
    const receiving = new Receiving();
    receiving.explicit(CUMULATIVE, { timeUnixNano: 1, count: 0 });
    expect((await receiving.snapshot()).families).toEqual([]);
    receiving.explicit(CUMULATIVE, point(0, 2, [1, 0, 0, 0]));
    expect(await receiving.total()).toBe(1);
  });
});

describe('bounds on streams', () => {
  function streams(clock: { ms: number }): (route: number, count: number) => number {
    const receiving = new Receiving({
      maxStreams: 2,
      forgetAfterMs: 1000,
      clock: { nowMs: () => clock.ms, monotonicMs: () => clock.ms },
    });
    return (route, count) =>
      receiving.explicit(
        CUMULATIVE,
        explicitPoint([count, 0, 0, 0], { timeUnixNano: clock.ms, attributes: attributesJson({ route }) }),
      ).pointCount;
  }

  test('new streams beyond the limit are refused, and known ones continue', () => {
    const send = streams({ ms: 1 });
    expect([send(1, 1), send(2, 1), send(3, 1), send(1, 2)]).toEqual([0, 0, 1, 0]);
  });

  test('a stream that has been silent for long makes room for a new one', () => {
    const clock = { ms: 1 };
    const send = streams(clock);
    send(1, 1);
    send(2, 1);
    clock.ms = 900;
    expect([send(1, 2), send(3, 1)]).toEqual([0, 1]);
    clock.ms = 1001;
    expect([send(3, 1), send(2, 2)]).toEqual([0, 1]);
  });
});

describe('points that are refused', () => {
  test.each([
    ['counts that do not fit the bounds', explicitPoint([1, 2, 3]), 'has 3 counts for 3 bounds'],
    ['counts that do not add up', explicitPoint([1, 2, 3, 4], { count: 11 }), 'has buckets of 10 values'],
    ['bounds that descend', explicitPoint([1, 1, 1], { explicitBounds: [2, 1] }), 'not finite and ascending'],
    ['bounds that repeat', explicitPoint([1, 1, 1], { explicitBounds: [1, 1] }), 'not finite and ascending'],
    ['a bound that is NaN', explicitPoint([1, 1], { explicitBounds: ['NaN'] }), 'not finite and ascending'],
    [
      'an infinite bound',
      explicitPoint([1, 1], { explicitBounds: ['Infinity'] }),
      'not finite and ascending',
    ],
    ['a sum that is NaN', explicitPoint([1, 0, 0, 0], { sum: 'NaN' }), 'has the sum NaN'],
    ['a minimum that is NaN', explicitPoint([1, 0, 0, 0], { min: 'NaN' }), 'has the minimum NaN'],
    ['an infinite maximum', explicitPoint([1, 0, 0, 0], { max: 'Infinity' }), 'has the maximum Infinity'],
    ['a minimum above the maximum', explicitPoint([1, 0, 0, 0], { min: 2, max: 1 }), 'above its maximum'],
    ['no bounds', explicitPoint([3], { explicitBounds: [] }), 'has no bounds'],
    ['no buckets', { count: 3, sum: 1 }, 'has 0 counts for 0 bounds'],
    [
      'too many buckets',
      explicitPoint(new Array(5001).fill(1), { explicitBounds: Array.from({ length: 5000 }, (_, i) => i) }),
      'must be at most 4096',
    ],
  ])('with %s', async (_, bad, message) => {
    const receiving = new Receiving();
    const refusals = receiving.explicit(DELTA, bad, explicitPoint([1, 0, 0, 0]));
    expect(refusals.pointCount).toBe(1);
    expect(refusals.message).toContain(message);
    expect(await receiving.total()).toBe(1);
    expect(receiving.health).toMatchObject({ points: 1, refused: { malformed: 1 } });
  });

  test.each([
    ['a scale of 21', exponentialPoint(21, 0, [1]), 'has scale 21'],
    ['a scale of -11', exponentialPoint(-11, 0, [1]), 'has scale -11'],
    ['a threshold below 0', exponentialPoint(0, 0, [1], { zeroThreshold: -1 }), 'zero threshold -1'],
    ['buckets beyond all doubles', exponentialPoint(0, 1024, [1]), 'beyond the largest or smallest double'],
    ['counts that do not add up', exponentialPoint(0, 0, [1], { count: 2 }), 'has buckets of 1 values'],
    ['too many buckets', exponentialPoint(20, 0, new Array(4097).fill(1)), 'must be at most 4096'],
  ])('exponential, with %s', async (_, bad, message) => {
    const receiving = new Receiving();
    const refusals = receiving.exponential(DELTA, bad, exponentialPoint(0, 0, [1]));
    expect(refusals).toMatchObject({ pointCount: 1, message: expect.stringContaining(message) });
    expect(await receiving.total()).toBe(1);
  });

  test.each([
    ['the bucket of the smallest double', exponentialPoint(0, -1075, [1]), 0],
    ['a bucket that ends at the smallest double, with others in it', exponentialPoint(1, -2149, [1]), 0],
    ['a bucket below it', exponentialPoint(0, -1076, [1]), 1],
  ])('of %s only when no double lies in it', (_, point, refused) => {
    expect(new Receiving().exponential(DELTA, point).pointCount).toBe(refused);
  });

  test('have counts above 2^53 - 1, or would raise a series above that', async () => {
    const receiving = new Receiving();
    const most = Number.MAX_SAFE_INTEGER;
    const bounds = { explicitBounds: [1], timeUnixNano: 1 };
    const send = (counts: [string, string], count: string, timeUnixNano: number) =>
      receiving.explicit(DELTA, { ...bounds, timeUnixNano, count, bucketCounts: counts }).message;
    expect(send(['9007199254740992', '0'], '9007199254740992', 1)).toContain('above 2^53 - 1');
    expect(send([`${most}`, '1'], '9007199254740992', 2)).toContain('above 2^53 - 1');
    expect(send([`${most}`, '0'], `${most}`, 3)).toBe('');
    expect(send(['0', '1'], '1', 4)).toContain('the total count must stay at most 2^53 - 1');
    expect(send(['0', '1'], '9007199254740992', 5)).toContain('above 2^53 - 1');
    expect(send([`${most}`, '1'], `${most}`, 6)).toContain('above 2^53 - 1');
    expect(await receiving.total()).toBe(most);
    expect(receiving.health.refused.countTooLarge).toBe(5);
  });

  test('have no temporality or no name', () => {
    const receiving = new Receiving();
    expect(receiving.explicit(0, explicitPoint([1, 0, 0, 0])).message).toContain(
      'neither delta nor cumulative',
    );
    const histogram = { aggregationTemporality: DELTA, dataPoints: [explicitPoint([1, 0, 0, 0])] };
    expect(receiving.metrics([{ name: '', histogram }]).message).toContain('has no name');
  });

  test.each([
    ['name', 1024, 'has a name, a unit or a scope of more than 1024 characters'],
    ['unit', 1024, 'has a name, a unit or a scope of more than 1024 characters'],
    ['description', 16_384, 'has a description of more than 16384 characters'],
  ])('have a metric with a %s of more than %i characters', (property, most, message) => {
    const receiving = new Receiving();
    const histogram = { aggregationTemporality: DELTA, dataPoints: [explicitPoint([1, 0, 0, 0])] };
    const send = (length: number) =>
      receiving.metrics([{ name: 'm', histogram, [property]: 'x'.repeat(length) }]).message;
    expect(send(most)).toBe('');
    expect(send(most + 1)).toContain(message);
  });

  test('have attributes that are too long, of their own or of their resource', () => {
    const receiving = new Receiving();
    const send = (ofPoint: number, ofResource: number) => {
      const attributes = attributesJson({ k: 'x'.repeat(ofPoint) });
      const dataPoints = [explicitPoint([1, 0, 0, 0], { attributes })];
      const histogram = { aggregationTemporality: DELTA, dataPoints };
      return receiving.metrics([{ name: 'm', histogram }], { 'service.name': 'x'.repeat(ofResource) })
        .message;
    };
    expect([send(16_000, 1), send(1, 16_000)]).toEqual(['', '']);
    expect(send(16_400, 1)).toContain('has attributes of more than 16384 characters');
    expect(send(1, 16_400)).toContain('has attributes of more than 16384 characters');
  });

  test('belong to gauges, sums and summaries', () => {
    const receiving = new Receiving();
    const refusals = receiving.metrics([
      { name: 'g', gauge: { dataPoints: [{}, {}] } },
      { name: 's', sum: { dataPoints: [{}] } },
      { name: 'q', summary: { dataPoints: [] } },
    ]);
    expect(refusals).toEqual({
      pointCount: 3,
      message:
        '"g" is not a histogram: only histograms are accepted (2 points); "s" is not a histogram: only histograms are accepted (1 point)',
    });
    expect(receiving.health.refused.notHistogram).toBe(3);
  });

  test('are reported in five sentences at most', () => {
    const receiving = new Receiving();
    const metrics = Array.from({ length: 20 }, (_, i) => ({ name: `g${i}`, gauge: { dataPoints: [{}] } }));
    const { pointCount, message } = receiving.metrics(metrics);
    expect([pointCount, message.split('; ').length]).toEqual([20, 6]);
    expect(message).toContain('other reasons (15 points)');
  });
});
