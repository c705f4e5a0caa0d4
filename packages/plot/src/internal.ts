// Entry `@hdrscope/plot/internal`: for the other packages of hdrscope only. Names here may change in any release.
export { isEmptyPlot } from './assert-plot.ts';
export type { ThemeName } from './chart/theme.ts';
export type { Zone } from './chart/time-text.ts';
export { heatMapOfSlots, plotOfCells, slotsOf, type TimedSlots } from './data/cells.ts';
export { comparisonOf, type PlottedSide } from './data/comparison.ts';
export { asCurves, hasCounts, type SourcedPlot } from './data/counted-curves.ts';
export type { CurveOptions } from './data/percentile-curve.ts';
export { roundEdges } from './data/round-edges.ts';
export type { AxisSlot, CurvePoint, Period, PlottedChange } from './plot.ts';
export { type CurveValues, verdictsOn } from './verdicts.ts';
