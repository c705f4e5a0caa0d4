import type { MetricFamily } from '@hdrscope/prometheus';
import type { EntryContext } from '../entry.ts';
import { HEALTH_NUMBERS } from '../health.ts';

/** The agent's metrics under Prometheus' names, which end with the unit. */
export function healthFamilies({ health, nowMs }: Pick<EntryContext, 'health' | 'nowMs'>): MetricFamily[] {
  const now = health();
  return HEALTH_NUMBERS.map(({ name, kind, unit, description, points }) => ({
    name: `${name.replaceAll('.', '_')}${unit === 's' ? '_seconds' : ''}`,
    help: description,
    unit,
    type: kind,
    metrics: points(now, nowMs()).map(({ attributes, value }) => ({
      labels: Object.entries(attributes),
      ...(kind === 'counter' && { createdMs: now.startedMs }),
      value: { kind: 'number', value },
    })),
  }));
}
