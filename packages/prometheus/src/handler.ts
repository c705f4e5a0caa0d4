import {
  callback,
  listOf,
  number,
  type OptionRule,
  optional,
  type RulesFor,
  readOptions,
  withDefault,
} from '@hdrscope/core/internal';
import type { Registry } from '@hdrscope/registry';
import { assertRegistry, readShown, SHARED_GATHER_MS } from '@hdrscope/registry/internal';
import { reportFailures, warnOnce } from './diagnostics.ts';
import { Exposition } from './exposition.ts';
import { type FamilySource, gatherFamilies } from './family-source.ts';
import { SNAPSHOT_RULES, type SnapshotFamiliesOptions, toLazyFamilies } from './from-registry.ts';
import type { LazyFamily } from './lazy-family.ts';
import { needsStates } from './lazy-histograms.ts';
import { readStrategy } from './names.ts';
import { answerScrape, type ScrapeOptions, type ScrapeRequest, type ScrapeResponse } from './scrape.ts';
import { Scrapes } from './scrapes.ts';

/** Options of `prometheusHandler`. */
export interface PrometheusHandlerOptions extends SnapshotFamiliesOptions, ScrapeOptions {
  /** Sources of more families, such as `families` of `collectDefaultMetrics`. @default no other families */
  readonly sources?: readonly FamilySource[] | undefined;
}

export const familySources: OptionRule<readonly FamilySource[]> = listOf(
  callback<FamilySource>(),
  'functions',
);

/** The rules of `PrometheusHandlerOptions`. */
export const HANDLER_RULES: RulesFor<
  PrometheusHandlerOptions,
  Exclude<keyof PrometheusHandlerOptions, 'sources'>
> = {
  ...SNAPSHOT_RULES,
  timeoutMs: optional(number({ above: 0, to: Number.POSITIVE_INFINITY })),
  sources: withDefault(familySources, []),
};

const PROMETHEUS_HANDLER = {
  name: 'prometheusHandler',
  rules: HANDLER_RULES,
  call: "prometheusHandler(registry, { prefix: 'shop' })",
};

/**
 * Makes a request handler that serves a registry to Prometheus. Use it with `http.createServer`, or as a route of any
 * framework that has Node's requests and responses. It ignores the path and never throws.
 *
 * `Accept` decides the format, `Accept-Encoding` the compression, and `X-Prometheus-Scrape-Timeout-Seconds` the time limit. A
 * method other than GET and HEAD gets 405, a failure 500, and an exceeded time limit 503, all with the reason as text. A
 * source of the registry that fails or takes too long shows in `hdrscope_source_errors`, and the rest is served.
 *
 * A scrape makes only the metrics that have changed since the scrape before, because the handler keeps the bytes of its last
 * response, per format. A format that no scraper has asked for in ten scrapes is forgotten. Long work is cut into slices, so that other
 * requests are answered in between. In a busy process it rests between them, for up to half of the time limit that the scraper
 * states and five seconds at most, or half a second without one.
 *
 * Scrapes that wait at the same time for one format share the gather and the bytes. The work ends when all clients that wait for it
 * have gone. Requests that a client sends ahead on one connection are answered one at a time.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range.
 * @example
 * ```ts
 * import { createServer } from 'node:http';
 * import { prometheusHandler } from '@hdrscope/prometheus';
 * import { createRegistry } from '@hdrscope/registry';
 *
 * const registry = createRegistry();
 * registry.histogram({ name: 'job.duration', unit: 's' }).with({ queue: 'mail' }).record(0.25);
 *
 * const server = createServer(prometheusHandler(registry)).listen(0, '127.0.0.1');
 * await new Promise((resolve) => server.once('listening', resolve));
 * const { port } = server.address() as { port: number };
 * const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
 * text.includes('job_duration_seconds_count{queue="mail"} 1'); //=> true
 * server.close();
 * ```
 */
export function prometheusHandler(
  registry: Registry,
  options: PrometheusHandlerOptions = {},
): (request: ScrapeRequest, response: ScrapeResponse) => void {
  assertRegistry(registry);
  const { sources, timeoutMs, warn = warnOnce(), ...settings } = readOptions(options, PROMETHEUS_HANDLER);
  const { translationStrategy = readStrategy(process.env) } = settings;
  const shown = { ...settings, translationStrategy, warn };
  const familiesOfRegistry = async (softMs: number): Promise<LazyFamily[]> => {
    const read = await readShown(registry, { timeoutMs: softMs, maxAgeMs: SHARED_GATHER_MS }, needsStates);
    reportFailures(read.errors);
    return toLazyFamilies(read, shown);
  };
  const scrapes = new Scrapes(
    (softMs) => gatherFamilies(familiesOfRegistry(softMs), sources, shown, softMs),
    new Exposition(warn),
  );
  return (request, response) => void answerScrape(request, response, scrapes, { timeoutMs });
}
