/** The lines of a metrics page that belong to one histogram series. */
export interface HistogramSeries {
  /** The labels that identify the series, sorted. */
  readonly labels: string;
  readonly count: number;
  readonly sum: number;
  /** Upper bound and cumulative count, in the order of the page. */
  readonly buckets: readonly (readonly [le: number, count: number])[];
}

/** Reads the series of a histogram from a page in Prometheus' text format. */
export function readHistogram(page: string, name: string): HistogramSeries[] {
  const series = new Map<string, { count: number; sum: number; buckets: [number, number][] }>();
  for (const [, part, labelText = '', value] of page.matchAll(
    new RegExp(`^${name}_(bucket|sum|count)(?:\\{(.*)\\})? (\\S+)`, 'gm'),
  )) {
    const labels = [...labelText.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(
      ([, key, text]) => [key!, text!] as const,
    );
    const identity = labels
      .filter(([key]) => key !== 'le' && !key.startsWith('otel_scope_'))
      .map(([key, text]) => `${key}=${text}`)
      .sort()
      .join(' ');
    const one = series.get(identity) ?? { count: Number.NaN, sum: Number.NaN, buckets: [] };
    series.set(identity, one);
    if (part === 'count') one.count = Number(value);
    else if (part === 'sum') one.sum = Number(value);
    else one.buckets.push([boundOf(labels.find(([key]) => key === 'le')?.[1]), Number(value)]);
  }
  return [...series].map(([labels, rest]) => ({ labels, ...rest }));
}

function boundOf(le: string | undefined): number {
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
}
