import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { Page } from 'playwright-core';
import { describeWithChromium } from './support/chromium.ts';
import { LiveDashboard } from './support/live-dashboard.ts';
import { addressOf, DESKTOP, hasText, PHONE, until, violationsOf } from './support/live-page.ts';
import { Shop, type Trouble } from './support/shop.ts';

const screenshots = join(import.meta.dirname, '../.test-results/screenshots');

/** The clock of the service runs so many times as fast as that of the machine. Its requests take as long as they take. */
const PACE = 15;

/** The quiet time before a trouble: three minutes of the service. */
const QUIET_MS = 12_000;

/** The causes that the page must name, in the words of the page. */
const CAUSES: Readonly<Record<Trouble, RegExp>> = {
  'a lock': /(host=b & route=\/cart|route=\/cart & host=b) explains \d+ % of it\.$/,
  'a slow dependency': /route=\/pay explains \d+ % of it\.$/,
  errors: /status=503 explains \d+ % of it\.$/,
};

/** A registry whose time began half an hour ago, and runs faster. */
function fastRegistry(): Registry {
  const startMs = Date.now();
  const nowMs = (): number => startMs - 1_800_000 + (Date.now() - startMs) * PACE;
  return createRegistry({ clock: { nowMs, monotonicMs: nowMs } });
}

/** One browser for all tests. The trouble of the last one goes on. */
describeWithChromium('the live page of a service in trouble', () => {
  const live = new LiveDashboard({});
  let shop: Shop | undefined;
  let page: Page;

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    await live.startBrowser();
  }, 60_000);

  afterAll(async () => {
    await shop?.close();
    await live.stop();
    await live.closeBrowser();
  });

  const summary = () => page.locator('.why .summary');
  const whyButton = () => page.getByRole('button', { name: 'Why?' });

  /** Opens a page of a new service. */
  async function openService(): Promise<Shop> {
    await shop?.close();
    await live.pages.close();
    const registry = fastRegistry();
    const started = new Shop(registry);
    shop = started;
    await Promise.all([live.serve(registry), started.start()]);
    page = await live.open({ viewport: DESKTOP });
    return started;
  }

  test('a page that was just opened says that it has no time to compare with', async () => {
    await openService();
    await hasText(summary(), /^The page remembers no time before, so it cannot say what changed\.$/);
  });

  test.each(Object.entries(CAUSES))(
    'of %s, the first cause stands there without a click or a chosen time, and the whole answer after a click',
    async (trouble, cause) => {
      const started = await openService();
      // The first requests wait for the compiler.
      await until(async () => started.requests > 3000, 'a warm service');
      await new Promise((resolve) => setTimeout(resolve, QUIET_MS));
      started.trouble = trouble as Trouble;
      await hasText(summary(), cause);
      expect(await addressOf(page)).toBe('');

      await whyButton().click();

      const answer = page.locator('.why .answer');
      // The page goes on, and with it the answer.
      await page.getByRole('button', { name: 'Pause' }).click();
      const [first] = await answer.locator('ol li b').allTextContents();
      expect(await summary().textContent()).toContain(`${first} explains`);
      await hasText(answer, /compared with/);
      const steps = await answer.locator('.waterfall .name').allTextContents();
      expect([steps[0], steps.at(-1)]).toEqual(['before', 'after']);
      expect(steps.some((step) => step.includes(first!))).toBe(true);
      await page.getByRole('button', { name: 'Resume' }).click();
      await whyButton().click();
      expect(await answer.isVisible()).toBe(false);
    },
    120_000,
  );

  test('the answer is opened by a key, is of a chosen percentile, and is in the address', async () => {
    const p50 = (one: Page) =>
      one.getByRole('group', { name: 'Percentile' }).getByRole('button', { name: 'p50' });
    await page.keyboard.press('w');
    await p50(page).click();
    await until(async () => (await addressOf(page)).includes('why=50&explain=1'), 'the address');

    const other = await live.open({ viewport: DESKTOP }, await page.evaluate('location.hash'));
    for (const one of [page, other]) {
      await hasText(one.locator('.why .answer'), /p50 moved|of p50 is shown|For p50/);
      expect(await p50(one).getAttribute('aria-pressed')).toBe('true');
    }
    await page.getByRole('button', { name: 'Highest that changed' }).click();
    await whyButton().waitFor();
  });

  test.each([
    ['desktop', 'light', DESKTOP],
    ['desktop', 'dark', DESKTOP],
    ['phone', 'light', PHONE],
    ['phone', 'dark', PHONE],
  ] as const)('axe-core finds nothing wrong with the answer: %s, %s', async (name, colorScheme, viewport) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.locator('.waterfall li').first().waitFor();
    await page.screenshot({ path: join(screenshots, `why-${name}-${colorScheme}.png`) });
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
  });
});
