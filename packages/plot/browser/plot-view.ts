import { chartOption, zoomedTimes } from '../src/chart/chart-option.ts';
import type { ThemeName } from '../src/chart/theme.ts';
import type { Plot } from '../src/plot.ts';

/** The part of a chart of ECharts that a view uses. */
export interface ViewedChart {
  setOption(option: object, how?: { readonly notMerge: boolean }): void;
  getOption(): unknown;
  resize(): void;
}

/** A plot in a chart that readers zoom. */
export class PlotView {
  readonly #plot: Plot;
  readonly #chart: ViewedChart;
  /** What the chart shows now. */
  #drawn: { readonly theme: ThemeName; readonly width: number } | undefined;

  constructor(plot: Plot, chart: ViewedChart) {
    this.#plot = plot;
    this.#chart = chart;
  }

  /** Draws the plot when its width or theme has changed. Hidden curves and the zoom stay as they are. */
  draw(theme: ThemeName, width: number): void {
    this.#chart.resize();
    if (this.#drawn?.theme === theme && this.#drawn.width === width) return;
    this.#drawn = { theme, width };
    const view = viewOf(this.#chart);
    const option = { ...chartOption(this.#plot, theme, width), dataZoom: zoomOf(this.#plot) };
    this.#chart.setOption(option, { notMerge: true });
    this.#chart.setOption(view);
    this.labelTimes();
  }

  /** Labels the part of a time axis that the zoom shows. */
  labelTimes(): void {
    if (this.#drawn === undefined) return;
    const { theme, width } = this.#drawn;
    const { dataZoom } = this.#chart.getOption() as Shown;
    const { start = 0, end = 100 } = dataZoom?.[0] ?? {};
    const labels = zoomedTimes(this.#plot, theme, width, { from: start / 100, to: end / 100 });
    if (labels !== undefined) this.#chart.setOption(labels);
  }
}

/** The parts of a chart's option that readers change. */
interface Shown {
  readonly legend?: readonly { readonly selected?: object }[];
  readonly dataZoom?: readonly { readonly start?: number; readonly end?: number }[];
}

/** The hidden curves and the zoom, as a part of an option. */
function viewOf(chart: ViewedChart): object {
  // A chart without an option has none, whatever its type says.
  const { legend, dataZoom } = (chart.getOption() ?? {}) as Shown;
  return {
    ...(legend?.[0]?.selected === undefined ? {} : { legend: [{ selected: legend[0].selected }] }),
    ...(dataZoom === undefined ? {} : { dataZoom: dataZoom.map(({ start, end }) => ({ start, end })) }),
  };
}

/** The wheel zooms with Ctrl only, so that the wheel alone scrolls the page. Browsers report a pinch as the wheel with Ctrl. */
export function zoomOf({ kind }: Plot): object[] {
  const shared = { type: 'inside', filterMode: 'none', zoomOnMouseWheel: 'ctrl', moveOnMouseMove: true };
  return [
    { ...shared, xAxisIndex: kind === 'comparison' ? [0, 1] : [0] },
    ...(kind === 'heat-map' ? [{ ...shared, yAxisIndex: [0] }] : []),
  ];
}
