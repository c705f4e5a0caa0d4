import { type RunningOtlp, serveOtlp } from '@hdrscope/otel/receiver';
import type { OtlpSourceConfig } from '../config/types.ts';
import type { Start } from '../entry.ts';
import { guardOf, noteOpenServer, urlOf } from '../guard.ts';

/** Metrics that OpenTelemetry sends over HTTP. The next gather reports refused requests and points. */
export const startOtlp: Start<OtlpSourceConfig> = async (config, context) => {
  const { name, listen } = config;
  const { registry, intake, numbers, added, succeeded, failed } = context;
  const { memory } = intake(`otlp ${name}`);
  const states = context.memory.numbersOf(`otlp ${name}`);
  // Failures are reported once for each gather, below.
  const server = await serveOtlp(registry, {
    ...listen,
    ...guardOf(config, context),
    memory,
    numbers: states,
    observer: { added },
  });
  noteOpenServer(config, 'can write metrics', context);
  numbers.set(name, states);
  const refusals = refusalsOf(server);
  const collect = (): void => {
    const refused = refusals();
    if (refused === '') {
      succeeded();
      return;
    }
    const error = new Error(`since the previous gather, the receiver has refused ${refused}`);
    failed(error);
    throw error;
  };
  const remove = registry.add({ name, collect });
  return {
    note: urlOf(config, server.port, '/v1/metrics'),
    async stop() {
      remove();
      if (numbers.get(name) === states) numbers.delete(name);
      await server.close();
    },
  };
};

/** Returns a function that describes refusals since its previous call: `1 request, 3 points (malformed)`. */
function refusalsOf(server: RunningOtlp): () => string {
  const tallies = (): Record<string, number> => {
    // Some senders have summaries too, and they are not an error.
    const { notHistogram, ...points } = server.health.refused;
    const ofPoints = Object.entries(points).map(([reason, count]) => [`point (${reason})`, count] as const);
    return { request: server.health.failedRequests, ...Object.fromEntries(ofPoints) };
  };
  let before = tallies();
  return () => {
    const now = tallies();
    const refused = Object.entries(now)
      .map(([what, count]) => [what, count - before[what]!] as const)
      .filter(([, count]) => count > 0)
      .map(([what, count]) => `${count} ${count === 1 ? what : what.replace(/^\w+/, '$&s')}`);
    before = now;
    return refused.join(', ');
  };
}
