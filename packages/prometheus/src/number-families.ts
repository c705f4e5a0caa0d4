import type { Metric, MetricFamily } from './families.ts';

/** Makes families of plain numbers. All counters began to count at the same time. */
export interface NumberFamilies {
  counter(name: string, help: string, unit: string, values: Labelled | number): MetricFamily;
  gauge(name: string, help: string, unit: string, values: Labelled | number): MetricFamily;
}

/** Numbers by the value of one label. */
export interface Labelled {
  readonly label: string;
  readonly values: Readonly<Record<string, number>>;
}

/** @param createdMs When counters began to count, in milliseconds since 1970. */
export function numberFamilies(createdMs: number): NumberFamilies {
  return {
    counter: (name, help, unit, values) => ({
      name,
      help,
      unit,
      type: 'counter',
      metrics: metricsOf(values, createdMs),
    }),
    gauge: (name, help, unit, values) => ({ name, help, unit, type: 'gauge', metrics: metricsOf(values) }),
  };
}

function metricsOf(values: Labelled | number, createdMs?: number): Metric[] {
  const metric = (labels: Metric['labels'], value: number): Metric => ({
    labels,
    createdMs,
    value: { kind: 'number', value },
  });
  if (typeof values === 'number') return [metric([], values)];
  return Object.entries(values.values).map(([text, value]) => metric([[values.label, text]], value));
}
