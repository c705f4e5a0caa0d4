import type { Finding } from '@hdrscope/ebpf';
import { requestAnswer } from '@hdrscope/prometheus/internal';
import { type Cures, failed, well } from './finding.ts';

const TIMEOUT_MS = 10_000;
const MOST_BYTES = 2 ** 20;

/**
 * Sends a receiver of OTLP over HTTP a request without metrics, which changes nothing there.
 * Source: https://opentelemetry.io/docs/specs/otlp/#otlphttp-request
 */
export async function examineOtlp(url: URL, signal: AbortSignal): Promise<Finding> {
  const what = 'takes OTLP';
  try {
    await requestAnswer({
      ...{ url, tls: {}, timeoutMs: TIMEOUT_MS, maxBytes: MOST_BYTES, signal },
      headers: { 'content-type': 'application/x-protobuf' },
      body: new Uint8Array(0),
      failure: `${url.host} takes no metrics`,
    });
    return well(what, `over HTTP, at ${url.pathname}`);
  } catch (error) {
    signal.throwIfAborted();
    return failed(what, error, CURES);
  }
}

/** What helps when a receiver does not take the request, by the reason. */
const CURES: Cures = [
  [/ECONNREFUSED|refused/, 'start the receiver, or name its port: OTLP over HTTP has 4318'],
  [
    /gRPC|Parse Error|ECONNRESET|socket hang up/,
    'this port may be that of gRPC, 4317: name the one of HTTP, 4318',
  ],
  [/enable-otlp-receiver/, 'start Prometheus with --web.enable-otlp-receiver'],
  [
    /status 404/,
    'name the path, as in http://localhost:4318/v1/metrics; that of Prometheus is /api/v1/otlp/v1/metrics',
  ],
  [/status 401|status 403/, 'the receiver wants another name of its host, or a token'],
];
