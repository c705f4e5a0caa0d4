import { mustBe } from '@hdrscope/core/internal';
import { asArray, asFinite, asObject, asText, type Budget, isObject } from '@hdrscope/kit';
import type { Exemplar } from '@hdrscope/registry';
import type { Labels } from '../families.ts';

/** A registry of `prom-client` or `@prometheus-io/client`. */
export interface PromClientRegistry {
  /** Names of counters depend on it: those of OpenMetrics end with `_total`. */
  readonly contentType: string;
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
  readonly labels: Labels;
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
 * Checks a metric of `getMetricsAsJSON`, or of a message that had it.
 *
 * @param budget Limits what a message may have. @default no limits
 * @throws HdrscopeError `ERR_DECODE` when the metric is malformed; `ERR_TOO_LARGE` when the budget is used up.
 */
export function readMetric(json: unknown, where: string, budget?: Budget): PromMetric {
  const { name, help, type, aggregator = 'sum', values } = asObject(json, where);
  const items = asArray(values, `${where}.values`);
  budget?.takeElements(items.length);
  return {
    name: asName(name, `${where}.name`, METRIC_NAME),
    help: asText(help, `${where}.help`),
    type: asType(type, `${where}.type`),
    aggregator: asText(aggregator, `${where}.aggregator`),
    samples: items.map((item, i) => readSample(item, `${where}.values[${i}]`, budget)),
  };
}

function readSample(json: unknown, where: string, budget: Budget | undefined): PromSample {
  const { metricName, labels, value, exemplar } = asObject(json, where);
  return {
    name: metricName === undefined ? undefined : asName(metricName, `${where}.metricName`, METRIC_NAME),
    labels: readLabels(labels ?? {}, `${where}.labels`, budget),
    value: asNumber(value, `${where}.value`),
    exemplar: isObject(exemplar) ? readExemplar(exemplar, `${where}.exemplar`, budget) : undefined,
  };
}

function readExemplar(
  { labelSet, value, timestamp }: Readonly<Record<string, unknown>>,
  where: string,
  budget: Budget | undefined,
): Exemplar {
  return {
    value: asFinite(value, `${where}.value`),
    timeMs: asFinite(timestamp, `${where}.timestamp`) * 1000,
    attributes: Object.fromEntries(readLabels(labelSet, `${where}.labelSet`, budget)),
  };
}

/** Values of labels may be numbers, or anything else that the application gave. */
function readLabels(json: unknown, where: string, budget: Budget | undefined): Labels {
  const entries = Object.entries(asObject(json, where));
  budget?.takeElements(entries.length);
  return entries.map(([name, value]) => [asName(name, `a name of ${where}`, LABEL_NAME), `${value}`]);
}

const METRIC_NAME = /^[a-zA-Z_:][a-zA-Z0-9_:]*$/;
const LABEL_NAME = /^[a-zA-Z_][a-zA-Z0-9_]*$/;

function asName(value: unknown, where: string, form: RegExp): string {
  if (typeof value === 'string' && form.test(value)) return value;
  throw mustBe('ERR_DECODE', where, 'a name of letters, digits and underscores', value);
}

function asType(value: unknown, where: string): PromType {
  const type = TYPES.find((one) => one === value);
  if (type !== undefined) return type;
  throw mustBe('ERR_DECODE', where, `one of ${TYPES.join(', ')}`, value);
}

/** A number, or the text of one that JSON has not: see `sendable`. */
function asNumber(value: unknown, where: string): number {
  if (typeof value === 'number') return value;
  if (value === 'NaN' || value === 'Infinity' || value === '-Infinity') return Number(value);
  throw mustBe('ERR_DECODE', where, 'a number', value);
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
