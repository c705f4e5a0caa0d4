import { explicitLayout, formatPercentiles, HistogramSum, parsePercentiles } from '@hdrscope/core';
import {
  attributePairs,
  axesToDraw,
  barsBetween,
  barsOf,
  barsOfHistogram,
  captioned,
  chartOption,
  comparisonPlot,
  countedUnitOf,
  createHeatMap,
  createLogPlots,
  createOverTime,
  curveOf,
  curveOfPercentiles,
  curveOfSeries,
  curveOfSlots,
  curveOfSum,
  describePlot,
  formatCount,
  formatValue,
  heatMapOfCells,
  heatMapOverTime,
  informativeAxes,
  overTimePlot,
  percentileCurve,
  plotFromJson,
  plotsOfLog,
  plotTable,
  plotText,
  plotToJson,
} from '@hdrscope/plot';
import { renderPng, renderSvg } from '@hdrscope/plot/render';
import { createRegistry } from '@hdrscope/registry';
import { recorded } from './core.ts';
import { type RightCalls, right } from './right-call.ts';

const histogram = recorded();
const layout = explicitLayout([1]);
const side = { name: 'a', histogram };
const plot = barsOfHistogram(histogram);
const axes = [{ name: 'a' }, { name: 'b' }];
const cells = { axes, layouts: [layout, layout], cells: new BigUint64Array(layout.slotCount ** 2) };
const interval = { startMs: 0, endMs: 1000, histogram };
const logged = { tag: undefined, startSec: 0, lengthSec: 1, histogram };
const sum = new HistogramSum();
sum.add(histogram);
const registry = createRegistry();
registry.histogram({ name: 'jobs', unit: 's' }).with({}).record(1);
const [family] = (await registry.gather()).families;

async function* log(): AsyncGenerator<typeof logged> {
  yield logged;
}

export const PLOT: RightCalls = {
  'plot.attributePairs': right(attributePairs, {}),
  'plot.axesToDraw': right(axesToDraw, [layout, layout], {}),
  'plot.barsBetween': right(barsBetween, [0, 1], [[0.5, 1]], {}),
  'plot.barsOf': right(barsOf, layout, [1, 0], {}),
  'plot.barsOfHistogram': right(barsOfHistogram, histogram, {}),
  'plot.captioned': right(captioned, plot),
  'plot.chartOption': right(chartOption, plot),
  'plot.comparisonPlot': right(comparisonPlot, side, side, {}),
  'plot.countedUnitOf': right(countedUnitOf, family),
  'plot.createHeatMap': right((options: object) => {
    const builder = createHeatMap(options);
    builder.add(interval);
    builder.plot();
  }, {}),
  'plot.createLogPlots': right((options: object) => {
    const builder = createLogPlots(options as Parameters<typeof createLogPlots>[0]);
    builder.add(logged);
    builder.plots();
  }, {}),
  'plot.createOverTime': right((options: object) => {
    const builder = createOverTime(options);
    builder.add(interval);
    builder.plot();
  }, {}),
  'plot.curveOf': right(curveOf, 'a', histogram, {}),
  'plot.curveOfPercentiles': right(
    curveOfPercentiles,
    'a',
    parsePercentiles(formatPercentiles(histogram)),
    {},
  ),
  'plot.curveOfSeries': right(curveOfSeries, family, family?.series[0], {}),
  'plot.curveOfSlots': right(
    curveOfSlots,
    'a',
    [{ lower: 0, upper: 1, lowerInclusive: true, upperInclusive: true }],
    [1],
    {},
  ),
  'plot.curveOfSum': right(curveOfSum, 'a', sum, {}),
  'plot.describePlot': right(describePlot, plot),
  'plot.formatCount': right(formatCount, 1),
  'plot.formatValue': right(formatValue, 1, 's'),
  'plot.heatMapOfCells': right(heatMapOfCells, cells, { x: 0, y: 1 }),
  'plot.heatMapOverTime': right(heatMapOverTime, [interval], {}),
  'plot.informativeAxes': right(informativeAxes, [layout]),
  'plot.overTimePlot': right(overTimePlot, [interval], {}),
  'plot.percentileCurve': right(percentileCurve, 'a', histogram, {}),
  'plot.plotFromJson': right(plotFromJson, plotToJson(plot)),
  'plot.plotsOfLog': right(
    (intervals: typeof log, options: object) =>
      plotsOfLog(typeof intervals === 'function' ? intervals() : intervals, options as never),
    log,
    {},
  ),
  'plot.plotTable': right(plotTable, plot),
  'plot.plotText': right(plotText, plot, {}),
  'plot.plotToJson': right(plotToJson, plot),
  'plot.renderPng': right(renderPng, plot, { width: 320, height: 240 }),
  'plot.renderSvg': right(renderSvg, plot, {}),
};
