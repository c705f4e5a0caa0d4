import { mustBe } from '@hdrscope/core/internal';
import { asArray, asFinite, asObject, asText, type Budget, isObject, type Steps } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import type { Labels } from '../families.ts';

/** A registry of `prom-client` or `@prometheus-io/client`. */
export interface PromClientRegistry {
  /** Names of counters depend on it: those of OpenMetrics end with `_total`. */
  readonly contentType: string;
  /** Resolves with the metrics as plain objects, after their `collect` functions. */
  getMetricsAsJSON(): Promise<readonly object[]>;
}

/** A metric as `getMetricsAsJSON` has it, checked. */
export interface PromMetric {
  readonly name: string;
  readonly help: string;
  readonly type: PromType;
  /** How values of several processes become one: see `merged`. */
  readonly aggregator: string;
  readonly samples: readonly PromSample[];
}

export type PromType = (typeof TYPES)[number];

/** One line of a metric's text. */
export interface PromSample {
  /** The name of the line, when it is not that of the metric: `x_sum` of a summary `x`. */
  readonly name: string | undefined;
  /** Without the boundary of a bucket or the rank of a quantile. Neighbours of one series share a list. */
  readonly labels: Labels;
  /** The boundary of a bucket, or the rank of a quantile; NaN when its text is no number, `undefined` for other samples. */
  readonly at: number | undefined;
  readonly value: number;
  readonly exemplar: Exemplar | undefined;
}

const TYPES = ['counter', 'gauge', 'histogram', 'summary'] as const;

/** The metrics of a registry as JSON, with the names that the registry shows. */
export async function jsonOf(registry: PromClientRegistry): Promise<readonly object[]> {
  const metrics = await registry.getMetricsAsJSON();
  if (!registry.contentType.startsWith('application/openmetrics-text')) return metrics;
  return metrics.map((metric) => {
    const { type, name } = metric as { readonly type?: unknown; readonly name?: unknown };
    if (type !== 'counter' || typeof name !== 'string' || name.endsWith('_total')) return metric;
    return { ...metric, name: `${name}_total` };
  });
}

/**
 * Checks a metric of `getMetricsAsJSON`, or of a message that had it, in steps.
 *
 * @param budget Limits what a message may have. @default no limits
 * @throws HdrscopeError `ERR_DECODE` when the metric is malformed; `ERR_TOO_LARGE` when the budget is used up.
 */
export function* readMetric(json: unknown, where: string, budget?: Budget): Steps<PromMetric> {
  const { name, help, type: given, aggregator = 'sum', values } = asObject(json, where);
  const items = asArray(values, `${where}.values`);
  budget?.takeElements(items.length);
  const type = asType(given, `${where}.type`);
  const samples: PromSample[] = [];
  let labels: Labels = [];
  for (const [i, item] of items.entries()) {
    // A text for each sample would cost as much as the sample.
    const at = (field: string): string => `${where}.values[${i}]${field}`;
    const sample = readSample(item, RESERVED[type], labels, at, budget);
    labels = sample.labels;
    samples.push(sample);
    if (i % SAMPLES_PER_STEP === 0) yield;
  }
  return {
    name: asName(name, METRIC_NAME, () => `${where}.name`),
    help: asText(help, `${where}.help`),
    type,
    aggregator: asText(aggregator, `${where}.aggregator`),
    samples,
  };
}

// A look at the clock costs as much as one or two samples.
const SAMPLES_PER_STEP = 16;

/** The label that is not one of the series. */
const RESERVED: Readonly<Record<PromType, string | undefined>> = {
  counter: undefined,
  gauge: undefined,
  histogram: 'le',
  summary: 'quantile',
};

/** Names a place in an error. */
type At = (field: string) => string;

function readSample(
  json: unknown,
  reserved: string | undefined,
  before: Labels,
  at: At,
  budget: Budget | undefined,
): PromSample {
  if (!isObject(json)) throw mustBe('ERR_DECODE', at(''), 'an object', json);
  const { metricName, labels = {}, value, exemplar } = json;
  if (!isObject(labels)) throw mustBe('ERR_DECODE', at('.labels'), 'an object', labels);
  return {
    name: metricName === undefined ? undefined : asName(metricName, METRIC_NAME, () => at('.metricName')),
    labels: readLabels(labels, reserved, before, () => at('.labels'), budget),
    at: reserved === undefined || labels[reserved] === undefined ? undefined : rankOf(labels[reserved]),
    value: asNumber(value, at),
    exemplar: isObject(exemplar) ? readExemplar(exemplar, at('.exemplar'), budget) : undefined,
  };
}

function rankOf(value: unknown): number {
  if (typeof value === 'number') return value;
  if (value === '+Inf') return Number.POSITIVE_INFINITY;
  return typeof value === 'string' && value !== '' ? Number(value) : Number.NaN;
}

function readExemplar(
  { labelSet, value, timestamp }: Readonly<Record<string, unknown>>,
  where: string,
  budget: Budget | undefined,
): Exemplar {
  const labels = asObject(labelSet, `${where}.labelSet`);
  return {
    value: asFinite(value, `${where}.value`),
    timeMs: asFinite(timestamp, `${where}.timestamp`) * 1000,
    attributes: Object.fromEntries(readLabels(labels, undefined, [], () => `${where}.labelSet`, budget)),
  };
}

/** Values of labels may be numbers, or anything else that the application gave. */
function readLabels(
  json: Readonly<Record<string, unknown>>,
  reserved: string | undefined,
  before: Labels,
  where: () => string,
  budget: Budget | undefined,
): Labels {
  const names = Object.keys(json);
  budget?.takeElements(names.length);
  let same = 0;
  for (const name of names) {
    if (name === reserved) continue;
    const known = before[same];
    if (known === undefined || known[0] !== name || known[1] !== `${json[name]}`) {
      same = -1;
      break;
    }
    same++;
  }
  if (same === before.length) return before;
  return names
    .filter((name) => name !== reserved)
    .map((name) => [asName(name, LABEL_NAME, () => `a name of ${where()}`), `${json[name]}`]);
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

function asName(value: unknown, form: RegExp, where: () => string): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw mustBe('ERR_DECODE', where(), 'a name of letters, digits and underscores', value);
}

function asType(value: unknown, where: string): PromType {
  const type = TYPES.find((one) => one === value);
  if (type !== undefined) return type;
  throw mustBe('ERR_DECODE', where, `one of ${TYPES.join(', ')}`, value);
}

/** A number, or the text of one that JSON has not: see `sendable`. */
function asNumber(value: unknown, at: At): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  throw mustBe('ERR_DECODE', at('.value'), 'a number', value);
}

/** The same metrics for a message: JSON turns NaN and infinite numbers into `null`. */
export function sendable(metrics: readonly object[]): unknown[] {
  return metrics.map((metric) => {
    const { values } = metric as { readonly values?: unknown };
    if (!Array.isArray(values)) return metric;
    return { ...metric, values: values.map(sendableSample) };
  });
}

function sendableSample(sample: unknown): unknown {
  if (!isObject(sample) || typeof sample.value !== 'number' || Number.isFinite(sample.value)) return sample;
  return { ...sample, value: `${sample.value}` };
}
