import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import type { Plot } from '@hdrscope/plot';
import { renderHtml } from '@hdrscope/plot/render';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, startChromium } from './support/chromium.ts';

const root = join(import.meta.dirname, '../..');

/** A text of a drawing, and the pixels that it covers. */
interface TextBox extends Readonly<Record<'left' | 'right' | 'top' | 'bottom', number>> {
  readonly text: string;
}

/** The plots and the measure of the tests of the plot package, which exports neither. */
interface Gallery {
  readonly WIDTHS: readonly number[];
  gallery(): { readonly data: string; readonly plot: Plot }[];
}
interface Measure {
  flawsOf(boxes: readonly TextBox[], width: number, height: number): string[];
}
const support = (file: string): URL => new URL(`../../packages/plot/test/support/${file}`, import.meta.url);
const { gallery, WIDTHS } = (await import(support('gallery.ts').href)) as Gallery;
const { flawsOf } = (await import(support('text-boxes.ts').href)) as Measure;

/** Notes each text that a canvas draws, with the pixels of the page that it covers, until the canvas is cleared. */
const NOTES = `(() => {
  const drawn = new Map();
  const { fillText, clearRect } = CanvasRenderingContext2D.prototype;
  CanvasRenderingContext2D.prototype.clearRect = function (...area) {
    drawn.delete(this.canvas);
    return clearRect.apply(this, area);
  };
  CanvasRenderingContext2D.prototype.fillText = function (text, x, y, ...rest) {
    const ink = this.measureText(text);
    const { a, d, e, f } = this.getTransform();
    const box = {
      text,
      left: (a * (x - ink.actualBoundingBoxLeft) + e) / devicePixelRatio,
      right: (a * (x + ink.actualBoundingBoxRight) + e) / devicePixelRatio,
      top: (d * (y - ink.actualBoundingBoxAscent) + f) / devicePixelRatio,
      bottom: (d * (y + ink.actualBoundingBoxDescent) + f) / devicePixelRatio,
    };
    if (text.trim() !== '') drawn.set(this.canvas, [...(drawn.get(this.canvas) ?? []), box]);
    return fillText.call(this, text, x, y, ...rest);
  };
  globalThis.drawnTexts = () => [...document.querySelectorAll('.plot')].map((plot) => ({
    width: plot.clientWidth,
    height: plot.clientHeight,
    boxes: [...plot.querySelectorAll('canvas')].flatMap((canvas) => drawn.get(canvas) ?? []),
  }));
})()`;

interface Drawn {
  readonly width: number;
  readonly height: number;
  readonly boxes: readonly TextBox[];
}

describeWithChromium('the texts of a page of plots, in the fonts of a browser', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-texts-'));
  const file = join(folder, 'plots.html');
  const entries = gallery();
  let browser: Browser;
  let page: Page;

  beforeAll(async () => {
    // The script in the page must be built from these sources.
    execFileSync(process.execPath, ['tools/bundle.js', 'plot'], { cwd: root });
    writeFileSync(file, await renderHtml(entries.map(({ plot }) => plot)));
    browser = await startChromium();
    page = await browser.newPage();
    await page.addInitScript(NOTES);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  /** The texts of all plots, when every plot has been drawn at the width of the window. */
  async function textsOf(): Promise<Drawn[]> {
    const end = Date.now() + 120_000;
    for (;;) {
      const all = (await page.evaluate('drawnTexts()')) as Drawn[];
      if (all.length === entries.length && all.every(({ boxes }) => boxes.length >= 4)) return all;
      if (Date.now() > end) throw new Error('waited two minutes for the texts of all plots');
      await page.evaluate('new Promise(requestAnimationFrame)');
    }
  }

  test.each(WIDTHS)('do not overlap or leave their plot, in a window of %d pixels', async (width) => {
    await page.setViewportSize({ width, height: 900 });
    await page.goto(pathToFileURL(file).href);
    const flaws = (await textsOf()).flatMap(({ boxes, width, height }, at) =>
      flawsOf(boxes, width, height).map(
        (flaw) => `${entries[at]!.plot.kind} of ${entries[at]!.data}: ${flaw}`,
      ),
    );
    expect(flaws).toEqual([]);
  });

  test('are the times of the part that a zoom shows', async () => {
    await page.setViewportSize({ width: 1024, height: 900 });
    await page.goto(pathToFileURL(file).href);
    await textsOf();
    const at = entries.findIndex(({ data, plot }) => data === 'gaps' && plot.kind === 'over-time');
    const timesOf = async (): Promise<string[]> => {
      const all = (await page.evaluate('drawnTexts()')) as Drawn[];
      return all[at]!.boxes.map(({ text }) => text).filter((text) => /^\d\d:\d\d/.test(text));
    };
    const before = await timesOf();
    expect(before).toContain('13:00');
    const plot = page.locator('.plot').nth(at);
    await plot.scrollIntoViewIfNeeded();
    const box = (await plot.boundingBox())!;
    await page.mouse.move(box.x + 400, box.y + 250);
    await page.keyboard.down('Control');
    for (let i = 0; i < 8; i++) await page.mouse.wheel(0, -400);
    await page.keyboard.up('Control');
    const end = Date.now() + 60_000;
    let times = before;
    // Five minutes and less lie between two labels of the zoomed part.
    while (!times.some((time) => /:[1-4]5|:[0-5]5/.test(time))) {
      if (Date.now() > end) throw new Error(`the labels stay ${times.join(', ')}`);
      await page.evaluate('new Promise(requestAnimationFrame)');
      times = await timesOf();
    }
    expect(times.length).toBeGreaterThanOrEqual(2);
  });

  test('are without the name of a curve that is hidden by its button', async () => {
    await page.setViewportSize({ width: 1024, height: 900 });
    await page.goto(pathToFileURL(file).href);
    await textsOf();
    const at = entries.findIndex(({ data }) => data === 'values of two scales');
    const names = async (): Promise<string[]> => {
      const all = (await page.evaluate('drawnTexts()')) as Drawn[];
      return all[at]!.boxes.map(({ text }) => text).filter((text) => text === 'before' || text === 'after');
    };
    expect(await names()).toEqual(['before', 'after']);
    const button = page.locator('figure').nth(at).getByRole('button', { name: 'before' });
    const until = async (wanted: readonly string[]): Promise<void> => {
      const end = Date.now() + 60_000;
      while (String(await names()) !== String(wanted)) {
        if (Date.now() > end) throw new Error(`the names are ${await names()}, not ${wanted}`);
        await page.evaluate('new Promise(requestAnimationFrame)');
      }
    };
    await button.click();
    await until(['after']);
    expect(await button.getAttribute('aria-pressed')).toBe('false');
    await button.click();
    await until(['before', 'after']);
  });
});
