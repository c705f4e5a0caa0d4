import { asCount, asFinite, asObject, asText, isObject, type JsonObject } from '@hdrscope/kit';
import { Refusal } from '../../command.ts';
import { K6_METRIC } from './k6-requests.ts';
import type { ErrorCount, LoadSummary, PrintedPercentile } from './load-summary.ts';

/** Whether a document is a summary of k6: of `--summary-export`, or the data of `handleSummary()`. */
export function isK6Summary(json: JsonObject): boolean {
  return isObject(json.metrics) || (isObject(json.results) && Array.isArray(json.results.metrics));
}

/**
 * Reads a summary of k6. Its durations are milliseconds. It prints the statistics of `--summary-trend-stats` alone, and interpolates a
 * percentile between the two values that are next to it.
 *
 * @param metric The metric that has the durations.
 * @throws HdrscopeError `ERR_DECODE` when a field is missing or malformed; Refusal when there is no such metric.
 */
export function readK6Summary(json: JsonObject, metric: string): LoadSummary {
  const metrics = metricsOf(json);
  const trend = metrics.get(metric);
  if (trend === undefined) throw new Refusal(`there is no metric ${metric}${othersText(metrics)}`);
  const count = countOf(trend, metric, metrics);
  return {
    tool: 'k6',
    count,
    percentiles: count === undefined || count === 0 ? [] : percentilesOf(trend, metric, count),
    errors: errorsOf(metrics),
    cure: `k6 run --summary-trend-stats 'med,p(95),p(99),p(99.9),max,count' prints others, and --out json=FILE writes every value`,
    notes: [],
  };
}

/** The values of each metric, in any of the three forms. */
function metricsOf({ metrics, results }: JsonObject): Map<string, JsonObject> {
  // With --new-machine-readable-summary.
  if (isObject(results)) {
    return new Map(
      (results.metrics as readonly unknown[]).map((one, at) => {
        const { name, values } = asObject(one, `results.metrics[${at}]`);
        return [
          asText(name, `results.metrics[${at}].name`),
          asObject(values, `results.metrics[${at}].values`),
        ];
      }),
    );
  }
  // handleSummary() has the values below another key.
  return new Map(
    Object.entries(asObject(metrics, 'metrics')).map(([name, one]) => {
      const fields = asObject(one, `metrics.${name}`);
      return [name, isObject(fields.values) ? fields.values : fields];
    }),
  );
}

function othersText(metrics: Map<string, JsonObject>): string {
  const trends = [...metrics].filter(([, values]) => 'med' in values).map(([name]) => name);
  return trends.length === 0 ? '' : `: there are ${trends.slice(0, 10).join(', ')}`;
}

function countOf(trend: JsonObject, metric: string, metrics: Map<string, JsonObject>): number | undefined {
  if (isCount(trend.count)) return trend.count;
  // Every HTTP request counts in both, and every iteration.
  const counter = metric === K6_METRIC ? 'http_reqs' : metric === 'iteration_duration' ? 'iterations' : '';
  const count = metrics.get(counter)?.count;
  return isCount(count) ? count : undefined;
}

function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && (value as number) >= 0;
}

const NAMED: Readonly<Record<string, number>> = { med: 50, max: 100 };

function percentilesOf(trend: JsonObject, metric: string, count: number): PrintedPercentile[] {
  const found: PrintedPercentile[] = [];
  for (const [key, value] of Object.entries(trend)) {
    const [, number] = /^p\(?(\d+(?:\.\d+)?)\)?$/.exec(key) ?? [];
    const percentile = number === undefined ? NAMED[key] : Number(number);
    // A summary for programs has null for those that were not asked for.
    if (percentile === undefined || value === null) continue;
    const ms = asFinite(value, `${metric}.${key}`);
    // Source: k6, `metrics/sink.go`, `TrendSink.P`: between the values at these two indices, from 0.
    const index = (percentile / 100) * (count - 1);
    found.push({
      percentile,
      lower: ms,
      upper: ms,
      atOrBelow: Math.floor(index) + 1,
      below: Math.ceil(index),
    });
  }
  return found;
}

function errorsOf(metrics: Map<string, JsonObject>): ErrorCount | undefined {
  const rate = metrics.get('http_req_failed');
  if (rate === undefined) return undefined;
  // It counts failures, so a pass of this metric is a request that failed.
  const failed = asCount(rate.passes ?? rate.matches, 'http_req_failed.passes');
  const requests =
    rate.total === undefined ? failed + asCount(rate.fails, 'http_req_failed.fails') : rate.total;
  return {
    failed,
    requests: asCount(requests, 'http_req_failed.total'),
    meaning: K6_FAILURE,
  };
}

/** What k6 calls a failure, unless the script says otherwise. */
export const K6_FAILURE =
  'requests that k6 counts in http_req_failed: no response, or a status other than 200 to 399';
