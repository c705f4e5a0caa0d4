import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { connect, createServer, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '@hdrscope/testing/free-port';
import type { Browser, Page } from 'playwright-core';
import { describeWithChromium, startChromium } from './support/chromium.ts';
import {
  DESKTOP,
  hasText,
  Pages,
  PHONE,
  readoutOf,
  rowsOf,
  until,
  violationsOf,
} from './support/live-page.ts';

const BIN = join(import.meta.dirname, '../../packages/cli/bin/hdrscope.js');
const SLOW = 'job.duration';

describeWithChromium('the live page of an agent over restarts', () => {
  const pages = new Pages();
  const agents: ChildProcess[] = [];
  let browser: Browser;
  let folder: string;
  let port: number;

  beforeAll(async () => {
    browser = await startChromium();
  });
  afterAll(() => browser.close());
  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), 'hdrscope-e2e-past-'));
    port = await freePort();
  });
  afterEach(async () => {
    await pages.close();
    for (const agent of agents.splice(0)) await kill(agent, 'SIGKILL');
    await rm(folder, { recursive: true });
    pages.complaints.length = 0;
  });

  async function startAgent(history: string): Promise<ChildProcess> {
    const config = join(folder, 'hdrscope.yaml');
    await writeFile(
      config,
      `sources: [{ type: stdin, metric: { name: ${SLOW}, unit: ms } }]
sinks: [{ type: dashboard, listen: '127.0.0.1:${port}', title: jobs${history} }]
`,
    );
    const agent = spawn(process.execPath, [BIN, 'run', config], { stdio: ['pipe', 'ignore', 'pipe'] });
    agents.push(agent);
    let printed = '';
    agent.stderr!.setEncoding('utf8').on('data', (text) => {
      printed += text;
    });
    await until(async () => /dashboard has started/.test(printed) || agent.exitCode !== null, 'the agent');
    return agent;
  }

  const open = (viewport = DESKTOP): Promise<Page> =>
    pages.open(browser, `http://127.0.0.1:${port}/`, { viewport });

  const countOf = async (page: Page): Promise<number> =>
    Number((await rowsOf(page)).get(SLOW)?.[0]?.replaceAll(',', ''));

  /** The count of the row in all time that the page remembers. */
  async function countOfAllTime(page: Page): Promise<number> {
    const slider = page.getByRole('slider', { name: 'Start of the time', exact: true });
    const [from, to] = [
      await slider.getAttribute('aria-valuemin'),
      await slider.getAttribute('aria-valuemax'),
    ];
    await page.goto(`http://127.0.0.1:${port}/#time=${from}-${to}`);
    await page.reload();
    await page.locator('.rows .row').first().waitFor();
    return countOf(page);
  }

  test('a killed agent shows again what it showed before the last write, and which time is missing', async () => {
    const history = `, history: { folder: ${join(folder, 'page')} }`;
    const first = await startAgent(history);
    first.stdin!.write('5 6 7\n');
    const shown = await open();
    await until(async () => (await countOf(shown)) === 3, 'the values');
    await hasText(shown.locator('footer .past'), /A folder keeps this over restarts, up to .* now/);
    first.stdin!.write(`${'250 '.repeat(40)}\n`);
    await until(async () => (await countOf(shown)) === 43, 'more values');
    // Written every ten seconds.
    const before = (await shown.locator('footer .past').textContent())!;
    await until(async () => (await shown.locator('footer .past').textContent()) !== before, 'the next write');
    const kept = await countOfAllTime(await open());
    // What comes before the first snapshot of a process is in no interval.
    expect(kept).toBeGreaterThanOrEqual(40);
    await kill(first, 'SIGKILL');
    await hasText(shown.locator('.status'), /No update for/);

    const second = await startAgent(history);

    await hasText(
      shown.locator('.notice', { hasText: 'restarted' }),
      /The server restarted, and nothing is known of \d\d:\d\d:\d\d.* \(.*s\)\. Counts since the start began anew; the time before stays on the timeline\./,
    );
    second.stdin!.write('9\n');
    await until(async () => (await countOf(shown)) === 1, 'the new value');
    await hasText(
      shown.locator('footer .past'),
      /It remembers since \d{4}-.*what it counted later is lost\. Nothing is known of /,
    );
    expect(await readoutOf(shown)).toBe('All data, live');
    expect(await violationsOf(shown)).toEqual([]);
    if (process.env.HDRSCOPE_SHOTS !== undefined) {
      const shots = process.env.HDRSCOPE_SHOTS;
      await shown.screenshot({ path: `${shots}/light.png`, fullPage: true });
      await shown.emulateMedia({ colorScheme: 'dark' });
      await shown.screenshot({ path: `${shots}/dark.png`, fullPage: true });
      await (await open(PHONE)).screenshot({ path: `${shots}/phone.png`, fullPage: true });
    }
    expect(await countOfAllTime(shown)).toBe(kept + 1);
  });

  test('without a folder, the page says that a restart forgets, and it does', async () => {
    const first = await startAgent('');
    first.stdin!.write('5 6 7\n');
    const page = await open();
    await hasText(page.locator('footer .past'), /It has this in memory only: a restart forgets it\./);
    await kill(first, 'SIGKILL');
    const second = await startAgent('');
    second.stdin!.write('9\n');
    await hasText(
      page.locator('.notice', { hasText: 'restarted' }),
      /The server restarted at .* or before\. All counts began anew\./,
    );
  });

  test('a page whose connection breaks has every count when it connects again', async () => {
    const agent = await startAgent('');
    agent.stdin!.write('5\n');
    const proxy = await startProxy(port);
    const page = await pages.open(browser, `http://127.0.0.1:${proxy.port}/`, { viewport: DESKTOP });
    await until(async () => (await countOf(page)) === 1, 'the first value');
    proxy.refuse();
    await hasText(page.locator('.status'), /No update for/);
    for (let n = 0; n < 5; n++) {
      agent.stdin!.write('7 8\n');
      await new Promise((resolve) => setTimeout(resolve, 1100));
    }
    expect(await countOf(page)).toBe(1);

    proxy.accept();

    await until(async () => (await countOf(page)) === 11, 'all values');
    await hasText(page.locator('.status'), /^Live$/);
    expect(await page.locator('.notice', { hasText: 'restarted' }).isVisible()).toBe(false);
    expect(await countOfAllTime(page)).toBeGreaterThanOrEqual(10);
    await proxy.close();
  });
});

async function kill(agent: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (agent.exitCode !== null || agent.signalCode !== null) return;
  const exit = once(agent, 'exit');
  agent.kill(signal);
  await exit;
}

/** A proxy whose connections a test breaks. */
async function startProxy(port: number) {
  const sockets = new Set<Socket>();
  let isOpen = true;
  const server = createServer((client) => {
    sockets.add(client);
    client.on('close', () => sockets.delete(client)).on('error', () => {});
    if (!isOpen) {
      client.destroy();
      return;
    }
    const upstream = connect(port, '127.0.0.1');
    upstream.on('error', () => client.destroy());
    client.pipe(upstream).pipe(client);
    client.on('close', () => upstream.destroy());
  });
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const breakAll = (): void => {
    for (const socket of sockets) socket.destroy();
  };
  return {
    port: (server.address() as { port: number }).port,
    refuse() {
      isOpen = false;
      breakAll();
    },
    accept() {
      isOpen = true;
    },
    async close() {
      breakAll();
      server.close();
    },
  };
}
