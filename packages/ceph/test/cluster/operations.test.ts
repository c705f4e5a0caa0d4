import { COUNTER, LATENCY, SIZE } from '@hdrscope/testing/osd';
import { type ImportedIncrease, PerfHistogram } from '../../src/index.ts';
import { type ClusterInterval, countValues, measureAxis, summarizeOperations } from '../../src/internal.ts';

/** Writes of some latency and size, as an increase. */
function writes(histogram: PerfHistogram, more: Partial<ImportedIncrease> = {}): ImportedIncrease {
  return {
    daemon: undefined,
    logger: 'osd',
    counter: COUNTER,
    histogram,
    unitSources: ['known-mislabel', 'name'],
    sums: undefined,
    notes: [],
    isReset: false,
    ...more,
  };
}

function recorded(...values: readonly [latencyNs: number, bytes: number, count: number][]): PerfHistogram {
  const histogram = new PerfHistogram([LATENCY, SIZE]);
  for (const [latencyNs, bytes, count] of values)
    for (let i = 0; i < count; i++) histogram.record(latencyNs, bytes);
  return histogram;
}

const exact = (value: number) => ({ lower: value, upper: value, value });

test('the mean of an axis is that of the sum that is known best', () => {
  const histogram = recorded([150_000, 4096, 4]);
  const bySlots = measureAxis(writes(histogram), 0, [50]);
  expect(bySlots).toMatchObject({
    count: 4,
    percentiles: [{ lower: 100_000, upper: 200_000 }],
    mean: { lower: 100_000, upper: 200_000 },
    sum: { lower: 400_000, upper: 800_000 },
    sumSource: 'slots',
  });
  const measured = [{ lower: 560_000, upper: 1_600_000, value: 600_000 }, exact(16_384)];
  // The counters were read long before and after the slots: both bounds hold.
  expect(measureAxis(writes(histogram, { measured }), 0, [])).toMatchObject({
    mean: { lower: 140_000, upper: 200_000 },
    sumSource: 'perf dump',
  });
  expect(measureAxis(writes(histogram, { sums: [600_000n, 16_384n], measured }), 0, [])).toMatchObject({
    mean: { lower: 150_000, upper: 150_000 },
    sumSource: 'dump',
  });
  // The sums are those of all values.
  const where = [{ axis: 1, from: 4096, to: 8192 }];
  expect(measureAxis(writes(histogram, { measured }), 0, [], where).sumSource).toBe('slots');
});

test('nothing counted has no mean, and too many values have no facts', () => {
  const empty = measureAxis(writes(recorded()), 0, [99]);
  expect(empty).toMatchObject({ count: 0, sum: { lower: 0, upper: 0 }, mean: { lower: Number.NaN } });
  const huge = recorded();
  huge.addAt([1, 1], 2n ** 60n);
  expect(countValues(writes(huge))).toBe(2n ** 60n);
  expect(measureAxis(writes(huge), 0, [99])).toMatchObject({
    count: undefined,
    percentiles: [{ lower: Number.NaN, upper: Number.NaN }],
  });
});

test('operations of daemons: together, by kind and size, and the slowest first', () => {
  const fast = writes(recorded([150_000, 4096, 30], [150_000, 262_144, 10]));
  const slow = writes(recorded([20_000_000, 4096, 10]));
  const coarse = new PerfHistogram([{ ...LATENCY, buckets: 16 }, SIZE]);
  coarse.record(1000, 4096);
  const other = writes(recorded([1000, 1, 1]), { logger: 'app' });
  const daemon = (name: string, increase: ImportedIncrease, seconds = 1) =>
    ({ name, state: 'counted', seconds, increases: [increase], isBack: false, ageSeconds: 0 }) as const;
  const interval: ClusterInterval = {
    seconds: 1,
    daemons: [
      daemon('osd.0', fast),
      daemon('osd.1', slow, 2),
      daemon('osd.2', writes(coarse)),
      daemon('client', other),
    ],
  };
  const figures = summarizeOperations(interval, { percentiles: [50], sizes: [65_536] });
  expect(figures).toMatchObject({ unit: 'ns', leftOut: ['osd.2'], others: ['client'] });
  // Its daemon has counted for two seconds.
  expect([figures.all.count, figures.all.ratePerSec]).toEqual([50n, 45]);
  expect(figures.kinds.map(({ kind, count }) => [kind, count])).toEqual([['writes', 50n]]);
  expect(
    figures.kinds[0]!.sizes.map(({ from, to, count, ratePerSec }) => [from, to, count, ratePerSec]),
  ).toEqual([
    [undefined, 65_536, 40n, 36],
    [65_536, undefined, 10n, 9],
  ]);
  expect(figures.slowest.map(({ daemon: name, count }) => [name, count])).toEqual([
    ['osd.1', 10n],
    ['osd.0', 40n],
    ['osd.2', 1n],
  ]);
});
