import { chartOption } from '../chart/chart-option.ts';
import { describePlot } from '../chart/description.ts';
import type { Plot } from '../plot.ts';
import { loadECharts } from './echarts.ts';
import { escapeXml } from './escape.ts';
import { checkOptions, type RenderOptions } from './options.ts';

/**
 * A plot as an SVG picture. The same plot always makes the same text.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`
 * @example
 * ```ts
 * import { renderSvg } from '@hdrscope/plot/render';
 *
 * const svg = renderSvg({ kind: 'bars', title: 'Depth', unit: 'none', slots: [{ lower: 0, upper: 1 }], counts: [3] });
 * svg.startsWith('<svg width="920" height="480"'); //=> true
 * svg.includes('<title>Depth. 3 counts'); //=> true
 * ```
 */
export function renderSvg(plot: Plot, options: RenderOptions = {}): string {
  const { width, height, theme } = checkOptions(options, plot.kind);
  const chart = loadECharts().init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(chartOption(plot, theme, width));
    return withTitle(withStableIds(chart.renderToSVGString()), describePlot(plot));
  } finally {
    chart.dispose();
  }
}

/**
 * ECharts numbers its charts, and with them what is referred to within. Instead, ids are made of the picture's contents, so
 * that pictures which share a page do not share ids either. What is of use to its own scripts or to a pointer only is left out.
 */
function withStableIds(svg: string): string {
  const bare = svg
    .replace(/<style\b[^>]*>.*?<\/style>/gs, '')
    .replace(/ (?:ecmeta_\w+="[^"]*"|class="zr\d+-cls-\d+"|pointer-events="visible")/g, '')
    .replace(/\bzr\d+-/g, 'zr-');
  return bare.replaceAll('zr-', `h${hashOf(bare)}-`);
}

/** FNV-1a of 32 bits: http://www.isthe.com/chongo/tech/comp/fnv/#FNV-1a */
function hashOf(text: string): string {
  let hash = 0x811c9dc5;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), 0x01000193);
  return (hash >>> 0).toString(16).padStart(8, '0');
}

function withTitle(svg: string, description: string): string {
  const text = escapeXml(description);
  return svg.replace(/^<svg ([^>]*)>/, (_, attributes: string) => {
    return `<svg ${attributes} role="img" aria-label="${text}"><title>${text}</title>`;
  });
}
