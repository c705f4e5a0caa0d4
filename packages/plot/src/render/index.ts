export { type HtmlOptions, renderHtml } from './html.ts';
export type { RenderOptions } from './options.ts';
export { type PngOptions, renderPng } from './png.ts';
export { renderSvg } from './svg.ts';
