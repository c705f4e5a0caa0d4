import { keyOf } from './question.ts';

// https://opentelemetry.io/docs/specs/otel/protocol/exporter/#configuration-options
const ENDPOINTS = ['', 'METRICS_', 'TRACES_', 'LOGS_'].map(
  (signal) => `OTEL_EXPORTER_OTLP_${signal}ENDPOINT`,
);

/** Where this process exports its telemetry, as `collector:4318`: the endpoints that its environment states, and no defaults. */
export function readExporterAddresses(environment: Readonly<Record<string, string | undefined>>): string[] {
  const addresses = new Set<string>();
  for (const name of ENDPOINTS) {
    const endpoint = environment[name] ?? '';
    if (!/^https?:\/\//i.test(endpoint) || !URL.canParse(endpoint)) continue;
    const { hostname, port, protocol } = new URL(endpoint);
    addresses.add(`${hostname.replace(/^\[|\]$/g, '')}:${port || (protocol === 'https:' ? 443 : 80)}`);
  }
  return [...addresses];
}

/**
 * Whether nobody looks for the changes of a series in an incident: it is of hdrscope itself, such as `hdrscope.agent.gather.duration`, or counts
 * requests that export telemetry: as a client, to one of these addresses.
 */
export function isOwnSeries(
  name: string,
  attributes: readonly string[],
  exporterAddresses: readonly string[],
): boolean {
  if (/^hdrscope[._]/.test(name)) return true;
  if (exporterAddresses.length === 0 || !/^(http|rpc)\.client\./.test(name)) return false;
  const find = (key: string): string | undefined =>
    attributes.find((pair) => keyOf(pair) === key)?.slice(key.length + 1);
  const [address, port] = [find('server.address'), find('server.port')];
  return address !== undefined && port !== undefined && exporterAddresses.includes(`${address}:${port}`);
}
