/** One address whose metrics are scraped. */
export interface ScrapeTarget {
  /** Identifies what counts there. A target that is listed again with the same identity goes on where it was. */
  readonly id: string;
  /** The URL of the metrics. */
  readonly url: string;
  /** Attributes of its series: `job`, `instance` and others. */
  readonly attributes: Readonly<Record<string, string>>;
  /** Whether the identity comes back when it is gone: pods have new ones. */
  readonly isLasting: boolean;
}

const USUAL_PATH = '/metrics';

/** The URL of the metrics of a target: without a path, it is the usual one. */
export function metricsUrl(text: string): URL {
  const url = new URL(text);
  if (url.pathname === '/' && url.search === '') url.pathname = USUAL_PATH;
  return url;
}

/** The attribute `instance` of a target: its host and port, as Prometheus has it. */
export function formatInstance({ protocol, hostname, port }: URL): string {
  return `${hostname}:${port === '' ? (protocol === 'https:' ? 443 : 80) : port}`;
}
