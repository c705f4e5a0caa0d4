// Entry `@hdrscope/plot/internal`: for the other packages of hdrscope only. Names here may change in any release.
export type { ThemeName } from './chart/theme.ts';
export type { Zone } from './chart/time-text.ts';
export type { CurveOptions } from './data/percentile-curve.ts';
export type { AxisSlot, CurvePoint, Period, PlottedChange } from './plot.ts';
