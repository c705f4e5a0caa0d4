/** A request of a load test that a sample contains. */
export interface SampleRequest {
  readonly ms: number;
  /** @default 200 */
  readonly status?: number;
  /** Seconds since 1970. @default a second of 2026 */
  readonly at?: number;
}

const START_SEC = 1_795_380_746;

const isFailed = ({ status = 200 }: SampleRequest): boolean => status < 200 || status >= 400;

/** The lines that k6 1.8.1 writes with `--out json`, with fewer metrics. */
export function k6Points(requests: readonly SampleRequest[], metric = 'http_req_duration'): string {
  const declared = (name: string, type: string, contains: string): string =>
    `{"type":"Metric","data":{"name":"${name}","type":"${type}","contains":"${contains}","thresholds":[],"submetrics":null},"metric":"${name}"}\n`;
  const point = (name: string, value: number, { status = 200, at = START_SEC }: SampleRequest): string =>
    `{"metric":"${name}","type":"Point","data":{"time":"${new Date(at * 1000).toISOString()}","value":${value},"tags":{"group":"","method":"GET","name":"http://127.0.0.1/","status":"${status}"}}}\n`;
  const lines = requests.map(
    (one) =>
      point('http_reqs', 1, one) +
      point(metric, one.ms, one) +
      point('http_req_waiting', one.ms / 2, one) +
      point('http_req_failed', isFailed(one) ? 1 : 0, one),
  );
  return (
    declared('http_reqs', 'counter', 'default') +
    declared(metric, 'trend', 'time') +
    declared('http_req_waiting', 'trend', 'time') +
    declared('http_req_failed', 'rate', 'default') +
    lines.join('')
  );
}

/** The table that k6 1.8.1 writes with `--out csv`. */
export function k6Table(requests: readonly SampleRequest[]): string {
  const row = (name: string, value: number, { status = 200, at = START_SEC }: SampleRequest): string =>
    `${name},${at},${value.toFixed(6)},,,,true,,GET,"a,""b",HTTP/1.1,default,,${status},,,"a,""b",,\n`;
  const lines = requests.map(
    (one) =>
      row('http_reqs', 1, one) +
      row('http_req_duration', one.ms, one) +
      row('http_req_waiting', one.ms / 2, one) +
      row('http_req_failed', isFailed(one) ? 1 : 0, one),
  );
  return `metric_name,timestamp,metric_value,check,error,error_code,expected_response,group,method,name,proto,scenario,service,status,subproto,tls_version,url,extra_tags,metadata\n${lines.join('')}`;
}

/** The table that oha 1.16.0 writes with `--output-format csv`. */
export function ohaTable(requests: readonly SampleRequest[]): string {
  const lines = requests.map(
    ({ ms, status = 200 }, at) => `${at / 100},0.00002,0.0001,${ms / 2000},${ms / 1000},2,${status}\n`,
  );
  return `request-start,DNS,DNS+dialup,Response-delay,request-duration,bytes,status\n${lines.join('')}`;
}

/** The summary that oha 1.16.0 writes with `--output-format json`, with fewer fields. */
export function ohaSummary(
  percentiles: Readonly<Record<string, number | null>>,
  statuses: Readonly<Record<string, number>>,
  errors: Readonly<Record<string, number>> = {},
): string {
  const document = {
    summary: { successRate: 1, total: 1, slowest: 0.5, fastest: 0.001, average: 0.01 },
    latencyPercentiles: percentiles,
    statusCodeDistribution: statuses,
    errorDistribution: errors,
  };
  return JSON.stringify(document, undefined, 2);
}

/** The line that autocannon 8 writes with `--json`, with fewer fields. */
export function autocannonLine(
  latency: Readonly<Record<string, number>>,
  errors: Readonly<Record<string, number>> = {},
  total: number = latency.totalCount ?? 0,
): string {
  const document = {
    url: 'http://127.0.0.1/',
    connections: 5,
    sampleInt: 1000,
    pipelining: 1,
    ...{ errors: 0, timeouts: 0, mismatches: 0, non2xx: 0, ...errors },
    latency: { average: 1, max: 90, ...latency },
    requests: { total },
  };
  return `${JSON.stringify(document)}\n`;
}

/** What a summary of k6 says about its durations. */
export interface K6Trend {
  readonly [statistic: string]: number | null;
}

const K6_FAILED = { passes: 6, fails: 994, value: 0.006 };

/** The three forms of a summary of k6 1.8.1: of `--summary-export`, of `handleSummary()`, and of the option for programs. */
export const k6Summaries: Readonly<Record<string, (trend: K6Trend) => string>> = {
  '--summary-export': (trend) =>
    JSON.stringify(
      {
        root_group: { name: '', groups: {}, checks: {} },
        metrics: {
          http_req_failed: K6_FAILED,
          iterations: { count: 1000, rate: 10 },
          http_reqs: { count: 1000, rate: 10 },
          http_req_duration: trend,
        },
      },
      undefined,
      4,
    ),
  'handleSummary()': (trend) =>
    JSON.stringify({
      options: { summaryTimeUnit: '' },
      metrics: {
        http_req_failed: { type: 'rate', values: { rate: 0.006, passes: 6, fails: 994 } },
        http_reqs: { type: 'counter', values: { count: 1000, rate: 10 } },
        http_req_duration: { type: 'trend', contains: 'time', values: trend },
      },
    }),
  '--new-machine-readable-summary': (trend) =>
    JSON.stringify({
      config: { script: '' },
      results: {
        metrics: [
          { name: 'http_reqs', type: 'counter', values: { count: 1000 } },
          { name: 'http_req_duration', type: 'trend', contains: 'time', values: withoutBrackets(trend) },
          { name: 'http_req_failed', type: 'rate', values: { matches: 6, rate: 0.006, total: 1000 } },
        ],
      },
      version: '1.0.0',
    }),
};

function withoutBrackets(trend: K6Trend): K6Trend {
  return Object.fromEntries(Object.entries(trend).map(([key, value]) => [key.replace(/[()]/g, ''), value]));
}
