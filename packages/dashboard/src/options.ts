import { HdrscopeError } from '@hdrscope/core';
import {
  callback,
  filledText,
  number,
  type OptionRules,
  optional,
  type RulesFor,
  readOptions,
  type Settings,
  text,
  withDefault,
} from '@hdrscope/core/internal';
import { warn } from '@hdrscope/kit';
import {
  GUARD_RULES,
  type GuardOptions,
  host as hostRule,
  isLoopback,
  limitsOf,
  port as portRule,
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
  /**
   * The time between two updates in milliseconds: from 100 to 3,600,000. It is longer while very many series count, so that updates take at
   * most a tenth of a core. @default 1000
   */
  readonly intervalMs?: number | undefined;
  /** How long the page remembers what was counted, in milliseconds: from 10,000 to 2,592,000,000, which is 30 days. @default 21,600,000, 6 hours */
  readonly historyMs?: number | undefined;
  /**
   * The memory for it in bytes: from 1,048,576 to 4,294,967,296. When it is full, neighbouring intervals are merged, the older ones first, so that
   * times far back are coarser. @default 67,108,864, 64 MiB
   */
  readonly historyBytes?: number | undefined;
  /**
   * A folder that keeps what the page remembers over restarts: an own one for each page. It is made if it does not exist, and takes at most
   * three times `historyBytes`. It is written about every 10
   * seconds, or every five intervals when these are longer: a process that is killed loses what it counted since. The page says so while the folder cannot be
   * used or written. @default the page remembers in memory only, and says so
   */
  readonly historyFolder?: string | undefined;
  /** Called for the first of several failures of `historyFolder` in a row. @default a warning of the process */
  readonly onHistoryError?: ((error: Error) => void) | undefined;
  /** Called when `historyFolder` can be written again. @default not called */
  readonly onHistoryRecovery?: (() => void) | undefined;
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
export type DashboardSettings = Settings<DashboardOptions, 'token' | 'openFile' | 'historyFolder'>;

/** The rules of `DashboardOptions`. */
export const PAGE_RULES: RulesFor<DashboardOptions, 'token' | 'openFile' | 'historyFolder'> = {
  title: withDefault(text, 'hdrscope'),
  token: GUARD_RULES.token,
  allowedHosts: withDefault(GUARD_RULES.allowedHosts, []),
  intervalMs: withDefault(number({ from: 100, to: 3_600_000 }), 1000),
  historyMs: withDefault(number({ from: 10_000, to: 2_592_000_000 }), 21_600_000),
  historyBytes: withDefault(number({ from: 2 ** 20, to: 2 ** 32 }), 64 * 2 ** 20),
  historyFolder: optional(filledText()),
  onHistoryError: withDefault(callback(), warn),
  onHistoryRecovery: withDefault(callback(), () => {}),
  openFile: optional(callback()),
  tabs: withDefault(callback(), () => Promise.resolve([])),
  tabOf: withDefault(callback(), tabByName),
};

const SERVE_DASHBOARD = {
  name: 'serveDashboard',
  rules: {
    ...GUARD_RULES,
    ...PAGE_RULES,
    host: withDefault(hostRule, 'localhost'),
    port: withDefault(portRule, 9465),
  } satisfies OptionRules<ServeDashboardOptions>,
  call: 'serveDashboard(registry, { port: 9465 })',
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function addressOf(options: ServeDashboardOptions): {
  readonly host: string;
  readonly port: number;
  /** The options of the page itself. */
  readonly page: DashboardSettings;
  readonly guard: Pick<GuardOptions, 'limits' | 'tls' | 'refusals'>;
} {
  const { host, port, limits, tls, refusals, ...page } = readOptions(options, SERVE_DASHBOARD);
  if (!isLoopback(host) && page.token === undefined) {
    throw new HdrscopeError(
      'ERR_INVALID_OPTION',
      `host must be loopback (localhost, 127.0.0.1, ::1) without a token, got "${host}": set a token to let others see the page`,
    );
  }
  limitsOf(limits);
  return { host, port, page, guard: { limits, tls, refusals } };
}

function tabByName({ name, boundaries }: FamilySnapshot): string | undefined {
  if (boundaries === undefined) return undefined;
  if (/^ceph/i.test(name)) return 'Ceph';
  return /^(kernel|e?bpf|run_?queue|block)/i.test(name) ? 'Kernel' : undefined;
}
