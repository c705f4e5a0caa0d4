import { type OtlpNumber, OtlpSenderMemory, type SenderTlsFiles, sendOtlp } from '@hdrscope/otel/sender';
import type { OtlpSinkConfig } from '../config/types.ts';
import type { EntryContext, Start } from '../entry.ts';
import { HEALTH_NUMBERS } from '../health.ts';

/** Sends the histograms of the registry and the agent's own metrics over OTLP. */
export const startOtlpSink: Start<OtlpSinkConfig> = async (config, context) => {
  const { url, protocol, temporality, histograms, compression, resource } = config;
  const { interval, timeout, giveUpAfter } = config;
  const report = (): void => context.delivered(sender.health);
  const sender = sendOtlp(context.registry, {
    url,
    protocol,
    temporality,
    histograms,
    compression,
    headers: { ...headersOf(process.env), ...config.headers },
    tls: { ...tlsFilesOf(process.env), ...config.tls },
    resource: { 'service.name': 'hdrscope', ...resource },
    intervalMs: interval,
    timeoutMs: timeout,
    giveUpAfterMs: giveUpAfter,
    numbers: { scope: 'hdrscope.agent', read: () => healthNumbers(context) },
    memory: memoryOf(config, context),
    observer: {
      succeeded() {
        report();
        context.succeeded();
      },
      failed(error) {
        report();
        context.failed(error);
      },
      warned: (message) => context.info(message),
    },
  });
  report();
  return {
    note: withoutUser(url),
    async stop() {
      try {
        await sender.stop({ timeoutMs: context.shutdownTimeoutMs });
      } finally {
        report();
      }
    },
  };
};

/** The memory of a sink. It outlives the sink, because it knows which deltas the receiver has. */
function memoryOf(
  { name, temporality, histograms }: OtlpSinkConfig,
  { memory }: EntryContext,
): OtlpSenderMemory {
  const key = `otlp sink ${name} ${temporality} ${histograms}`;
  const known = memory.senders.get(key) ?? new OtlpSenderMemory();
  memory.senders.set(key, known);
  return known;
}

function healthNumbers({ health, nowMs }: EntryContext): OtlpNumber[] {
  const now = health();
  return HEALTH_NUMBERS.map((number) => ({ ...number, points: number.points(now, nowMs()) }));
}

type Environment = Readonly<Record<string, string | undefined>>;

/**
 * The headers of OpenTelemetry's variables: `name=value` pairs, with values in percent encoding.
 * Source: https://opentelemetry.io/docs/specs/otel/protocol/exporter/#configuration-options
 */
function headersOf(environment: Environment): Record<string, string> {
  const headers: Record<string, string> = {};
  for (const variable of ['OTEL_EXPORTER_OTLP_HEADERS', 'OTEL_EXPORTER_OTLP_METRICS_HEADERS']) {
    for (const pair of (environment[variable] ?? '').split(',')) {
      const at = pair.indexOf('=');
      if (at > 0) headers[pair.slice(0, at).trim().toLowerCase()] = decoded(pair.slice(at + 1).trim());
    }
  }
  return headers;
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The certificates of OpenTelemetry's variables. */
function tlsFilesOf(environment: Environment): SenderTlsFiles {
  const fileOf = (name: string): string | undefined =>
    environment[`OTEL_EXPORTER_OTLP_METRICS_${name}`] ||
    environment[`OTEL_EXPORTER_OTLP_${name}`] ||
    undefined;
  return {
    caFile: fileOf('CERTIFICATE'),
    certFile: fileOf('CLIENT_CERTIFICATE'),
    keyFile: fileOf('CLIENT_KEY'),
  };
}

/** A URL as it may be shown: without user and password. */
function withoutUser(text: string): string {
  const url = new URL(text);
  if (url.username === '' && url.password === '') return text;
  url.username = '';
  url.password = '';
  return url.href;
}
