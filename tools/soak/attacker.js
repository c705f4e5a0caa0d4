/** The attacker, as the main thread sees it. */
import { once } from 'node:events';
import { Worker } from 'node:worker_threads';
import { serveOtlp } from '@hdrscope/otel/receiver';
import { createRegistry } from '@hdrscope/registry';

/**
 * What one attack achieved.
 *
 * @typedef {object} AttackReport
 * @property {string} name
 * @property {boolean} isRefused whether each of its requests must be refused
 * @property {number} times how often it came
 * @property {number} connections
 * @property {number} answered requests that were answered
 * @property {number} refused requests that were answered with an error
 * @property {number} closed connections that the server closed
 */

/**
 * Attacks the servers until it is stopped, and a receiver of OTLP that nobody else uses.
 *
 * @param {{ scrape: number, page: number }} ports
 * @returns {Promise<{ stop(): Promise<AttackReport[]> }>}
 */
export async function startAttacker(ports) {
  const otlp = await serveOtlp(createRegistry(), { host: '127.0.0.1', port: 0 });
  const worker = new Worker(new URL('./attacker-worker.js', import.meta.url), {
    workerData: { ports: { ...ports, otlp: otlp.port } },
  });
  return {
    async stop() {
      worker.postMessage('stop');
      const [reports] = await once(worker, 'message');
      await otlp.close();
      return reports;
    },
  };
}
