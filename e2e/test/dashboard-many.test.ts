import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { Page } from 'playwright-core';
import { describeWithChromium } from './support/chromium.ts';
import { LiveDashboard } from './support/live-dashboard.ts';
import { until } from './support/live-page.ts';

const SERIES = 5000;
const MOST_BYTES = 600_000;
const LONGEST_TASK_MS = 100;
const LONGEST_SORT_MS = 200;

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

const OBSERVE_TASKS = `window.longTasks = [];
new PerformanceObserver((list) => {
  for (const { duration } of list.getEntries()) window.longTasks.push(Math.round(duration));
}).observe({ type: 'longtask', buffered: true })`;

describeWithChromium('the live page with very many series', () => {
  const live = new LiveDashboard({ intervalMs: 1000 });
  const registry = createRegistry();
  let proxy: CountingProxy;
  let page: Page;

  beforeAll(async () => {
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
    // On a busy machine, other processes make tasks longer: one load of three is enough.
    while (longest.length < 3 && !longest.some((ms) => ms < LONGEST_TASK_MS)) {
      await live.pages.close();
      proxy.bytes = 0;
      page = await live.openObserved(url, OBSERVE_TASKS);
      await until(async () => (await page.locator('.found').textContent()) === '5,000 series', 'all series');
      await until(async () => (await page.locator('.detail:not([hidden]) canvas').count()) >= 2, 'charts');
      expect(proxy.bytes).toBeLessThan(MOST_BYTES);
      longest.push(Math.max(0, ...(await page.evaluate<number[]>('window.longTasks'))));
    }
    expect(Math.min(...longest)).toBeLessThan(LONGEST_TASK_MS);
  });

  test('sorts them within 200 ms', async () => {
    for (const title of ['Count', 'http.route', 'p99']) {
      const ms = await page.evaluate<number>(`(async () => {
        const head = [...document.querySelectorAll('.heads button')].find((one) => one.textContent === ${JSON.stringify(title)});
        const startMs = performance.now();
        head.click();
        await new Promise((done) => requestAnimationFrame(() => setTimeout(done)));
        return performance.now() - startMs;
      })()`);
      expect([title, ms < LONGEST_SORT_MS]).toEqual([title, true]);
    }
  });
});
