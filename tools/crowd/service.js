/** A busy service with metrics and a live page. It tells its parent the ports, and then its memory now and then. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { serveDashboard } from '@hdrscope/dashboard';
import { servePrometheus } from '@hdrscope/prometheus';
import { createRegistry } from '@hdrscope/registry';

const series = Number(process.argv[2]);
const registry = createRegistry();
const family = registry.histogram({
  name: 'http.server.request.duration',
  unit: 's',
  cardinalityLimit: series + 1,
});
const all = Array.from({ length: series }, (_, i) => family.with({ route: `/route/${i}`, method: 'GET' }));

let at = 0;
setInterval(() => {
  // Each series changes between two scrapes.
  for (const one of all) one.record(((at++ % 1009) + 1) / 1000);
}, 500);

const metrics = await servePrometheus(registry, { host: '127.0.0.1', port: 0 });
const page = await serveDashboard(registry, { host: '127.0.0.1', port: 0 });
send({ scrape: metrics.port, page: page.port });

const collect = /** @type {() => void} */ (globalThis.gc);
const delay = monitorEventLoopDelay({ resolution: 10 });
delay.enable();
setInterval(() => {
  // The collections are work of this measurement, not of the service.
  delay.disable();
  collect();
  // The first collection finds arrays without a use, the second one begins when their bytes are given back.
  collect();
  const { heapUsed, external } = process.memoryUsage();
  send({ liveBytes: heapUsed + external, longestBlockMs: delay.max / 1e6 });
  delay.reset();
  delay.enable();
}, 2000);

/** @param {object} message */
function send(message) {
  process.send?.(message);
}
