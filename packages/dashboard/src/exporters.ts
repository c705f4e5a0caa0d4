import { listTelemetryAddresses } from '@hdrscope/kit';

// https://opentelemetry.io/docs/specs/otel/protocol/exporter/#configuration-options
const ENDPOINTS = ['', 'METRICS_', 'TRACES_', 'LOGS_'].map(
  (signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`,
);

/**
 * Where this process exports its telemetry, as `collector:4318`: the endpoints that its environment states, and no defaults; and where its
 * requests went that an SDK made to export.
 */
export function listExporters(environment: Readonly<Record<string, string | undefined>>): string[] {
  const addresses = new Set(listTelemetryAddresses());
  for (const name of ENDPOINTS) {
    const endpoint = environment[name] ?? '';
    if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) continue;
    const { hostname, port, protocol } = new URL(endpoint);
    addresses.add(`${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? 443 : 80)}`);
  }
  return [...addresses];
}
