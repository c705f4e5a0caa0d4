import type { CountedUnit } from '@hdrscope/registry';

/**
 * A picture of histograms, as plain data: it can be kept as JSON, sent to a browser, and drawn as SVG, PNG, HTML or text.
 */
export type Plot = PercentilePlot | ComparisonPlot | TimePlot | HeatMapPlot | BarPlot;

/** What any plot says above its drawing. */
export interface PlotTitles {
  readonly title?: string;
  /** A second line: where the values come from, when they were counted. */
  readonly subtitle?: string;
}

/** A percentile, and the value there. */
export interface CurvePoint {
  /** From 0 to 100. The last point is at 100: the maximum. */
  readonly percentile: number;
  readonly value: number;
  /** Between which values the true percentile lies, with the confidence of the curve; left out where nothing is known. */
  readonly lower?: number;
  readonly upper?: number;
}

/** A distribution, as the values at ascending percentiles. */
export interface Curve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
  readonly totalCount: number;
  /** The confidence of `lower` and `upper`, such as 0.95; left out where points have none. */
  readonly confidence?: number;
}

/** What was promised: a line at a value, up to a percentile where one is told. */
export interface SloLine {
  /** @default the value and percentile */
  readonly name?: string;
  readonly value: number;
  /** The percentile that must be at most `value`, such as 99.9. */
  readonly percentile?: number;
}

/** Values by percentile, on an axis on which every nine takes as much room as the one before: 1/(1 − p). */
export interface PercentilePlot extends PlotTitles {
  readonly kind: 'percentiles';
  /** What values were counted in. */
  readonly unit: CountedUnit;
  readonly curves: readonly Curve[];
  readonly lines?: readonly SloLine[];
  /** How values are spread over the vertical axis. @default 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** How one percentile has changed. */
export interface Change {
  readonly percentile: number;
  readonly before: number;
  readonly after: number;
  /** Between which the true difference lies; left out where there are too few values. */
  readonly lower?: number;
  readonly upper?: number;
}

/** Two distributions, and how far apart they are. */
export interface ComparisonPlot extends PlotTitles {
  readonly kind: 'comparison';
  readonly unit: CountedUnit;
  readonly before: Curve;
  readonly after: Curve;
  readonly changes: readonly Change[];
  /** Of the differences' intervals, such as 0.99. */
  readonly confidence: number;
  readonly valueAxis?: 'linear' | 'log';
}

/** How values went over time. */
export interface TimePlot extends PlotTitles {
  readonly kind: 'over-time';
  readonly unit: CountedUnit;
  /** Moments in ms since 1970, ascending; those of all lines. */
  readonly timesMs: readonly number[];
  /** For each moment a value, or `null` where nothing was counted. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  readonly slos?: readonly SloLine[];
  readonly valueAxis?: 'linear' | 'log';
}

/** A slot of an axis; infinite where it is open. In JSON, `null` stands for infinite. */
export interface AxisSlot {
  readonly lower: number;
  readonly upper: number;
}

/** An axis that is divided into slots, ascending. */
export interface HeatAxis {
  readonly name: string;
  /** `'time'` is ms since 1970. */
  readonly unit: CountedUnit | 'time';
  readonly slots: readonly AxisSlot[];
}

/** How often each combination of two slots was counted. */
export interface HeatMapPlot extends PlotTitles {
  readonly kind: 'heat-map';
  readonly x: HeatAxis;
  readonly y: HeatAxis;
  /** `counts[y][x]`, of at least 0. */
  readonly counts: readonly (readonly number[])[];
  /** What the counts are, such as `operations`. @default 'count' */
  readonly countName?: string;
}

/** A distribution as a bar for each slot. */
export interface BarPlot extends PlotTitles {
  readonly kind: 'bars';
  readonly unit: CountedUnit;
  /** What the values are, such as `latency`. @default 'value' */
  readonly name?: string;
  readonly slots: readonly AxisSlot[];
  /** Whether values of a slot are integers from `lower` to `upper`, both included. @default false */
  readonly isInteger?: boolean;
  readonly counts: readonly number[];
  readonly lines?: readonly SloLine[];
}
