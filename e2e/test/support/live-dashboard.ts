import {
  type DashboardData,
  type RunningDashboard,
  type ServeDashboardOptions,
  serveDashboard,
} from '@hdrscope/dashboard';
import { createRegistry, type Registry } from '@hdrscope/registry';
import type { Browser, BrowserContextOptions, Page } from 'playwright-core';
import { startChromium } from './chromium.ts';
import { DESKTOP, detailOf, fill, Pages, SEARCH, until } from './live-page.ts';

type Served = Pick<RunningDashboard, 'url' | 'port' | 'close'>;

/** A dashboard that serves a filled registry, and its pages in one browser. */
export class LiveDashboard {
  readonly pages: Pages = new Pages();
  readonly #options: ServeDashboardOptions;
  #browser: Browser | undefined;
  #registry: Registry | undefined;
  #dashboard: Served | undefined;
  #load: NodeJS.Timeout | undefined;

  constructor(options: ServeDashboardOptions) {
    this.#options = { port: 0, intervalMs: 200, title: 'orders', ...options };
  }

  get registry(): Registry {
    return this.#registry!;
  }

  get url(): string {
    return this.#dashboard!.url;
  }

  get port(): number {
    return this.#dashboard!.port;
  }

  async startBrowser(): Promise<void> {
    this.#browser = await startChromium();
  }

  async closeBrowser(): Promise<void> {
    await this.#browser?.close();
  }

  /** Serves a new registry with the values of `fill`. */
  async start(): Promise<void> {
    this.#registry = createRegistry();
    fill(this.#registry);
    await this.serve(this.#registry);
  }

  /** Serves something, in place of what is served now. */
  async serve(shown: DashboardData, options: ServeDashboardOptions = {}): Promise<void> {
    await this.close();
    this.#dashboard = await serveDashboard(shown, { ...this.#options, ...options });
  }

  /** Takes a dashboard that somebody else serves, in place of the one that is served now. */
  async take(dashboard: Served): Promise<void> {
    await this.close();
    this.#dashboard = dashboard;
  }

  /** Ends the server. Its pages stay open. */
  async close(): Promise<void> {
    await this.#dashboard?.close();
    this.#dashboard = undefined;
  }

  /** Records values until the test ends. */
  load(record: () => void, everyMs: number): void {
    this.endLoad();
    this.#load = setInterval(record, everyMs);
  }

  endLoad(): void {
    clearInterval(this.#load);
  }

  open(options: BrowserContextOptions = { viewport: DESKTOP }, address = ''): Promise<Page> {
    return this.pages.open(this.#browser!, this.url + address, options);
  }

  /** Opens a page at another address of the server, which runs a script before its own. */
  openObserved(
    url: string,
    script: string,
    options: BrowserContextOptions = { viewport: DESKTOP },
  ): Promise<Page> {
    return this.pages.open(this.#browser!, url, options, script);
  }

  /** Opens a page that has picked `SEARCH` and remembers a few intervals. */
  async openLater(options?: BrowserContextOptions): Promise<Page> {
    const page = await this.open(options);
    await page.locator('.rows .row', { hasText: '/search' }).first().click();
    await until(async () => (await detailOf(page)) === SEARCH, 'the detail');
    await new Promise((resolve) => setTimeout(resolve, 1500));
    return page;
  }

  /** Ends everything but the browser, and fails when something was wrong with the pages. */
  async stop(): Promise<void> {
    this.endLoad();
    await this.pages.close();
    await this.close();
    this.pages.expectNothingWrong();
  }
}

/** A live dashboard for the tests of a `describe`: a new server in each test, and one browser for all. */
export function useLiveDashboard(options: ServeDashboardOptions = {}): LiveDashboard {
  const live = new LiveDashboard(options);
  beforeAll(() => live.startBrowser());
  afterAll(() => live.closeBrowser());
  beforeEach(() => live.start());
  afterEach(() => live.stop());
  return live;
}
