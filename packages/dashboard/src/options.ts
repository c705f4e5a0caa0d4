import { HdrscopeError, mustBe } from '@hdrscope/core';
import type { Plot } from '@hdrscope/plot';
import type { FamilySnapshot } from '@hdrscope/registry';
import { isLoopback } from './access.ts';

/** Plots under a name, which the page has a tab for. */
export interface View {
  readonly name: string;
  readonly plots: readonly Plot[];
}

/** What the page shows, and who may see it. */
export interface DashboardOptions {
  /** What stands above the page. @default 'hdrscope' */
  readonly title?: string | undefined;
  /**
   * A text of at least 16 characters that whoever sees the page has to know, letters, digits and `-._~` only: given as
   * `?token=` in the first address, or as `Authorization: Bearer`. @default none: for this machine only
   */
  readonly token?: string | undefined;
  /** How often the registry is gathered and the page updated, in milliseconds: from 100 to 3,600,000. @default 1000 */
  readonly everyMs?: number | undefined;
  /** How far back the page shows, in seconds: from 10 to 86,400. At most 600 updates are kept. @default 300 */
  readonly historySeconds?: number | undefined;
  /**
   * Makes plots of a file that somebody has dropped on the page. What it throws as an `HdrscopeError` is told there.
   * It reads as much of `bytes` as it needs, which end with an error beyond 256 MiB. @default no files are taken
   */
  readonly openFile?:
    | ((name: string, bytes: AsyncIterable<Uint8Array>) => Promise<readonly Plot[]>)
    | undefined;
  /** More tabs, asked for at every update. @default none */
  readonly views?: (() => Promise<readonly View[]>) | undefined;
  /**
   * The name of the view that shows a family's buckets, where it has boundaries. @default 'Ceph' for names that begin
   * with `ceph`; 'Kernel' for those that begin with `kernel`, `ebpf`, `bpf`, `runqueue` or `block`; else none
   */
  readonly viewOf?: ((family: FamilySnapshot) => string | undefined) | undefined;
}

/** Where the page is served, besides. */
export interface ServeDashboardOptions extends DashboardOptions {
  /** A name or an address. Any but loopback needs a token. @default 'localhost' */
  readonly host?: string | undefined;
  /** From 0 to 65535; 0 takes a free one. @default 9465 */
  readonly port?: number | undefined;
}

/** Options, checked and complete. */
export interface DashboardSettings {
  readonly title: string;
  readonly token: string | undefined;
  readonly everyMs: number;
  readonly historyMs: number;
  readonly openFile: DashboardOptions['openFile'];
  readonly views: NonNullable<DashboardOptions['views']>;
  readonly viewOf: NonNullable<DashboardOptions['viewOf']>;
}

const FEWEST_TOKEN_CHARACTERS = 16;

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function settingsOf(options: DashboardOptions): DashboardSettings {
  const { title = 'hdrscope', token, everyMs = 1000, historySeconds = 300, openFile } = options;
  const { views = () => Promise.resolve([]), viewOf = viewByName } = options;
  if (typeof title !== 'string') throw mustBe('ERR_INVALID_OPTION', 'title', 'a text', title);
  if (token !== undefined && !isToken(token)) {
    // It is a secret: no message tells it.
    const allowed = `at least ${FEWEST_TOKEN_CHARACTERS} letters, digits and -._~`;
    throw new HdrscopeError('ERR_INVALID_OPTION', `token must be ${allowed}`);
  }
  assertWithin('everyMs', everyMs, 100, 3_600_000);
  assertWithin('historySeconds', historySeconds, 10, 86_400);
  return { title, token, everyMs, historyMs: historySeconds * 1000, openFile, views, viewOf };
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function addressOf({ host = 'localhost', port = 9465, token }: ServeDashboardOptions): {
  readonly host: string;
  readonly port: number;
} {
  if (typeof host !== 'string' || host === '') {
    throw mustBe('ERR_INVALID_OPTION', 'host', 'a name or an address', host);
  }
  if (!Number.isInteger(port) || port < 0 || port > 65_535) {
    throw mustBe('ERR_INVALID_OPTION', 'port', 'an integer from 0 to 65535', port);
  }
  if (!isLoopback(host) && token === undefined) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `host must be loopback (localhost, 127.0.0.1, ::1) without a token, got "${host}": with one, others may see the page`,
    );
  }
  return { host, port };
}

function isToken(token: unknown): boolean {
  return typeof token === 'string' && token.length >= FEWEST_TOKEN_CHARACTERS && /^[\w.~-]+$/.test(token);
}

function assertWithin(name: string, value: unknown, from: number, to: number): void {
  if (typeof value === 'number' && value >= from && value <= to) return;
  throw mustBe('ERR_INVALID_OPTION', name, `a number from ${from} to ${to}`, value);
}

function viewByName({ name, boundaries }: FamilySnapshot): string | undefined {
  if (boundaries === undefined) return undefined;
  if (/^ceph/i.test(name)) return 'Ceph';
  return /^(kernel|e?bpf|run_?queue|block)/i.test(name) ? 'Kernel' : undefined;
}
