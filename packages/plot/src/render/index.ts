export type { WaterfallPlot } from '../chart/waterfall-chart.ts';
export { renderHtml } from './html.ts';
export type { RenderOptions } from './options.ts';
export { renderPng } from './png.ts';
export { renderSvg } from './svg.ts';
