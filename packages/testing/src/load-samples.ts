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

/** The table that hey 0.1.4 writes with `-o csv`. It rounds to four decimals of a second. */
export function heyTable(requests: readonly SampleRequest[]): string {
  const lines = requests.map(({ ms, status = 200 }, at) => {
    const seconds = [ms / 1000, 0.0012, 0, 0, ms / 2000, 0.0001].map((value) => value.toFixed(4));
    return `\n${seconds.join()},${status},${(at / 100).toFixed(4)}`;
  });
  return `response-time,DNS+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset${lines.join('')}\n`;
}

/** The table that ab 2.4 writes with `-g`: sorted, in milliseconds. */
export function abTable(requests: readonly SampleRequest[]): string {
  const sorted = [...requests].sort((one, other) => one.ms - other.ms);
  const lines = sorted.map(({ ms, at = START_SEC }) => {
    const total = Math.round(ms);
    return `${ctimeOf(at)}\t${at}\t0\t${total}\t${total}\t${Math.max(0, total - 1)}\n`;
  });
  return `starttime\tseconds\tctime\tdtime\tttime\twait\n${lines.join('')}`;
}

/** `Thu Nov 26 23:06:34 2026` */
function ctimeOf(sec: number): string {
  const [day, date, month, year, time] = new Date(sec * 1000).toUTCString().replace(',', '').split(' ');
  return `${day} ${month} ${date} ${time} ${year}`;
}

/** The table of percentiles that ab 2.4 writes with `-e`. */
export function abPercentiles(requests: readonly SampleRequest[]): string {
  const sorted = requests.map(({ ms }) => ms).sort((one, other) => one - other);
  const rows = Array.from({ length: 100 }, (_, percent) => {
    const ms = sorted[Math.min(sorted.length - 1, Math.floor(0.5 + (sorted.length * percent) / 100))]!;
    return `${percent},${ms.toFixed(3)}\n`;
  });
  return `Percentage served,Time in ms\n${rows.join('')}`;
}

/** The log that JMeter 5.6 writes as CSV. */
export function jmeterTable(requests: readonly SampleRequest[], separator = ','): string {
  const titles =
    'timeStamp,elapsed,label,responseCode,responseMessage,threadName,dataType,success,failureMessage,bytes,sentBytes,grpThreads,allThreads,URL,Latency,IdleTime,Connect';
  const lines = requests.map((one, at) => {
    const { ms, status = 200, at: sec = START_SEC } = one;
    const failure = isFailed(one) ? `"Expected 200${separator} got ""${status}"""` : '';
    const [elapsed, latency] = [Math.round(ms), Math.round(ms / 2)];
    const first = [sec * 1000 + at, elapsed, `"GET${separator} /a"`, status, 'OK', 'Group 1-1', 'text'];
    const others = [!isFailed(one), failure, 1024, 120, 1, 1, 'http://h/', latency, 0, 1];
    return [...first, ...others].join(separator);
  });
  return `${titles.replaceAll(',', separator)}\n${lines.join('\n')}\n`;
}

/** The table that vegeta 12.12 writes with `encode --to csv`. */
export function vegetaTable(requests: readonly SampleRequest[]): string {
  const lines = requests.map((one, at) => {
    const { ms, status = 200, at: sec = START_SEC } = one;
    const start = BigInt(sec) * 1_000_000_000n + BigInt(at);
    const error = isFailed(one) ? `"${status} Oops, said ""h"""` : '';
    return `${start},${status},${Math.round(ms * 1e6)},0,1024,${error},aGVsbG8=,,${at},GET,http://h/,Q29udGVudA==\n`;
  });
  return lines.join('');
}

/** The lines that vegeta 12.12 writes with `encode --to json`, with fewer fields. */
export function vegetaLines(requests: readonly SampleRequest[]): string {
  const lines = requests.map((one, seq) => {
    const { ms, status = 200, at = START_SEC } = one;
    const timestamp = new Date(at * 1000).toISOString();
    const error = isFailed(one) ? `${status} Oops` : '';
    const fields = { attack: '', seq, code: status, timestamp, latency: Math.round(ms * 1e6) };
    const answer = { bytes_out: 0, bytes_in: 1024, error, body: 'aGVsbG8=' };
    return `${JSON.stringify({ ...fields, ...answer, method: 'GET', url: 'http://h/' })}\n`;
  });
  return lines.join('');
}

/** The distribution that vegeta 12.12 writes with `report --type=hdrplot`, with fewer rows. It rounds total counts. */
export function vegetaPlot(requests: readonly SampleRequest[]): string {
  const sorted = requests.map(({ ms }) => ms).sort((one, other) => one - other);
  const quantiles = [0, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8, 0.9, 0.95, 0.99, 0.999, 0.999999, 1];
  const rows = quantiles.map((quantile) => {
    const value = sorted[Math.max(0, Math.ceil(quantile * sorted.length) - 1)]!;
    const count = Math.floor(quantile * sorted.length + 0.5);
    const inverse = quantile < 1 ? 1 / (1 - quantile) : 10_000_000;
    return `${value.toFixed(6)}  ${quantile.toFixed(6)}    ${count}           ${inverse.toFixed(6)}\n`;
  });
  return `Value(ms)  Percentile  TotalCount  1/(1-Percentile)\n${rows.join('')}`;
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

/** How load generators write all requests, by the form as which `@hdrscope/inputs` recognises the text. */
export const requestTexts: Readonly<Record<string, (requests: readonly SampleRequest[]) => string>> = {
  'k6 points': k6Points,
  'k6 table': k6Table,
  'oha table': ohaTable,
  'hey table': heyTable,
  'ab table': abTable,
  'jmeter table': jmeterTable,
  'vegeta table': vegetaTable,
  'vegeta lines': vegetaLines,
};
