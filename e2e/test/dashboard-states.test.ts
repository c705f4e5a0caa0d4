import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { Page } from 'playwright-core';
import { describeWithChromium } from './support/chromium.ts';
import { LiveDashboard } from './support/live-dashboard.ts';
import { DESKTOP, PHONE, SEARCH, violationsOf } from './support/live-page.ts';

const screenshots = join(import.meta.dirname, '../.test-results/screenshots');

/** What a service may have counted. */
const DATA: Readonly<Record<string, (registry: Registry) => void>> = {
  'twenty long names': (registry) => {
    for (let n = 1; n <= 20; n++) {
      const name = `com.example.payments.settlement.worker.pool.of.the.region.queue${n}.duration`;
      const family = registry.histogram({
        name,
        unit: 's',
        description: 'A sentence of many words. '.repeat(8),
      });
      const attributes = {
        'deployment.environment.name': 'production-europe-central-1-of-three-zones',
        'http.route': `/v2/organisations/{organisation}/accounts/{account}/statements/{statement}/lines/${n}`,
      };
      for (let i = 1; i <= 200; i++) family.with(attributes).record(i / 1000);
    }
  },
  'one value': (registry) => registry.histogram({ name: 'job.duration', unit: 's' }).with({}).record(0.25),
  'zeros only': (registry) => {
    const family = registry.histogram({ name: 'queue.depth', unit: '{item}' });
    for (let n = 0; n < 500; n++) family.with({ queue: n % 2 === 0 ? 'a' : 'b' }).record(0);
  },
  extremes: (registry) => {
    const family = registry.histogram({ name: 'job.duration', unit: 's' });
    for (const value of [1e-9, 0, 1, 86_400, 3e7]) family.with({ value }).record(value);
  },
};

const SCREENS = (['light', 'dark'] as const).flatMap((colorScheme) =>
  ([DESKTOP, PHONE] as const).map((viewport) => ({ colorScheme, viewport })),
);

describeWithChromium('the live page of awkward data', () => {
  const live = new LiveDashboard({ historyMs: 20_000 });

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    await live.startBrowser();
  });
  afterEach(() => live.stop());
  afterAll(() => live.closeBrowser());

  /** Nothing is beside the screen, and axe-core finds nothing wrong, on any screen. */
  async function expectReadable(page: Page, name: string): Promise<void> {
    for (const { colorScheme, viewport } of SCREENS) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      const screen = `${viewport.width}-${colorScheme}`;
      await page.screenshot({ path: join(screenshots, `${name}-${screen}.png`), fullPage: true });
      expect([screen, await violationsOf(page)]).toEqual([screen, []]);
      const width: number = await page.evaluate('document.documentElement.scrollWidth');
      expect([screen, width <= viewport.width]).toEqual([screen, true]);
    }
  }

  test.each(Object.entries(DATA))(
    '%s: everything is on the screen, and axe-core finds nothing wrong',
    async (name, record) => {
      const registry = createRegistry();
      record(registry);
      await live.serve(registry);
      const page = await live.open();
      await page.locator('.detail canvas').first().waitFor();
      await expectReadable(page, name.replaceAll(' ', '-'));
    },
    60_000,
  );

  test('a comparison of two rows: everything is on the screen, and axe-core finds nothing wrong', async () => {
    await live.start();
    const page = await live.openLater();
    await page.getByRole('button', { name: 'Compare with…' }).click();
    const other = SEARCH.replace('/search', '/products/{id}');
    await page.getByLabel('Row to compare with').selectOption(other);
    await page.getByRole('region', { name: 'Changes' }).waitFor();
    await expectReadable(page, 'comparison');
  }, 60_000);
});
