import { Histogram } from '@hdrscope/core';
import { createLogPlots, type PercentilePlot, plotsOfLog } from '../../src/index.ts';

function histogramOf(...values: number[]): Histogram {
  const histogram = new Histogram({ autoResize: true, significantDigits: 3 });
  for (const value of values) histogram.record(value);
  return histogram;
}

function curvesOf(plots: readonly unknown[]): PercentilePlot['curves'] {
  return (plots[0] as PercentilePlot).curves;
}

test('a log without intervals has no plots', () => {
  expect(createLogPlots().plots()).toEqual([]);
});

test('each tag has a curve, the largest tag first', async () => {
  const plots = await plotsOfLog(
    (async function* () {
      yield { tag: 'get', startSec: 1, lengthSec: 1, histogram: histogramOf(10) };
      yield { tag: undefined, startSec: 1, lengthSec: 1, histogram: histogramOf(20, 30) };
      yield { tag: 'get', startSec: 2, lengthSec: 1, histogram: histogramOf(40, 50) };
    })(),
    { unit: 'us' },
  );

  expect(plots.map(({ kind }) => kind)).toEqual(['percentiles', 'over-time', 'heat-map']);
  expect(
    curvesOf(plots).map(({ name, totalCount, points }) => [name, totalCount, points.at(-1)!.value]),
  ).toEqual([
    ['get', 3, 50],
    ['(no tag)', 2, 30],
  ]);
  expect(plots[0]).toMatchObject({ unit: 'us', subtitle: '3 intervals' });
});

test('a log of one interval has no plots over time', () => {
  const log = createLogPlots();
  log.add({ tag: undefined, startSec: 0, lengthSec: 0, histogram: histogramOf(1) });

  expect(log.plots().map(({ kind }) => kind)).toEqual(['percentiles']);
});

test('the curve of intervals of different digits has a band where the coarser ones leave more open', () => {
  for (const order of [
    [1, 4],
    [4, 1],
  ]) {
    const log = createLogPlots({ unit: 'ns' });
    for (const [startSec, significantDigits] of order.entries()) {
      const histogram = new Histogram({ highestTrackableValue: 1_000_000, significantDigits });
      histogram.record(123_456, 10);
      log.add({ tag: undefined, startSec, lengthSec: 1, histogram });
    }
    const [curves] = log.plots() as [PercentilePlot];
    expect(curves.curves[0]!.points.at(-1)).toEqual({
      percentile: 100,
      value: 126_975,
      lower: 123_456,
      upper: 126_975,
    });
  }
});

test('intervals that cannot be added up are left out, and the subtitle says how many', () => {
  const log = createLogPlots();
  log.add({ tag: undefined, startSec: 0, lengthSec: 1, histogram: histogramOf(1) });
  log.add({ tag: undefined, startSec: 1, lengthSec: 1, histogram: undefined });

  expect(log.plots()[0]!.subtitle).toBe('1 interval, 1 left out because they are damaged or hold doubles');
});

test('tags beyond the first hundred share a curve, and no value is lost', () => {
  const log = createLogPlots();
  for (let n = 0; n < 1000; n++) {
    log.add({ tag: `t${n}`, startSec: n, lengthSec: 1, histogram: histogramOf(n) });
  }

  const curves = curvesOf(log.plots());
  expect(curves).toHaveLength(8);
  expect(curves[0]).toMatchObject({ name: 'other tags', totalCount: 900 });
  expect(log.plots()[0]!.subtitle).toBe(
    '1,000 intervals, the 8 largest of 100 tags and all other tags as one',
  );
});

/** A log with as many tags as intervals. */
async function* taggedLog(count: number, prefix = 't') {
  const histogram = histogramOf(10);
  for (let n = 0; n < count; n++) yield { tag: `${prefix}${n}`, startSec: n, lengthSec: 1, histogram };
}

test('a whole log with 100,000 tags is refused in little time and memory', async () => {
  const { rss } = process.memoryUsage();
  const startMs = performance.now();

  await expect(plotsOfLog(taggedLog(100_000))).rejects.toMatchObject({
    code: 'ERR_TOO_LARGE',
    message: 'the log must have at most 10000 tags, and has more: choose a part of it',
    details: { limit: 'maxTags', most: 10_000 },
  });
  expect(performance.now() - startMs).toBeLessThan(10_000);
  expect(process.memoryUsage().rss - rss).toBeLessThan(200 * 2 ** 20);
});

test('a whole log has as many tags as its option allows, and tags of a million characters in all', async () => {
  expect(curvesOf(await plotsOfLog(taggedLog(3), { maxTags: 3 }))).toHaveLength(3);
  await expect(plotsOfLog(taggedLog(4), { maxTags: 3 })).rejects.toMatchObject({ code: 'ERR_TOO_LARGE' });
  await expect(plotsOfLog(taggedLog(9), { maxTags: 0 })).rejects.toMatchObject({
    code: 'ERR_INVALID_OPTION',
  });
  await expect(plotsOfLog(taggedLog(11, 'x'.repeat(100_000)))).rejects.toMatchObject({
    message: 'the log must have at most 1000000 characters in its tags, and has more: choose a part of it',
  });
});

test('a log that grows takes any number of tags', async () => {
  const log = createLogPlots();
  for await (const interval of taggedLog(200))
    log.add({ ...interval, tag: `${interval.tag}${'y'.repeat(99)}` });
  expect(log.plots()[0]?.subtitle).toBe('200 intervals, the 8 largest of 100 tags and all other tags as one');
});

test('other work runs while a long log is read', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 1);
  try {
    await plotsOfLog(taggedLog(9000));
  } finally {
    clearInterval(timer);
  }
  expect(ticks).toBeGreaterThan(2);
});
