import { mustBe, type OptionNames } from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import type { SenderTlsFiles } from '@hdrscope/kit/delivery';
import type { HistogramFormat } from '../metric-settings.ts';
import { OtlpSenderMemory } from './memory.ts';
import type { OtlpNumbers } from './numbers.ts';

/** Hears what becomes of the requests of a sender. Its functions must not throw. */
export interface OtlpSenderObserver {
  /** The receiver has taken a request. */
  succeeded?(): void;
  /**
   * The receiver has not taken a request, or has rejected points of it, or the sender has given values up. The sender goes on by
   * itself.
   */
  failed?(error: Error): void;
  /** The receiver has taken a request and says something: the same text comes once. */
  warned?(message: string): void;
}

/** OTLP over HTTP, in protobuf or in JSON, or over gRPC. */
export type OtlpProtocol = 'http/protobuf' | 'http/json' | 'grpc';

/** Options of `sendOtlp`. */
export interface OtlpSenderOptions {
  /** The receiver: the whole URL for HTTP, host and port for gRPC. `http:` or `https:`. HTTP sends a user and password in it. */
  readonly url: string;
  /** As in `OTEL_EXPORTER_OTLP_PROTOCOL`. @default 'http/protobuf' */
  readonly protocol?: OtlpProtocol;
  /** Headers of each request; metadata for gRPC. @default no headers */
  readonly headers?: Readonly<Record<string, string>>;
  /** Certificates for `https:`. @default those of Node.js */
  readonly tls?: SenderTlsFiles;
  /** Attributes of the resource, such as `service.name`. @default no attributes */
  readonly resource?: Readonly<Record<string, string>>;
  /** Whether points have all counts since the start of a series, or those since the request before. @default 'cumulative' */
  readonly temporality?: 'cumulative' | 'delta';
  /** The kind of histogram. @default the one that a view of the SDK states for an instrument of `createHdr`, else 'exponential' */
  readonly histograms?: HistogramFormat;
  /** The encoding of the bodies of requests. @default 'gzip' */
  readonly compression?: 'gzip' | 'none';
  /**
   * The most bytes of a request, before it is compressed: an integer of at least 1. What is larger goes out in several requests, and
   * a single point that is larger alone. A receiver that still refuses a request for its size gets halves of it.
   * @default 4194304, 4 MiB, above which gRPC servers [refuse messages by default](https://pkg.go.dev/google.golang.org/grpc#MaxRecvMsgSize)
   */
  readonly maxRequestBytes?: number;
  /** The time between two requests, in milliseconds: above 0, at most 2^31 - 1. @default 60000 */
  readonly intervalMs?: number;
  /** The longest time for a request and its answer, in milliseconds: above 0, at most 2^31 - 1. @default 10000 */
  readonly timeoutMs?: number;
  /**
   * How long deltas that nobody takes are kept, in milliseconds: above 0, at most 2^31 - 1. Then they are given up and counted.
   * @default 3600000, an hour
   */
  readonly giveUpAfterMs?: number;
  /**
   * The most series that have ended and are kept for a receiver that does not answer: an integer of at least 1. With more of them,
   * deltas are given up earlier. @default 100000
   */
  readonly maxEndedSeries?: number;
  /** Numbers that are sent beside the histograms. @default no numbers */
  readonly numbers?: OtlpNumbers;
  /** Hears of each request. @default nobody hears of the requests; `health` counts them */
  readonly observer?: OtlpSenderObserver;
  /** That of an earlier sender of the same registry, temporality and kind of histogram. @default a new one */
  readonly memory?: OtlpSenderMemory;
  /** Whether the sender lets the process end. @default true */
  readonly unref?: boolean;
}

/** The names of `OtlpSenderOptions`. */
export const SENDER_NAMES: OptionNames<OtlpSenderOptions> = {
  url: true,
  protocol: true,
  headers: true,
  tls: true,
  resource: true,
  temporality: true,
  histograms: true,
  compression: true,
  maxRequestBytes: true,
  intervalMs: true,
  timeoutMs: true,
  giveUpAfterMs: true,
  maxEndedSeries: true,
  numbers: true,
  observer: true,
  memory: true,
  unref: true,
};

/** All options. */
export type SenderSettings = Required<Omit<OtlpSenderOptions, 'url' | 'numbers' | 'histograms'>> &
  Pick<OtlpSenderOptions, 'numbers' | 'histograms'> & { readonly url: URL };

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an option is out of range. */
export function settingsOf(options: OtlpSenderOptions): SenderSettings {
  const settings = {
    protocol: 'http/protobuf',
    headers: {},
    tls: {},
    resource: {},
    temporality: 'cumulative',
    compression: 'gzip',
    maxRequestBytes: 4 * 1024 * 1024,
    intervalMs: 60_000,
    timeoutMs: 10_000,
    giveUpAfterMs: 3_600_000,
    maxEndedSeries: 100_000,
    observer: {},
    memory: options.memory ?? new OtlpSenderMemory(),
    unref: true,
    ...withoutUndefined(options),
    url: urlOf(options.url),
  } as SenderSettings;
  assertWord('protocol', settings.protocol, ['http/protobuf', 'http/json', 'grpc']);
  assertWord('temporality', settings.temporality, ['cumulative', 'delta']);
  if (settings.histograms !== undefined)
    assertWord('histograms', settings.histograms, ['exponential', 'explicit']);
  assertWord('compression', settings.compression, ['gzip', 'none']);
  for (const name of ['intervalMs', 'timeoutMs', 'giveUpAfterMs'] as const) {
    const value = settings[name];
    if (typeof value === 'number' && value > 0 && value <= LONGEST_TIMER_MS) continue;
    throw mustBe('ERR_INVALID_OPTION', name, `a number above 0, up to ${LONGEST_TIMER_MS}`, value);
  }
  for (const name of ['maxRequestBytes', 'maxEndedSeries'] as const) {
    const value = settings[name];
    if (Number.isSafeInteger(value) && value >= 1) continue;
    throw mustBe('ERR_INVALID_OPTION', name, 'an integer of at least 1', value);
  }
  const { memory } = settings;
  if (!(memory instanceof OtlpSenderMemory))
    throw mustBe('ERR_INVALID_OPTION', 'memory', 'the memory of another sender', memory);
  return settings;
}

function withoutUndefined(options: OtlpSenderOptions): Partial<OtlpSenderOptions> {
  return Object.fromEntries(Object.entries(options).filter(([, value]) => value !== undefined));
}

function urlOf(text: unknown): URL {
  const url = typeof text === 'string' && URL.canParse(text) ? new URL(text) : undefined;
  if (url?.protocol === 'http:' || url?.protocol === 'https:') return url;
  // A URL may have a password, so the message does not show it.
  const got = typeof text === 'string' ? 'another text' : text;
  throw mustBe('ERR_INVALID_OPTION', 'url', 'a URL such as http://localhost:4318/v1/metrics', got);
}

function assertWord(name: string, value: unknown, words: readonly string[]): void {
  if (words.includes(value as string)) return;
  throw mustBe('ERR_INVALID_OPTION', name, words.map((word) => `'${word}'`).join(' or '), value);
}
