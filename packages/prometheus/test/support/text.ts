import { type ExpositionFormat, type MetricFamily, render } from '../../src/index.ts';

export function rendered(families: readonly MetricFamily[], format: ExpositionFormat): string {
  return new TextDecoder().decode(render(families, format));
}

/** The lines that are not comments. */
export function samplesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** A family of one series without labels. */
export function family(
  type: MetricFamily['type'],
  value: MetricFamily['metrics'][number]['value'],
  facts: Partial<MetricFamily> = {},
): MetricFamily {
  return { name: 'x', help: '', unit: '', type, metrics: [{ labels: [], value }], ...facts };
}
