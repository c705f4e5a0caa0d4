/** A receiver of OTLP in this process, which nothing harms. */
import { serveOtlp } from '@hdrscope/otel/receiver';
import { createRegistry } from '@hdrscope/registry';

/** @import { OtlpSenderOptions } from '@hdrscope/otel/sender' */
/** @import { Round } from './scenario.js' */

/** @param {Round} round */
export async function serveReceiver(round) {
  const registry = createRegistry();
  const server = await serveOtlp(registry, { host: '127.0.0.1', port: 0 });
  round.atEnd(() => server.close());
  return {
    registry,
    port: server.port,
    /**
     * The options of a sender to it.
     *
     * @param {Partial<OtlpSenderOptions>} options
     * @returns {OtlpSenderOptions}
     */
    options: (options) => ({
      url: `http://127.0.0.1:${server.port}/v1/metrics`,
      histograms: 'explicit',
      timeoutMs: 2000,
      ...options,
    }),
    /** Points that it has refused. It takes no numbers, and an agent sends some. */
    problems() {
      const { notHistogram: _, ...points } = server.health.refused;
      const counts = Object.entries(points).filter(([, count]) => count > 0);
      return counts.map(([what, count]) => `the receiver: ${count} ${what}`);
    },
  };
}
