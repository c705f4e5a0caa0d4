export { captioned } from './caption.ts';
export { chartOption } from './chart/chart-option.ts';
export { describePlot } from './chart/description.ts';
export type { ChartOption, ChartSeries, OptionPart } from './chart/option.ts';
export { type PlotTable, plotTable } from './chart/plot-table.ts';
export type { ThemeName } from './chart/theme.ts';
export type { Zone } from './chart/time-text.ts';
export { formatCount } from './count-text.ts';
export { attributePairs } from './data/attributes-text.ts';
export {
  type BarsOptions,
  barsBetween,
  barsOf,
  barsOfHistogram,
  type HistogramBarsOptions,
} from './data/bars.ts';
export {
  axesToDraw,
  type CellCounts,
  type CellMapOptions,
  heatMapOfCells,
  informativeAxes,
} from './data/cells.ts';
export { type ComparisonPlotOptions, type ComparisonSide, comparisonPlot } from './data/comparison.ts';
export {
  createHeatMap,
  type HeatMapBuilder,
  type HeatMapOptions,
  heatMapOverTime,
  type TimedCounts,
  type TimedHistogram,
} from './data/heat-map.ts';
export {
  createLogPlots,
  type LoggedInterval,
  type LogPlots,
  type LogPlotsOptions,
  plotsOfLog,
  type WholeLogOptions,
} from './data/log-plots.ts';
export {
  type AddableHistogram,
  createOverTime,
  type OverTimeBuilder,
  type OverTimeOptions,
  overTimePlot,
} from './data/over-time.ts';
export {
  type BoundedCurveOptions,
  type CurveOptions,
  type CurveSource,
  curveOf,
  curveOfPercentiles,
  curveOfSlots,
  curveOfSum,
  percentileCurve,
} from './data/percentile-curve.ts';
export { countedUnitOf, curveOfSeries, type SeriesCurveOptions } from './data/series-curve.ts';
export type {
  AxisSlot,
  BarPlot,
  ComparisonPlot,
  Curve,
  CurvePoint,
  HeatAxis,
  HeatMapPlot,
  ObjectiveLine,
  PercentilePlot,
  Period,
  Plot,
  PlotTitles,
  PlottedChange,
  TimePlot,
} from './plot.ts';
export { plotFromJson, plotToJson } from './plot-json.ts';
export type { TerminalOptions } from './terminal/options.ts';
export { plotText } from './terminal/plot-text.ts';
export { formatValue } from './value-text.ts';
