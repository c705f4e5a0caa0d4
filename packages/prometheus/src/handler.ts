import { EMPTY_SNAPSHOT, type Registry } from '@hdrscope/registry';
import { assertTimeout } from './deadline.ts';
import { reasonOf, report, warnOnce } from './diagnostics.ts';
import type { MetricFamily } from './families.ts';
import { type FamilySource, gatherFamilies } from './family-source.ts';
import { familiesOfSnapshot, type SnapshotOptions } from './from-registry.ts';
import { answerScrape, type ScrapeOptions, type ScrapeRequest, type ScrapeResponse } from './scrape.ts';

/** How a registry is served. */
export interface HandlerOptions extends SnapshotOptions, ScrapeOptions {
  /** Of what else is to be exposed, such as `families` of `collectDefaultMetrics`. @default none */
  readonly sources?: readonly FamilySource[] | undefined;
}

/**
 * Makes a handler for requests that reads a registry for Prometheus: for `http.createServer`, and for the routes of any
 * framework that has Node's requests and responses. It looks at no path, and never throws.
 *
 * The format follows `Accept`, gzip `Accept-Encoding`, and the patience `X-Prometheus-Scrape-Timeout-Seconds`. A method
 * other than GET and HEAD is answered by 405, a failure by 500, and what is not done in time by 503, all with the reason
 * as text. Sources of the registry that fail or take too long are shown as `hdrscope_source_errors`, and the rest is
 * served.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION`.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { prometheusHandler } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'job.duration', unit: 's' }).with({ queue: 'mail' }).record(0.25);
 *
 * const server = createServer(prometheusHandler(registry, { withUnitSuffix: true })).listen(0, '127.0.0.1');
 * await new Promise((resolve) => server.once('listening', resolve));
 * const { port } = server.address() as { port: number };
 * const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
 * text.includes('job_duration_seconds_count{queue="mail"} 1'); //=> true
 * server.close();
 * ```
 */
export function prometheusHandler(
  registry: Registry,
  options: HandlerOptions = {},
): (request: ScrapeRequest, response: ScrapeResponse) => void {
  const { sources = [], timeoutMs } = options;
  assertTimeout(timeoutMs);
  familiesOfSnapshot(EMPTY_SNAPSHOT, options);
  const shown = { ...options, warn: options.warn ?? warnOnce() };
  const familiesOfRegistry = async (softMs: number): Promise<MetricFamily[]> => {
    const snapshot = await registry.gather({ timeoutMs: softMs });
    for (const { source, error } of snapshot.errors) {
      report('warn', `the source "${source}" failed: ${reasonOf(error)}`, error);
    }
    return familiesOfSnapshot(snapshot, shown);
  };
  const collect = (softMs: number): Promise<readonly MetricFamily[]> =>
    gatherFamilies(familiesOfRegistry(softMs), sources, shown, softMs);
  return (request, response) => void answerScrape(request, response, collect, { timeoutMs });
}
