import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import type { Browser, Locator, Page } from 'playwright-core';
import { describeWithChromium, startChromium } from './support/chromium.ts';
import { DESKTOP, Pages, rowsOf, until } from './support/live-page.ts';

const root = join(import.meta.dirname, '../..');
const screenshots = join(import.meta.dirname, '../.test-results/screenshots');

// What examples/data/make.js has put into the log.
const CULPRIT = 'http.duration route=/search';
const BEGIN = '15:10';
const END = '15:18';

const PATIENCE_MS = 60_000;

describeWithChromium('an incident in a log of two hours', () => {
  let browser: Browser;
  let server: ChildProcess;
  let url: string;
  const pages = new Pages();

  beforeAll(async () => {
    mkdirSync(screenshots, { recursive: true });
    browser = await startChromium();
    const command = [join(root, 'packages/cli/bin/hdrscope.js'), 'serve', '--port', '0'];
    server = spawn(process.execPath, [...command, join(root, 'examples/data/incident.hlog')], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const [line] = await once(createInterface({ input: server.stdout! }), 'line');
    url = /http:\S+/.exec(line as string)![0];
  });

  afterAll(async () => {
    await browser?.close();
    server?.kill('SIGINT');
    if (server?.exitCode === null) await once(server, 'exit');
  });

  afterEach(async () => {
    await pages.close();
    pages.expectNothingWrong();
  });

  async function open(address = url): Promise<Page> {
    const page = await pages.open(browser, address, { viewport: DESKTOP, timezoneId: 'UTC' });
    page.setDefaultTimeout(PATIENCE_MS);
    // The page shows how far the log was read; the last intervals may change which row is the worst.
    await page.locator('.status', { hasText: '16:00:00' }).waitFor();
    return page;
  }

  const labels = async (page: Page): Promise<string[]> => [...(await rowsOf(page)).keys()];

  const card = (page: Page, title: string): Locator =>
    page.locator('.detail:not([hidden]) .card', {
      has: page.getByRole('heading', { name: title, exact: true }),
    });

  /** The verdicts of the changes of the picked row, by percentile. */
  const verdicts = async (page: Page): Promise<Record<string, string>> =>
    Object.fromEntries(
      await page
        .locator('.results:not([hidden]) tr:has(td.verdict)')
        .evaluateAll((rows) =>
          rows.map((row) => [
            row.firstElementChild!.textContent!,
            row.querySelector('.verdict')!.getAttribute('data-verdict')!,
          ]),
        ),
    );

  /** Merges by route, and picks the route with the largest p99.9. */
  async function pickTheWorstRoute(page: Page): Promise<void> {
    await page.getByRole('button', { name: 'Merge', exact: true }).click();
    await page.getByRole('button', { name: 'By route', exact: true }).click();
    await page.keyboard.press('Escape');
    await until(async () => (await labels(page)).length === 4, 'a row for each route');
    await page.locator('.heads').getByRole('button', { name: 'p99.9', exact: true }).click();
    await page.locator('.rows .row').first().click();
    await page.locator('.detail h2', { hasText: '/search' }).waitFor();
  }

  /** The times at which p99.9 of the picked row is ten times what it is most of the time, read off the table of its chart. */
  async function slowTimes(page: Page): Promise<string[]> {
    const chart = card(page, 'Percentiles over time');
    await chart.getByRole('button', { name: 'Percentiles over time as a table' }).click();
    await chart.locator('tbody tr').first().waitFor();
    const cells = await chart
      .locator('tr')
      .evaluateAll((rows) => rows.map((row) => [...row.children].map((cell) => cell.textContent!)));
    await chart.getByRole('button', { name: 'Percentiles over time as a table' }).click();
    const [heads, ...rows] = cells;
    const column = heads!.indexOf('p99.9');
    const values = rows.map((row) => ({ time: row[0]!, ms: milliseconds(row[column]!) }));
    const usual = values.map(({ ms }) => ms).sort((a, b) => a - b)[Math.floor(values.length / 2)]!;
    return values
      .filter(({ ms }) => ms > 10 * usual)
      .map(({ time }) => /\d\d:\d\d:\d\d/.exec(time)![0])
      .sort();
  }

  function milliseconds(text: string): number {
    const [, number, unit] = /^([\d.,]+) (µs|ms|s)$/.exec(text) ?? [];
    return Number(number?.replaceAll(',', '')) * { µs: 1e-3, ms: 1, s: 1000 }[unit as 'µs' | 'ms' | 's'];
  }

  const secondOf = (time: string): number => {
    const [hours = 0, minutes = 0, seconds = 0] = time.split(':').map(Number);
    return hours * 3600 + minutes * 60 + seconds;
  };

  test('is found on the page alone: its route, its minutes, and that nothing else became slower', async () => {
    const page = await open();
    await pickTheWorstRoute(page);
    expect((await labels(page))[0]).toBe(CULPRIT);

    const slow = await slowTimes(page);
    expect([slow[0]!.slice(0, 5), slow.at(-1)! < `${END}:00`]).toEqual([BEGIN, true]);
    expect(slow.length).toBeGreaterThan(10);

    // The two hours fill the timeline.
    const track = (await page.locator('.timeline .track').boundingBox())!;
    const placeOf = (time: string): number =>
      track.x + (track.width * (secondOf(time) - secondOf('14:00'))) / secondOf('02:00');
    const y = track.y + track.height / 2;
    await page.mouse.move(placeOf(slow[0]!) + 1, y);
    await page.mouse.down();
    await page.mouse.move(placeOf(slow.at(-1)!), y, { steps: 8 });
    await page.mouse.up();
    const readout = page.locator('.timeline .readout');
    await until(async () => (await readout.textContent())!.includes(`${BEGIN}:00`), 'the chosen time');
    expect(await readout.textContent()).toMatch(/15:10:00 – 15:1[78]:\d\d \(\d+ min( \d+ s)?\)/);

    // Without a click, the page names what was slow against the minutes before.
    const summary = page.locator('.why .summary');
    await until(async () => (await summary.textContent())!.includes('explains'), 'the cause');
    expect(await summary.textContent()).toMatch(
      /^p99(\.9)? of http\.duration: .* → .* route=\/search explains \d+ % of it\.$/,
    );

    await page.getByLabel('Compare with', { exact: true }).selectOption('the time right before');
    await until(async () => Object.keys(await verdicts(page)).length === 4, 'the changes');
    expect(await verdicts(page)).toMatchObject({ p99: 'worse' });
    await page.screenshot({ path: join(screenshots, 'incident.png'), fullPage: true });

    for (const route of ['/', '/cart', '/checkout']) {
      await page.locator(`.rows .row[data-label="http.duration route=${route}"]`).click();
      await page.locator('.detail h2', { hasText: `route=${route}` }).waitFor();
      await until(
        async () => (await page.locator('.detail[aria-busy=true]').count()) === 0,
        `the changes of ${route}`,
      );
      expect(Object.values(await verdicts(page))).not.toContain('worse');
    }
  });

  test('is within no objective, and the link shows somebody else the same', async () => {
    const page = await open();
    await pickTheWorstRoute(page);
    const slider = page.getByRole('slider', { name: /start of the time$/i });
    await slider.focus();
    // By keys: from 14:00, in steps of ten intervals of 30 s.
    for (let n = 0; n < 14; n++) await page.keyboard.press('PageUp');
    const readout = page.locator('.timeline .readout');
    await until(async () => (await readout.textContent())!.includes('15:10:00'), 'the start of the incident');
    await page.getByRole('slider', { name: /end of the time$/i }).focus();
    for (let n = 0; n < 8; n++) await page.keyboard.press('PageDown');
    await until(async () => /15:10:00 – 15:20:00/.test((await readout.textContent())!), 'its end');

    await page.getByRole('textbox', { name: 'Objective' }).fill('p99.9=500ms');
    await page.keyboard.press('Enter');
    const verdict = page.locator('.detail:not([hidden]) td', { hasText: 'missed' });
    await verdict.waitFor();
    await until(async () => page.url().includes('slo='), 'the address of the page');

    const other = await open(page.url());
    await other.locator('.detail h2', { hasText: '/search' }).waitFor();
    expect(await other.locator('.timeline .readout').textContent()).toContain('15:10:00 – 15:20:00');
    await other.locator('.detail:not([hidden]) td', { hasText: 'missed' }).waitFor();
    expect(await labels(other)).toEqual(await labels(page));

    // What is downloaded is what is shown.
    const csv = await (
      await fetch(new URL((await other.locator('a', { hasText: 'CSV' }).getAttribute('href'))!, url))
    ).text();
    expect(csv.split('\r\n')[0]).toBe(
      'metric,unit,route,series,count,per_second,p50,p90,p99,p99.9,max,p50_lower,p90_lower,p99_lower,p99.9_lower,max_lower',
    );
    expect(csv.split('\r\n').find((row) => row.includes('/search'))).toMatch(/^http\.duration,s,\/search,2,/);
  });
});
