import {
  custom,
  filledText,
  flag,
  having,
  integer,
  milliseconds,
  mustBe,
  type OptionRules,
  observer,
  oneOf,
  optional,
  optionsIn,
  readOptions,
  type Settings,
  textsByName,
  withDefault,
} from '@hdrscope/core/internal';
import { type SenderTlsFiles, tls, url } from '@hdrscope/kit/delivery';
import type { HistogramFormat } from '../metric-settings.ts';
import { OtlpSenderMemory } from './memory.ts';
import type { OtlpNumbers } from './numbers.ts';
import type { OtlpQueueOptions } from './queue.ts';

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
   * @default 4194304, 4 MiB, above which gRPC servers [refuse messages by
   * default](https://pkg.go.dev/google.golang.org/grpc#MaxRecvMsgSize)
   */
  readonly maxRequestBytes?: number;
  /** The time between two requests, in milliseconds: above 0, at most 2^31 - 1. @default 60000 */
  readonly intervalMs?: number;
  /** The longest time for a request and its answer, in milliseconds: above 0, at most 2^31 - 1. @default 10000 */
  readonly timeoutMs?: number;
  /**
   * How long the same deltas are sent again while nobody takes them, in milliseconds: above 0, at most 2^31 - 1. Then they are given up
   * and counted, and those after them are sent.
   * @default 3600000, an hour
   */
  readonly giveUpAfterMs?: number;
  /**
   * The most series that have ended and are kept for a receiver that does not answer: an integer of at least 1. With more of them,
   * deltas are given up earlier. @default 100000
   */
  readonly maxEndedSeries?: number;
  /**
   * Keeps deltas on disk until the receiver has taken them: the next sender with the same folder delivers those of a process that was
   * killed. Needs the temporality `'delta'`. @default they are in memory only, and lost with the process
   */
  readonly queue?: OtlpQueueOptions;
  /** Numbers that are sent beside the histograms. @default no numbers */
  readonly numbers?: OtlpNumbers;
  /** Hears of each request. @default nobody hears of the requests; `health` counts them */
  readonly observer?: OtlpSenderObserver;
  /** That of an earlier sender of the same registry, temporality and kind of histogram. @default a new one */
  readonly memory?: OtlpSenderMemory;
  /** Whether the sender lets the process end. @default true */
  readonly unref?: boolean;
}

const QUEUE = {
  name: 'queue',
  rules: {
    folder: filledText('the path of a folder'),
    maxBytes: withDefault(integer({ from: 1 }), 64 * 1024 * 1024),
  } satisfies OptionRules<OtlpQueueOptions>,
  call: "sendOtlp(registry, { url, temporality: 'delta', queue: { folder: '/var/lib/shop/otlp' } })",
};

const SEND_OTLP = {
  name: 'sendOtlp',
  rules: {
    url,
    protocol: withDefault(oneOf<OtlpProtocol>(['http/protobuf', 'http/json', 'grpc']), 'http/protobuf'),
    headers: withDefault(textsByName, {}),
    tls: withDefault(tls, {}),
    resource: withDefault(textsByName, {}),
    temporality: withDefault(oneOf<'cumulative' | 'delta'>(['cumulative', 'delta']), 'cumulative'),
    histograms: optional(oneOf<HistogramFormat>(['exponential', 'explicit'])),
    compression: withDefault(oneOf<'gzip' | 'none'>(['gzip', 'none']), 'gzip'),
    maxRequestBytes: withDefault(integer({ from: 1 }), 4 * 1024 * 1024),
    intervalMs: withDefault(milliseconds(), 60_000),
    timeoutMs: withDefault(milliseconds(), 10_000),
    giveUpAfterMs: withDefault(milliseconds(), 3_600_000),
    maxEndedSeries: withDefault(integer({ from: 1 }), 100_000),
    queue: optional(optionsIn<OtlpQueueOptions>(QUEUE)),
    numbers: optional(having<OtlpNumbers>('an object with read()', 'read')),
    observer: withDefault(observer<OtlpSenderObserver>('succeeded', 'failed', 'warned'), {}),
    memory: optional(
      custom<OtlpSenderMemory>('the memory of another sender', (value) => value instanceof OtlpSenderMemory),
    ),
    unref: withDefault(flag, true),
  } satisfies OptionRules<OtlpSenderOptions>,
  call: "sendOtlp(registry, { url: 'http://localhost:4318/v1/metrics' })",
};

/** All options. */
export type SenderSettings = Omit<
  Settings<OtlpSenderOptions, 'histograms' | 'numbers' | 'queue'>,
  'url' | 'memory' | 'queue'
> & {
  readonly url: URL;
  readonly memory: OtlpSenderMemory;
  readonly queue: Required<OtlpQueueOptions> | undefined;
};

/** @throws HdrscopeError `ERR_INVALID_OPTION` when an option is out of range. */
export function settingsOf(options: OtlpSenderOptions): SenderSettings {
  const { url, memory = new OtlpSenderMemory(), queue, ...settings } = readOptions(options, SEND_OTLP);
  // A cumulative point of an earlier process that arrives among those of a later one looks like a reset, and all its counts are counted
  // once more. Deltas add up in any order.
  if (queue !== undefined && settings.temporality !== 'delta')
    throw mustBe(
      'ERR_INVALID_OPTION',
      'temporality',
      "'delta' for a sender with a queue",
      settings.temporality,
    );
  return {
    ...settings,
    url: new URL(url),
    memory,
    queue: queue && readOptions(queue, QUEUE, 'queue.'),
  };
}
