import { createRequire } from 'node:module';

/** The part of an ECharts chart that this package uses. */
export interface Chart {
  setOption(option: object): void;
  renderToSVGString(): string;
  dispose(): void;
}

/** The part of ECharts that this package uses. ECharts' own types need the types of a browser. */
export interface ECharts {
  init(canvas: object | null, theme: null, options: object): Chart;
}

let loaded: ECharts | undefined;

/** ECharts, loaded when the first plot is drawn: loading takes a tenth of a second. */
export function loadECharts(): ECharts {
  loaded ??= createRequire(import.meta.url)('echarts') as ECharts;
  return loaded;
}
