import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  custom,
  mustBe,
  type OptionsOwner,
  text,
} from '@hdrscope/core/internal';
import { captioned } from '../caption.ts';
import { describePlot } from '../chart/description.ts';
import { plotTable } from '../chart/plot-table.ts';
import type { Plot } from '../plot.ts';
import { plotToJson } from '../plot-json.ts';
import { visiblePlot, visibleText } from '../visible-plot.ts';
import { escapeXml } from './escape.ts';
import { STYLE } from './html-style.ts';
import { defaultHeightOf } from './options.ts';

/** How a page of plots is made. */
export interface HtmlOptions {
  /** The title of the page. @default the title of the first plot, or what it shows */
  readonly title?: string;
  /** The first colours of the page; `'auto'` takes the colours of the reader's system. @default 'auto' */
  readonly theme?: 'auto' | 'light' | 'dark';
}

// The same path from `src/render` and from `dist/render`.
const SCRIPT = new URL('../../dist/browser/plot.js', import.meta.url);

/**
 * Plots as one HTML page. The page holds its script, styles and values, and its policy forbids the network. Readers can hide
 * curves and zoom, colours follow the system, and a table below each plot holds its values.
 *
 * @param plots One or more.
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is outside its range, or the script of the
 *   page is not built.
 * @example
 * ```ts no-run needs a build
 * import { writeFile } from 'node:fs/promises';
 * import { renderHtml } from '@hdrscope/plot/render';
 *
 * const depth = { kind: 'bars', unit: 'none', slots: [{ lower: 0, upper: 1 }], counts: [3] } as const;
 * await writeFile('depth.html', await renderHtml([depth], { title: 'Depth' }));
 * ```
 */
export async function renderHtml(plots: readonly Plot[], options: HtmlOptions = {}): Promise<string> {
  assertFollows('plots', custom<typeof plots>('an array of plots', Array.isArray), plots);
  assertOptions(options, RENDER_HTML);
  const { theme = 'auto' } = options;
  if (plots.length === 0) throw mustBe('ERR_INVALID_OPTION', 'plots', 'at least one plot', plots);
  if (!['auto', 'light', 'dark'].includes(theme)) {
    throw mustBe('ERR_INVALID_OPTION', 'theme', "'auto', 'light' or 'dark'", theme);
  }
  const captions = plots.map((plot) => captioned(plot));
  const title = visibleText(options.title ?? captions[0]?.title ?? 'Plots');
  return pageOf(captions.map(visiblePlot), title, theme, await loadScript());
}

const RENDER_HTML: OptionsOwner<HtmlOptions> = {
  name: 'renderHtml',
  names: { title: text, theme: true },
  call: "renderHtml(plots, { title: 'Service' })",
};

/** @param file The script; tests have one of their own. */
export async function loadScript(file: URL = SCRIPT): Promise<string> {
  try {
    // Either of the two could end the script element.
    return (await readFile(file, 'utf8'))
      .replace(/<\/(?=script)/gi, '<\\/')
      .replaceAll('<!--', '<\\!--')
      .trim();
  } catch (cause) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `HTML plots need the script ${file.pathname}, which cannot be read: build it with "npm run build -w @hdrscope/plot"`,
      { cause },
    );
  }
}

/** The page around a script. */
export function pageOf(plots: readonly Plot[], title: string, theme: string, script: string): string {
  // The page loads nothing. ECharts' tooltips need inline styles.
  const policy = [
    "default-src 'none'",
    `script-src 'sha256-${createHash('sha256').update(script).digest('base64')}'`,
    "style-src 'unsafe-inline'",
    'img-src data:',
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en" data-theme="${theme}">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeXml(title)}</title>
<style>${STYLE}</style>
</head>
<body>
<header>
<h1>${escapeXml(title)}</h1>
<button type="button" data-action="theme">Light or dark</button>
</header>
<main>
${plots.map((plot, i) => figureOf(plot, i)).join('\n')}
</main>
<script type="application/json" id="plots">${jsonOf(plots)}</script>
<script>${script}</script>
</body>
</html>
`;
}

/** JSON without `<`, which could end the script element or begin a comment. */
function jsonOf(plots: readonly Plot[]): string {
  return `[${plots.map(plotToJson).join(',')}]`.replaceAll('<', '\\u003c');
}

function figureOf(plot: Plot, index: number): string {
  return `<figure>
<div class="plot" data-plot="${index}" role="img" aria-label="${escapeXml(describePlot(plot))}" style="height:${defaultHeightOf(plot.kind)}px"></div>
<figcaption>${togglesOf(plot)}<button type="button" data-action="reset">Reset zoom</button> <span class="hint">Ctrl and the wheel zoom, dragging moves, a double click resets.</span></figcaption>
${tableOf(plot)}
</figure>`;
}

/** A button for each of several curves, which hides it. */
function togglesOf(plot: Plot): string {
  const names = curveNames(plot);
  if (names.length < 2) return '';
  const buttons = names.map(
    (name) =>
      `<button type="button" data-curve="${escapeXml(name)}" aria-pressed="true">${escapeXml(name)}</button>`,
  );
  return `<div class="curves" role="group" aria-label="Shown curves">${buttons.join('')}</div>\n`;
}

function curveNames(plot: Plot): string[] {
  const named = (): readonly { readonly name: string }[] => {
    switch (plot.kind) {
      case 'percentiles':
        return plot.curves;
      case 'comparison':
        return [plot.before, plot.after];
      case 'over-time':
        return plot.lines;
      default:
        return [];
    }
  };
  return [...new Set(named().map(({ name }) => name))];
}

function tableOf(plot: Plot): string {
  const { columns, rows, leftOut } = plotTable(plot);
  const head = columns.map((text) => `<th scope="col">${escapeXml(text)}</th>`).join('');
  const body = rows.map(([first = '', ...others]) => {
    const cells = others.map((text) => `<td>${escapeXml(text)}</td>`).join('');
    return `<tr><th scope="row">${escapeXml(first)}</th>${cells}</tr>`;
  });
  const rest = leftOut === 0 ? '' : `\n<p>${leftOut} more rows are left out.</p>`;
  return `<details>
<summary>Values as a table</summary>
<div class="table"><table>
<thead><tr>${head}</tr></thead>
<tbody>
${body.join('\n')}
</tbody>
</table></div>${rest}
</details>`;
}
