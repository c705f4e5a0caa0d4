import { isObject, type Steps } from '@hdrscope/kit';

// Metrics of prom-client, as the processes of a service hand them over. What only grows is a series: it is handed over as its increases,
// and stays when its process ends. All others are levels: gauges, quantiles, and metrics whose `aggregator` is not `sum`.

/** A metric as `getMetricsAsJSON` of prom-client has it. */
export interface PromMetric extends PromFacts {
  readonly values: readonly PromSample[];
}

interface PromFacts {
  readonly name: string;
  readonly help: string;
  readonly type: string;
  readonly aggregator: string;
}

interface PromSample {
  /** The name of the sample, when it is not that of the metric. */
  readonly metricName?: string | undefined;
  readonly labels: PromLabels;
  readonly value: number;
  readonly exemplar?: PromExemplar | undefined;
}

type PromLabels = Readonly<Record<string, string>>;

interface PromExemplar {
  readonly labelSet: object;
  readonly value: number;
  /** In seconds since 1970. */
  readonly timestamp: number;
}

/** A series of a counter, a histogram or a summary. */
export interface PromSeries {
  /** What identifies it. Histograms with other boundaries are other series. */
  readonly key: string;
  readonly facts: PromFacts;
  readonly labels: PromLabels;
  /** The upper bounds of the buckets of a histogram, ascending, without infinity. */
  readonly boundaries: readonly number[];
  /** A counter has its value, a histogram the count of each bucket and the sum, and a summary the count and the sum. */
  readonly values: readonly number[];
  /** How many of the values, from the first one on, never fall. A sum of values falls when they are negative. */
  readonly growing: number;
  /** The latest exemplar by the index in `values`; empty without exemplars. */
  readonly exemplars: readonly (PromExemplar | undefined)[];
}

/** The metrics of a process. */
export interface PromState {
  readonly series: readonly PromSeries[];
  readonly levels: readonly PromMetric[];
}

/** The metrics of all processes. */
export interface AllProm {
  readonly series: readonly PromSeries[];
  /** Those of each process that lives. */
  readonly levels: readonly (readonly PromMetric[])[];
}

/**
 * Splits the metrics of a registry, in steps. What this returns does not change, as the samples of prom-client do when the application
 * counts on.
 *
 * @param metrics As `getMetricsAsJSON` has them.
 * @param warn Called with a text that names a metric that is malformed, and left out.
 */
export function* splitMetrics(metrics: readonly object[], warn: (message: string) => void): Steps<PromState> {
  const series: PromSeries[] = [];
  const levels: PromMetric[] = [];
  for (const metric of metrics as readonly PromMetric[]) {
    const { name, help, type, aggregator = 'sum', values } = metric;
    const facts = { name, help, type, aggregator };
    const isLevel = aggregator !== 'sum' || !['counter', 'histogram', 'summary'].includes(type);
    const found = isLevel ? { series: [], levels: values } : yield* readSeries(facts, values);
    const samples = found && copySamples(found.levels);
    if (samples === undefined) {
      warn(`the ${type} "${name}" of prom-client has values that cannot be read: it is left out`);
      continue;
    }
    for (const one of found!.series) series.push(one);
    // A metric without values is shown, too.
    if (found!.series.length === 0 || samples.length > 0) levels.push({ ...facts, values: samples });
    yield;
  }
  return { series, levels };
}

/** @returns `undefined` when they are malformed. */
function copySamples(samples: unknown): PromSample[] | undefined {
  if (!Array.isArray(samples) || !samples.every(isSample)) return undefined;
  return samples.map(({ metricName, labels, value, exemplar }) => ({
    metricName,
    labels: copyLabels(labels),
    value,
    exemplar: copyExemplar(exemplar),
  }));
}

function isSample(sample: unknown): sample is PromSample {
  if (!isObject(sample) || typeof sample.value !== 'number') return false;
  return sample.labels === undefined || isObject(sample.labels);
}

function copyLabels(labels: PromLabels = {}): PromLabels {
  const texts: Record<string, string> = {};
  for (const name of Object.keys(labels)) texts[name] = `${labels[name]}`;
  return texts;
}

function copyExemplar(exemplar: PromExemplar | null | undefined): PromExemplar | undefined {
  return isObject(exemplar) ? { ...(exemplar as PromExemplar) } : undefined;
}

/**
 * The metrics of all processes, in steps, as lists that may be aggregated: a metric is in the first one when its values are added up already, and in
 * those of its processes otherwise. What cannot be aggregated is left out: metrics of another kind than the first ones of their name,
 * and quantiles of several processes.
 *
 * @param warn Called with a text that names the metric.
 */
export function* listMetrics(
  { series, levels }: AllProm,
  warn: (message: string) => void,
): Steps<PromMetric[][]> {
  const kinds = new Map<string, string>();
  const quantiles = countQuantiles(levels);
  return [yield* joinSeries(series), ...levels].map((metrics) =>
    metrics.flatMap((metric): PromMetric[] => {
      const { name, type, aggregator } = metric;
      const kind = `${type} with the aggregator ${aggregator}`;
      const known = kinds.get(name) ?? kind;
      kinds.set(name, known);
      if (kind !== known) {
        warn(`"${name}" is a ${known} in one process and a ${kind} in another: the latter is left out`);
        return [];
      }
      if (type !== 'summary' || aggregator !== 'sum' || (quantiles.get(name) ?? 0) < 2) return [metric];
      if (metric.values.some(isQuantile))
        warn(`quantiles of "${name}" cannot be added up: scrapes show its sum and count`);
      return [{ ...metric, values: metric.values.filter((sample) => !isQuantile(sample)) }];
    }),
  );
}

/** How many processes have quantiles, by the name of the summary. */
function countQuantiles(levels: AllProm['levels']): Map<string, number> {
  const counts = new Map<string, number>();
  for (const { name, type, values } of levels.flat())
    if (type === 'summary' && values.some(isQuantile)) counts.set(name, (counts.get(name) ?? 0) + 1);
  return counts;
}

function isQuantile({ metricName }: PromSample): boolean {
  return metricName === undefined;
}

/** Joins what `splitMetrics` has split. */
function* joinSeries(series: Iterable<PromSeries>): Steps<PromMetric[]> {
  const metrics = new Map<string, PromFacts & { readonly values: PromSample[] }>();
  for (const one of series) {
    const { name, type } = one.facts;
    const key = JSON.stringify([name, type, one.boundaries]);
    const metric = metrics.get(key) ?? { ...one.facts, values: [] };
    metrics.set(key, metric);
    for (const sample of samplesOf(one)) metric.values.push(sample);
    yield;
  }
  return [...metrics.values()];
}

/** Adds up two states of one series. */
export function addSeries(one: PromSeries, other: PromSeries): PromSeries {
  const exemplars =
    one.exemplars.length === 0
      ? other.exemplars
      : one.exemplars.map((exemplar, i) => later(exemplar, other.exemplars[i]));
  return { ...one, values: one.values.map((value, i) => value + other.values[i]!), exemplars };
}

function later(one: PromExemplar | undefined, other: PromExemplar | undefined): PromExemplar | undefined {
  if (one === undefined || other === undefined) return one ?? other;
  return other.timestamp >= one.timestamp ? other : one;
}

/** @returns `undefined` when the metric is malformed. */
function* readSeries(
  facts: PromFacts,
  samples: unknown,
): Steps<{ readonly series: readonly PromSeries[]; readonly levels: readonly PromSample[] } | undefined> {
  if (!Array.isArray(samples)) return undefined;
  const { name, type } = facts;
  const make = seriesMaker(facts);
  const series: PromSeries[] = [];
  const quantiles: PromSample[] = [];
  let buckets: PromSample[] = [];
  let [count, sum]: (number | undefined)[] = [];
  for (const sample of samples) {
    if (!isSample(sample)) return undefined;
    const { metricName, labels, value, exemplar } = sample;
    if (type === 'counter') {
      series.push(make({ labels, boundaries: [], values: [value], growing: 1, exemplars: [exemplar] }));
      yield;
      continue;
    }
    if (metricName === `${name}_sum`) sum = value;
    else if (metricName === `${name}_count`) count = value;
    else if (type === 'histogram') buckets.push(sample);
    else quantiles.push(sample);
    // The samples of a series follow each other, and these two come last.
    if (count === undefined || sum === undefined) continue;
    const counted = readBuckets(buckets, count);
    if (counted === undefined) return undefined;
    const { boundaries, counts, exemplars } = counted;
    series.push(make({ labels, boundaries, values: [...counts, sum], growing: counts.length, exemplars }));
    buckets = [];
    count = undefined;
    sum = undefined;
    yield;
  }
  const isWhole = buckets.length === 0 && count === undefined && sum === undefined;
  return isWhole ? { series, levels: quantiles } : undefined;
}

/**
 * Reads the buckets of prom-client, which count all values up to their boundary.
 *
 * @returns `undefined` when they are malformed.
 */
function readBuckets(
  buckets: readonly PromSample[],
  count: number,
): { boundaries: number[]; counts: number[]; exemplars: PromSample['exemplar'][] } | undefined {
  const ascending = buckets
    .map((sample) => ({ at: boundaryOf(sample), sample }))
    .sort((one, other) => one.at - other.at);
  const boundaries: number[] = [];
  const counts: number[] = [];
  let before = 0;
  for (const { at, sample } of ascending) {
    if (at === Number.POSITIVE_INFINITY) continue;
    boundaries.push(at);
    counts.push(sample.value - before);
    before = sample.value;
  }
  counts.push(count - before);
  if (!counts.every((one) => one >= 0) || boundaries.some(Number.isNaN)) return undefined;
  return { boundaries, counts, exemplars: ascending.map(({ sample }) => sample.exemplar) };
}

function boundaryOf({ labels }: PromSample): number {
  const { le } = labels;
  return le === '+Inf' ? Number.POSITIVE_INFINITY : Number(le);
}

/** Makes the series of a metric. Those with the same boundaries share a list of them. */
function seriesMaker(facts: PromFacts): (series: Omit<PromSeries, 'key' | 'facts'>) => PromSeries {
  let shared: readonly number[] = [];
  let prefix = '';
  return ({ boundaries, labels: given, exemplars: theirs, ...others }) => {
    if (prefix === '' || !isSame(boundaries, shared)) {
      shared = boundaries;
      prefix = JSON.stringify([facts.name, facts.type, shared]);
    }
    const labels = copyLabels(given);
    const exemplars = theirs.some((exemplar) => isObject(exemplar)) ? theirs.map(copyExemplar) : [];
    return { ...others, key: `${prefix} ${labelsKey(labels)}`, facts, labels, boundaries: shared, exemplars };
  };
}

function isSame(one: readonly number[], other: readonly number[]): boolean {
  return one.length === other.length && one.every((number, i) => number === other[i]);
}

/** A text that is equal for equal labels. */
function labelsKey(labels: PromLabels): string {
  return JSON.stringify(Object.entries(labels).sort());
}

function samplesOf({
  facts: { name, type },
  labels,
  boundaries,
  values,
  exemplars,
}: PromSeries): PromSample[] {
  if (type === 'counter') return [{ labels, value: values[0]!, exemplar: exemplars[0] }];
  const samples: PromSample[] = [];
  let count = 0;
  for (const [i, value] of values.slice(0, -1).entries()) {
    count += value;
    const le = i < boundaries.length ? `${boundaries[i]}` : '+Inf';
    if (type === 'histogram')
      samples.push({
        metricName: `${name}_bucket`,
        labels: { le, ...labels },
        value: count,
        exemplar: exemplars[i],
      });
  }
  samples.push(
    { metricName: `${name}_sum`, labels, value: values.at(-1)! },
    { metricName: `${name}_count`, labels, value: count },
  );
  return samples;
}
