import { type ExpositionFormat, type MetricFamily, render } from '../../src/index.ts';

export function rendered(families: readonly MetricFamily[], format: ExpositionFormat): string {
  return new TextDecoder().decode(render(families, format));
}

/** The lines that are not comments. */
export function samplesIn(text: string): string[] {
  return text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
}

/** The samples in an order that neither the exposition nor its labels decide, with one form for each number. */
export function sortedSamples(text: string): string[] {
  return samplesIn(text)
    .map((line) => {
      const [, name, labels = '', rest = ''] =
        /^([^{ ]+)(?:\{((?:[^"}]|"(?:[^"\\]|\\.)*")*)\})? (.*)$/s.exec(line) ?? [];
      const sorted = [...labels.matchAll(/([^=,]+)="((?:[^"\\]|\\.)*)"/gs)]
        .map(
          ([, label, value]) =>
            `${label}="${label === 'le' || label === 'quantile' ? Number(value) : value}"`,
        )
        .sort();
      // prom-client has a form of its own.
      return `${name}{${sorted}} ${rest.replace(/^Nan/, 'NaN')}`;
    })
    .sort();
}

/** A family of one series without labels. */
export function family(
  type: MetricFamily['type'],
  value: MetricFamily['metrics'][number]['value'],
  facts: Partial<MetricFamily> = {},
): MetricFamily {
  return { name: 'x', help: '', unit: '', type, metrics: [{ labels: [], value }], ...facts };
}
