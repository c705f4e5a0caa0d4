import { createRequire } from 'node:module';

/** What is used of a chart of ECharts. */
export interface Chart {
  setOption(option: object): void;
  renderToSVGString(): string;
  dispose(): void;
}

/** What is used of ECharts. Its own types need those of a browser. */
export interface ECharts {
  init(canvas: object | null, theme: null, options: object): Chart;
}

let loaded: ECharts | undefined;

/** ECharts, from when the first plot is drawn: it takes a tenth of a second to load. */
export function loadECharts(): ECharts {
  loaded ??= createRequire(import.meta.url)('echarts') as ECharts;
  return loaded;
}
