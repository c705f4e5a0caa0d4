import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionNames, type OptionsOwner } from '@hdrscope/core/internal';
import {
  assertAddress,
  assertGuardOptions,
  GUARD_NAMES,
  type GuardOptions,
  isLoopback,
} from '@hdrscope/kit/server';
import type { Plot } from '@hdrscope/plot';
import type { FamilySnapshot } from '@hdrscope/registry';

/** A tab of the page: plots under a name. */
export interface DashboardTab {
  /** The text of the tab, different from those of other tabs. */
  readonly name: string;
  /** The plots from top to bottom. */
  readonly plots: readonly Plot[];
}

/** Contents of the page, and access to it. */
export interface DashboardOptions {
  /** The title of the page. @default 'hdrscope' */
  readonly title?: string | undefined;
  /**
   * The secret that lets people see the page: at least 16 letters, digits and `-._~`. A browser sends it as `?token=` in the
   * first address, another client as `Authorization: Bearer`. @default no token: only this machine sees the page
   */
  readonly token?: string | undefined;
  /**
   * Names besides loopback names by which this machine may call the page without a token, such as the name of a proxy on this
   * machine. @default no others
   */
  readonly allowedHosts?: readonly string[] | undefined;
  /** The time between two updates in milliseconds: from 100 to 3,600,000. @default 1000 */
  readonly intervalMs?: number | undefined;
  /** How long the page remembers what was counted, in milliseconds: from 10,000 to 2,592,000,000, which is 30 days. @default 21,600,000, 6 hours */
  readonly historyMs?: number | undefined;
  /**
   * The memory for it in bytes: from 1,048,576 to 4,294,967,296. When it is full, neighbouring intervals are merged, the older ones first, so that
   * times far back are coarser. @default 67,108,864, 64 MiB
   */
  readonly historyBytes?: number | undefined;
  /**
   * Makes plots of a file that somebody drops on the page. The page shows the message of an `HdrscopeError` that it throws, and
   * of no other error. `bytes` throws after 256 MiB, and when the text of the file, after decompression by gzip, has more than 256 MiB
   * or 1,000,000 lines. @default the page takes no files
   */
  readonly openFile?:
    | ((name: string, bytes: AsyncIterable<Uint8Array>) => Promise<readonly Plot[]>)
    | undefined;
  /** Makes more tabs, at every update. When it rejects, the tabs stay and the page shows the reason. @default no more tabs */
  readonly tabs?: (() => Promise<readonly DashboardTab[]>) | undefined;
  /**
   * The name of the tab that shows the buckets of a family; `undefined` for a family without a tab.
   *
   * @default for families with boundaries, 'Ceph' when the name begins with `ceph`, and 'Kernel' when it begins with
   *   `kernel`, `ebpf`, `bpf`, `runqueue`, `run_queue` or `block`
   */
  readonly tabOf?: ((family: FamilySnapshot) => string | undefined) | undefined;
}

/** The options of the page, and the address at which it is served. */
export interface ServeDashboardOptions extends DashboardOptions, GuardOptions {
  /** A name or an address. Every host but loopback needs a token. @default 'localhost' */
  readonly host?: string | undefined;
  /** From 0 to 65535; 0 takes a free port. @default 9465 */
  readonly port?: number | undefined;
}

/** Options that are checked and complete. */
export interface DashboardSettings {
  readonly title: string;
  readonly token: string | undefined;
  readonly allowedHosts: readonly string[];
  readonly intervalMs: number;
  readonly historyMs: number;
  readonly historyBytes: number;
  readonly openFile: DashboardOptions['openFile'];
  readonly tabs: NonNullable<DashboardOptions['tabs']>;
  readonly tabOf: NonNullable<DashboardOptions['tabOf']>;
}

/** The names of the options of a page. */
export const PAGE_NAMES: OptionNames<DashboardOptions> = {
  title: true,
  token: true,
  allowedHosts: true,
  intervalMs: true,
  historyMs: true,
  historyBytes: true,
  openFile: true,
  tabs: true,
  tabOf: true,
};

const SERVE_DASHBOARD: OptionsOwner<ServeDashboardOptions> = {
  name: 'serveDashboard',
  names: { ...PAGE_NAMES, ...GUARD_NAMES, host: true, port: true },
  call: 'serveDashboard(registry, { port: 9465 })',
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function settingsOf(options: DashboardOptions): DashboardSettings {
  const {
    title = 'hdrscope',
    token,
    allowedHosts = [],
    intervalMs = 1000,
    historyMs = 21_600_000,
    historyBytes = 64 * 2 ** 20,
    openFile,
  } = options;
  const { tabs = () => Promise.resolve([]), tabOf = tabByName } = options;
  if (typeof title !== 'string') throw mustBe('ERR_INVALID_OPTION', 'title', 'a text', title);
  assertGuardOptions('localhost', { token, allowedHosts });
  assertWithin('intervalMs', intervalMs, 100, 3_600_000);
  assertWithin('historyMs', historyMs, 10_000, 2_592_000_000);
  assertWithin('historyBytes', historyBytes, 2 ** 20, 2 ** 32);
  return { title, token, allowedHosts, intervalMs, historyMs, historyBytes, openFile, tabs, tabOf };
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function addressOf(options: ServeDashboardOptions): {
  readonly host: string;
  readonly port: number;
  /** The options of the page itself. */
  readonly page: DashboardOptions;
  readonly guard: Pick<GuardOptions, 'limits' | 'tls' | 'refusals'>;
} {
  assertOptions(options, SERVE_DASHBOARD);
  const { host = 'localhost', port = 9465, limits, tls, refusals, ...page } = options;
  assertAddress({ host, port });
  const { token } = page;
  if (!isLoopback(host) && token === undefined) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `host must be loopback (localhost, 127.0.0.1, ::1) without a token, got "${host}": set a token to let others see the page`,
    );
  }
  assertGuardOptions(host, { limits, tls, refusals });
  return { host, port, page, guard: { limits, tls, refusals } };
}

function assertWithin(name: string, value: unknown, from: number, to: number): void {
  if (typeof value === 'number' && value >= from && value <= to) return;
  throw mustBe('ERR_INVALID_OPTION', name, `a number from ${from} to ${to}`, value);
}

function tabByName({ name, boundaries }: FamilySnapshot): string | undefined {
  if (boundaries === undefined) return undefined;
  if (/^ceph/i.test(name)) return 'Ceph';
  return /^(kernel|e?bpf|run_?queue|block)/i.test(name) ? 'Kernel' : undefined;
}
