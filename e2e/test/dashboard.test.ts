import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseConfig, startAgent } from '@hdrscope/agent';
import { askAdminSocket, formatHistogramDump, PerfHistogram, serveAdminSocket } from '@hdrscope/ceph';
import { Histogram } from '@hdrscope/core';
import { FORMAT_VERSION_LINE, formatInterval, LEGEND_LINE, readHistograms } from '@hdrscope/interval-log';
import { formatValue, plotsOfLog } from '@hdrscope/plot';
import { createRegistry, valuesAtPercentiles } from '@hdrscope/registry';
import { LATENCY, SIZE } from '@hdrscope/testing/osd';
import { describeWithChromium } from './support/chromium.ts';
import { useLiveDashboard } from './support/live-dashboard.ts';
import {
  DESKTOP,
  fill,
  LAPTOP,
  PHONE,
  pickedOf,
  rowsOf,
  shownRows,
  until,
  violationsOf,
} from './support/live-page.ts';

const screenshots = join(import.meta.dirname, '../.test-results/screenshots');

/** Writes of an OSD: large ones are slower, and one in ten waits. */
function writesOf(osd: number): PerfHistogram {
  const writes = new PerfHistogram([LATENCY, SIZE]);
  for (let n = 1; n <= 5000; n++) {
    const rank = ((n * 2_654_435_761 + osd) % 2 ** 32) / 2 ** 32;
    const size = 2 ** (9 + (n % 13));
    const latency = (400_000 + 40 * size) * (n % 10 === 0 ? 20 : 1) * (1 - rank) ** -0.7;
    writes.record(latency, size);
  }
  return writes;
}

describeWithChromium('the live page', () => {
  const live = useLiveDashboard({
    historyMs: 20_000,
    openFile: (_, bytes) => plotsOfLog(readHistograms(bytes)),
  });

  beforeAll(() => {
    mkdirSync(screenshots, { recursive: true });
  });

  test('shows the values of the registry, in readable units', async () => {
    const page = await live.open();

    const rows = await rowsOf(page);

    expect(rows).toEqual(await shownRows(live.registry));
    expect([...rows.values()].flat().some((text) => text.endsWith(' ms'))).toBe(true);
    expect([...rows.values()].flat().some((text) => text.endsWith(' KiB'))).toBe(true);
    expect(await page.title()).toBe('orders');
    expect(await page.locator('.status').textContent()).toBe('Live');
  });

  test('updates when values are recorded', async () => {
    const page = await live.open();
    const series = live.registry
      .histogram({ name: 'http.server.request.duration', unit: 's', significantDigits: 3 })
      .with({ 'http.request.method': 'GET', 'http.route': '/search', 'url.scheme': 'http' });

    for (let n = 0; n < 500; n++) series.record(7);
    live.registry.histogram({ name: 'new.duration', unit: 's' }).with({}).record(0.001);

    const expected = await shownRows(live.registry);
    const isShown = async () =>
      JSON.stringify([...(await rowsOf(page))].sort()) === JSON.stringify([...expected].sort());
    await until(isShown, 'the new values');
  });

  test('finds series by words of their names and attributes, and selects them by keys', async () => {
    const page = await live.open();
    await page.keyboard.press('/');
    await page.keyboard.type('DURATION get');

    await until(async () => (await rowsOf(page)).size === 3, 'three series');
    expect(await page.locator('.found').textContent()).toBe('3 of 10 series');
    await page.keyboard.press('Enter');
    await page.keyboard.press('Home');
    const names = [...(await rowsOf(page)).keys()];
    expect(await pickedOf(page)).toBe(names[0]);
    await page.keyboard.press('ArrowDown');
    expect(await pickedOf(page)).toBe(names[1]);
    await page.keyboard.press('End');
    expect(await pickedOf(page)).toBe(names[2]);
    const active = await page.locator('[role=grid]').getAttribute('aria-activedescendant');
    expect(await page.locator(`#${active}`).getAttribute('aria-selected')).toBe('true');
    const detail = page.locator('.detail h2').first();
    await until(async () => (await detail.textContent()) === names[2], 'the series that was picked');
    await until(async () => (await page.locator('.detail:not([hidden]) canvas').count()) >= 2, 'charts');
  });

  test('says once what all rows share, has a column for each attribute that differs, and all in the detail', async () => {
    const page = await live.open();
    await page.getByRole('searchbox').fill('duration http');
    await until(async () => (await rowsOf(page)).size === 4, 'four rows');

    expect(await page.locator('.common').textContent()).toBe(
      'All rows: http.server.request.duration, url.scheme=http',
    );
    expect(await page.locator('.heads .name').allTextContents()).toEqual(['request.method', 'route']);
    const row = page.locator('.rows .row', { hasText: '/search' });
    expect(await row.locator('.name .text').allTextContents()).toEqual(['GET', '/search']);
    await row.click();
    const detail = page.locator('.detail h2 .attributes');
    await until(
      async () =>
        (await detail.textContent()) === 'http.request.method=GET, http.route=/search, url.scheme=http',
      'all attributes',
    );
  });

  test.each([
    ['desktop', DESKTOP],
    ['laptop', LAPTOP],
  ] as const)('distinguishes rows whose names are cut: %s', async (_, viewport) => {
    const pods = createRegistry();
    const family = pods.histogram({ name: 'http.server.request.duration', unit: 's' });
    for (let n = 0; n < 20; n++) {
      const pod = `checkout-service-production-7d9f8b6c5-${(n * 7919 + 1234).toString(36)}`;
      const route = `/api/v2/organisations/{organisation}/reports/${n % 5}`;
      const method = n % 3 === 0 ? 'POST' : 'GET';
      family.with({ 'k8s.pod.name': pod, 'http.route': route, 'http.request.method': method }).record(0.01);
    }
    await live.serve(pods);
    const page = await live.open({ viewport });

    // What is cut off is not seen: texts that do not fit are as short as their cells.
    const seen = await page
      .locator('.rows .row')
      .evaluateAll((rows) =>
        rows.map((row) =>
          [...row.querySelectorAll<HTMLElement>('.name span')]
            .map((part) => (part.scrollWidth > part.clientWidth ? '' : part.textContent))
            .join(' '),
        ),
      );
    expect(new Set(seen).size).toBe(seen.length);
    expect(await page.locator('.heads .name').allTextContents()).toContain('k8s.pod.name');
  });

  test('sorts by a column, and marks the column', async () => {
    const page = await live.open();

    await page.locator('.heads button', { hasText: 'Count' }).click();

    const counts = [...(await rowsOf(page)).values()].map(([count]) => Number(count!.replaceAll(',', '')));
    expect(counts).toEqual([...counts].sort((a, b) => b - a));
    expect(await page.locator('.heads [aria-sort=descending]').textContent()).toBe('Count');
  });

  test('shows the values of every chart as a table, equal to those of the registry', async () => {
    const page = await live.open();
    await page.locator('.rows .row', { hasText: '/search' }).first().click();
    await page.locator('.detail h2', { hasText: '/search' }).waitFor();
    const card = page.locator('.detail:not([hidden]) .card').first();

    await card.getByRole('button', { name: 'Percentiles as a table' }).click();

    const cells = card.locator('tbody tr');
    const shown = new Map(
      await cells.evaluateAll((rows) =>
        rows.map((row) => [row.children[0]!.textContent!, row.children[1]!.textContent!] as const),
      ),
    );
    const { families } = await live.registry.gather();
    const series = families[0]!.series[1]!;
    for (const percentile of [50, 90, 99]) {
      const value = registryValueNear(shown.get(`${percentile} %`)!);
      const [exact] = valuesAtPercentiles(families[0]!, series, [percentile]);
      // A curve has a point at each percentile or a little above it.
      expect(value / exact!).toBeGreaterThan(0.99);
      expect(value / exact!).toBeLessThan(1.1);
    }
    const [max] = valuesAtPercentiles(families[0]!, series, [100]);
    expect(shown.get('max')).toBe(formatValue(max!, 's'));
  });

  test('describes its charts in words', async () => {
    const page = await live.open();
    const drawing = page.locator('.detail:not([hidden]) [role=img]').first();
    await drawing.locator('canvas').waitFor();

    expect(await drawing.getAttribute('aria-label')).toMatch(/p50 .* p99 .* maximum .* of [\d,]+ values\./);
  });

  test('has tabs of the kernel, with a bar for each slot', async () => {
    const page = await live.open();

    await page.getByRole('button', { name: 'Kernel' }).click();

    await until(async () => (await page.locator('.tab-panel canvas').count()) === 2, 'two charts');
    expect(await page.locator('.tab-panel h3').allTextContents()).toEqual([
      'kernel.run_queue.latency (cpu=1)',
      'kernel.run_queue.latency (cpu=0)',
    ]);
    expect(await page.locator('.live').isVisible()).toBe(false);
  });

  test.each([
    ['desktop-light', DESKTOP, 'light'],
    ['desktop-dark', DESKTOP, 'dark'],
    ['phone-light', PHONE, 'light'],
  ] as const)(
    'shows the histograms of daemons of Ceph as heat maps: %s',
    async (name, viewport, colorScheme) => {
      const folder = mkdtempSync(join(tmpdir(), 'hdrscope-asok-'));
      const counter = 'op_w_latency_in_bytes_histogram';
      const paths = [0, 1].map((osd) => join(folder, `osd.${osd}.asok`));
      const daemons = await Promise.all(
        paths.map((path, osd) => {
          const loggers = [{ name: 'osd', counters: [{ name: counter, histogram: writesOf(osd) }] }];
          const dump = () => formatHistogramDump(loggers);
          return serveAdminSocket({ path, histograms: { schema: () => '{}', dump } });
        }),
      );
      const { config } = parseConfig(`sources:
${paths.map((socket, osd) => `  - { name: osd.${osd}, type: ceph, socket: ${socket} }`).join('\n')}
sinks: [{ type: dashboard, listen: 'localhost:0', title: orders }]`);
      const lines: string[] = [];
      const agent = await startAgent(config!, { log: (line) => lines.push(line) });
      const url = /http:\S+/.exec(lines.join('\n'))![0];
      const close = async () => {
        await agent.stop();
        for (const daemon of daemons) await daemon.close();
        rmSync(folder, { recursive: true });
      };
      await live.take({ url, port: Number(new URL(url).port), close });
      const page = await live.open({ viewport, colorScheme });

      await page.getByRole('button', { name: 'Ceph' }).click();

      const card = page.locator('.tab-panel .card').first();
      await card.locator('canvas').waitFor();
      expect(await card.locator('h3').textContent()).toBe(`osd.${counter} of osd.0, osd.1`);
      await page.screenshot({ path: join(screenshots, `ceph-${name}.png`), fullPage: true });
      await card.getByRole('button', { name: 'as a table' }).click();
      await card.locator('tbody tr').first().waitFor();
      const shown = await card
        .locator('tbody tr td:last-child')
        .evaluateAll((cells) => cells.map((cell) => cell.textContent!));
      const dumps = await Promise.all(paths.map((path) => askAdminSocket(path, 'perf histogram dump')));
      const [first, second] = dumps.map((dump) => JSON.parse(dump).osd[counter].values.flat() as number[]);
      const sums = first!.map((count, cell) => count + second![cell]!).filter((count) => count > 0);
      expect(shown).toEqual(sums.sort((a, b) => b - a).map((count) => count.toLocaleString('en-US')));
      await page.screenshot({ path: join(screenshots, `ceph-${name}-table.png`) });
    },
  );

  test('shows a dropped log beside the live series', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'hdrscope-dropped-'));
    const path = join(folder, 'service.hlog');
    let text = FORMAT_VERSION_LINE + LEGEND_LINE;
    const total = new Histogram({ autoResize: true, significantDigits: 3 });
    for (let second = 0; second < 30; second++) {
      const histogram = new Histogram({ autoResize: true, significantDigits: 3 });
      for (let n = 1; n <= 100; n++) histogram.record(n * 1_000_000);
      total.add(histogram);
      const startSec = 1_700_000_000 + second;
      text += formatInterval(histogram, { startSec, endSec: startSec + 1, tag: 'get' });
    }
    writeFileSync(path, text);
    const page = await live.open();

    // For the page, a drop is an event with a list of files.
    const transfer = await page.evaluateHandle(`(() => {
      const data = new DataTransfer();
      data.items.add(new File([${JSON.stringify(text)}], 'service.hlog'));
      return data;
    })()`);
    await page.dispatchEvent('body', 'dragover', { dataTransfer: transfer });
    expect(await page.locator('.overlay').isVisible()).toBe(true);
    await page.dispatchEvent('body', 'drop', { dataTransfer: transfer });

    const section = page.locator('.files section[aria-label="service.hlog"]');
    await section.locator('canvas').first().waitFor();
    expect(await page.locator('.overlay').isVisible()).toBe(false);
    expect(await section.locator('h3').allTextContents()).toEqual([
      'Percentiles',
      'Percentiles over time',
      'Heat map',
    ]);
    const label = await section.locator('[role=img]').first().getAttribute('aria-label');
    expect(label).toContain(`p50 ${formatValue(total.valueAtPercentile(50), 'ns')}`);
    expect(label).toContain('of 3,000 values');
    expect(await page.locator('.live').isVisible()).toBe(true);
    expect(await violationsOf(page)).toEqual([]);

    await page.setInputFiles('input[type=file]', {
      name: 'no.hlog',
      mimeType: '',
      buffer: Buffer.from('no log'),
    });
    await until(async () => (await page.locator('.file-state.error').count()) === 1, 'the refusal');
    expect(await page.locator('.file-state').textContent()).toMatch(
      /^no\.hlog: it must be an interval log or percentile text, and has no interval/,
    );
    await section.getByRole('button', { name: 'Close service.hlog' }).click();
    expect(await section.count()).toBe(0);
    rmSync(folder, { recursive: true });
    // The browser logs the answer 422 by itself.
    expect(live.pages.complaints.splice(0).filter((text) => !text.includes('422'))).toEqual([]);
  });

  test('follows the colours of the system, unless the person has chosen', async () => {
    const page = await live.open({ viewport: DESKTOP, colorScheme: 'dark' });
    const background = () => page.evaluate('getComputedStyle(document.body).backgroundColor');
    const dark = await background();

    await page.getByRole('button', { name: 'Light', exact: true }).click();
    const light = await background();
    await page.reload();

    expect(light).not.toBe(dark);
    expect(await background()).toBe(light);
    await page.getByRole('button', { name: 'Auto', exact: true }).click();
    expect(await background()).toBe(dark);
  });

  test('reconnects by itself after the server was away, and keeps the selected series', async () => {
    const page = await live.open();
    await page.locator('.rows .row', { hasText: '/login' }).first().click();
    const picked = await pickedOf(page);
    const { port } = live;
    await live.close();
    await until(async () => (await page.locator('.status').textContent()) !== 'Live', 'the loss');

    const other = createRegistry();
    other.histogram({ name: 'a.first', unit: 's' }).with({}).record(1);
    fill(other);
    await live.serve(other, { port });

    await until(async () => (await rowsOf(page)).has('a.first'), 'the new series');
    expect(await pickedOf(page)).toBe(picked);
    // The browser logs by itself that the server was away.
    expect(live.pages.complaints.splice(0).filter((text) => !text.includes('net::ERR_'))).toEqual([]);
  });

  test('holds a thousand series and renders their rows while scrolling', async () => {
    const many = createRegistry();
    const family = many.histogram({ name: 'many', unit: 's' });
    const series = Array.from({ length: 1000 }, (_, n) => family.with({ n }));
    for (const [n, one] of series.entries()) one.record(0.001 * (n + 1));
    await live.serve(many);
    const page = await live.open();
    const last = 'many n=999';

    for (let update = 2; update <= 11; update++) {
      for (const one of series) one.record(0.5);
      await page.locator('[role=grid]').focus();
      await page.keyboard.press(update % 2 === 0 ? 'End' : 'Home');
      const name = update % 2 === 0 ? last : 'many n=0';
      await until(async () => (await rowsOf(page)).get(name)?.[0] === String(update), `update ${update}`);
    }

    expect(await page.locator('.rows .row').count()).toBeLessThan(50);
    expect(await page.locator('[role=grid]').getAttribute('aria-rowcount')).toBe('1001');
  });

  test.each([
    ['desktop-light', DESKTOP, 'light'],
    ['desktop-dark', DESKTOP, 'dark'],
    ['phone-light', PHONE, 'light'],
    ['phone-dark', PHONE, 'dark'],
  ] as const)('fits the screen: %s', async (name, viewport, colorScheme) => {
    const page = await live.open({ viewport, colorScheme });
    live.load(() => fill(live.registry), 100);
    await page.locator('.rows .row', { hasText: '/search' }).first().click();
    await page.locator('.detail h2', { hasText: '/search' }).waitFor();
    await page.locator('.detail:not([hidden]) .card').last().scrollIntoViewIfNeeded();
    const moments = page.locator('.detail:not([hidden]) .card', { hasText: 'Heat map' }).locator('canvas');
    await until(async () => (await moments.count()) === 1, 'the heat map');
    live.endLoad();

    await page.screenshot({ path: join(screenshots, `dashboard-${name}.png`) });
    await page.screenshot({ path: join(screenshots, `dashboard-${name}-whole.png`), fullPage: true });

    // No element is wider than the screen.
    const wanted = await page.evaluate('document.documentElement.scrollWidth');
    expect(wanted).toBeLessThanOrEqual(viewport.width);
  });
});

const SIZES: Readonly<Record<string, number>> = { s: 1, ms: 1e-3, µs: 1e-6, ns: 1e-9 };

/** The value of a text, in seconds. */
function registryValueNear(text: string): number {
  const [amount, unit] = text.split(' ') as [string, string];
  return Number(amount) * SIZES[unit]!;
}
