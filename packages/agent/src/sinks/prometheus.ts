import type { FamilySource, MetricFamily, ServePrometheusOptions } from '@hdrscope/prometheus';
import { daemonFamilies } from '../ceph-answers.ts';
import { oneOf, text, yesOrNo } from '../config/values.ts';
import { healthFamilies } from '../health.ts';
import { defineSink, entry, type SinkPart } from '../part.ts';
import { formatUrl, guardOptions, noteOpenServer, serverKeys } from '../server.ts';
import { CEPH_DAEMONS } from '../sources/ceph.ts';
import { RECEIVED_NUMBERS } from '../sources/otlp.ts';
import { translationStrategy } from './names.ts';

/** Serves an endpoint for Prometheus with the histograms and the agent's own metrics. */
export const prometheus: SinkPart = defineSink({
  schema: entry('prometheus', 'An endpoint for Prometheus.', {
    ...serverKeys('localhost:9464'),
    path: text('a path that begins with a slash')
      .startsWith('/', { error: 'must be a path that begins with a slash' })
      .default('/metrics')
      .describe('The path of scrapes.'),
    buckets: oneOf('native', 'classic', 'both').default('native').describe('Which buckets histograms have.'),
    translationStrategy,
    processMetrics: yesOrNo(false).describe(
      "Whether there are metrics of the agent's own process, too: event loop, garbage collector, CPU and memory.",
    ),
  }),
  example: `
# http://localhost:9464/metrics
- type: prometheus
  listen: localhost:9464
`,
  async start(config, context) {
    const { collectDefaultMetrics, convertResourceMetrics, servePrometheus } = await import(
      '@hdrscope/prometheus'
    );
    const { listen, path, buckets, translationStrategy, processMetrics } = config;
    const defaults = processMetrics ? collectDefaultMetrics(context.registry) : undefined;
    const received = ({ translationStrategy, warn }: Parameters<FamilySource>[0]): MetricFamily[] =>
      [...context.memory.of(RECEIVED_NUMBERS).values()].flatMap((states) =>
        convertResourceMetrics(states.metrics(), { translationStrategy, warn, withoutTargetInfo: true }),
      );
    // In one source, because agents may send each other their health: equal names are merged within a source.
    const sources: FamilySource[] = [
      (shown) => [
        ...healthFamilies(context),
        ...daemonFamilies(context.memory.of(CEPH_DAEMONS).values()),
        ...received(shown),
      ],
    ];
    if (defaults !== undefined) sources.push(defaults.families);
    const options: ServePrometheusOptions = {
      ...listen,
      endpoint: path,
      buckets,
      translationStrategy,
      sources,
      ...guardOptions(config, context),
    };
    try {
      const server = await servePrometheus(context.registry, options);
      noteOpenServer(config, 'can read all counts', context);
      return {
        note: formatUrl(config, server.port, path),
        async stop() {
          defaults?.close();
          await server.close();
        },
      };
    } catch (error) {
      defaults?.close();
      throw error;
    }
  },
});
