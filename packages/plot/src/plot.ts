import type { CountedUnit } from '@hdrscope/registry';

/**
 * A picture of histograms as plain data. It can be kept as JSON, sent to a browser, and drawn as SVG, PNG, HTML or text.
 */
export type Plot = PercentilePlot | ComparisonPlot | TimePlot | HeatMapPlot | BarPlot;

/** The text above a drawing. */
export interface PlotTitles {
  /** The first line: what was measured. @default no title */
  readonly title?: string;
  /** A second line, such as the source of the values or their date. */
  readonly subtitle?: string;
}

/** A slot of a distribution, as the step of a curve: all percentiles from `from` to `percentile` have its value. */
export interface CurvePoint {
  /** Where the step ends: above 0, up to 100. The last point of a curve is at 100, the maximum. */
  readonly percentile: number;
  /**
   * The percentile at which the step begins. From the point before up to here lie values that the curve does not have in detail, and it is
   * drawn as a straight line.
   * @default where the point before ends, or 0
   */
  readonly from?: number;
  /** The largest value of the slot; `Infinity`, which is `null` in JSON, when the slot is open upwards. */
  readonly value: number;
  /**
   * Lower bound of the true value: of the interval that holds the true percentile with the curve's confidence, otherwise of a slot
   * that is too wide to be one value; left out when unknown.
   */
  readonly lower?: number;
  /** Upper bound of the true value, in the unit of the plot. */
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
  /** The name in the legend. */
  readonly name: string;
  /** The points by percentile, ascending. */
  readonly points: readonly CurvePoint[];
  /** How many values the distribution has. */
  readonly totalCount: number;
  /** When the values were counted; left out when unknown. */
  readonly period?: Period;
  /** The confidence of `lower` and `upper`, between 0 and 1, such as 0.95; left out when the points have no bounds. */
  readonly confidence?: number;
}

/** An objective: a line at a value. */
export interface ObjectiveLine {
  /** The text beside the line. @default the value and the percentile, such as `p99.9 ≤ 250 ms` */
  readonly name?: string;
  /** The objective, in the unit of the plot. */
  readonly value: number;
  /** The percentile that must be at most `value`, such as 99.9. Without it the line goes over the whole width. */
  readonly percentile?: number;
}

/** Values by percentile, on an axis on which every nine takes as much room as the nine before: 1/(1 − p). */
export interface PercentilePlot extends PlotTitles {
  /** Marks a plot of percentiles. */
  readonly kind: 'percentiles';
  /** The unit of the values. */
  readonly unit: CountedUnit;
  /** The distributions, in the order of their colours. */
  readonly curves: readonly Curve[];
  /** Objectives. */
  readonly slos?: readonly ObjectiveLine[];
  /** The scale of the vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** One percentile before and after. */
export interface PlottedChange {
  /** From 0 to 100. */
  readonly percentile: number;
  /** The value at the percentile before, in the unit of the plot; its upper bound where it has bounds. */
  readonly before: number;
  /** The value at the percentile after, in the unit of the plot; its upper bound where it has bounds. */
  readonly after: number;
  /** Lower bound of `before`; left out unless the value is known by bounds only. */
  readonly beforeLower?: number;
  /** Lower bound of `after`; left out unless the value is known by bounds only. */
  readonly afterLower?: number;
  /** Lower bound of the interval that holds the true difference, in the unit of the plot; left out when there are too few values. */
  readonly lower?: number;
  /** Upper bound of that interval, in the unit of the plot. */
  readonly upper?: number;
}

/** Two distributions and the differences of their percentiles. */
export interface ComparisonPlot extends PlotTitles {
  /** Marks a comparison. */
  readonly kind: 'comparison';
  /** The unit of the values. */
  readonly unit: CountedUnit;
  /** The distribution before the change. */
  readonly before: Curve;
  /** The distribution after the change. */
  readonly after: Curve;
  /** One entry for each compared percentile, in the order of the table. */
  readonly changes: readonly PlottedChange[];
  /** The confidence of the intervals of `changes`, between 0 and 1, such as 0.99. */
  readonly confidence: number;
  /** The scale of the upper vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** Values over time. */
export interface TimePlot extends PlotTitles {
  /** Marks a plot of values over time. */
  readonly kind: 'over-time';
  /** The unit of the values. */
  readonly unit: CountedUnit;
  /** The moments of all lines, in ms since 1970, ascending. */
  readonly timesMs: readonly number[];
  /** Each line has a value for each moment, or `null` when nothing was counted then. */
  readonly lines: readonly {
    readonly name: string;
    readonly values: readonly (number | null)[];
    /**
     * For each moment, the lower bound of a value that is known by bounds only; `values` has its upper bound, which is `null` in JSON when
     * it is `Infinity`. `null` for other values. Left out when all are known.
     */
    readonly lower?: readonly (number | null)[];
  }[];
  /** How many values all lines are made of; left out when unknown. */
  readonly totalCount?: number;
  /** The end of the time after the last moment, in ms since 1970; left out when unknown. */
  readonly endMs?: number;
  /** The zone in which times are written: a name of IANA's database, as in `Europe/Berlin`. @default 'UTC' */
  readonly timeZone?: string;
  /** Objectives. */
  readonly slos?: readonly ObjectiveLine[];
  /** The scale of the vertical axis. @default 'log' when the values span a decade, otherwise 'linear' */
  readonly valueAxis?: 'linear' | 'log';
}

/** A slot of an axis. An open slot has an infinite bound, which is `null` in JSON. */
export interface AxisSlot {
  /** Lower bound, in the unit of the axis; `-Infinity` for a slot that is open downwards. */
  readonly lower: number;
  /** Upper bound, in the unit of the axis; `Infinity` for a slot that is open upwards. */
  readonly upper: number;
}

/** An axis of slots, ascending. */
export interface HeatAxis {
  /** The text beside the axis. */
  readonly name: string;
  /** The unit of the bounds; `'time'` is ms since 1970. */
  readonly unit: CountedUnit | 'time';
  /** The rows or columns of the map, ascending. */
  readonly slots: readonly AxisSlot[];
}

/** How often each combination of two slots was counted. */
export interface HeatMapPlot extends PlotTitles {
  /** Marks a heat map. */
  readonly kind: 'heat-map';
  /** The horizontal axis. */
  readonly x: HeatAxis;
  /** The vertical axis. */
  readonly y: HeatAxis;
  /**
   * `counts[y][x]`, each at least 0. Counts that may lie in several cells are spread over these cells. In the heat maps of
   * `createHeatMap`, a value of an HDR slot of 1 digit or more lies at the middle of its slot, also for `lower` and `upper`.
   */
  readonly counts: readonly (readonly number[])[];
  /** How many counts certainly lie in each cell; left out when all lie in their cells. */
  readonly lower?: readonly (readonly number[])[];
  /** How many counts may lie in each cell; left out when all lie in their cells. */
  readonly upper?: readonly (readonly number[])[];
  /** The name of the counts, such as `operations`, in the plural. @default 'values' */
  readonly countName?: string;
  /** The zone in which times are written: a name of IANA's database, as in `Europe/Berlin`. @default 'UTC' */
  readonly timeZone?: string;
}

/** A distribution as one bar for each slot. */
export interface BarPlot extends PlotTitles {
  /** Marks a plot of bars. */
  readonly kind: 'bars';
  /** The unit of the bounds of the slots. */
  readonly unit: CountedUnit;
  /** The name of the values, such as `latency`. @default 'value' */
  readonly name?: string;
  /** Ascending. */
  readonly slots: readonly AxisSlot[];
  /** Whether a slot holds the integers from `lower` to `upper`, both included. @default false */
  readonly isInteger?: boolean;
  /** One for each slot, each at least 0. Counts that may lie in several slots are spread over these slots. */
  readonly counts: readonly number[];
  /** How many counts certainly lie in each slot; left out when all lie in their slots. */
  readonly lower?: readonly number[];
  /** How many counts may lie in each slot; left out when all lie in their slots. */
  readonly upper?: readonly number[];
  /** Objectives. */
  readonly slos?: readonly ObjectiveLine[];
}
