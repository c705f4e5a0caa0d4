import { assertOptions, mustBe, type OptionNames, type OptionsOwner } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import type { SenderTlsFiles } from '@hdrscope/kit/delivery';
import type { FamilySource } from '../family-source.ts';
import { assertSnapshotOptions } from '../from-registry.ts';
import { NAMING_NAMES, type NamingOptions } from '../names.ts';

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

const NAMES: OptionNames<RemoteWriteOptions> = {
  ...NAMING_NAMES,
  url: true,
  headers: true,
  tls: true,
  labels: true,
  buckets: true,
  maxBuckets: true,
  withoutScopeInfo: true,
  sources: true,
  intervalMs: true,
  timeoutMs: true,
  maxSeriesPerRequest: true,
  observer: true,
  warn: true,
  unref: true,
};

const SEND_REMOTE_WRITE: OptionsOwner<RemoteWriteOptions> = {
  name: 'sendRemoteWrite',
  names: NAMES,
  call: "sendRemoteWrite(registry, { url: 'http://localhost:9090/api/v1/write' })",
};

type WithDefaults =
  | 'headers'
  | 'tls'
  | 'labels'
  | 'buckets'
  | 'sources'
  | 'intervalMs'
  | 'timeoutMs'
  | 'maxSeriesPerRequest'
  | 'observer'
  | 'warn'
  | 'unref';

/** The options with defaults. */
export type RemoteWriteSettings = Omit<RemoteWriteOptions, WithDefaults | 'url'> & {
  readonly [Name in WithDefaults]-?: NonNullable<RemoteWriteOptions[Name]>;
} & { readonly url: URL };

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range. */
export function settingsOf(options: RemoteWriteOptions): RemoteWriteSettings {
  assertOptions(options, SEND_REMOTE_WRITE);
  const given = Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
  const settings = {
    headers: {},
    tls: {},
    labels: {},
    buckets: 'native',
    sources: [],
    intervalMs: 15_000,
    timeoutMs: 10_000,
    maxSeriesPerRequest: 2000,
    observer: {},
    warn: () => {},
    unref: true,
    ...given,
    url: urlOf(options.url),
  } as RemoteWriteSettings;
  const { buckets, maxSeriesPerRequest, headers, labels } = settings;
  if (buckets !== 'native' && buckets !== 'custom')
    throw mustBe('ERR_INVALID_OPTION', 'buckets', "'native' or 'custom'", buckets);
  assertSnapshotOptions({ ...settings, buckets: 'native' });
  for (const name of ['intervalMs', 'timeoutMs'] as const) {
    const value = settings[name];
    if (typeof value === 'number' && value > 0 && value <= LONGEST_TIMER_MS) continue;
    throw mustBe('ERR_INVALID_OPTION', name, `a number above 0, up to ${LONGEST_TIMER_MS}`, value);
  }
  if (!Number.isSafeInteger(maxSeriesPerRequest) || maxSeriesPerRequest < 1)
    throw mustBe(
      'ERR_INVALID_OPTION',
      'maxSeriesPerRequest',
      'an integer of at least 1',
      maxSeriesPerRequest,
    );
  const reserved = Object.keys(headers).find((name) => RESERVED_HEADERS.has(name.toLowerCase()));
  if (reserved !== undefined)
    throw mustBe('ERR_INVALID_OPTION', 'headers', 'without those that the protocol needs', reserved);
  if (Object.hasOwn(labels, '__name__'))
    throw mustBe('ERR_INVALID_OPTION', 'labels', 'without __name__, which is the name of the metric', labels);
  return settings;
}

// The specification forbids senders to let users change these.
const RESERVED_HEADERS: ReadonlySet<string> = new Set([
  'content-encoding',
  'content-type',
  'content-length',
  'x-prometheus-remote-write-version',
  'user-agent',
]);

function urlOf(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // A URL may have a password, so the message does not show it.
  const got = typeof text === 'string' ? 'another text' : text;
  throw mustBe('ERR_INVALID_OPTION', 'url', 'a URL such as http://localhost:9090/api/v1/write', got);
}
