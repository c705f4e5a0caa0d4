import { execFileSync, spawnSync } from 'node:child_process';
import { appendFileSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { gzipSync } from 'node:zlib';
import { Histogram } from '@hdrscope/core';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, startChromium } from './support/chromium.ts';
import { serveFolder } from './support/static-site.ts';

const root = join(import.meta.dirname, '../..');
const DATA = join(root, 'examples/data');
const GOLDENS = join(root, 'packages/inputs/test/load/goldens');
const FILE = join(root, 'packages/playground/dist/playground.html');

/** Runs the command in the folder of the examples, so that names have no folders. */
function hdrscope(...words: readonly string[]): { stdout: string; stderr: string } {
  return hdrscopeIn(DATA, ...words);
}

function hdrscopeIn(cwd: string, ...words: readonly string[]): { stdout: string; stderr: string } {
  const { stdout, stderr } = spawnSync(
    process.execPath,
    [join(root, 'packages/cli/bin/hdrscope.js'), ...words],
    {
      cwd,
      encoding: 'utf8',
      maxBuffer: 2 ** 26,
    },
  );
  return { stdout, stderr };
}

/** Waits until an expression is true in the page. The policy of the page forbids the wait function of the library. */
async function until(page: Page, expression: string, timeoutMs = 60_000): Promise<void> {
  const end = Date.now() + timeoutMs;
  while ((await page.evaluate(expression)) !== true) {
    if (Date.now() > end) throw new Error(`waited ${timeoutMs} ms without success: ${expression}`);
    await page.evaluate('new Promise((resolve) => setTimeout(resolve, 20))');
  }
}

/** Waits until all commands of the last file have answered. */
function untilDone(page: Page, name: string): Promise<void> {
  return until(
    page,
    `document.body.dataset.state === 'done' && document.querySelector('.panel h2')?.textContent === ${JSON.stringify(name)}`,
    120_000,
  );
}

function textOf(page: Page, selector: string): Promise<string> {
  return page.evaluate(
    `document.querySelector(${JSON.stringify(selector)})?.innerText ?? ''`,
  ) as Promise<string>;
}

describeWithChromium('the playground, from a disk and without a network', () => {
  const folder = mkdtempSync(join(tmpdir(), 'hdrscope-playground-'));
  let browser: Browser;
  let page: Page;
  const requests: string[] = [];
  const complaints: string[] = [];

  async function openPage(options: NonNullable<Parameters<Browser['newContext']>[0]>): Promise<Page> {
    const context = await browser.newContext(options);
    await context.setOffline(true);
    const opened = await context.newPage();
    opened.on('request', (request) => requests.push(request.url()));
    opened.on('console', (message) => complaints.push(message.text()));
    opened.on('pageerror', (error) => complaints.push(String(error)));
    await opened.goto(pathToFileURL(FILE).href);
    return opened;
  }

  function drop(...files: readonly string[]): Promise<void> {
    return page.setInputFiles('#files', [...files]);
  }

  beforeAll(async () => {
    execFileSync(process.execPath, ['tools/bundle.js', 'playground'], { cwd: root });
    browser = await startChromium();
  });

  beforeEach(async () => {
    page = await openPage({ viewport: { width: 1280, height: 900 }, acceptDownloads: true });
  });

  afterEach(async () => {
    await page.context().close();
    // The page itself, and its worker.
    expect(requests.splice(0).filter((url) => !/^(?:file:.*\/playground\.html|blob:)/.test(url))).toEqual([]);
    expect(complaints.splice(0)).toEqual([]);
  });

  afterAll(async () => {
    await browser?.close();
    rmSync(folder, { recursive: true, force: true });
  });

  test('shows the figures of a log that the command prints, and draws it', async () => {
    await drop(join(DATA, 'before.hlog'));
    await untilDone(page, 'before.hlog');
    const shown = (await page.evaluate("document.querySelector('.figures').dataset.document")) as string;
    expect(JSON.parse(shown)).toEqual(JSON.parse(hdrscope('log', 'summary', 'before.hlog', '--json').stdout));
    const cells = (await page.evaluate(
      "[...document.querySelectorAll('.figures tbody td')].map((cell) => cell.firstChild.textContent)",
    )) as string[];
    const [row = ''] = hdrscope('log', 'summary', 'before.hlog', '--markdown')
      .stdout.split('\n')
      .filter((line) => line.startsWith('| (no tag)'));
    const printed = row.split('|').map((cell) => cell.trim());
    // The last cells: the first ones are the tag and the times of its intervals.
    expect(cells).toEqual(printed.slice(-1 - cells.length, -1));
    expect(await page.evaluate("document.querySelectorAll('.card').length")).toBe(3);
    await until(page, "document.querySelectorAll('.card canvas').length === 3");
  });

  test.each([
    ['access.log', ['record', 'access.log', '--json']],
    ['latencies.txt', ['record', 'latencies.txt', '--json']],
    ['last-month.hgrm', ['log', 'summary', 'last-month.hgrm', '--json']],
  ])('shows the figures of %s that the command prints', async (name, words) => {
    await drop(join(DATA, name));
    await untilDone(page, name);
    const shown = (await page.evaluate("document.querySelector('.figures').dataset.document")) as string;
    expect(readDocument(shown)).toEqual(readDocument(hdrscope(...words).stdout));
  });

  test('draws the requests of an access log over time, too', async () => {
    await drop(join(DATA, 'access.log'));
    await untilDone(page, 'access.log');
    await until(page, "document.querySelectorAll('.card canvas').length === 3");
  });

  test.each(['fio-3.33.json', 'locust-2.47.0.json', 'gatling-3.14.9.log', 'nginx-1.22.1_json.log'])(
    'shows the figures of %s, as a tool wrote it, that the command prints',
    async (name) => {
      await drop(join(GOLDENS, name));
      await untilDone(page, name);
      const shown = (await page.evaluate("document.querySelector('.figures').dataset.document")) as string;
      expect(readDocument(shown)).toEqual(readDocument(hdrscopeIn(GOLDENS, 'record', name, '--json').stdout));
    },
  );

  test('shows nothing of an access log in a format of its own, until the format is stated', async () => {
    const lines = [3, 5].map(
      (ms) => `10.0.0.1 - - [28/Nov/2026:21:00:00 +0000] "GET /a HTTP/1.1" 200 5 0.00${ms} 10.0.0.7:80\n`,
    );
    const path = join(folder, 'own.log');
    writeFileSync(path, lines.join(''));
    await drop(path);
    await untilDone(page, 'own.log');
    expect(await textOf(page, '.figures')).toBe('');
    const format =
      '$remote_addr - - [$time_local] "$request" $status $body_bytes_sent $request_time $upstream_addr';
    await page.fill('[data-log-format]', format);
    await page.keyboard.press('Tab');
    await until(page, "document.querySelector('.figures').dataset.document !== undefined");
    const shown = (await page.evaluate("document.querySelector('.figures').dataset.document")) as string;
    const { stdout } = hdrscopeIn(folder, 'record', 'own.log', '--log-format', format, '--json');
    expect(readDocument(shown)).toEqual(readDocument(stdout));
  });

  test('shows the metrics of a history, as the command answers about its folder, and draws them', async () => {
    const history = join(folder, 'history');
    hdrscopeIn(DATA, 'history', 'import', 'incident.hlog', 'before.hlog', '-o', history);
    const files = readdirSync(history, { recursive: true, encoding: 'utf8' })
      .filter((name) => name.endsWith('.parquet'))
      .map((name) => join(history, name));
    expect(files.length).toBe(2);
    await drop(...files);
    await untilDone(page, 'history');
    await page.selectOption('[data-choice="by"]', 'route');
    await until(page, "document.querySelectorAll('.figures tbody tr').length > 1");
    const shown = (await page.evaluate("document.querySelector('.figures').dataset.document")) as string;
    const words = ['query', history, '--metric', 'http.duration', '--by', 'route', '--json'];
    expect(JSON.parse(shown)).toEqual(JSON.parse(hdrscope(...words).stdout));
    await until(page, "document.querySelectorAll('.card').length > 3");

    await page.selectOption('[data-choice="percentile"]', '99');
    await page.click('[aria-label="What changed"] button');
    await until(page, "document.querySelector('.report pre') !== null");
    const line = await textOf(page, '[aria-label="What changed"] .line');
    const [, ...explain] = line.split(' ');
    expect(explain.slice(0, 6)).toEqual([
      'explain',
      'history',
      '--metric',
      'http.duration',
      '--percentile',
      '99',
    ]);
    expect(await textOf(page, '.report pre')).toBe(hdrscopeIn(folder, ...explain).stdout.trim());
    const compared = (await page.evaluate(
      '[...document.querySelectorAll(\'[aria-label="What changed"] .report pre\')].at(-1).innerText',
    )) as string;
    const ranges = explain.slice(6);
    expect(ranges[0]).toBe('--before');
    expect(compared).toBe(
      hdrscopeIn(folder, 'query', 'history', '--metric', 'http.duration', ...ranges).stdout.trim(),
    );

    for (const form of ['csv', 'json'])
      for (const [at, every] of [[], ['--every', '2m']].entries()) {
        await page.selectOption('[data-form]', form);
        await page.selectOption('[data-time]', { index: at });
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.click('[data-action="write"]'),
        ]);
        const asked = ['query', history, '--metric', 'http.duration', '--by', 'route', ...every];
        const expected = hdrscopeIn(folder, ...asked, ...['--format', form]).stdout;
        expect([form, every, readFileSync(await download.path(), 'utf8')]).toEqual([form, every, expected]);
        expect(download.suggestedFilename()).toBe(`http.duration.${form}`);
      }

    const damaged = readFileSync(files[0]!);
    damaged[100] = damaged[100]! ^ 1;
    writeFileSync(join(folder, 'damaged.parquet'), damaged);
    await drop(join(folder, 'damaged.parquet'));
    await until(page, "document.querySelector('[role=alert]') !== null");
    expect(await textOf(page, '[role=alert]')).toMatch(/damaged\.parquet: it is damaged/);
  });

  test('reads a gzip file of several streams, as the command does', async () => {
    const lines = readFileSync(join(DATA, 'before.hlog'), 'utf8').split('\n');
    const [half, name] = [lines.length >> 1, 'rotated.hlog.gz'];
    const streams = [lines.slice(0, half), lines.slice(half)].map((part) => gzipSync(`${part.join('\n')}\n`));
    writeFileSync(join(folder, name), Buffer.concat(streams));
    await drop(join(folder, name));
    await untilDone(page, name);
    const shown = (await page.evaluate("document.querySelector('.figures').dataset.document")) as string;
    expect(JSON.parse(shown)).toEqual(
      JSON.parse(hdrscopeIn(folder, 'log', 'summary', name, '--json').stdout),
    );
  });

  test('judges a report of a few percentiles, which has no other figures', async () => {
    await drop(join(GOLDENS, 'wrk-4.1.0.txt'));
    await until(page, "document.querySelector('.judged table') !== null");
    expect(await textOf(page, '.judged tbody th')).toBe('p99 ≤ 250 ms');
  });

  test('compares two files with the verdict of the command', async () => {
    await drop(join(DATA, 'before.hlog'), join(DATA, 'after.hlog'));
    await untilDone(page, 'after.hlog');
    const { stdout } = hdrscope('diff', 'before.hlog', 'after.hlog', '--markdown');
    const [title = ''] = stdout.split('\n');
    expect(await textOf(page, '.report .result')).toBe(title.replace(/^### /, '').replaceAll('\\', ''));
    await until(page, "document.querySelector('.report pre') !== null");
    expect(await textOf(page, '.report pre')).toBe(
      hdrscope('explain', 'before.hlog', 'after.hlog').stdout.trim(),
    );
    const cells = (await page.evaluate(
      "[...document.querySelectorAll('.report tbody tr')].map((row) => [...row.children].map((cell) => cell.textContent).join('|'))",
    )) as string[];
    const rows = stdout.split('\n').filter((line) => line.startsWith('| p'));
    expect(cells).toEqual(rows.map((row) => row.slice(2, -2).replaceAll(' | ', '|')));
  });

  test('judges objectives as the command does', async () => {
    await drop(join(DATA, 'before.hlog'));
    await untilDone(page, 'before.hlog');
    await page.fill('[data-objectives]', 'p99=15ms');
    await page.press('[data-objectives]', 'Enter');
    await until(page, "document.querySelector('.judged table') !== null");
    const { stdout } = hdrscope('check', 'before.hlog', '--slo', 'p99=15ms', '--markdown');
    const verdict = (await textOf(page, '.judged tbody tr td:last-child')).trim();
    expect(verdict).not.toBe('');
    expect(stdout).toContain(`| ${verdict} |`);
  });

  test('converts a file into the bytes that the command writes', async () => {
    await drop(join(DATA, 'before.hlog'));
    await untilDone(page, 'before.hlog');
    const forms = (await page.evaluate(
      "[...document.querySelectorAll('[data-form] option')].map(({ value }) => value)",
    )) as string[];
    expect(forms.length).toBeGreaterThan(10);
    for (const form of forms) {
      await page.selectOption('[data-form]', form);
      const [download] = await Promise.all([
        page.waitForEvent('download'),
        page.click('[data-action="convert"]'),
      ]);
      const expected = join(folder, `expected.${form}.txt`);
      hdrscope('convert', 'before.hlog', '--to', form, '-o', expected);
      const [got, wanted] = [await download.path(), expected].map((file) =>
        encodeAnew(readFileSync(file, 'latin1')),
      );
      expect([form, got]).toEqual([form, wanted]);
    }
  }, 120_000);

  test.each([
    ['binary.bin', Buffer.from([1, 0, 2, 0, 255, 254, 3, 0])],
    ['other.txt', Buffer.from('dear diary,\nnothing happened.\n')],
    ['cut.hlog.gz', gzipSync(readFileSync(join(DATA, 'before.hlog'))).subarray(0, 5000)],
    ['empty.txt', Buffer.alloc(0)],
  ])('says in one sentence what is wrong with %s', async (name, bytes) => {
    const file = join(folder, name);
    writeFileSync(file, bytes);
    await drop(file);
    await until(page, "document.querySelector('[role=alert]') !== null");
    const said = await textOf(page, '[role=alert]');
    expect(said).toMatch(new RegExp(`^${name}[ :]`));
    expect(said).not.toContain('This should not happen');
  });

  test('reads a pasted text and an example', async () => {
    await page.click('summary');
    await page.fill('textarea', '12\n13\n14');
    await page.click('[data-action="paste"]');
    await untilDone(page, 'pasted.txt');
    expect(await textOf(page, '.figures tbody td')).toBe('3');
    await page.click('[data-example="before.hlog after.hlog"]');
    await untilDone(page, 'after.hlog');
    expect(await textOf(page, '.report .result')).toContain('These two runs differ');
  });

  test.each(['light', 'dark'] as const)('fits a narrow phone, %s', async (colorScheme) => {
    await page.context().close();
    page = await openPage({ viewport: { width: 320, height: 640 }, colorScheme });
    await drop(join(DATA, 'before.hlog'), join(DATA, 'after.hlog'));
    await untilDone(page, 'after.hlog');
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(320);
  });

  test('reads 100 MB in a worker while the page answers, with the figures of the command, and can be cancelled', async () => {
    const file = join(folder, 'long.hlog');
    writeLongLog(file, 100e6);
    // Damage at the end, which another worker finds.
    appendFileSync(file, '1,2\n2,1,0,HISTFAAAno\n');
    const startMs = Date.now();
    await drop(file);
    await until(page, "document.querySelector('.work').hasAttribute('data-idle') === false");
    const askedMs = Date.now();
    await page.evaluate('1');
    expect(Date.now() - askedMs).toBeLessThan(1000);
    await until(page, "document.querySelector('.figures td') !== null", 240_000);
    const tookMs = Date.now() - startMs;
    await page.click('[data-action="cancel"]');
    await until(page, "document.querySelector('.work').hasAttribute('data-idle')");
    const nodeMs = Date.now();
    const { stdout: printed, stderr } = hdrscopeIn(folder, 'log', 'summary', 'long.hlog', '--json');
    console.log(`100 MB of a log: ${tookMs} ms in the browser, ${Date.now() - nodeMs} ms by the command`);
    const shown = (await page.evaluate("document.querySelector('.figures').dataset.document")) as string;
    expect(JSON.parse(shown)).toEqual(JSON.parse(printed));
    const notes = (await page.evaluate(
      "[...document.querySelectorAll('.figures .note')].map((note) => note.textContent)",
    )) as string[];
    expect(notes.map((note) => `hdrscope: ${note}\n`).join('')).toBe(stderr);
    expect(notes.length).toBe(3);
  }, 300_000);
});

describeWithChromium('the playground of a site', () => {
  test('loads 64 kB before the first file, and its other parts with it', async () => {
    const [browser, site] = await Promise.all([startChromium(), serveFolder(dirname(FILE))]);
    try {
      const page = await browser.newPage();
      const loaded: string[] = [];
      const complaints: string[] = [];
      page.on('request', (request) => loaded.push(request.url().replace(`${site.url}/`, '')));
      page.on('console', (message) => complaints.push(message.text()));
      page.on('pageerror', (error) => complaints.push(String(error)));
      await page.goto(`${site.url}/`);
      await until(page, "document.querySelector('.drop') !== null");
      expect(loaded.splice(0).filter((url) => !url.startsWith('data:'))).toEqual(['', 'page.css', 'page.js']);
      await page.click('[data-example="before.hlog"]');
      await untilDone(page, 'before.hlog');
      await until(page, "document.querySelectorAll('.card').length === 3");
      expect(loaded).toEqual(['examples.js', 'worker.js', 'charts.js']);
      expect(complaints).toEqual([]);
    } finally {
      await browser.close();
      site.close();
    }
  });
});

/** A document, whose histograms are encoded anew. */
function readDocument(text: string): object {
  return JSON.parse(encodeAnew(text)) as object;
}

/** A text, whose histograms are encoded anew: browsers and Node.js compress with other programs. */
function encodeAnew(text: string): string {
  return text.replaceAll(/HISTF[\w+/]+=*/g, (encoded) => Histogram.decode(encoded).toBase64());
}

/** Writes a log of some bytes: the intervals of an example again and again, one after the other. */
function writeLongLog(file: string, bytes: number): void {
  const lines = readFileSync(join(DATA, 'before.hlog'), 'utf8').split('\n');
  const header = lines.filter((line) => /^[#"]/.test(line));
  const encoded = lines.filter((line) => /^\d/.test(line)).map((line) => line.slice(line.indexOf(',')));
  writeFileSync(file, `${header.join('\n')}\n`);
  for (let written = 0, at = 0; written < bytes; ) {
    let part = '';
    for (let i = 0; i < 5000; i++, at++) part += `${at * 10}.000${encoded[at % encoded.length]}\n`;
    appendFileSync(file, part);
    written += part.length;
  }
}
