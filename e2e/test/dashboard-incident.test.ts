import { readFileSync } from 'node:fs';
import { type RunningDashboard, serveDashboard } from '@hdrscope/dashboard';
import { createRegistry, type Registry, type Snapshot } from '@hdrscope/registry';
import type { Browser, BrowserContextOptions, Locator, Page } from 'playwright-core';
import { describeWithChromium, startChromium } from './support/chromium.ts';
import {
  DESKTOP,
  fill,
  LAPTOP,
  Pages,
  PHONE,
  pickedOf,
  rowsOf,
  until,
  violationsOf,
} from './support/live-page.ts';

const SEARCH = 'http.server.request.duration http.request.method=GET, http.route=/search, url.scheme=http';

describeWithChromium('the live page in an incident', () => {
  let browser: Browser;
  let registry: Registry;
  let dashboard: RunningDashboard;
  let load: NodeJS.Timeout;
  const pages = new Pages();

  beforeAll(async () => {
    browser = await startChromium();
  });

  afterAll(() => browser?.close());

  beforeEach(async () => {
    registry = createRegistry();
    fill(registry);
    dashboard = await serve(registry);
    load = setInterval(() => fill(registry), 100);
  });

  afterEach(async () => {
    clearInterval(load);
    await pages.close();
    await dashboard.close();
    pages.expectNothingWrong();
  });

  const serve = (shown: Parameters<typeof serveDashboard>[0], port = 0): Promise<RunningDashboard> =>
    serveDashboard(shown, { port, everyMs: 200, title: 'orders' });

  const open = (address = '', options: BrowserContextOptions = { viewport: DESKTOP }): Promise<Page> =>
    pages.open(browser, dashboard.url + address, options);

  /** Opens a page that remembers a few intervals. */
  async function openLater(address = '', options?: BrowserContextOptions): Promise<Page> {
    const page = await open(address, options);
    await page.locator('.rows .row', { hasText: '/search' }).first().click();
    await until(async () => (await detailOf(page)) === SEARCH, 'the detail');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return page;
  }

  const detailOf = (page: Page): Promise<string | null> => page.locator('.detail h2').first().textContent();
  const readout = (page: Page): Promise<string | null> => page.locator('.readout').textContent();
  const statusOf = (page: Page): Promise<string | null> => page.locator('.status').textContent();
  const addressOf = (page: Page): Promise<string> =>
    page.evaluate('decodeURIComponent(location.hash).replaceAll("+", " ")');
  const handle = (page: Page, name: string): Locator => page.getByRole('slider', { name, exact: true });

  /** Moves the pointer on the timeline, between two parts of its width. */
  async function drag(page: Page, from: number, to: number): Promise<void> {
    const { x, y, width, height } = (await page.locator('.track').boundingBox())!;
    await page.mouse.move(x + from * width, y + height / 2);
    await page.mouse.down();
    await page.mouse.move(x + to * width, y + height / 2, { steps: 5 });
    await page.mouse.up();
  }

  async function hasText(locator: Locator, pattern: RegExp): Promise<void> {
    await until(async () => pattern.test((await locator.textContent()) ?? ''), String(pattern));
  }

  test('nothing moves while it is paused, and all changes come at once', async () => {
    const page = await openLater();
    const everything = (): Promise<string> => page.locator('main').evaluate((main) => main.textContent!);

    await page.keyboard.press('p');

    expect(await statusOf(page)).toMatch(/^Paused at \d\d:\d\d:\d\d$/);
    const before = await everything();
    expect(before).toMatch(/As of \d\d:\d\d:\d\d/);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await everything()).toBe(before);
    await page.getByRole('button', { name: 'Resume' }).click();
    expect(await statusOf(page)).toBe('Live');
    expect((await rowsOf(page)).get(SEARCH)![0]).not.toBe(before);
    expect(await everything()).not.toBe(before);
  });

  test('a time is chosen by the pointer, and rows and detail are of that time', async () => {
    const page = await openLater();
    const all = await rowsOf(page);
    expect(await readout(page)).toBe('All time, and what comes');

    await drag(page, 0.3, 0.7);

    const time = /^\d\d:\d\d:\d\d\.\d{3} – \d\d:\d\d:\d\d\.\d{3} \(.* m?s\)$/;
    await until(async () => time.test((await readout(page)) ?? ''), 'the time');
    await hasText(page.locator('.detail .time').first(), /^From \d\d/);
    const some = await rowsOf(page);
    const countOf = (rows: Map<string, string[]>): number =>
      Number(rows.get(SEARCH)![0]!.replaceAll(',', ''));
    expect(countOf(some)).toBeGreaterThan(0);
    expect(countOf(some)).toBeLessThan(countOf(all));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await rowsOf(page)).toEqual(some);
    expect(await addressOf(page)).toMatch(/time=\d+-\d+/);

    const chosen = await readout(page);
    await drag(page, 0.5, 0.3);
    await until(async () => (await readout(page)) !== chosen, 'the time that was moved');
    await page.locator('.track').dblclick({ position: { x: 5, y: 60 } });
    await until(async () => (await readout(page)) === 'All time, and what comes', 'all time');
    await until(async () => countOf(await rowsOf(page)) > countOf(all), 'live rows');
  });

  test('a time is chosen by keys, with its ends in words', async () => {
    const page = await openLater();
    await page.getByRole('button', { name: 'Last minute' }).click();
    const [start, end] = [handle(page, 'Start of the time'), handle(page, 'End of the time')];
    const now = async (one: Locator): Promise<number> => Number(await one.getAttribute('aria-valuenow'));
    const first = await now(start);

    await start.press('ArrowRight');
    const second = await now(start);
    expect(second).toBeGreaterThan(first);
    expect(await start.getAttribute('aria-valuetext')).toMatch(/^\d\d:\d\d:\d\d, of \d\d:\d\d/);
    await start.press('Home');
    expect(await now(start)).toBe(Number(await start.getAttribute('aria-valuemin')));
    await end.press('ArrowLeft');
    await end.press('PageDown');
    expect(await now(end)).toBeGreaterThan(await now(start));
    expect(await now(end)).toBeLessThan(Number(await end.getAttribute('aria-valuemax')));
    await end.press('Escape');
    expect(await readout(page)).toBe('All time, and what comes');
  });

  test('the timeline zooms by buttons, keys and the wheel', async () => {
    const page = await openLater();
    const out = page.getByRole('button', { name: 'Zoom out' });
    expect(await out.isDisabled()).toBe(true);

    await page.getByRole('button', { name: 'Zoom in' }).click();
    expect(await out.isDisabled()).toBe(false);
    // The history of a live page grows meanwhile, so a second step may be needed to see all of it.
    const seeAll = async (step: () => Promise<void>): Promise<void> => {
      for (let n = 0; n < 3 && !(await out.isDisabled()); n++) await step();
      expect(await out.isDisabled()).toBe(true);
    };
    await seeAll(() => out.click());
    await handle(page, 'Start of the time').press('+');
    expect(await out.isDisabled()).toBe(false);
    await seeAll(() => handle(page, 'Start of the time').press('-'));
    await page.locator('.track').hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await until(async () => !(await out.isDisabled()), 'the zoom of the wheel');
  });

  test('two times are compared, with verdicts in words', async () => {
    const page = await openLater();
    await drag(page, 0.5, 0.9);

    await page.getByLabel('Compare with', { exact: true }).selectOption('before');

    const table = page.getByRole('region', { name: 'Changes' });
    await table.waitFor();
    await hasText(page.locator('.readout'), /compared with/);
    const verdicts = await table.locator('tbody .verdict').allTextContents();
    expect(verdicts.length).toBeGreaterThan(2);
    for (const verdict of verdicts) {
      expect(verdict).toMatch(/^(▲ worse|▼ better|no difference shown|too few values)$/);
    }
    expect(await page.locator('.detail .card h3').first().textContent()).toBe('Comparison');
    expect(await handle(page, 'Start of the time to compare with').isVisible()).toBe(true);

    await page.getByLabel('Compare with', { exact: true }).selectOption('time');
    const before = await readout(page);
    await drag(page, 0.05, 0.25);
    await until(async () => (await readout(page)) !== before, 'another time');
    await page.getByLabel('Compare with', { exact: true }).selectOption('nothing');
    await until(async () => !(await table.isVisible()), 'no comparison');
  });

  test('two rows are compared, by a list and by a key', async () => {
    const page = await openLater();
    await page.getByRole('button', { name: 'Compare with…' }).click();
    const other = SEARCH.replace('/search', '/products/{id}');

    await page.getByLabel('Row to compare with').selectOption(other);

    const table = page.getByRole('region', { name: 'Changes' });
    await hasText(table.locator('thead'), /products.*search/);
    // Requests of /search take twice as long.
    expect(await table.locator('tbody .verdict').first().textContent()).toBe('▲ worse');
    await page.getByLabel('Row to compare with').selectOption('');
    await until(async () => !(await table.isVisible()), 'no comparison');

    await page.getByRole('grid', { name: 'Series' }).focus();
    await page.keyboard.press('c');
    const hint = page.locator('.notice', { hasText: `Pick the row to compare with ${SEARCH}.` });
    await hint.waitFor();
    await page.keyboard.press('Home');
    expect(await hint.isVisible()).toBe(false);
    await hasText(table.locator('thead'), /search.*products/);
    expect(await table.locator('tbody .verdict').first().textContent()).toBe('▼ better');
  });

  test('rows are merged by attributes, and the picked row is followed', async () => {
    clearInterval(load);
    const page = await openLater();
    const sum = (rows: Map<string, string[]>, name: string): number =>
      [...rows].reduce(
        (total, [label, [count]]) =>
          label.startsWith(name) ? total + Number(count!.replaceAll(',', '')) : total,
        0,
      );
    const apart = await rowsOf(page);

    await page.getByRole('button', { name: 'Merge' }).click();
    expect(await page.locator('.keys li').allTextContents()).toEqual([
      ' merge cpu (2 values)',
      ' merge http.request.method (2 values)',
      ' merge http.route (4 values)',
      ' merge url.scheme (1 value)',
    ]);
    await page.getByRole('button', { name: 'One row for each metric' }).click();
    await until(async () => (await rowsOf(page)).size === 3, 'three rows');
    const merged = await rowsOf(page);
    for (const [label] of merged) expect(sum(merged, label)).toBe(sum(apart, label));
    expect(await pickedOf(page)).toBe('http.server.request.duration');
    await until(async () => (await detailOf(page)) === 'http.server.request.duration ', 'the merged detail');

    await page.getByLabel(/merge http.request.method/).uncheck();
    await until(async () => (await rowsOf(page)).size === 5, 'rows by method');
    await page.getByRole('button', { name: 'No merging' }).click();
    await until(async () => (await rowsOf(page)).size === 10, 'all rows');
    await page.keyboard.press('Escape');
    expect(await page.locator('.menu').isVisible()).toBe(false);
  });

  test('an attribute in the detail or in a cell is a filter, and a notice says that the picked row is not found', async () => {
    const page = await openLater();

    await page.locator('.detail h2').getByRole('button', { name: 'http.request.method=GET' }).click();
    await until(async () => (await rowsOf(page)).size === 6, 'rows of GET');
    expect(await page.locator('.chip').allTextContents()).toEqual(['http.request.method=GET×']);
    await page.locator('.row [data-key="http.route"]', { hasText: '/reports' }).first().hover();
    await page
      .getByRole('button', { name: 'Show only rows with http.route=/reports/{month}' })
      .first()
      .click();
    await until(async () => (await rowsOf(page)).size === 2, 'rows of a route');

    const notice = page.locator('.notice', { hasText: 'The picked row is not among the rows found.' });
    await notice.waitFor();
    expect(await detailOf(page)).toBe(SEARCH);
    await notice.getByRole('button', { name: 'Pick the first found' }).click();
    await until(async () => (await detailOf(page))!.includes('/reports'), 'the row found');
    expect(await notice.isVisible()).toBe(false);
    await page.getByRole('button', { name: 'Remove http.route=/reports/{month}' }).click();
    await page.getByRole('button', { name: 'Remove http.request.method=GET' }).click();
    await until(async () => (await rowsOf(page)).size === 10, 'all rows');
  });

  test('a search keeps the picked row, and says when it is not found', async () => {
    const page = await openLater();

    await page.getByRole('searchbox').fill('login');
    const notice = page.locator('.notice', { hasText: 'not among the rows found' });
    await notice.waitFor();
    expect(await detailOf(page)).toBe(SEARCH);
    await notice.getByRole('button', { name: 'Show it' }).click();

    expect(await page.getByRole('searchbox').inputValue()).toBe('');
    expect(await pickedOf(page)).toBe(SEARCH);
    expect(await notice.isVisible()).toBe(false);
  });

  test('objectives have shares and verdicts, and one that cannot be read says why', async () => {
    const page = await openLater();
    const input = page.getByLabel('Objective', { exact: true });
    const add = async (text: string): Promise<void> => {
      await input.fill(text);
      await input.press('Enter');
    };

    await add('p50=1h');
    await add('p99.9 = 1ms');
    const table = page.getByRole('region', { name: 'Objectives' });
    await until(async () => (await table.locator('tbody tr').count()) === 2, 'two objectives');
    expect(await table.locator('tbody tr').first().locator('td').allTextContents()).toEqual([
      '100 %',
      '✓ kept',
    ]);
    expect(await table.locator('tbody tr').last().locator('td').allTextContents()).toEqual([
      '0 %',
      '✗ missed',
    ]);

    await add('fast');
    expect(await page.locator('.objectives .error').textContent()).toMatch(/^"fast" cannot be read/);
    await add('p99=4KiB');
    expect(await page.locator('.objectives .error').textContent()).toMatch(/^4KiB does not suit/);
    await page.getByRole('button', { name: 'Remove p50=1h' }).click();
    await until(async () => (await table.locator('tbody tr').count()) === 1, 'one objective');
  });

  test('charts and rows are downloaded', async () => {
    const page = await openLater();
    const save = async (button: Locator): Promise<{ name: string; text: string }> => {
      const [download] = await Promise.all([page.waitForEvent('download'), button.click()]);
      return { name: download.suggestedFilename(), text: readFileSync(await download.path(), 'latin1') };
    };

    const png = await save(page.getByRole('button', { name: 'Download Percentiles as PNG' }));
    expect(png.name).toMatch(/search.*Percentiles\.png$/);
    expect(png.text.slice(1, 4)).toBe('PNG');
    // Its width in pixels, twice that of the picture.
    expect(Buffer.from(png.text, 'latin1').readUInt32BE(16)).toBe(1840);
    const svg = await save(page.getByRole('button', { name: 'Download Percentiles as SVG' }));
    expect(svg.text).toMatch(/^<svg .*Percentiles.*\/search/s);
    const csv = await save(page.getByRole('link', { name: 'CSV' }));
    // A title and a line for each row.
    expect(csv.text.trimEnd().split('\n')).toHaveLength(11);
    const hgrm = await save(page.getByRole('link', { name: 'hgrm' }));
    expect(hgrm.text).toMatch(/Value\s+Percentile\s+TotalCount/);
  });

  test('an address shows the same page again', async () => {
    const page = await openLater();
    await drag(page, 0.4, 0.8);
    await page.getByRole('searchbox').fill('duration');
    await page.getByRole('button', { name: 'UTC' }).click();
    await page.locator('.heads button', { hasText: 'max' }).click();
    await page.getByLabel('Objective', { exact: true }).fill('p99=1s');
    await page.keyboard.press('Enter');
    await until(async () => (await addressOf(page)).includes('slo=p99=1s'), 'the address');
    const shown = async (one: Page): Promise<unknown> => [
      await readout(one),
      [...(await rowsOf(one)).keys()],
      await one.locator('.heads [aria-sort]').textContent(),
      await one.locator('.chip').allTextContents(),
      await detailOf(one),
    ];
    await until(async () => (await rowsOf(page)).size === 4, 'the rows found');
    const before = await shown(page);

    const other = await open(`#${((await page.evaluate('location.hash')) as string).slice(1)}`);
    await until(async () => (await detailOf(other)) === SEARCH, 'the detail');
    expect(await shown(other)).toEqual(before);

    await other.evaluate('location.hash = "q=login"');
    await until(async () => (await rowsOf(other)).size === 2, 'the rows of another address');
    expect(await other.getByRole('searchbox').inputValue()).toBe('login');
  });

  test('the link is copied', async () => {
    const page = await open('', { viewport: DESKTOP, permissions: ['clipboard-read', 'clipboard-write'] });
    await page.getByRole('searchbox').fill('login');
    await until(async () => (await addressOf(page)).includes('q=login'), 'the address');

    await page.getByRole('button', { name: 'Copy link' }).click();

    await page.getByRole('button', { name: 'Copied' }).waitFor();
    expect(await page.evaluate('navigator.clipboard.readText()')).toBe(await page.evaluate('location.href'));
  });

  test('times are local or in UTC everywhere, and the choice is kept', async () => {
    const page = await openLater('', { viewport: DESKTOP, timezoneId: 'Asia/Kolkata' });
    const overTime = page.locator('.card', { hasText: 'Percentiles over time' }).locator('[role=img]');
    const clock = async (): Promise<string> => (await page.locator('.clock').textContent())!.slice(0, 2);
    const hour = (aheadMs: number): string => new Date(Date.now() + aheadMs).toISOString().slice(11, 13);
    const ahead = 5.5 * 3_600_000;

    expect(await clock()).toBe(hour(ahead));
    expect(await overTime.getAttribute('aria-label')).toMatch(/local time\./);
    await page.getByRole('button', { name: 'UTC' }).click();
    expect(await clock()).toBe(hour(0));
    await until(async () => / UTC\./.test((await overTime.getAttribute('aria-label'))!), 'UTC in the chart');
    await page.goto('about:blank');
    await page.goto(dashboard.url);
    await page.locator('.rows .row').first().waitFor();
    expect(await clock()).toBe(hour(0));
  });

  test('a silent server is said at once, data are dimmed, and a restart is told', async () => {
    const page = await openLater();
    const { port } = dashboard;
    await dashboard.close();

    await hasText(page.locator('.status'), /^No update for [3-9] s$/);

    expect(await page.locator('.app').getAttribute('data-stale')).toBe('');
    expect(await page.locator('.as-of').textContent()).toMatch(/^As of \d\d:\d\d:\d\d$/);
    expect(await page.locator('.rows .row').count()).toBe(10);
    expect(await violationsOf(page)).toEqual([]);
    const other = createRegistry();
    fill(other);
    dashboard = await serve(other, port);
    const banner = page.locator('.notice', { hasText: /^The server restarted at .*All counts began anew\./ });
    await banner.waitFor();
    expect(await statusOf(page)).toBe('Live');
    expect(await pickedOf(page)).toBe(SEARCH);
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    expect(await banner.isVisible()).toBe(false);
    // The browser logs by itself that the server was away.
    expect(pages.complaints.splice(0).filter((text) => !text.includes('net::ERR_'))).toEqual([]);
  });

  test('a record has its times, and does not go on', async () => {
    const startMs = Date.UTC(2026, 0, 31, 12, 0, 0);
    const record = async function* (): AsyncGenerator<Snapshot> {
      const recorded = createRegistry();
      for (let second = 0; second <= 30; second++) {
        if (second > 0) fill(recorded);
        yield { ...(await recorded.gather()), timeMs: startMs + second * 1000 };
      }
    };
    await dashboard.close();
    dashboard = await serve(record());
    const page = await open('#utc=1');

    await hasText(page.locator('.status'), /^Recorded 2026-01-31, 12:00:00 – 12:00:30$/);
    expect(await page.getByRole('button', { name: 'Pause' }).isVisible()).toBe(false);
    expect(await page.locator('.clock').textContent()).toBe('');
    expect(await page.getByRole('group', { name: 'Values' }).isVisible()).toBe(false);
    await drag(page, 0.1, 0.5);
    await hasText(page.locator('.readout'), /^12:00:0\d – 12:00:1\d \(/);
    await page.locator('.rows .row').first().waitFor();
    await new Promise((resolve) => setTimeout(resolve, 2500));
    expect(await statusOf(page)).toMatch(/^Recorded/);
  });

  describe.each([
    ['desktop', DESKTOP],
    ['laptop', LAPTOP],
    ['phone', PHONE],
  ] as const)('for people with disabilities: %s', (_, viewport) => {
    test.each(['light', 'dark'] as const)('axe-core finds nothing wrong: %s', async (colorScheme) => {
      const page = await openLater('', { viewport, colorScheme });
      expect(await violationsOf(page)).toEqual([]);

      await drag(page, 0.4, 0.9);
      await page.getByLabel('Compare with', { exact: true }).selectOption('before');
      await page.getByRole('region', { name: 'Changes' }).waitFor();
      await page.getByLabel('Objective', { exact: true }).fill('p99=1s');
      await page.keyboard.press('Enter');
      await page.locator('.detail h2').getByRole('button', { name: 'http.request.method=GET' }).click();
      await page.getByRole('searchbox').fill('reports');
      await page.locator('.notice', { hasText: 'not among' }).waitFor();
      await page.getByRole('region', { name: 'Objectives' }).waitFor();
      await page.getByRole('button', { name: 'Percentiles over time as a table' }).click();
      await page.getByRole('button', { name: 'Merge' }).click();
      expect(await violationsOf(page)).toEqual([]);
      // Nothing is wider than the screen.
      const wanted = await page.evaluate('document.documentElement.scrollWidth');
      expect(wanted).toBeLessThanOrEqual(viewport.width);

      await page.keyboard.press('Escape');
      await page.getByRole('button', { name: 'Kernel' }).click();
      await page.locator('.view .card').first().waitFor();
      expect(await violationsOf(page)).toEqual([]);
    });
  });

  test('a thousand series that all change each second take a small part of a core', async () => {
    clearInterval(load);
    const many = createRegistry();
    const family = many.histogram({ name: 'many', unit: 's' });
    const series = Array.from({ length: 1000 }, (_, n) => family.with({ n, method: n % 3 ? 'get' : 'put' }));
    const record = (): void => {
      for (const one of series) for (let n = 0; n < 5; n++) one.record(0.001 * (1 - Math.random()) ** -0.5);
    };
    record();
    load = setInterval(record, 500);
    await dashboard.close();
    dashboard = await serveDashboard(many, { port: 0, everyMs: 1000 });
    const page = await open();
    await new Promise((resolve) => setTimeout(resolve, 3000));
    const session = await page.context().newCDPSession(page);
    await session.send('Performance.enable', { timeDomain: 'threadTicks' });
    const busySeconds = async (): Promise<number> => {
      const { metrics } = await session.send('Performance.getMetrics');
      return metrics.find(({ name }) => name === 'TaskDuration')!.value;
    };

    const before = await busySeconds();
    await new Promise((resolve) => setTimeout(resolve, 10_000));
    const part = ((await busySeconds()) - before) / 10;

    console.log(`the page with 1,000 series takes ${(part * 100).toFixed(1)} % of a core`);
    // About 3 % on an idle machine: another figure is a mistake, and no noise.
    expect(part).toBeLessThan(0.3);
  });
});
