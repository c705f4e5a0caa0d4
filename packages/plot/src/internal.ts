// Entry `@hdrscope/plot/internal`: for the other packages of hdrscope only. Names here may change in any release.
// Its code imports the main entry by name, so that the main entry stays in one file.
export type { ThemeName } from './chart/theme.ts';
export type { Zone } from './chart/time-text.ts';
export type { WaterfallPlot } from './chart/waterfall-chart.ts';
export { makeComparisonPlot, type PlottedSide } from './data/compared-runs.ts';
export { asCurves, hasCounts, isEmptyPlot, type SourcedPlot } from './data/counted-curves.ts';
export { heatMapOfSlots, plotOfCells, slotsOf, type TimedSlots } from './data/drawn-cells.ts';
export { type ExplainedValues, explanationWaterfall } from './data/explanation-waterfall.ts';
export type { CurveOptions } from './data/percentile-curve.ts';
export { roundEdges } from './data/round-edges.ts';
export type { AxisSlot, CurvePoint, Period, PlottedChange } from './plot.ts';
export { type CurveValues, verdictsOn } from './verdicts.ts';
