import { createRegistry } from '@hdrscope/registry';
import type { Page } from 'playwright-core';
import { describeWithChromium } from './support/chromium.ts';
import { LiveDashboard } from './support/live-dashboard.ts';
import { addressOf, DESKTOP, hasText, PHONE, until, violationsOf } from './support/live-page.ts';
import { Shop, type Trouble } from './support/shop.ts';

const STRETCH_MS = 4000;

/** The causes that the page must name, in the words of the page. */
const CAUSES: Readonly<Record<Trouble, RegExp>> = {
  'a lock': /(host=b & route=\/cart|route=\/cart & host=b) explains \d+ % of it\.$/,
  'a slow dependency': /route=\/pay explains \d+ % of it\.$/,
  errors: /status=503 explains \d+ % of it\.$/,
};

/** One service and one browser for all tests: each trouble begins when the one before has passed. */
describeWithChromium('the live page of a service in trouble', () => {
  const live = new LiveDashboard({});
  const registry = createRegistry();
  const shop = new Shop(registry);
  let page: Page;

  beforeAll(async () => {
    await Promise.all([live.startBrowser(), live.serve(registry), shop.start()]);
    page = await live.open({ viewport: DESKTOP });
  }, 60_000);

  afterAll(async () => {
    await shop.close();
    await live.stop();
    await live.closeBrowser();
  });

  const summary = () => page.locator('.why .summary');
  const whyButton = () => page.getByRole('button', { name: 'Why?' });
  const passTime = () => new Promise((resolve) => setTimeout(resolve, STRETCH_MS));

  /** The first requests wait for the compiler. */
  const warmUp = () => until(async () => shop.requests > 3000, 'a warm service');

  /** Chooses a time of trouble after a quiet one, and stops the page there. */
  async function chooseTrouble(trouble: Trouble): Promise<void> {
    await warmUp();
    // The requests under way end.
    await new Promise((resolve) => setTimeout(resolve, 1000));
    const quietMs = Date.now();
    await passTime();
    shop.trouble = trouble;
    const troubleMs = Date.now();
    await passTime();
    const endMs = Date.now();
    shop.trouble = undefined;
    await page.evaluate(`new Promise((resolve) => {
      addEventListener('hashchange', resolve, { once: true });
      location.hash = 'time=${troubleMs}-${endMs}&before=${quietMs}-${troubleMs}';
    }).then(() => undefined)`);
    await page.locator('.why:not([aria-busy])').waitFor();
  }

  test('a page that was just opened says that it has no time to compare with', async () => {
    await hasText(summary(), /^The page remembers no time before, so it cannot say what changed\.$/);
  });

  test.each(Object.entries(CAUSES))(
    'of %s, the first cause stands there without a click, and the whole answer after one',
    async (trouble, cause) => {
      await chooseTrouble(trouble as Trouble);
      expect(await summary().textContent()).toMatch(cause);

      await whyButton().click();

      const answer = page.locator('.why .answer');
      const [first] = await answer.locator('ol li b').allTextContents();
      expect(await summary().textContent()).toContain(`${first} explains`);
      await hasText(answer, /compared with/);
      const steps = await answer.locator('.waterfall .name').allTextContents();
      expect([steps[0], steps.at(-1)]).toEqual(['before', 'after']);
      expect(steps.some((step) => step.includes(first!))).toBe(true);
      await whyButton().click();
      expect(await answer.isVisible()).toBe(false);
    },
    90_000,
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
  ] as const)('axe-core finds nothing wrong with the answer: %s, %s', async (_, colorScheme, viewport) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.locator('.waterfall li').first().waitFor();
    expect(await violationsOf(page)).toEqual([]);
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
  });
});
