/** The picture of `npm run growth`: both axes are logarithmic, so a line of slope 1 grows as the number of series does. */
import { CHANGED } from './facts.js';

/** @import { Changed, Cost, Measured } from './facts.js' */

const PANEL = { width: 400, height: 260, left: 52, top: 34, right: 12, bottom: 40 };
const LEGEND_HEIGHT = 56;
/** Milliseconds. */
const LOWEST = 0.001;
const HIGHEST = 10_000;
/** For light and dark pages. @type {Record<Changed, string>} */
const COLOURS = { none: '#2e9e6b', '1 %': '#3b82d6', all: '#d9772b' };

/** @type {readonly { title: string, temporality: string, figure: 'ms' | 'blockMs' }[]} */
const PANELS = [
  { title: 'a cumulative collection', temporality: 'cumulative', figure: 'ms' },
  { title: 'a delta collection', temporality: 'delta', figure: 'ms' },
  { title: 'longest block, cumulative', temporality: 'cumulative', figure: 'blockMs' },
  { title: 'longest block, delta', temporality: 'delta', figure: 'blockMs' },
];

/**
 * @param {readonly Measured[]} measured
 * @returns {string} SVG
 */
export function drawGrowth(measured) {
  const sizes = [...new Set(measured.map(({ series }) => series))];
  const [width, height] = [2 * PANEL.width, 2 * PANEL.height + LEGEND_HEIGHT];
  const panels = PANELS.map((panel, i) => {
    const at = `translate(${(i % 2) * PANEL.width} ${Math.floor(i / 2) * PANEL.height})`;
    return `<g transform="${at}">${drawPanel(panel, measured, sizes)}</g>`;
  });
  return `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${width} ${height}" font-family="sans-serif" font-size="12">
<title>Time and longest block of a collection by the number of series</title>
<rect width="${width}" height="${height}" fill="#fff"/>
${panels.join('\n')}
${drawLegend(2 * PANEL.height)}
</svg>
`;
}

/**
 * @param {typeof PANELS[number]} panel
 * @param {readonly Measured[]} measured
 * @param {readonly number[]} sizes
 */
function drawPanel({ title, temporality, figure }, measured, sizes) {
  const [first = 100, last = 100] = [sizes[0], sizes.at(-1)];
  const plotWidth = PANEL.width - PANEL.left - PANEL.right;
  const plotHeight = PANEL.height - PANEL.top - PANEL.bottom;
  /** @param {number} series */
  const xOf = (series) => PANEL.left + (plotWidth * Math.log(series / first)) / Math.log(last / first);
  /** @param {number} ms */
  const yOf = (ms) =>
    PANEL.top +
    plotHeight *
      (1 - Math.log(Math.min(Math.max(ms, LOWEST), HIGHEST) / LOWEST) / Math.log(HIGHEST / LOWEST));
  const parts = [`<text x="${PANEL.left}" y="20" font-weight="bold" fill="#222">${title}</text>`];
  for (let ms = LOWEST; ms <= HIGHEST; ms *= 10) {
    const y = yOf(ms).toFixed(1);
    parts.push(`<path d="M${PANEL.left} ${y}h${plotWidth}" stroke="#ddd"/>`);
    parts.push(
      `<text x="${PANEL.left - 6}" y="${y}" dy="4" text-anchor="end" fill="#555">${timeText(ms)}</text>`,
    );
  }
  for (const series of sizes) {
    const x = xOf(series).toFixed(1);
    parts.push(`<path d="M${x} ${PANEL.top}v${plotHeight}" stroke="#eee"/>`);
    const anchor = series === last ? 'end' : 'middle';
    parts.push(
      `<text x="${x}" y="${PANEL.height - 22}" text-anchor="${anchor}" fill="#555">${series.toLocaleString('en-US')}</text>`,
    );
  }
  parts.push(
    `<text x="${PANEL.left + plotWidth / 2}" y="${PANEL.height - 6}" text-anchor="middle" fill="#555">series</text>`,
  );
  for (const subject of new Set(measured.map((one) => one.subject))) {
    const own = measured.filter((one) => one.subject === subject && one.readers.join() === temporality);
    for (const changed of CHANGED) {
      const points = own.map(({ series, costs }) => {
        const cost = /** @type {Cost} */ (costs.find((one) => one.changed === changed));
        return `${xOf(series).toFixed(1)} ${yOf(cost[figure]).toFixed(1)}`;
      });
      parts.push(drawLine(`M${points.join('L')}`, changed, subject === 'hdrscope'));
    }
  }
  return parts.join('\n');
}

/** @param {number} top */
function drawLegend(top) {
  return CHANGED.flatMap((changed, column) =>
    ['hdrscope', 'SDK explicit'].map((subject, row) => {
      const [x, y] = [PANEL.left + column * 250, top + 18 + row * 22];
      const line = drawLine(`M${x} ${y - 4}h30`, changed, row === 0);
      return `${line}<text x="${x + 38}" y="${y}" fill="#222">${subject}, ${changed} changed</text>`;
    }),
  ).join('\n');
}

/**
 * @param {string} path
 * @param {Changed} changed
 * @param {boolean} isOurs
 */
function drawLine(path, changed, isOurs) {
  return `<path d="${path}" fill="none" stroke="${COLOURS[changed]}" stroke-width="2"${isOurs ? '' : ' stroke-dasharray="5 4"'}/>`;
}

/** @param {number} ms */
function timeText(ms) {
  if (ms >= 1000) return `${ms / 1000} s`;
  return ms >= 1 ? `${Math.round(ms)} ms` : `${Math.round(ms * 1000)} µs`;
}
