import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { Page } from 'playwright-core';
import { describeWithChromium } from './support/chromium.ts';
import { LiveDashboard } from './support/live-dashboard.ts';
import { addressOf, DESKTOP, detailOf, hasText, PHONE, until, violationsOf } from './support/live-page.ts';

const screenshots = join(import.meta.dirname, '../.test-results/screenshots');

/** The time of the service that passes in a step. */
const STEP_MS = 5000;
const INTERVAL_MS = 100;
const ROUTES = ['/cart', '/pay', '/search', '/items', '/login', '/orders'];

/** A service whose time passes in steps: requests of several routes, a metric of sizes, and one of hdrscope itself. */
class SteppedService {
  nowMs: number = Date.now() - 900_000;
  readonly registry: Registry = createRegistry({
    clock: { nowMs: () => this.nowMs, monotonicMs: () => this.nowMs },
  });
  isSlow = false;

  /** Lets time pass. The page gathers after most steps. */
  async pass(minutes: number): Promise<void> {
    for (let n = 0; n < (minutes * 60_000) / STEP_MS; n++) {
      this.#work();
      this.nowMs += STEP_MS;
      await new Promise((resolve) => setTimeout(resolve, INTERVAL_MS * 1.2));
    }
  }

  #work(): void {
    const durations = this.registry.histogram({ name: 'http.server.request.duration', unit: 's' });
    const sizes = this.registry.histogram({ name: 'http.server.response.body.size', unit: 'By' });
    const own = this.registry.histogram({ name: 'hdrscope.agent.gather.duration', unit: 's' }).with({});
    for (const [at, route] of ROUTES.entries()) {
      for (let n = 0; n < 400; n++) {
        const isHit = this.isSlow && route === '/search' && n % 3 === 0;
        const status = isHit && n % 2 === 0 ? 503 : 200;
        const seconds = 0.004 * (at + 1) * (1 - Math.random()) ** -0.4 + (isHit ? 3 : 0);
        durations.with({ 'http.route': route, 'http.response.status_code': status }).record(seconds);
        if (n % 10 === 0) {
          sizes.with({ 'http.route': route }).record(Math.round(900 * (1 - Math.random()) ** -0.3));
        }
      }
    }
    for (let n = 0; n < 4000; n++) own.record(this.isSlow ? 1 : 0.001);
  }
}

describeWithChromium('the first view of the live page', () => {
  const live = new LiveDashboard({ intervalMs: INTERVAL_MS });
  const service = new SteppedService();
  let page: Page;

  const headline = () => page.locator('.changes .headline');
  const firstRow = () => page.locator('.rows #row-0');

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    await Promise.all([live.startBrowser(), live.serve(service.registry)]);
    await service.pass(0.5);
    page = await live.open({ viewport: DESKTOP });
    await service.pass(5);
  });

  afterAll(async () => {
    await live.stop();
    await live.closeBrowser();
  });

  test('says that nothing changed, and shows the largest row; metrics of hdrscope come last', async () => {
    await hasText(headline(), /^Nothing changed: the differences of all 12 rows/);

    expect(await firstRow().getAttribute('data-label')).toContain('http.server.request.duration');
    expect(await firstRow().getAttribute('aria-selected')).toBe('true');
    expect(await page.locator('.rows .row[data-label^="hdrscope."]').getAttribute('aria-rowindex')).toBe(
      '14',
    );
    expect(await page.getByRole('button', { name: 'Changes first' }).getAttribute('aria-pressed')).toBe(
      'true',
    );
  });

  test('names the row that became slow, without a click: it is first, picked, and marked on the timeline', async () => {
    service.isSlow = true;
    await service.pass(1);
    const worst = page.locator('.changes ol li').first();
    await hasText(worst, /http\.route=\/search: p99(\.9)? .* since \d\d:\d\d:\d\d\./);
    await hasText(
      worst,
      / of its values are above .* values of its metric moved above it\. Errors 0 % → 1\d(\.\d)? %\./,
    );
    await until(async () => (await detailOf(page))?.includes('/search') === true, 'the worst row');
    expect(await firstRow().textContent()).toMatch(/▲ \d/);
    // Its two rows are about as bad, and the page does not jump between them.
    expect(await page.locator('.row[aria-selected=true]').textContent()).toMatch(/▲ \d+ %\/search/);
    await until(
      async () => /It changed at \d/.test((await page.locator('.track canvas').getAttribute('aria-label'))!),
      'the mark',
    );
    await page.screenshot({ path: join(screenshots, 'changes-live.png') });
    // The next page picks the worst row of its time.
    expect(await addressOf(page)).not.toContain('pick=');
    const labels = await page.locator('.rows .row .moved').allTextContents();
    expect(labels.filter((text) => text !== '').length).toBeLessThanOrEqual(2);
  });

  test('a row that the reader has picked stays, and another order is in the address', async () => {
    await page.locator('.rows .row', { hasText: '/cart' }).first().click();
    await page.getByRole('button', { name: 'Count', exact: true }).click();
    await until(async () => (await addressOf(page)).includes('sort=-count'), 'the order');
    await service.pass(0.5);
    expect(await detailOf(page)).toContain('/cart');

    const other = await live.open({ viewport: DESKTOP });
    await until(async () => (await detailOf(other))?.includes('/search') === true, 'the worst row');
    await other.context().close();
    await page.getByRole('button', { name: 'Changes first' }).click();
    await page.locator('.changes ol button').first().click();
    await until(async () => (await detailOf(page))?.includes('/search') === true, 'the worst row');
  });

  test('names an incident that has lasted longer than the time right before it', async () => {
    await service.pass(12);
    await page.reload();
    const worst = page.locator('.changes ol li').first();
    await hasText(worst, /http\.route=\/search: p99(\.9)? /);
    await until(async () => (await detailOf(page))?.includes('/search') === true, 'the worst row');

    const against = page.getByLabel('Compare the last minute with');
    expect(await against.inputValue()).toBe('');
    await against.selectOption('recent');
    await until(async () => (await addressOf(page)).includes('against=recent'), 'the address');
    await hasText(headline(), /^Nothing changed: /);
    await against.selectOption('the last quiet time');
    await hasText(worst, /http\.route=\/search: p99(\.9)? /);
  });

  test.each([
    ['desktop', 'light', DESKTOP],
    ['desktop', 'dark', DESKTOP],
    ['phone', 'light', PHONE],
    ['phone', 'dark', PHONE],
  ] as const)('axe-core finds nothing wrong: %s, %s', async (name, colorScheme, viewport) => {
    await page.setViewportSize(viewport);
    await page.emulateMedia({ colorScheme });
    await page.locator('.changes ol li').first().waitFor();
    await page.evaluate('scrollTo(0, 0)');
    await page.screenshot({ path: join(screenshots, `changes-${name}-${colorScheme}.png`) });
    expect(await violationsOf(page)).toEqual([]);
    // What changed and the first row are there without scrolling.
    for (const part of [page.locator('.changes ol li').first(), firstRow()]) {
      const { y, height } = (await part.boundingBox())!;
      expect(y + height).toBeLessThanOrEqual(viewport.height);
    }
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBeLessThanOrEqual(viewport.width);
    for (const part of ['.rate', '.v3', '.moved', '[data-key="http.route"]']) {
      expect([part, await firstRow().locator(part).isVisible()]).toEqual([part, true]);
    }
  });
});
