import { explicitLayout, Histogram } from '@hdrscope/core';
import { createRegistry } from '@hdrscope/registry';
import { expectMisspelt } from '@hdrscope/testing/refusals';
import {
  axesToDraw,
  barsBetween,
  barsOf,
  barsOfHistogram,
  comparisonPlot,
  createHeatMap,
  createLogPlots,
  createOverTime,
  curveOf,
  curveOfPercentiles,
  curveOfSeries,
  curveOfSlots,
  heatMapOfCells,
  heatMapOverTime,
  overTimePlot,
  percentileCurve,
  plotsOfLog,
  plotText,
} from '../src/index.ts';
import { renderHtml, renderPng, renderSvg } from '../src/render/index.ts';

/** Options of any kind, as a program without types passes them. */
const wrong = (options: object): never => options as never;

const histogram = new Histogram();
histogram.record(7);
const side = { name: 'a', histogram };
const plot = barsOfHistogram(histogram);
const layout = explicitLayout([1]);
const axes = [{ name: 'a' }, { name: 'b' }];
const cells = { axes, layouts: [layout, layout], cells: new BigUint64Array(layout.slotCount ** 2) };

async function seriesCurve(options: never) {
  const registry = createRegistry();
  registry.histogram({ name: 'jobs', unit: 's' }).with({}).record(1);
  const [family] = (await registry.gather()).families;
  return curveOfSeries(family!, family!.series[0]!, options);
}

test.each<[call: string, meant: string, action: () => unknown]>([
  ['barsOf', 'unit', () => barsOf(layout, [1], wrong({ units: 'ms' }))],
  ['barsBetween', 'slos', () => barsBetween([0, 1], [], wrong({ slo: [] }))],
  ['barsOfHistogram', 'bars', () => barsOfHistogram(histogram, wrong({ bar: 9 }))],
  ['axesToDraw', 'x', () => axesToDraw([layout], wrong({ xx: 0 }))],
  ['heatMapOfCells', 'countName', () => heatMapOfCells(cells, wrong({ x: 0, y: 1, countsName: 'a' }))],
  ['comparisonPlot', 'percentiles', () => comparisonPlot(side, side, wrong({ percentile: [50] }))],
  ['createHeatMap', 'columns', () => createHeatMap(wrong({ column: 9 }))],
  ['heatMapOverTime', 'rows', () => heatMapOverTime([], wrong({ row: 9 }))],
  ['createLogPlots', 'unit', () => createLogPlots(wrong({ units: 'ms' }))],
  ['plotsOfLog', 'unit', () => plotsOfLog((async function* () {})(), wrong({ units: 'ms' }))],
  ['createOverTime', 'valueScale', () => createOverTime(wrong({ valuScale: 9 }))],
  ['overTimePlot', 'percentiles', () => overTimePlot([], wrong({ percentile: [50] }))],
  ['curveOf', 'valueScale', () => curveOf('a', histogram, wrong({ valuScale: 9 }))],
  [
    'curveOfPercentiles',
    'valueScale',
    () => curveOfPercentiles('a', { histogram, rows: [] }, wrong({ valuScale: 9 })),
  ],
  ['curveOfSlots', 'columns', () => curveOfSlots('a', [], [], wrong({ column: 9 }))],
  ['percentileCurve', 'confidence', () => percentileCurve('a', histogram, wrong({ confidance: 0.9 }))],
  ['curveOfSeries', 'confidence', () => seriesCurve(wrong({ confidance: 0.9 }))],
  ['plotText', 'columns', () => plotText(plot, wrong({ column: 80 }))],
  ['renderHtml', 'title', () => renderHtml([plot], wrong({ titel: 'a' }))],
  ['renderPng', 'scale', () => renderPng(plot, wrong({ scal: 1 }))],
  ['renderSvg', 'width', () => renderSvg(plot, wrong({ widht: 800 }))],
])('%s refuses an option that does not exist, and names %s', async (_call, meant, action) => {
  await expectMisspelt(action, meant);
});
