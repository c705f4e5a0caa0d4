import { createRegistry, type Snapshot } from '@hdrscope/registry';

/** Some requests of one kind. */
export interface Requests {
  readonly method?: string;
  readonly route?: string;
  readonly status?: number;
  readonly ms: readonly number[];
}

/** The snapshot of a registry after the service has answered these requests. */
export async function snapshotOf(...all: Requests[]): Promise<Snapshot> {
  const registry = createRegistry({ clock: { nowMs: () => 0, monotonicMs: () => 0 } });
  const family = registry.histogram({
    name: 'http.server.request.duration',
    unit: 's',
    significantDigits: 3,
  });
  for (const { method = 'GET', route, status = 200, ms } of all) {
    const series = family.with({
      'http.request.method': method,
      'http.response.status_code': status,
      'http.route': route,
    });
    for (const one of ms) series.record(one / 1000);
  }
  return registry.gather();
}

/** 1, 2, … n milliseconds. */
export function upTo(n: number): number[] {
  return Array.from({ length: n }, (_, i) => i + 1);
}
