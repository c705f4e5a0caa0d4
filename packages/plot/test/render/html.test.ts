import { mkdtemp, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { plotFromJson } from '../../src/plot-json.ts';
import { loadScript, pageOf } from '../../src/render/html.ts';
import { renderHtml } from '../../src/render/index.ts';
import { allPlots, heatMap, percentiles } from '../support/plots.ts';

const SCRIPT = 'console.log("a script");';
const page = pageOf(allPlots, 'All <plots>', 'auto', SCRIPT);

test('a page holds its plots, from which a browser draws them', () => {
  const [, json] = /<script type="application\/json" id="plots">(.*?)<\/script>/s.exec(page)!;
  const plots = (JSON.parse(json!) as object[]).map((plot) => plotFromJson(JSON.stringify(plot)));
  expect(plots).toEqual(allPlots);
});

test('a page loads nothing, and its policy forbids it', () => {
  expect(page).not.toMatch(/\b(?:src|href|url|import)\s*[=(]/i);
  const [, policy] = /<meta http-equiv="Content-Security-Policy" content="([^"]*)">/.exec(page)!;
  expect(policy).toMatch(/^default-src 'none'; script-src 'sha256-[\w+/]+=*'; /);
  expect(policy).not.toMatch(/https?:|\*|unsafe-eval/);
});

test('markup in names is text', () => {
  expect(page).toContain('<title>All &#60;plots&#62;</title>');
  expect(page).not.toContain('<b>POST');
  expect(page).toContain('<th scope="col">&#60;b&#62;POST&#60;/b&#62; &#38; &#34;more&#34;</th>');
});

test('each plot is described, and has its values as a table', () => {
  expect(page.match(/data-plot="\d" role="img" aria-label="[^"]+"/g)).toHaveLength(allPlots.length);
  expect(page.match(/<details>/g)).toHaveLength(allPlots.length);
  expect(page).toContain('<tr><th scope="row">99 %</th><td>20 ms (18 ms to 25 ms)</td>');
  expect(page).toContain('<tr><th scope="row">512 B – 1 KiB</th><td>100 µs – 200 µs</td><td>1,000</td></tr>');
  expect(page).toContain('<tr><th scope="row">65+</th><td>1</td></tr>');
});

test('a table of very many values is cut, and a note says how many rows are missing', () => {
  const counts = Array.from({ length: 3 }, () => Array.from({ length: 500 }, () => 1));
  const slots = Array.from({ length: 500 }, (_, i) => ({ lower: i, upper: i + 1 }));
  const text = pageOf(
    [{ ...heatMap, x: { name: 'x', unit: 'none', slots }, counts }],
    'many',
    'auto',
    SCRIPT,
  );
  expect(text).toContain('<p>500 more rows are left out.</p>');
});

test('a script cannot end its own element', async () => {
  const folder = await mkdtemp(join(tmpdir(), 'plot-html-'));
  const file = pathToFileURL(join(folder, 'plot.js'));
  await writeFile(file, 'const a = "</script><!--";\n');
  expect(await loadScript(file)).toBe('const a = "<\\/script><\\!--";');
});

test('the error for a script that is not built says how to build it', async () => {
  const missing = loadScript(new URL('./not-there.js', import.meta.url));
  await expect(missing).rejects.toMatchObject({ code: 'ERR_INVALID_OPTION' });
  await expect(missing).rejects.toThrow('npm run build');
});

test.each([
  [[], {}, 'plots must be at least one plot, got an array of 0'],
  [[percentiles], { theme: 'blue' as 'dark' }, "theme must be 'auto', 'light' or 'dark', got \"blue\""],
])('a page of %j with %j is refused', async (plots, options, message) => {
  await expect(renderHtml(plots, options)).rejects.toThrow(message);
});
