import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { Page } from 'playwright-core';
import { describeWithChromium } from './support/chromium.ts';
import { LiveDashboard } from './support/live-dashboard.ts';
import { hasText, until, violationsOf } from './support/live-page.ts';

const screenshots = join(import.meta.dirname, '../.test-results/screenshots');

const SERIES = 5000;
const MANY = 100_000;
const MOST_BYTES = 600_000;
// On a machine whose yardstick takes as long as this. A slower one may take longer in proportion.
const LONGEST_TASK_MS = 100;
const LONGEST_SORT_MS = 200;
const YARDSTICK_MS = 25;

/** Work of the kinds that a page has: numbers into texts, and texts in order. */
const YARDSTICK = `(() => {
  const times = Array.from({ length: 5 }, () => {
    const startMs = performance.now();
    Array.from({ length: 50_000 }, (_, n) => String((n * 7919) % 65_537)).sort();
    return performance.now() - startMs;
  });
  return Math.min(...times);
})()`;

/** How many times as long as on a usual machine the same work takes: at least 1. */
async function measureSlowness(page: Page): Promise<number> {
  return Math.max(1, (await page.evaluate<number>(YARDSTICK)) / YARDSTICK_MS);
}

/** Requests of many routes and pods; each series has counted `values` values. */
function fillMany(registry: Registry, count: number, values = 30): void {
  const durations = registry.histogram({
    ...{ name: 'http.server.request.duration', unit: 's' },
    cardinalityLimit: count + 1,
  });
  for (let n = 0; n < count; n++) {
    const series = durations.with({
      'http.request.method': n % 2 === 0 ? 'GET' : 'POST',
      'http.route': `/api/v1/${n % 50}/items/{id}`,
      'k8s.pod.name': `checkout-5f7d9c8b6d-${(n * 7919).toString(36)}`,
    });
    for (let i = 0; i < values; i++) series.record(0.002 * (1 + (n % 50)) * (1 - ((i * 0.618) % 1)) ** -0.6);
  }
}

/** Passes bytes on to a port, and counts those that come back. */
class CountingProxy {
  bytes = 0;
  readonly #server: Server;

  constructor(port: number) {
    this.#server = createServer((client) => {
      const upstream = connect(port, 'localhost');
      upstream.on('data', (bytes) => {
        this.bytes += bytes.length;
      });
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
      }
    });
  }

  async listen(): Promise<string> {
    await once(this.#server.listen(0, 'localhost'), 'listening');
    return `http://localhost:${(this.#server.address() as AddressInfo).port}/`;
  }

  close(): void {
    this.#server.close();
  }
}

const MARK = 'the page of the test';
const OBSERVE_TASKS = `performance.mark(${JSON.stringify(MARK)});
window.longTasks = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(Math.round(duration));
}).observe({ type: 'longtask', buffered: true })`;

/**
 * The longest time of a processor that a task of any thread of the page's process took, in milliseconds. Other processes work for the browser
 * itself: it has pages of its own, such as the list below its address bar, and writes the trace.
 */
function longestTask(trace: Buffer): number {
  const { traceEvents } = JSON.parse(trace.toString()) as {
    traceEvents: { readonly name: string; readonly pid: number; readonly tdur?: number }[];
  };
  const { pid } = traceEvents.find(({ name }) => name === MARK)!;
  const tasks = traceEvents.filter(
    (one) => one.pid === pid && one.name.endsWith('RunTask') && one.tdur !== undefined,
  );
  expect(tasks.length).toBeGreaterThan(100);
  return tasks.reduce((most, { tdur = 0 }) => Math.max(most, tdur), 0) / 1000;
}

describeWithChromium('the live page with very many series', () => {
  const live = new LiveDashboard({ intervalMs: 1000 });
  const registry = createRegistry();
  let proxy: CountingProxy;
  let page: Page;

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    await live.startBrowser();
    fillMany(registry, SERIES);
    await live.serve(registry);
    proxy = new CountingProxy(live.port);
  });

  afterAll(async () => {
    await live.stop();
    proxy.close();
    await live.closeBrowser();
  });

  test('loads 5000 series in a tenth of what they take as text, and no task is longer than 100 ms', async () => {
    const url = await proxy.listen();
    const longest: number[] = [];
    // On a busy machine, other processes make tasks longer: then the time counts that the browser itself has taken.
    while (longest.length < 6 && !longest.some((ms) => ms < LONGEST_TASK_MS)) {
      const browser = longest.length === 0 ? undefined : page.context().browser();
      await live.pages.close();
      await browser?.startTracing(undefined, { categories: ['toplevel', 'blink.user_timing'] });
      proxy.bytes = 0;
      page = await live.openObserved(url, OBSERVE_TASKS);
      await until(async () => (await page.locator('.found').textContent()) === '5,000 series', 'all series');
      await until(async () => (await page.locator('.detail:not([hidden]) canvas').count()) >= 2, 'charts');
      expect(proxy.bytes).toBeLessThan(MOST_BYTES);
      const tasks = [Math.max(0, ...(await page.evaluate<number[]>('window.longTasks')))];
      if (browser !== null && browser !== undefined) tasks.push(longestTask(await browser.stopTracing()));
      const slowness = await measureSlowness(page);
      for (const ms of tasks) longest.push(ms / slowness);
    }
    expect(Math.min(...longest)).toBeLessThan(LONGEST_TASK_MS);
  }, 120_000);

  test('sorts them within 200 ms', async () => {
    for (const name of ['Count', 'http.route', 'p99']) {
      const times: number[] = [];
      // Other processes of a busy machine make them longer: one of five is enough.
      while (times.length < 5 && !times.some((ms) => ms < LONGEST_SORT_MS)) {
        const title = JSON.stringify(name);
        const ms = await page.evaluate<number>(`(async () => {
            const heads = [...document.querySelectorAll('.heads button')];
            const startMs = performance.now();
            heads.find(({ textContent }) => textContent === ${title}).click();
            await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
            return performance.now() - startMs;
          })()`);
        times.push(ms / (await measureSlowness(page)));
      }
      expect(Math.min(...times)).toBeLessThan(LONGEST_SORT_MS);
    }
  });

  test('shows the 5000 largest of 100,000 series, says what it leaves out, and a filter finds the others', async () => {
    const many = createRegistry();
    fillMany(many, MANY, 2);
    const durations = many.family({ name: 'http.server.request.duration' })!;
    const [method, route] = ['GET', '/api/v1/0/items/{id}'];
    for (let n = 0; n < 100; n++) {
      const pod = 'checkout-5f7d9c8b6d-0';
      durations.with({ 'http.request.method': method, 'http.route': route, 'k8s.pod.name': pod }).record(1);
    }
    await live.pages.close();
    await live.serve(many);
    page = await live.open();
    const found = page.locator('.found');
    await hasText(found, /^5,000 of 100,000 series$/);
    await hasText(
      page.locator('.left-out'),
      /^The table leaves out the 95,000 series with the fewest values\. .* To filter, type an attribute such as route=\/pay and press Enter\.$/,
    );
    expect(await page.locator('.rows .row').first().getAttribute('data-label')).toContain('8b6d-0');
    expect(await violationsOf(page)).toEqual([]);
    await page.screenshot({ path: join(screenshots, 'many.png') });

    const pod = `checkout-5f7d9c8b6d-${((MANY - 1) * 7919).toString(36)}`;
    await page.getByRole('searchbox').fill(`k8s.pod.name=${pod}`);
    await hasText(found, /^0 of 100,000 series$/);
    await page.getByRole('searchbox').press('Enter');
    await until(async () => (await page.locator('.rows .row').count()) === 1, 'the series of the filter');
    expect(await page.locator('.rows .row').getAttribute('data-label')).toContain(pod);
    expect(await page.locator('.left-out').isVisible()).toBe(false);
  }, 180_000);
});
