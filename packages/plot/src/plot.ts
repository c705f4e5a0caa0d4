import type { CountedUnit } from '@hdrscope/registry';

/**
 * A picture of histograms as plain data. It can be kept as JSON, sent to a browser, and drawn as SVG, PNG, HTML or text.
 */
export type Plot = PercentilePlot | ComparisonPlot | TimePlot | HeatMapPlot | BarPlot;

/** The text above a drawing. */
export interface PlotTitles {
  readonly title?: string;
  /** A second line, such as the source of the values or their date. */
  readonly subtitle?: string;
}

/** A slot of a distribution, as the step of a curve: all percentiles from `from` to `percentile` have its value. */
export interface CurvePoint {
  /** Where the step ends: above 0, up to 100. The last point of a curve is at 100, the maximum. */
  readonly percentile: number;
  /**
   * Where the step begins. From the point before up to here lie values that the curve does not have in detail, and it is drawn as a
   * straight line. @default where the point before ends, or 0
   */
  readonly from?: number;
  /** The largest value of the slot; `Infinity`, which is `null` in JSON, when the slot is open upwards. */
  readonly value: number;
  /**
   * Lower bound of the true value: of the interval that holds the true percentile with the curve's confidence, otherwise of a slot
   * that is too wide to be one value; left out when unknown.
   */
  readonly lower?: number;
  /** Upper bound of the true value. */
  readonly upper?: number;
}

/** A stretch of time. */
export interface Period {
  /** In ms since 1970, or since the start of a log without a start time. */
  readonly startMs: number;
  /** At least `startMs`. */
  readonly endMs: number;
}

/** A distribution as the values at ascending percentiles. */
export interface Curve {
  readonly name: string;
  readonly points: readonly CurvePoint[];
  readonly totalCount: number;
  /** When the values were counted; left out when unknown. */
  readonly period?: Period;
  /** The confidence of `lower` and `upper`, such as 0.95; left out when the points have no bounds. */
  readonly confidence?: number;
}

/** An objective: a line at a value. */
export interface SloLine {
  /** @default the value and the percentile, such as `p99.9 ≤ 250 ms` */
  readonly name?: string;
  readonly value: number;
  /** The percentile that must be at most `value`, such as 99.9. Without it the line goes over the whole width. */
  readonly percentile?: number;
}

/** Values by percentile, on an axis on which every nine takes as much room as the nine before: 1/(1 − p). */
export interface PercentilePlot extends PlotTitles {
  readonly kind: 'percentiles';
  /** The unit of the values. */
  readonly unit: CountedUnit;
  readonly curves: readonly Curve[];
  /** Objectives. */
  readonly lines?: readonly SloLine[];
  /** The scale of the vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** One percentile before and after. */
export interface PercentileChange {
  /** From 0 to 100. */
  readonly percentile: number;
  readonly before: number;
  readonly after: number;
  /** Lower bound of the interval that holds the true difference; left out when there are too few values. */
  readonly lower?: number;
  /** Upper bound of that interval. */
  readonly upper?: number;
}

/** Two distributions and the differences of their percentiles. */
export interface ComparisonPlot extends PlotTitles {
  readonly kind: 'comparison';
  readonly unit: CountedUnit;
  readonly before: Curve;
  readonly after: Curve;
  readonly changes: readonly PercentileChange[];
  /** The confidence of the intervals of `changes`, such as 0.99. */
  readonly confidence: number;
  /** The scale of the upper vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** Values over time. */
export interface TimePlot extends PlotTitles {
  readonly kind: 'over-time';
  readonly unit: CountedUnit;
  /** The moments of all lines, in ms since 1970, ascending. */
  readonly timesMs: readonly number[];
  /** Each line has a value for each moment, or `null` when nothing was counted then. */
  readonly lines: readonly { readonly name: string; readonly values: readonly (number | null)[] }[];
  /** How many values all lines are made of; left out when unknown. */
  readonly totalCount?: number;
  /** The end of the time after the last moment, in ms since 1970; left out when unknown. */
  readonly endMs?: number;
  /** Objectives. */
  readonly slos?: readonly SloLine[];
  /** The scale of the vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** A slot of an axis. An open slot has an infinite bound, which is `null` in JSON. */
export interface AxisSlot {
  readonly lower: number;
  readonly upper: number;
}

/** An axis of slots, ascending. */
export interface HeatAxis {
  readonly name: string;
  /** The unit of the bounds; `'time'` is ms since 1970. */
  readonly unit: CountedUnit | 'time';
  readonly slots: readonly AxisSlot[];
}

/** How often each combination of two slots was counted. */
export interface HeatMapPlot extends PlotTitles {
  readonly kind: 'heat-map';
  readonly x: HeatAxis;
  readonly y: HeatAxis;
  /** `counts[y][x]`, each at least 0. */
  readonly counts: readonly (readonly number[])[];
  /** The name of the counts, such as `operations`, in the plural. @default 'values' */
  readonly countName?: string;
}

/** A distribution as one bar for each slot. */
export interface BarPlot extends PlotTitles {
  readonly kind: 'bars';
  readonly unit: CountedUnit;
  /** The name of the values, such as `latency`. @default 'value' */
  readonly name?: string;
  /** Ascending. */
  readonly slots: readonly AxisSlot[];
  /** Whether a slot holds the integers from `lower` to `upper`, both included. @default false */
  readonly isInteger?: boolean;
  /** One for each slot, each at least 0. */
  readonly counts: readonly number[];
  /** Objectives. */
  readonly lines?: readonly SloLine[];
}
