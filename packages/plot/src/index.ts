export { captioned } from './caption.ts';
export { chartOption } from './chart/chart-option.ts';
export { describePlot } from './chart/description.ts';
export type { ChartOption } from './chart/option.ts';
export { type PlotTable, plotTable } from './chart/plot-table.ts';
export { formatCount } from './count-text.ts';
export { attributePairs } from './data/attributes-text.ts';
export { barsBetween, barsOf, barsOfHistogram } from './data/bars.ts';
export { axesToDraw, heatMapOfCells, informativeAxes } from './data/cells.ts';
export { comparisonPlot } from './data/comparison.ts';
export { createHeatMap, type HeatMapBuilder, heatMapOverTime } from './data/heat-map.ts';
export { createLogPlots, type LogPlots, plotsOfLog } from './data/log-plots.ts';
export { createOverTime, type OverTimeBuilder, overTimePlot } from './data/over-time.ts';
export {
  curveOf,
  curveOfPercentiles,
  curveOfSlots,
  curveOfSum,
  percentileCurve,
} from './data/percentile-curve.ts';
export { countedUnitOf, curveOfSeries } from './data/series-curve.ts';
export type {
  BarPlot,
  ComparisonPlot,
  Curve,
  HeatMapPlot,
  ObjectiveLine,
  PercentilePlot,
  Plot,
  PlotTitles,
  TimePlot,
} from './plot.ts';
export { plotFromJson, plotToJson } from './plot-json.ts';
export type { TerminalOptions } from './terminal/options.ts';
export { plotText } from './terminal/plot-text.ts';
export { formatValue } from './value-text.ts';
