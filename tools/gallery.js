/**
 * `npm run gallery`: writes a page with every kind of plot of awkward data, for looking at: pictures at three widths, light and
 * dark, and texts at two widths. A test of `packages/plot` measures the texts of the same plots.
 */
import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { importSource } from './lib/import-source.js';
import { isMain, workspaceRoot } from './lib/workspace.js';

/** @import { Plot } from '@hdrscope/plot' */

const GALLERY = join(workspaceRoot, '.gallery');
const THEMES = /** @type {const} */ (['light', 'dark']);
const COLUMNS = [80, 40];

async function main() {
  const { gallery, WIDTHS } = await importSource('plot/test/support/gallery.ts');
  const { plotText } = await importSource('plot/src/index.ts');
  const { renderSvg } = await importSource('plot/src/render/index.ts');
  rmSync(GALLERY, { recursive: true, force: true });
  mkdirSync(join(GALLERY, 'pictures'), { recursive: true });
  /** @type {{ data: string, plot: Plot }[]} */
  const entries = gallery();
  const sections = entries.map(({ data, plot }, at) => {
    const pictures = THEMES.flatMap((theme) =>
      WIDTHS.map((/** @type {number} */ width) => {
        const file = `pictures/${at}-${theme}-${width}.svg`;
        writeFileSync(join(GALLERY, file), renderSvg(plot, { width, theme }));
        return `<img loading="lazy" class="${theme}" width="${width}" src="${file}" alt="${theme}, ${width} pixels">`;
      }),
    );
    const texts = COLUMNS.map((columns) => `<pre>${escaped(plotText(plot, { columns }))}</pre>`);
    return `<section><h2>${at}. ${escaped(data)}: ${plot.kind}</h2>
<div class="pictures">${pictures.join('\n')}</div>
<div class="texts">${texts.join('\n')}</div></section>`;
  });
  writeFileSync(join(GALLERY, 'index.html'), pageOf(sections));
  console.log(`${entries.length} plots: open ${join(GALLERY, 'index.html')}`);
}

/** @param {string} text */
function escaped(text) {
  return text.replace(/[&<>]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** @param {string[]} sections */
function pageOf(sections) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<title>Gallery of plots</title>
<style>
body{font:14px system-ui,sans-serif;margin:1rem;background:#999}
.pictures,.texts{display:flex;flex-wrap:wrap;gap:1rem;align-items:start}
pre{background:#fff;padding:.5rem;margin:1rem 0}
</style>
</head>
<body>
<h1>Gallery of plots</h1>
${sections.join('\n')}
</body>
</html>
`;
}

if (isMain(import.meta)) await main();
