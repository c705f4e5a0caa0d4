import {
  callback,
  custom,
  flag,
  integer,
  milliseconds,
  type OptionRules,
  observer,
  oneOf,
  readOptions,
  type Settings,
  textsByName,
  withDefault,
} from '@hdrscope/core/internal';
import { type SenderTlsFiles, tls, url } from '@hdrscope/kit/delivery';
import type { FamilySource } from '../family-source.ts';
import { SNAPSHOT_RULES } from '../from-registry.ts';
import { familySources } from '../handler.ts';
import { NAMING_RULES, type NamingOptions } from '../names.ts';

/** Hears what becomes of the requests of a writer. Its functions must not throw. */
export interface RemoteWriteObserver {
  /** The receiver has taken all samples of a snapshot. */
  succeeded?(): void;
  /** The receiver has not taken a request, or not all of it. The writer goes on by itself. */
  failed?(error: Error): void;
}

/** Options of `sendRemoteWrite`. */
export interface RemoteWriteOptions extends NamingOptions {
  /** The receiver: the whole URL, such as `http://localhost:9090/api/v1/write`. A user and password in it are sent. */
  readonly url: string;
  /** Headers of each request, except those that the protocol needs. @default no headers */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Certificates for `https:`. @default those of Node.js */
  readonly tls?: SenderTlsFiles | undefined;
  /** Labels of all series, such as `job` and `instance`, but not `__name__`. The labels of a series take precedence. @default no labels */
  readonly labels?: Readonly<Record<string, string>> | undefined;
  /**
   * `'custom'` sends families that have `boundaries` with buckets of just these boundaries, where their counts are exact, and
   * all others with native buckets. It suits counts that were made elsewhere, such as those of the kernel. `'native'` sends all with
   * native buckets, which keep the precision of values that were recorded here. @default 'native'
   */
  readonly buckets?: 'native' | 'custom' | undefined;
  /** The most native buckets of a series: an integer of at least 8. @default 160 */
  readonly maxBuckets?: number | undefined;
  /** Whether `otel_scope_name`, `_version` and `_schema_url` are left out. @default false */
  readonly withoutScopeInfo?: boolean | undefined;
  /** Sources of more families, such as `families` of `collectDefaultMetrics`. @default no other families */
  readonly sources?: readonly FamilySource[] | undefined;
  /** The time between two snapshots that are sent, in milliseconds: above 0, at most 2^31 - 1. @default 15000 */
  readonly intervalMs?: number | undefined;
  /** The longest time for a request and its answer, in milliseconds: above 0, at most 2^31 - 1. @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** The most series of a request: an integer of at least 1. @default 2000, that of Prometheus itself */
  readonly maxSeriesPerRequest?: number | undefined;
  /** Hears of each request. @default nobody hears of the requests; `health` counts them */
  readonly observer?: RemoteWriteObserver | undefined;
  /** Receives what could not be shown. @default no warnings */
  readonly warn?: ((message: string) => void) | undefined;
  /** Whether the writer lets the process end. @default true */
  readonly unref?: boolean | undefined;
}

const SEND_REMOTE_WRITE = {
  name: 'sendRemoteWrite',
  rules: {
    ...NAMING_RULES,
    url,
    headers: withDefault(
      custom<Readonly<Record<string, string>>>(
        'an object of texts, without headers that the protocol needs',
        (headers) =>
          textsByName.accepts(headers) &&
          !Object.keys(headers).some((name) => RESERVED_HEADERS.has(name.toLowerCase())),
      ),
      {},
    ),
    tls: withDefault(tls, {}),
    labels: withDefault(
      custom<Readonly<Record<string, string>>>(
        'an object of texts, without __name__, which is the name of the metric',
        (labels) => textsByName.accepts(labels) && !Object.hasOwn(labels, '__name__'),
      ),
      {},
    ),
    buckets: withDefault(oneOf<'native' | 'custom'>(['native', 'custom']), 'native'),
    maxBuckets: SNAPSHOT_RULES.maxBuckets,
    withoutScopeInfo: SNAPSHOT_RULES.withoutScopeInfo,
    sources: withDefault(familySources, []),
    intervalMs: withDefault(milliseconds(), 15_000),
    timeoutMs: withDefault(milliseconds(), 10_000),
    maxSeriesPerRequest: withDefault(integer({ from: 1 }), 2000),
    observer: withDefault(observer<RemoteWriteObserver>('succeeded', 'failed'), {}),
    warn: withDefault(callback<(message: string) => void>(), () => {}),
    unref: withDefault(flag, true),
  } satisfies OptionRules<RemoteWriteOptions>,
  call: "sendRemoteWrite(registry, { url: 'http://localhost:9090/api/v1/write' })",
};

/** The options with defaults. */
export type RemoteWriteSettings = Omit<
  Settings<RemoteWriteOptions, keyof NamingOptions | 'maxBuckets' | 'withoutScopeInfo'>,
  'url'
> & {
  readonly url: URL;
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range. */
export function settingsOf(options: RemoteWriteOptions): RemoteWriteSettings {
  const settings = readOptions(options, SEND_REMOTE_WRITE);
  return { ...settings, url: new URL(settings.url) };
}

// The specification forbids senders to let users change these.
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-type',
  'content-length',
  'x-prometheus-remote-write-version',
  'user-agent',
]);
