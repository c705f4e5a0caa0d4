import { HdrscopeError } from '@hdrscope/core';
import {
  assertFollows,
  assertOptions,
  custom,
  listOf,
  type OptionsOwner,
  text,
} from '@hdrscope/core/internal';
import { Budget, isObject, type JsonObject, parseJson } from '@hdrscope/kit';
import {
  LINE_NAMES,
  named,
  type ReadLinesOptions,
  type ReadTextOptions,
  readText,
  TEXT_NAMES,
  type TextBytes,
} from '../bytes.ts';
import { isArtilleryReport, readArtilleryReport } from './artillery.ts';
import { isAutocannon, readAutocannon } from './autocannon.ts';
import { HEY_REPORT, readHeyReport } from './hey.ts';
import { isK6Summary, K6_METRIC, readK6Summary } from './k6.ts';
import type { LabelledCounts, LoadSummary, ReadRequestsOptions, RequestSink } from './load.ts';
import {
  COUNTS_READERS,
  type CountsForm,
  hasCounts,
  hasRequests,
  REQUEST_READERS,
  type RequestForm,
} from './load-form.ts';
import { LOCUST_TABLE, readLocustTable } from './locust.ts';
import { isOhaSummary, readOhaSummary } from './oha.ts';
import { readWrkReport, WRK_REPORT } from './wrk.ts';

/**
 * Reads all requests of a load test: the files of `k6 run --out json=FILE` and `--out csv=FILE`, `oha --output-format csv`, `hey -o csv`,
 * `ab -g FILE`, `vegeta encode --to csv` and `json`, JMeter's log in CSV (JTL), the `simulation.log` of Gatling, text or binary, and access
 * logs of nginx, Apache, Envoy, Caddy and Traefik.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `form` is not a form that has all requests, there is no such label, or
 *   `logFormat` is no format of an access log; `ERR_DECODE` when there are no requests, or
 *   a line is malformed and `onBadLine` is left out; `ERR_INCOMPATIBLE` when the metric has no times. An error of the source is thrown
 *   unchanged.
 * @example
 * ```ts
 * import { Histogram } from '@hdrscope/core';
 * import { readRequests } from '@hdrscope/inputs';
 *
 * const file = new TextEncoder().encode(`metric_name,timestamp,metric_value
 * http_req_duration,1795380746,2.5
 * http_req_failed,1795380746,0
 * http_req_duration,1795380747,1500.25
 * http_req_failed,1795380747,1
 * `);
 * const microseconds = new Histogram();
 * let failed = 0;
 * await readRequests('k6 table', file, {
 *   onRequest: (durationMs) => microseconds.record(Math.round(durationMs * 1000)),
 *   onOutcome: (isFailed) => {
 *     if (isFailed) failed += 1;
 *   },
 * });
 * [microseconds.totalCount, microseconds.min, failed]; //=> [2, 2500, 1]
 * ```
 */
export async function readRequests(
  form: RequestForm,
  bytes: TextBytes,
  sink: RequestSink,
  options: ReadRequestsOptions = {},
): Promise<void> {
  assertFollows('the form', requestForm, form);
  assertOptions(options, READ_REQUESTS);
  await REQUEST_READERS[form].read(bytes, options, sink);
}

/**
 * The labels of requests, by which they can be grouped.
 *
 * @param beginning The first lines of the text.
 * @returns None when these lines show none.
 */
export async function findLabels(form: RequestForm, beginning: string): Promise<readonly string[]> {
  const options = { labels: [NO_LABEL], onBadLine: () => {} };
  try {
    await readRequests(form, [new TextEncoder().encode(beginning)], { onRequest: () => {} }, options);
    return [];
  } catch (error) {
    if (!(error instanceof HdrscopeError)) throw error;
    // The readers say which labels there are when they are asked for another one.
    const { labels = [] } = error.details as { labels?: readonly string[] };
    return labels;
  }
}

/** A name that no label has. */
const NO_LABEL = '\0';

const requestForm = custom<RequestForm>('a form that has all requests', (form) =>
  hasRequests(form as string),
);

// Summaries.

// The groups and checks of a k6 script.
const LIMITS = { elements: 1_000_000, depth: 200 };

/** How a summary of a load test is read. */
export interface ReadLoadSummaryOptions extends ReadTextOptions {
  /** The metric of k6 that has the durations. @default 'http_req_duration' */
  readonly metric?: string | undefined;
}

/**
 * Reads the summary that a load generator writes at the end of a test: autocannon (`--json`), k6 (`--summary-export`, `handleSummary()`),
 * oha (`--output-format json`), Artillery (`--output`), Locust (`--csv`, the file `*_stats.csv`), wrk
 * (`--latency`) or hey.
 *
 * @throws HdrscopeError `ERR_DECODE` when the text is no such summary, or has no such metric; `ERR_TOO_LARGE` when it has more than 64 MiB.
 * @example
 * ```ts
 * import { readLoadSummary } from '@hdrscope/inputs';
 *
 * const text = `{"summary":{"slowest":0.5},"latencyPercentiles":{"p50":0.02},"statusCodeDistribution":{"200":99,"503":1}}`;
 * const { tool, count, percentiles, errors } = await readLoadSummary(new TextEncoder().encode(text));
 * [tool, count, percentiles[0]?.upper, errors?.failed]; //=> ['oha', 100, 20, 1]
 * ```
 */
export async function readLoadSummary(
  bytes: TextBytes,
  options: ReadLoadSummaryOptions = {},
): Promise<LoadSummary> {
  assertOptions(options, READ_LOAD_SUMMARY);
  const { name = 'the text', metric = K6_METRIC } = options;
  const text = await readText(bytes, 'a summary', options);
  try {
    if (LOCUST_TABLE.test(text)) return readLocustTable(text);
    if (WRK_REPORT.test(text)) return readWrkReport(text);
    if (HEY_REPORT.test(text)) return readHeyReport(text);
    const document = parseJson(text, 'the text', new Budget('the text', LIMITS));
    const summary = isObject(document) ? summaryOf(document, metric) : undefined;
    if (summary !== undefined) return summary;
  } catch (error) {
    throw named(error, name);
  }
  throw new HdrscopeError(
    'ERR_DECODE',
    `${name} is JSON, and not a summary of autocannon (--json), k6 (--summary-export), oha (--output-format json) or Artillery (--output)`,
  );
}

function summaryOf(json: JsonObject, metric: string): LoadSummary | undefined {
  if (isAutocannon(json)) return readAutocannon(json);
  if (isArtilleryReport(json)) return readArtilleryReport(json);
  if (isOhaSummary(json)) return readOhaSummary(json);
  return isK6Summary(json) ? readK6Summary(json, metric) : undefined;
}

// Counts.

/**
 * Reads the counts of a tool over its own slots, one distribution for each combination of labels: `fio --output-format=json+`, the logs that
 * fio writes with `write_hist_log` and `log_hist_msec`, and `locust --json`.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when `form` is not a form that has counts; `ERR_DECODE` when the text is damaged, its counts
 *   contradict each other, or a line is malformed and `onBadLine` is left out; `ERR_TOO_LARGE` when JSON has more than 64 MiB.
 * @example
 * ```ts
 * import { readCounts } from '@hdrscope/inputs';
 *
 * const values = '"clat_ns":{"min":1100,"max":1190,"N":5,"bins":{"1096":2,"1192":3}}';
 * const report = `{"fio version":"fio-3.33","jobs":[{"jobname":"scan","read":{${values}}}]}`;
 * const [reads] = await readCounts('fio json', new TextEncoder().encode(report));
 * reads?.labels; //=> { job: 'scan', op: 'read', latency: 'clat' }
 * reads?.counts.quantile(0.5); //=> { value: 1192, lower: 1184, upper: 1200, open: false }
 * ```
 */
export async function readCounts(
  form: CountsForm,
  bytes: TextBytes,
  options: ReadLinesOptions = {},
): Promise<readonly LabelledCounts[]> {
  assertFollows('the form', countsForm, form);
  assertOptions(options, READ_COUNTS);
  return COUNTS_READERS[form].read(bytes, options);
}

const countsForm = custom<CountsForm>('a form that has counts', (form) => hasCounts(form as string));

const READ_COUNTS: OptionsOwner<ReadLinesOptions> = {
  name: 'readCounts',
  names: LINE_NAMES,
  call: "readCounts(form, bytes, { name: 'fio.json' })",
};

const READ_REQUESTS: OptionsOwner<ReadRequestsOptions> = {
  name: 'readRequests',
  names: {
    ...LINE_NAMES,
    metric: text,
    labels: listOf(text, 'names of labels'),
    logFormat: text,
    routes: listOf(text, 'routes, as in /cart/:id'),
  },
  call: "readRequests(form, bytes, sink, { name: 'points.json' })",
};

const READ_LOAD_SUMMARY: OptionsOwner<ReadLoadSummaryOptions> = {
  name: 'readLoadSummary',
  names: { ...TEXT_NAMES, metric: text },
  call: "readLoadSummary(bytes, { name: 'summary.json' })",
};
