import { createRegistry, type Registry } from '@hdrscope/registry';

/** A registry of 1000 series, and a function that records further values in each of them. */
export function recordThousandSeries(): {
  readonly registry: Registry;
  readonly record: (values: number) => void;
} {
  const registry = createRegistry();
  const durations = registry.histogram({ name: 'http.server.request.duration', unit: 's' });
  let state = 1;
  const random = (): number => {
    state = (state * 48_271) % 2_147_483_647;
    return state / 2_147_483_647;
  };
  const record = (values: number): void => {
    for (let i = 0; i < 1000; i++) {
      const series = durations.with({ route: `/orders/${i}`, method: i % 2 ? 'GET' : 'POST', status: 200 });
      const scale = 0.002 * (1 + ((i * 7) % 50));
      for (let n = 0; n < values; n++)
        series.record(scale * Math.exp(2 * (random() + random() + random() - 1.5)));
    }
  };
  record(400);
  return { registry, record };
}
