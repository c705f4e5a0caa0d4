import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { BarPlot, HeatMapPlot, PercentilePlot } from '@hdrscope/plot';
import { renderHtml } from '@hdrscope/plot/render';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, startChromium } from './support/chromium.ts';

const root = join(import.meta.dirname, '../..');

const curveOf = (name: string, factor: number) => ({
  name,
  totalCount: 100_000,
  points: [0, 50, 90, 99, 99.9, 99.99, 100].map((percentile, i) => ({ percentile, value: factor * 3 ** i })),
});

const percentiles: PercentilePlot = {
  kind: 'percentiles',
  title: 'Two services',
  unit: 'us',
  curves: [curveOf('</script><script>alert(1)</script>', 100), curveOf('b', 170)],
  slos: [{ value: 20_000, percentile: 99 }],
};

const heatMap: HeatMapPlot = {
  kind: 'heat-map',
  title: 'A heat map',
  x: {
    name: 'size',
    unit: 'bytes',
    slots: [1, 2, 4].map((size) => ({ lower: size * 512, upper: size * 1024 })),
  },
  y: {
    name: 'latency',
    unit: 'ms',
    slots: [
      { lower: 0, upper: 10 },
      { lower: 10, upper: Number.POSITIVE_INFINITY },
    ],
  },
  counts: [
    [1, 20, 300],
    [0, 4, 50],
  ],
};

const bars: BarPlot = {
  kind: 'bars',
  title: 'Bars',
  unit: 'none',
  isInteger: true,
  slots: [
    { lower: 0, upper: 1 },
    { lower: 2, upper: Number.POSITIVE_INFINITY },
  ],
  counts: [5, 7],
};

const plots = [percentiles, heatMap, bars];

/** The number of colours, the colour of the corner and the width of each drawing. */
const DRAWN = `[...document.querySelectorAll('canvas')].map((canvas) => {
  const { width, height } = canvas;
  const context = new OffscreenCanvas(width, height).getContext('2d', { willReadFrequently: true });
  context.drawImage(canvas, 0, 0);
  const { data } = context.getImageData(0, 0, width, height);
  const pixels = new Uint32Array(data.buffer);
  return { colours: new Set(pixels).size, corner: [...data.subarray(0, 3)].join(), width: canvas.clientWidth };
})`;

/** Waits until an expression is true in a page. The policy of the page forbids the wait function of the library. */
async function until(page: Page, expression: string): Promise<void> {
  const end = Date.now() + 60_000;
  while ((await page.evaluate(expression)) !== true) {
    if (Date.now() > end) throw new Error(`waited a minute without success: ${expression}`);
    await page.evaluate('new Promise(requestAnimationFrame)');
  }
}

/** Waits until a condition over `canvas` holds for every drawing. */
function untilAll(page: Page, condition: string): Promise<void> {
  const isSo = `all.length === ${plots.length} && all.every((canvas) => ${condition})`;
  return until(page, `(() => { const all = ${DRAWN}; return ${isSo}; })()`);
}

describeWithChromium('a page of plots in a browser without a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-plot-'));
  const file = join(folder, 'plots.html');
  let browser: Browser;
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];

  beforeAll(async () => {
    // The script in the pages must be built from these sources.
    execFileSync(process.execPath, ['tools/bundle.js', 'plot'], { cwd: root });
    writeFileSync(file, await renderHtml(plots, { title: 'Plots <of> all kinds' }));
    browser = await startChromium();
    const context = await browser.newContext({
      viewport: { width: 1000, height: 800 },
      colorScheme: 'light',
    });
    await context.setOffline(true);
    page = await context.newPage();
    page.on('request', (request) => requests.push(request.url()));
    page.on('console', (message) => complaints.push(message.text()));
    page.on('pageerror', (error) => complaints.push(String(error)));
    page.on('dialog', (dialog) => {
      complaints.push(`dialog ${dialog.message()}`);
      void dialog.dismiss();
    });
    await page.goto(pathToFileURL(file).href);
    await untilAll(page, 'canvas.colours > 10');
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('draws every plot, without further requests and without errors', async () => {
    expect(await page.title()).toBe('Plots <of> all kinds');
    expect(requests).toEqual([pathToFileURL(file).href]);
    expect(complaints).toEqual([]);
  });

  test('follows the colours of the system, and its switch', async () => {
    await untilAll(page, "canvas.corner === '255,255,255'");
    await page.emulateMedia({ colorScheme: 'dark' });
    await untilAll(page, "canvas.corner === '21,24,29'");
    await page.click('[data-action="theme"]');
    await untilAll(page, "canvas.corner === '255,255,255'");
  });

  test('fills the width of its window', async () => {
    await page.setViewportSize({ width: 500, height: 800 });
    await untilAll(page, 'canvas.width < 500 && canvas.colours > 10');
    await page.setViewportSize({ width: 1000, height: 800 });
    await untilAll(page, 'canvas.width > 900 && canvas.colours > 10');
  });

  test('zooms by Ctrl and the wheel, and returns after a reset', async () => {
    await page.evaluate('scrollTo(0, 0)');
    // Outside the drawings, no line follows the pointer.
    const pictureOf = async () => {
      await page.mouse.move(2, 2);
      return (await page.evaluate("document.querySelector('canvas').toDataURL()")) as string;
    };
    const isNow = (picture: string, same: boolean) =>
      until(
        page,
        `(document.querySelector('canvas').toDataURL() === ${JSON.stringify(picture)}) === ${same}`,
      );
    const before = await pictureOf();
    await page.mouse.move(600, 350);
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -500);
    await page.keyboard.up('Control');
    await page.mouse.move(2, 2);
    await isNow(before, false);
    await page.click('[data-action="reset"] >> nth=0');
    await page.mouse.move(2, 2);
    await isNow(before, true);
  });

  test('shows the values at the pointer, with names as text', async () => {
    await page.mouse.move(600, 350);
    await until(page, "document.querySelector('.plot').innerText.includes(' %')");
    const text = (await page.evaluate("document.querySelector('.plot').innerText")) as string;
    expect(text).toContain('</script><script>alert(1)</script>');
    expect(text).toMatch(/\d+(\.\d+)? ms/);
  });

  test('has the values as tables', async () => {
    await page.click('summary >> nth=1');
    const text = (await page.evaluate("document.querySelectorAll('details')[1].innerText")) as string;
    expect(text).toContain('2 KiB – 4 KiB');
    expect(text).toContain('from 10 ms');
  });

  test('makes no request and logs no error until the end', () => {
    expect(requests).toHaveLength(1);
    expect(complaints).toEqual([]);
  });
});
