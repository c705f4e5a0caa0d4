/** The part of an ECharts chart that this package uses. */
export interface Chart {
  setOption(option: object): void;
  renderToSVGString(): string;
  dispose(): void;
}

export function init(canvas: object | null, theme: null, options: object): Chart;
