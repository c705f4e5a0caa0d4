/** A part of an option, of whatever properties ECharts has for it. */
export type OptionPart = Readonly<Record<string, unknown>>;

/** One series of an option. */
export interface ChartSeries extends OptionPart {
  readonly type: 'line' | 'custom' | 'scatter';
  readonly name?: string;
  readonly data: readonly unknown[];
}

/**
 * What `setOption` of ECharts takes. Its own types are not used here: they need those of a browser, and all who import this
 * package would need them too.
 */
export interface ChartOption extends OptionPart {
  readonly series: readonly ChartSeries[];
}

/** What ECharts tells a custom series about where its axes are. */
export interface DrawingApi {
  value(dimension: number): number;
  /** Where a point of the axes is, in pixels. */
  coord(point: readonly [x: number, y: number]): [x: number, y: number];
}

/** A shape in pixels, as a custom series returns it. */
export type Drawing = OptionPart;
