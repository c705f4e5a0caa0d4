import { isDeepStrictEqual } from 'node:util';
import { formatValue } from '@hdrscope/plot';
import { type Registry, valuesAtPercentiles } from '@hdrscope/registry';
import axe from 'axe-core';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';

export const DESKTOP = { width: 1440, height: 900 };
export const LAPTOP = { width: 1024, height: 768 };
export const PHONE = { width: 390, height: 844 };

const ROUTES = ['/products/{id}', '/search', '/reports/{month}', '/login'] as const;
const PERCENTILES = [50, 90, 99, 99.9, 100];

/** The label of a row that `fill` makes. */
export const SEARCH =
  'http.server.request.duration http.request.method=GET, http.route=/search, url.scheme=http';

/**
 * Records values that are the same in every run, spread like latencies.
 *
 * @param count How many values the first route has. The fourth one has four times as many.
 */
export function fill(registry: Registry, count = 4000): void {
  const durations = registry.histogram({
    name: 'http.server.request.duration',
    unit: 's',
    description: 'Duration of HTTP server requests.',
    significantDigits: 3,
  });
  const sizes = registry.histogram({ name: 'http.server.response.body.size', unit: 'By' });
  ROUTES.forEach((route, at) => {
    const method = at === 3 ? 'POST' : 'GET';
    const attributes = { 'http.request.method': method, 'http.route': route, 'url.scheme': 'http' };
    for (let n = 1; n <= count * (at + 1); n++) {
      const rank = ((n * 2_654_435_761) % 2 ** 32) / 2 ** 32;
      durations.with(attributes).record(0.002 * (at + 1) * (1 - rank) ** -0.6);
      sizes.with(attributes).record(Math.round(700 * (at + 1) * (1 - rank) ** -0.5));
    }
  });
  const boundaries = Array.from({ length: 20 }, (_, i) => 2 ** i * 1e-6);
  const waits = registry.histogram({ name: 'kernel.run_queue.latency', unit: 's', boundaries });
  for (let n = 1; n <= count / 4; n++)
    waits.with({ cpu: n % 2 }).record(2e-6 * (1 - n / (count / 4 + 1)) ** -0.9);
}

/** A row that the page must show, computed from the registry. */
export async function shownRows(registry: Registry): Promise<Map<string, string[]>> {
  const rows = new Map<string, string[]>();
  for (const family of (await registry.gather()).families) {
    for (const series of family.series) {
      const unit = family.unit === 's' ? 's' : 'bytes';
      const values = valuesAtPercentiles(family, series, PERCENTILES);
      const attributes = Object.entries(series.attributes).map(([key, value]) => `${key}=${value}`);
      rows.set(`${family.name} ${attributes.join(', ')}`.trim(), [
        series.histogram.totalCount.toLocaleString('en-US'),
        ...values.map((value) => formatValue(value, unit)),
      ]);
    }
  }
  return rows;
}

/** The rows that the page shows, without their rates. */
export async function rowsOf(page: Page): Promise<Map<string, string[]>> {
  const rows = await page.locator('.rows .row').evaluateAll((elements) =>
    elements.map((element) => {
      const [count, , ...values] = [...element.querySelectorAll('.number')].map((cell) => cell.textContent!);
      const texts: string[] = [count!, ...values];
      return [element.getAttribute('data-label')!, texts] as const;
    }),
  );
  return new Map(rows);
}

/** Waits until the rows are those of the question that the page has asked: until then it shows earlier ones. */
export async function untilAnswered(page: Page): Promise<void> {
  await until(async () => (await page.getByRole('grid').getAttribute('aria-busy')) === null, 'the rows');
}

/** The label of the picked row. */
export const pickedOf = (page: Page): Promise<string | null> =>
  page.locator('.row[aria-selected=true]').getAttribute('data-label');

/** The heading of the detail: the label of the row that it shows. */
export const detailOf = (page: Page): Promise<string | null> =>
  page.locator('.detail h2').first().textContent();

/** The time that is chosen on the timeline, in words. */
export const readoutOf = (page: Page): Promise<string | null> => page.locator('.readout').textContent();

export const statusOf = (page: Page): Promise<string | null> => page.locator('.status').textContent();

/** The part of the address that has the choices of the reader, as plain text. */
export const addressOf = (page: Page): Promise<string> =>
  page.evaluate('decodeURIComponent(location.hash).replaceAll("+", " ")');

/** Moves the pointer on the timeline, between two parts of its width. */
export async function drag(page: Page, from: number, to: number): Promise<void> {
  const { x, y, width, height } = await findPlace(page.locator('.track'));
  await page.mouse.move(x + from * width, y + height / 2);
  await page.mouse.down();
  await page.mouse.move(x + to * width, y + height / 2, { steps: 5 });
  await page.mouse.up();
}

/** Where an element is, once it stays there: what comes above it on a page that has just opened moves it. */
async function findPlace(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  await locator.scrollIntoViewIfNeeded();
  let place = await locator.boundingBox();
  await until(async () => {
    const before = place;
    await new Promise((resolve) => setTimeout(resolve, 200));
    place = await locator.boundingBox();
    return place !== null && isDeepStrictEqual(place, before);
  }, 'an element that stays in its place');
  return place!;
}

/** Waits until an element has a text. */
export async function hasText(locator: Locator, pattern: RegExp): Promise<void> {
  await until(async () => pattern.test((await locator.textContent()) ?? ''), String(pattern));
}

/** Waits until a check of the page succeeds. */
export async function until(check: () => Promise<boolean>, what: string): Promise<void> {
  const patienceMs = 60_000;
  const startMs = performance.now();
  while (!(await check())) {
    if (performance.now() - startMs > patienceMs)
      throw new Error(`waited ${patienceMs} ms without success: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** Pages of a test, and what is wrong with them: complaints of the browser, and requests to other hosts. */
export class Pages {
  readonly complaints: string[] = [];
  readonly #elsewhere: string[] = [];
  readonly #open: Page[] = [];

  /** Opens a page whose rows have come. @param script Runs before those of the page. */
  async open(browser: Browser, url: string, options: BrowserContextOptions, script?: string): Promise<Page> {
    const context = await browser.newContext({ reducedMotion: 'reduce', ...options });
    const page = await context.newPage();
    if (script !== undefined) await page.addInitScript(script);
    this.#open.push(page);
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) this.complaints.push(message.text());
    });
    page.on('pageerror', (error) => this.complaints.push(error.message));
    page.on('request', (request) => {
      const isOwn = ['data:', 'blob:'].some((scheme) => request.url().startsWith(scheme));
      if (!isOwn && new URL(request.url()).host !== new URL(url).host) this.#elsewhere.push(request.url());
    });
    await page.goto(url);
    await page.locator('.rows .row').first().waitFor();
    return page;
  }

  async close(): Promise<void> {
    for (const page of this.#open.splice(0)) await page.context().close();
  }

  /** Fails when something was wrong with the pages. */
  expectNothingWrong(): void {
    expect({ complaints: this.complaints.splice(0), elsewhere: this.#elsewhere.splice(0) }).toEqual({
      complaints: [],
      elsewhere: [],
    });
  }
}

/** The elements of a page that are wrong for people with disabilities, each with the rule of axe-core that it breaks. */
export async function violationsOf(page: Page): Promise<string[]> {
  await page.evaluate(`${axe.source}; undefined`);
  return page.evaluate(`axe.run({ rules: { 'target-size': { enabled: true } } }).then(({ violations }) =>
    violations.flatMap(({ id, nodes }) => nodes.map(({ html }) => id + ': ' + html)))`);
}
