import type { Registry } from '@hdrscope/registry';

const ROUTES = [
  ['GET', '/products/{id}', 0.004],
  ['GET', '/search', 0.016],
  ['GET', '/reports/{month}', 0.09],
  ['POST', '/login', 0.06],
] as const;

const EVERY_MS = 50;

/**
 * Fills a registry with values that a service might count, for a page without files.
 *
 * @returns A function that stops it.
 */
export function startDemo(registry: Registry): () => void {
  const durations = registry.histogram({
    name: 'http.server.request.duration',
    unit: 's',
    description: 'Made up: nobody has asked for anything.',
    significantDigits: 3,
  });
  const sizes = registry.histogram({ name: 'http.server.response.body.size', unit: 'By' });
  const boundaries = Array.from({ length: 26 }, (_, i) => 2 ** i * 1e-6);
  const waits = registry.histogram({ name: 'kernel.run_queue.latency', unit: 's', boundaries });
  const timer = setInterval(() => {
    for (const [method, route, typical] of ROUTES) {
      const attributes = { 'http.request.method': method, 'http.route': route };
      const requests = Math.round(0.4 / typical ** 0.6);
      for (let n = 0; n < requests; n++) {
        const outlier = Math.random() < 0.004 ? 10 : 1;
        durations.with(attributes).record(around(typical * outlier, 0.4));
        sizes.with(attributes).record(Math.round(around(8000, 0.8)));
      }
    }
    for (let cpu = 0; cpu < 4; cpu++) waits.with({ cpu }).record(around(20e-6, 1));
  }, EVERY_MS).unref();
  return () => clearInterval(timer);
}

/** A random positive number near `typical`, with a long tail above it. */
function around(typical: number, spread: number): number {
  return typical * Math.exp(spread * 2 * (Math.random() + Math.random() + Math.random() - 1.5));
}
