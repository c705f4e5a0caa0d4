import {
  custom,
  integer,
  type OptionRules,
  optional,
  readOptions,
  textsByName,
  withDefault,
} from '@hdrscope/core/internal';
import { LONGEST_TIMER_MS } from '@hdrscope/kit';
import { quoted, type SenderTlsFiles, tls, url } from '@hdrscope/kit/delivery';
import type { ExpositionFormat } from '../render.ts';
import { requestAnswer, scrapeError } from './request-answer.ts';

/** A target, and how it is asked. */
export interface FetchExpositionOptions {
  /** The URL of the metrics, `http:` or `https:`. It may have a user and a password, for basic authentication. */
  readonly url: string;
  /** More headers, such as `authorization`. @default none */
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Files for `https:`. @default those of Node.js */
  readonly tls?: SenderTlsFiles | undefined;
  /** The longest time for connecting, the request and the whole answer, in milliseconds: from 1 to 2^31 - 1. @default 10000 */
  readonly timeoutMs?: number | undefined;
  /** The most bytes of an answer, on the wire and decompressed: an integer of at least 1. @default 67108864, 64 MiB */
  readonly maxBytes?: number | undefined;
  /** Cuts the request off. @default nothing does */
  readonly signal?: AbortSignal | undefined;
}

/** An answer to a scrape. */
export interface FetchedExposition {
  /** The body, decompressed. */
  readonly bytes: Uint8Array;
  /** Its format, by the header `Content-Type`. */
  readonly format: ExpositionFormat;
}

const FETCH = {
  name: 'fetchExposition',
  rules: {
    url,
    headers: optional(textsByName),
    tls: withDefault(tls, {}),
    timeoutMs: withDefault(integer({ from: 1, to: LONGEST_TIMER_MS }), 10_000),
    maxBytes: withDefault(integer({ from: 1, to: 2 ** 30 }), 64 * 2 ** 20),
    signal: optional(custom('an AbortSignal', (value) => value instanceof AbortSignal)),
  } satisfies OptionRules<FetchExpositionOptions>,
  call: "fetchExposition({ url: 'http://localhost:9100/metrics' })",
};

/** The formats from the most exact one: native buckets are in the first two only. Prometheus names its escaping scheme beside text formats. */
const ACCEPT = [
  'application/vnd.google.protobuf;proto=io.prometheus.client.MetricFamily;encoding=delimited;q=0.7',
  'application/openmetrics-text;version=2.0.0;escaping=allow-utf-8;q=0.6',
  'application/openmetrics-text;version=1.0.0;escaping=allow-utf-8;q=0.5',
  'application/openmetrics-text;version=0.0.1;q=0.4',
  'text/plain;version=1.0.0;escaping=allow-utf-8;q=0.3',
  'text/plain;version=0.0.4;q=0.2',
  '*/*;q=0.1',
].join();

/**
 * Asks a target for its metrics as Prometheus does: protobuf if the target has it, else OpenMetrics, else text. It follows no redirect.
 *
 * @throws HdrscopeError `ERR_SCRAPE` when the target cannot be reached, does not answer in time, or answers with another status than 200
 *   or with something else than metrics; `ERR_TOO_LARGE` when the answer has more than `maxBytes`; `ERR_INVALID_OPTION` when an option is
 *   outside the range stated on it.
 * @example
 * ```ts
 * import { servePrometheus } from '@hdrscope/prometheus';
 * import { fetchExposition, readExposition } from '@hdrscope/prometheus/scraper';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'job.duration', unit: 's' }).with({}).record(0.25);
 * const server = await servePrometheus(registry, { port: 0 });
 *
 * const { bytes, format } = await fetchExposition({ url: `http://localhost:${server.port}/metrics` });
 * const { families } = readExposition(bytes, format);
 * [format, families[0]!.name, families[0]!.histograms[0]!.counted.counts.total]; //=> ['protobuf', 'job_duration_seconds', 1]
 * await server.close();
 * ```
 */
export async function fetchExposition(options: FetchExpositionOptions): Promise<FetchedExposition> {
  const { url, headers, timeoutMs, ...settings } = readOptions(options, FETCH);
  const { bytes, contentType = 'text/plain' } = await requestAnswer({
    ...settings,
    url: new URL(url),
    timeoutMs,
    headers: { accept: ACCEPT, 'x-prometheus-scrape-timeout-seconds': `${timeoutMs / 1000}`, ...headers },
    failure: FAILURE,
  });
  const format = readContentType(contentType);
  if (format !== undefined) return { bytes, format };
  throw scrapeError(`${FAILURE}: it answers with ${quoted(contentType)}, which is not a format of metrics`);
}

const FAILURE = 'the target cannot be scraped';

/** The format of an answer; `undefined` for one that is not scraped. Version 0.0.1 of OpenMetrics has the lines of 1.0. */
function readContentType(contentType: string): ExpositionFormat | undefined {
  const [type, ...all] = contentType
    .toLowerCase()
    .replaceAll('"', '')
    .split(';')
    .map((part) => part.trim());
  const parameters = new Set(all);
  switch (type) {
    case 'application/vnd.google.protobuf':
      return parameters.has('proto=io.prometheus.client.metricfamily') && parameters.has('encoding=delimited')
        ? 'protobuf'
        : undefined;
    case 'application/openmetrics-text':
      return parameters.has('version=2.0.0') ? 'openmetrics2' : 'openmetrics';
    case 'text/plain':
      return parameters.has('version=1.0.0') ? 'text1' : 'text';
    default:
      return undefined;
  }
}
