/** A part of an option, with any properties that ECharts has for it. */
export type OptionPart = Readonly<Record<string, unknown>>;

/** One series of an option. */
export interface ChartSeries extends OptionPart {
  /** ECharts' name for the kind of drawing. */
  readonly type: 'line' | 'custom' | 'scatter';
  /** The name in the legend; left out for a series without an entry there. */
  readonly name?: string;
  /** The points: their shape depends on the kind of drawing. */
  readonly data: readonly unknown[];
}

/**
 * The argument of ECharts' `setOption`. ECharts' own types are not used, because they need the types of a browser and so would
 * every user of this package.
 */
export interface ChartOption extends OptionPart {
  /** The drawn series. One with a higher `z` lies on top of the others. */
  readonly series: readonly ChartSeries[];
}

/** The part of ECharts' interface for custom series that charts use. */
export interface DrawingApi {
  /** A value of the item that is drawn. */
  value(dimension: number): number;
  /** The pixel of a point of the axes. */
  coord(point: readonly [x: number, y: number]): [x: number, y: number];
}

/** A shape in pixels, as a custom series returns it. */
export type Drawing = OptionPart;
