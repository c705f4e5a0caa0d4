import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { describeWithPeers } from '@hdrscope/testing';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, startChromium } from './support/chromium.ts';
import { brokenLinks, serveFolder } from './support/static-site.ts';

const root = join(import.meta.dirname, '../..');
const SITE = join(root, 'site/.vitepress/dist');

describeWithPeers(['site'])('the site', () => {
  beforeAll(() => {
    const { status, stdout, stderr } = spawnSync(process.execPath, [join(root, 'site/build.js')], {
      encoding: 'utf8',
      timeout: 900_000,
    });
    if (status !== 0) throw new Error(`the site was not built:\n${stdout}${stderr}`);
  }, 920_000);

  test('every link of the site leads to a page, and to a place that it has', () => {
    expect(brokenLinks(SITE)).toEqual([]);
  });

  describeWithChromium('in a browser', () => {
    let browser: Browser;
    let page: Page;
    let site: Awaited<ReturnType<typeof serveFolder>>;
    const problems: string[] = [];

    beforeAll(async () => {
      [browser, site] = await Promise.all([startChromium(), serveFolder(SITE)]);
      page = await browser.newPage({ viewport: { width: 1280, height: 900 } });
      page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(site.url) && !url.startsWith('data:')) problems.push(`asks for ${url}`);
      });
      page.on('response', (response) => {
        if (response.status() >= 400) problems.push(`${response.status()} for ${response.url()}`);
      });
      page.on('console', (message) => {
        if (message.type() === 'error') problems.push(message.text());
      });
      page.on('pageerror', (error) => problems.push(error.message));
    }, 60_000);

    afterEach(() => {
      expect(problems.splice(0)).toEqual([]);
    });

    afterAll(async () => {
      await browser.close();
      site.close();
    });

    test('shows the problem, a picture, the figures and three doors on the first screen', async () => {
      await page.goto(`${site.url}/`);
      const first = page.locator('.first');
      for (const one of ['h1', 'img', 'table', '.doors a:last-child']) {
        const { y, height } = (await first.locator(one).boundingBox())!;
        expect([one, y + height <= 900]).toEqual([one, true]);
      }
    }, 60_000);

    test('leads from the first page to the reasons and the guides', async () => {
      await page.goto(`${site.url}/`);
      await page.getByRole('link', { name: 'Why' }).first().click();
      await page.waitForURL('**/why.html');
      // The address changes before the page does.
      await page.locator('h1', { hasText: 'Why' }).first().waitFor();
      await page.getByRole('link', { name: 'Guides' }).first().click();
      await page.waitForURL('**/guides/');
    }, 60_000);

    test('finds a symbol, a code of an error and a symptom by its search', async () => {
      await page.goto(`${site.url}/`);
      for (const [text, title] of [
        ['valuesAtPercentiles', 'valuesAtPercentiles'],
        ['ERR_TOO_LARGE', 'Errors'],
        ['no native buckets', 'Troubleshooting'],
      ] as const) {
        const input = page.locator('.VPLocalSearchBox input');
        // A page takes keys only after its scripts have started.
        while ((await input.count()) === 0) {
          await page.keyboard.press('Control+k');
          await sleep(300);
        }
        await input.fill(text);
        await page.locator('.VPLocalSearchBox .results .result', { hasText: title }).first().waitFor();
        await page.keyboard.press('Escape');
      }
    }, 60_000);

    test('shows each picture of its documents', async () => {
      await page.goto(`${site.url}/overview.html`);
      await page.evaluate(() => window.scrollTo(0, document.body.scrollHeight));
      const broken = await page.evaluate(() =>
        Promise.all(
          [...document.images].map(async (image) => {
            await image.decode().catch(() => {});
            return image.naturalWidth > 0 ? '' : image.src;
          }),
        ),
      );
      expect(broken.filter(Boolean)).toEqual([]);
    }, 60_000);
  });
});
