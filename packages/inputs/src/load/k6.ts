import { HdrscopeError } from '@hdrscope/core';
import {
  asCount,
  asFinite,
  asObject,
  asText,
  Budget,
  isObject,
  type JsonObject,
  parseJson,
} from '@hdrscope/kit';
import { leaveOutBad, type ReadLinesOptions, readLines, type TextBytes } from '../bytes.ts';
import { cellsOf } from '../numbers/number-texts.ts';
import {
  assertLabels,
  type ErrorCount,
  isRequest,
  type LoadSummary,
  type PrintedPercentile,
  type RequestFacts,
  type RequestReader,
  type RequestSink,
} from './load.ts';

/** The metric of k6 that has the duration of each HTTP request. */
export const K6_METRIC = 'http_req_duration';

// 0 or 1 for each HTTP request; 1 is a failure, by default a status other than 200 to 399.
const FAILED = 'http_req_failed';

/** Picks the requests from all values of k6. */
class K6Requests {
  /** The name of the file in messages. */
  readonly #name: string;
  readonly #metric: string;
  readonly #sink: RequestSink;
  readonly labels: readonly string[];
  /** The tags of the durations so far, while there are labels. */
  readonly #tags = new Set<string>();
  /** The metrics of the file that have a distribution. */
  readonly #trends = new Set<string>();
  #count = 0;

  /** @param metric The metric whose values are the durations. */
  constructor(name: string, metric: string, labels: readonly string[], sink: RequestSink) {
    this.#name = name;
    this.#metric = metric;
    this.labels = labels;
    this.#sink = sink;
  }

  /** Whether a text may have a value that is wanted. */
  isNamedIn(text: string): boolean {
    return text.includes(this.#metric) || text.includes(FAILED);
  }

  isWanted(metric: string): boolean {
    return metric === this.#metric || metric === FAILED;
  }

  /**
   * Takes the declaration of a metric.
   *
   * @throws HdrscopeError `ERR_INCOMPATIBLE` when the wanted metric has no durations.
   */
  onMetric(metric: string, type: string, contains: unknown): void {
    if (type !== 'trend') return;
    if (metric === this.#metric && contains !== undefined && contains !== 'time') {
      throw new HdrscopeError(
        'ERR_INCOMPATIBLE',
        `${this.#name}: the metric ${metric} has no times: Trend(name, true) makes one of times`,
      );
    }
    this.#trends.add(metric);
  }

  /**
   * @param tags Not used without labels.
   * @throws HdrscopeError `ERR_DECODE` when a duration or its time is out of range.
   */
  onPoint(metric: string, value: number, atSec: number, tags: ReadonlyMap<string, string>): void {
    const isOutcome = metric === FAILED;
    if (!isRequest(isOutcome ? 0 : value, atSec)) {
      const message = `a value must be a duration in milliseconds, with its time, got ${value}`;
      throw new HdrscopeError('ERR_DECODE', message);
    }
    if (isOutcome) {
      this.#sink.onOutcome?.(value !== 0, atSec);
      return;
    }
    this.#count++;
    if (this.labels.length === 0) {
      this.#sink.onRequest(value, atSec);
      return;
    }
    for (const tag of tags.keys()) if (this.#tags.size < MOST_TAGS) this.#tags.add(tag);
    this.#sink.onRequest(
      value,
      atSec,
      this.labels.map((label) => tags.get(label) ?? ''),
    );
  }

  /**
   * @throws HdrscopeError `ERR_DECODE` when the file had no values of the metric; `ERR_INVALID_OPTION` when a label is a tag of none of them.
   */
  assertFound(): void {
    if (this.#count > 0) {
      assertLabels(this.labels, [...this.#tags], 'their tags are');
      return;
    }
    const others = [...this.#trends].filter((one) => one !== this.#metric).slice(0, 10);
    const cure = others.length === 0 ? '' : `: its other metrics are ${others.join(', ')}`;
    throw new HdrscopeError('ERR_DECODE', `${this.#name} has no values of the metric ${this.#metric}${cure}`);
  }
}

// JSON.

const NO_TAGS: ReadonlyMap<string, string> = new Map();
const MOST_TAGS = 1000;

// A point has a few dozen tags.
const LIMITS = { elements: 10_000, depth: 16 };

/**
 * Reads `k6 run --out json=FILE`: a line of JSON for each metric and for each of its values.
 * Source: https://grafana.com/docs/k6/latest/results-output/real-time/json/
 */
function readK6Points(bytes: TextBytes, options: ReadLinesOptions, requests: K6Requests): Promise<void> {
  return readLines(bytes, options, (line, lineNumber) =>
    leaveOutBad(lineNumber, options, () => readLine(line, requests)),
  );
}

function readLine(line: string, requests: K6Requests): void {
  // Most lines are of other metrics, and parsing takes far longer than the search.
  if (!requests.isNamedIn(line) && !line.includes('"Metric"')) return;
  const { type, metric, data } = asObject(
    parseJson(line, 'the line', new Budget('the line', LIMITS)),
    'line',
  );
  const name = asText(metric, 'metric');
  const fields = asObject(data, 'data');
  if (type === 'Metric') requests.onMetric(name, asText(fields.type, 'data.type'), fields.contains);
  if (type !== 'Point' || !requests.isWanted(name)) return;
  const tags = requests.labels.length > 0 && isObject(fields.tags) ? Object.entries(fields.tags) : [];
  requests.onPoint(
    name,
    asFinite(fields.value, 'data.value'),
    Date.parse(asText(fields.time, 'data.time')) / 1000,
    tags.length === 0 ? NO_TAGS : new Map(tags.map(([tag, text]) => [tag, String(text)])),
  );
}

// CSV.

/**
 * Reads `k6 run --out csv=FILE`: a line for each value of each metric, which begins with the metric, the time and the value.
 * Source: https://grafana.com/docs/k6/latest/results-output/real-time/csv/
 */
function readK6Table(bytes: TextBytes, options: ReadLinesOptions, requests: K6Requests): Promise<void> {
  let titles: readonly string[] | undefined;
  return readLines(bytes, options, (line, lineNumber) => {
    if (titles === undefined) {
      titles = cellsOf(line, ',');
      return;
    }
    // Most lines are of other metrics.
    if (!requests.isNamedIn(line)) return;
    const cells = cellsOf(line, ',');
    const [metric = '', time = '', value = ''] = cells;
    if (!requests.isWanted(metric)) return;
    const tags = requests.labels.length === 0 ? NO_TAGS : readTags(titles, cells);
    leaveOutBad(lineNumber, options, () =>
      requests.onPoint(metric, value === '' ? Number.NaN : Number(value), secondsOf(time), tags),
    );
  });
}

/** The tags of a line: the usual ones have columns, and the others are in one cell, as in `team=a&tier=1`. */
function readTags(titles: readonly string[], cells: readonly string[]): Map<string, string> {
  const tags = new Map<string, string>();
  for (const [at, title] of titles.entries()) {
    if (at < 3) continue;
    if (title !== 'extra_tags') tags.set(title, cells[at] ?? '');
    else
      for (const one of (cells[at] ?? '').split('&'))
        tags.set(one.split('=', 1)[0]!, one.slice(one.indexOf('=') + 1));
  }
  return tags;
}

// K6_CSV_TIME_FORMAT: seconds, milliseconds, microseconds or nanoseconds since 1970, or a date of RFC 3339.
// From 1973 to 5138, each unit has numbers of its own size.
const UNITS: readonly (readonly [below: number, perSec: number])[] = [
  [1e11, 1],
  [1e14, 1e3],
  [1e17, 1e6],
  [Number.POSITIVE_INFINITY, 1e9],
];

function secondsOf(time: string): number {
  if (!/^\d+$/.test(time)) return Date.parse(time) / 1000;
  const number = Number(time);
  const [, perSec] = UNITS.find(([below]) => number < below)!;
  return number / perSec;
}

// Summaries.

/** Whether a document is a summary of k6: of `--summary-export`, or the data of `handleSummary()`. */
export function isK6Summary(json: JsonObject): boolean {
  return isObject(json.metrics) || (isObject(json.results) && Array.isArray(json.results.metrics));
}

/**
 * Reads a summary of k6. Its durations are milliseconds. It prints the statistics of `--summary-trend-stats` alone, and interpolates a
 * percentile between the two values that are next to it.
 *
 * @param metric The metric that has the durations.
 * @throws HdrscopeError `ERR_DECODE` when a field is missing or malformed, or there is no such metric.
 */
export function readK6Summary(json: JsonObject, metric: string): LoadSummary {
  const metrics = metricsOf(json);
  const trend = metrics.get(metric);
  if (trend === undefined) {
    throw new HdrscopeError('ERR_DECODE', `there is no metric ${metric}${othersText(metrics)}`);
  }
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
    if (percentile === undefined || percentile > 100 || value === null) continue;
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

// Both.

/** What k6 calls a failure, unless the script says otherwise. */
const K6_FAILURE =
  'requests that k6 counts in http_req_failed: no response, or a status other than 200 to 399';

const K6: RequestFacts = {
  tool: 'k6',
  failure: K6_FAILURE,
  unstated: 'k6 has written no values of http_req_failed: it does so for HTTP requests, since version 0.31',
};

/** The outputs of k6 that have every request. */
export const K6_REQUESTS: Readonly<Record<'k6 points' | 'k6 table', RequestReader>> = {
  'k6 points': k6Reader(/^\s*\{"(?:type":"(?:Metric|Point)"|metric":"[^"\n]*","type":"Point")/, readK6Points),
  'k6 table': k6Reader(/^metric_name,timestamp,metric_value\b/, readK6Table),
};

function k6Reader(mark: RegExp, read: typeof readK6Points): RequestReader {
  return {
    mark,
    facts: K6,
    async read(bytes, options, sink) {
      const { name = 'the text', metric = K6_METRIC, labels = [] } = options;
      const requests = new K6Requests(name, metric, labels, sink);
      await read(bytes, options, requests);
      requests.assertFound();
    },
  };
}
