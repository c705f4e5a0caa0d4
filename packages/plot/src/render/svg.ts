import { assertOptions, type OptionsOwner } from '@hdrscope/core/internal';
import { init } from '#echarts';
import type { WaterfallPlot } from '../chart/waterfall-chart.ts';
import type { Plot } from '../plot.ts';
import { escapeXml } from './escape.ts';
import type { RenderOptions } from './options.ts';
import { makePicture } from './picture.ts';

/**
 * A plot as the text of an SVG picture. Equal plots make equal texts.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside its range.
 * @example
 * ```ts
 * import { renderSvg } from '@hdrscope/plot/render';
 *
 * const svg = renderSvg({ kind: 'bars', title: 'Depth', unit: 'none', slots: [{ lower: 0, upper: 1 }], counts: [3] });
 * svg.startsWith('<svg width="920" height="480"'); //=> true
 * svg.includes('<title>Depth. 3 values'); //=> true
 * ```
 */
export function renderSvg(given: Plot | WaterfallPlot, options: RenderOptions = {}): string {
  assertOptions(options, RENDER_SVG);
  const { width, height, option, description } = makePicture(given, options);
  const chart = init(null, null, { renderer: 'svg', ssr: true, width, height });
  try {
    chart.setOption(option);
    return withTitle(withStableIds(chart.renderToSVGString()), description);
  } finally {
    chart.dispose();
  }
}

const RENDER_SVG: OptionsOwner<RenderOptions> = {
  name: 'renderSvg',
  names: { width: true, height: true, theme: true },
  call: 'renderSvg(plot, { width: 800 })',
};

/**
 * Replaces ids that ECharts numbers chart by chart with a hash of the picture, so that equal plots make equal texts and
 * pictures on one page do not share ids. Removes styles and attributes that serve scripts and pointers only. Texts of the picture
 * stay, since they have no quotes.
 */
function withStableIds(svg: string): string {
  const bare = svg
    .replace(/<style\b[^>]*>.*?<\/style>/gs, '')
    .replace(/ (?:ecmeta_\w+="[^"]*"|class="zr\d+-cls-\d+"|pointer-events="visible")/g, '')
    .replace(ID, '$1zr-');
  return bare.replace(ID, `$1h${hashOf(bare)}-`);
}

/** An id in an attribute, or a reference to it. */
const ID = /( [\w:-]+="(?:url\(#|#)?)zr\d*-/g;

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
