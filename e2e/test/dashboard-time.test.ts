import { createRegistry, type Snapshot } from '@hdrscope/registry';
import type { Locator } from 'playwright-core';
import { describeWithChromium } from './support/chromium.ts';
import { useLiveDashboard } from './support/live-dashboard.ts';
import {
  addressOf,
  DESKTOP,
  drag,
  fill,
  hasText,
  pickedOf,
  readoutOf,
  rowsOf,
  SEARCH,
  statusOf,
  until,
  untilAnswered,
  violationsOf,
} from './support/live-page.ts';

describeWithChromium('times on the live page', () => {
  const live = useLiveDashboard();

  // Few values: the page, its server and this test share the processor.
  beforeEach(() => live.load(() => fill(live.registry, 40), 100));

  test('nothing moves while it is paused, and all changes come at once', async () => {
    const page = await live.openLater();
    const everything = (): Promise<string> => page.locator('main').evaluate((main) => main.textContent!);

    await page.keyboard.press('p');

    expect(await statusOf(page)).toMatch(/^Paused at \d\d:\d\d:\d\d$/);
    const before = await everything();
    const rowsBefore = await rowsOf(page);
    expect(before).toMatch(/As of \d\d:\d\d:\d\d/);
    await new Promise((resolve) => setTimeout(resolve, 1500));
    expect(await everything()).toBe(before);
    await page.getByRole('button', { name: 'Resume' }).click();
    expect(await statusOf(page)).toBe('Live');
    expect((await rowsOf(page)).get(SEARCH)![0]).not.toBe(rowsBefore.get(SEARCH)![0]);
    expect(await everything()).not.toBe(before);
  });

  test('a time is chosen by the pointer, and rows and detail are of that time', async () => {
    const page = await live.openLater();
    const all = await rowsOf(page);
    expect(await readoutOf(page)).toBe('All data, live');

    await drag(page, 0.3, 0.7);

    const time = /^\d\d:\d\d:\d\d\.\d{3} – \d\d:\d\d:\d\d\.\d{3} \(.* m?s\)$/;
    await until(async () => time.test((await readoutOf(page)) ?? ''), 'the time');
    await hasText(page.locator('.detail .time').first(), /^From \d\d/);
    await untilAnswered(page);
    const some = await rowsOf(page);
    const countOf = (rows: Map<string, string[]>): number =>
      Number(rows.get(SEARCH)![0]!.replaceAll(',', ''));
    expect(countOf(some)).toBeGreaterThan(0);
    expect(countOf(some)).toBeLessThan(countOf(all));
    await new Promise((resolve) => setTimeout(resolve, 600));
    expect(await rowsOf(page)).toEqual(some);
    expect(await addressOf(page)).toMatch(/time=\d+-\d+/);

    const chosen = await readoutOf(page);
    await drag(page, 0.5, 0.3);
    await until(async () => (await readoutOf(page)) !== chosen, 'the time that was moved');
    await page.locator('.track').dblclick({ position: { x: 5, y: 60 } });
    await until(async () => (await readoutOf(page)) === 'All data, live', 'all time');
    await until(async () => countOf(await rowsOf(page)) > countOf(all), 'live rows');
  });

  test('a time is chosen by keys, with its ends in words', async () => {
    const page = await live.openLater();
    await page.getByRole('button', { name: 'Last minute' }).click();
    const [start, end] = [
      page.getByRole('slider', { name: 'Start of the time', exact: true }),
      page.getByRole('slider', { name: 'End of the time', exact: true }),
    ];
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
    expect(await readoutOf(page)).toBe('All data, live');
  });

  test('the timeline zooms by buttons, keys and the wheel', async () => {
    const page = await live.openLater();
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
    await page.getByRole('slider', { name: 'Start of the time', exact: true }).press('+');
    expect(await out.isDisabled()).toBe(false);
    await seeAll(() => page.getByRole('slider', { name: 'Start of the time', exact: true }).press('-'));
    await page.locator('.track').hover();
    await page.keyboard.down('Control');
    await page.mouse.wheel(0, -100);
    await page.keyboard.up('Control');
    await until(async () => !(await out.isDisabled()), 'the zoom of the wheel');
  });

  test('two times are compared, with verdicts in words', async () => {
    const page = await live.openLater();
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
    expect(
      await page.getByRole('slider', { name: 'Start of the time to compare with', exact: true }).isVisible(),
    ).toBe(true);

    await page.getByLabel('Compare with', { exact: true }).selectOption('time');
    const before = await readoutOf(page);
    await drag(page, 0.05, 0.25);
    await until(async () => (await readoutOf(page)) !== before, 'another time');
    await page.getByLabel('Compare with', { exact: true }).selectOption('nothing');
    await until(async () => !(await table.isVisible()), 'no comparison');
  });

  test('times are local or in UTC everywhere, and the choice is kept', async () => {
    const page = await live.openLater({ viewport: DESKTOP, timezoneId: 'Asia/Kolkata' });
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
    await page.goto(live.url);
    await page.locator('.rows .row').first().waitFor();
    expect(await clock()).toBe(hour(0));
  });

  test('the page shows that its server is silent, dims old data, and shows a restart', async () => {
    const page = await live.openLater();
    const { port } = live;
    await live.close();

    await hasText(page.locator('.status'), /^No update for [3-9] s$/);

    expect(await page.locator('.app').getAttribute('data-stale')).toBe('');
    expect(await page.locator('.as-of').textContent()).toMatch(/^As of \d\d:\d\d:\d\d$/);
    expect(await page.locator('.rows .row').count()).toBe(10);
    expect(await violationsOf(page)).toEqual([]);
    const other = createRegistry();
    fill(other);
    await live.serve(other, { port });
    const banner = page.locator('.notice', { hasText: /^The server restarted at .*All counts began anew\./ });
    await banner.waitFor();
    expect(await statusOf(page)).toBe('Live');
    expect(await pickedOf(page)).toBe(SEARCH);
    await banner.getByRole('button', { name: 'Dismiss' }).click();
    expect(await banner.isVisible()).toBe(false);
    // The browser logs by itself that the server was away.
    expect(live.pages.complaints.splice(0).filter((text) => !text.includes('net::ERR_'))).toEqual([]);
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
    await live.serve(record());
    const page = await live.open({ viewport: DESKTOP }, '#utc=1');

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
});
