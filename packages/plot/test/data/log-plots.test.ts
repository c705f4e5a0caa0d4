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
  expect(log.plots()[0]!.subtitle).toBe('1,000 intervals, the 8 largest of 101 tags');
});
