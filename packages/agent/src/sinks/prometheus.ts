import {
  collectDefaultMetrics,
  type FamilySource,
  familiesOfResourceMetrics,
  type MetricFamily,
  type ServePrometheusOptions,
  servePrometheus,
} from '@hdrscope/prometheus';
import type { PrometheusSinkConfig } from '../config/types.ts';
import type { EntryContext, Start } from '../entry.ts';
import { guardOf, noteOpenServer, urlOf } from '../guard.ts';
import { healthFamilies } from './health-families.ts';

/** Serves an endpoint for Prometheus with the histograms and the agent's own metrics. */
export const startPrometheus: Start<PrometheusSinkConfig> = async (config, context) => {
  const { listen, path, buckets, unitSuffix, processMetrics } = config;
  const defaults = processMetrics ? collectDefaultMetrics(context.registry) : undefined;
  // In one source, because agents may send each other their health: equal names are merged within a source.
  const sources: FamilySource[] = [
    (shown) => [...healthFamilies(context), ...receivedFamilies(context, shown)],
  ];
  if (defaults !== undefined) sources.push(defaults.families);
  const options: ServePrometheusOptions = {
    ...listen,
    endpoint: path,
    buckets,
    withUnitSuffix: unitSuffix,
    sources,
    ...guardOf(config, context),
  };
  try {
    const server = await servePrometheus(context.registry, options);
    noteOpenServer(config, 'can read all counts', context);
    return {
      note: urlOf(config, server.port, path),
      async stop() {
        defaults?.close();
        await server.close();
      },
    };
  } catch (error) {
    defaults?.close();
    throw error;
  }
};

/** The last sums and gauges that receivers got. */
function receivedFamilies(
  { numbers }: EntryContext,
  { withUnitSuffix, warn }: Parameters<FamilySource>[0],
): MetricFamily[] {
  const options = { withUnitSuffix, warn, withoutTargetInfo: true };
  return [...numbers.values()].flatMap((states) => familiesOfResourceMetrics(states.metrics(), options));
}
