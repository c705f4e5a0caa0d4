import type { Form } from './form.ts';

const OF_STATUS = 'statuses from 500';
export const OF_GENERATOR = 'statuses from 400, timeouts, broken connections';
export const IN_OWN_SLOTS = 'within the bounds of its own slots';
const EVERY_REQUEST = 'k6 --out json=FILE and oha --output-format csv write every value' as const;

/** A form that has every request of a load test. */
function requests<const Name extends string>(
  name: Name,
  tool: string,
  madeBy: string,
  exact: string,
  failed?: string,
) {
  return {
    name,
    what: `the requests of ${tool}`,
    verb: 'has',
    group: 'Load tests',
    madeBy,
    exact,
    ...(failed !== undefined && { failed }),
    reads: ['record', 'check', 'diff', 'plot'],
    test: 'packages/inputs/test/load/requests.test.ts',
  } as const;
}

/** A form that has a line for each request of a server. */
function accessLog<const Name extends string>(name: Name, what: string, exact: string) {
  return {
    name,
    what,
    exact,
    group: 'Access logs',
    failed: OF_STATUS,
    reads: ['record', 'check', 'diff', 'plot'],
    test: 'packages/inputs/test/load/access-log.test.ts',
  } as const;
}

/** A form that has a few percentiles of a load test. */
function summary<const Name extends string>(
  name: Name,
  what: string,
  madeBy: string,
  exact: string,
  failed: string,
  cure: string = EVERY_REQUEST,
) {
  return {
    name,
    what: `${what}, which has a few percentiles and not the values between them`,
    madeBy,
    exact,
    failed,
    cure,
    group: 'Load tests',
    reads: ['check'],
    test: 'packages/inputs/test/load/load-summary.test.ts',
  } as const;
}

/** A form that has the counts of a load test over slots of its own. */
function counts<const Name extends string>(name: Name, what: string, madeBy: string, failed?: string) {
  return {
    name,
    what,
    verb: 'has',
    group: 'Load tests',
    madeBy,
    exact: IN_OWN_SLOTS,
    ...(failed !== undefined && { failed }),
    reads: ['record', 'check', 'convert'],
    convert: 'counts',
    test: 'packages/inputs/test/load/counts.test.ts',
  } as const;
}

/** Output of load generators, and access logs. */
export const LOAD_FORMS = [
  // Load tests.
  requests(
    'ab table',
    'ab',
    '[ab](https://httpd.apache.org/docs/2.4/programs/ab.html) `-g FILE`',
    'any, within 1 ms',
  ),
  summary(
    'artillery report',
    'a report of Artillery',
    '[Artillery](https://www.artillery.io) `run --output FILE`',
    'the 6 that it prints, within 1 %, and `max`',
    'statuses from 400, requests without a response',
  ),
  summary(
    'autocannon',
    'a summary of autocannon',
    '[autocannon](https://github.com/mcollina/autocannon) `--json`',
    'the 15 that it prints, and `max`',
    'non-2xx, other bodies than expected, timeouts, broken connections',
    `wrk2 --latency prints all of its counts; ${EVERY_REQUEST}`,
  ),
  counts(
    'fio json',
    'the latencies that fio has counted',
    '[fio](https://fio.readthedocs.io) `--output-format=json+`',
  ),
  counts(
    'fio histograms',
    'the latencies that fio has counted in intervals',
    'fio `write_hist_log` with `log_hist_msec`',
  ),
  requests(
    'gatling log',
    'Gatling',
    '[Gatling](https://gatling.io) `simulation.log` (text or binary)',
    'any, within 2 ms',
    'what it counts as KO',
  ),
  requests('hey table', 'hey', '[hey](https://github.com/rakyll/hey) `-o csv`', 'any, within 0.1 ms'),
  summary(
    'hey report',
    'the report of hey',
    'what hey prints',
    'the 7 that it prints, within 0.1 ms, and `max`',
    OF_GENERATOR,
    'hey -o csv writes every request',
  ),
  requests(
    'jmeter table',
    'JMeter',
    '[JMeter](https://jmeter.apache.org) its log in CSV (`-l FILE`)',
    'any, within 2 ms',
    'samples without `success`',
  ),
  requests('k6 points', 'k6', '[k6](https://k6.io) `run --out json=FILE`', 'any', '`http_req_failed`'),
  requests('k6 table', 'k6', 'k6 `run --out csv=FILE`', 'any', '`http_req_failed`'),
  summary(
    'k6 summary',
    'a summary of k6',
    'k6 `--summary-export FILE`, the data of `handleSummary()`',
    'those of `--summary-trend-stats`; add `count` for metrics other than `http_req_duration`',
    '`http_req_failed`',
    'k6 run --out json=FILE writes every value',
  ),
  counts(
    'locust json',
    'the durations that Locust has counted',
    '[Locust](https://locust.io) `--json`, `--json-file`',
    'no response, statuses from 400, `catch_response`',
  ),
  summary(
    'locust table',
    'a table of Locust',
    'Locust `--csv NAME`: the file `NAME_stats.csv`',
    'the 10 that it prints, as it rounds them to two digits, and `max`',
    'no response, statuses from 400, `catch_response`',
  ),
  requests('oha table', 'oha', '[oha](https://github.com/hatoo/oha) `--output-format csv`', 'any'),
  summary(
    'oha summary',
    'a summary of oha',
    'oha `--output-format json` (older versions: `--json`)',
    'the 9 that it prints, and `max`',
    OF_GENERATOR,
    'oha --output-format csv writes every value',
  ),
  requests(
    'vegeta table',
    'vegeta',
    '[vegeta](https://github.com/tsenart/vegeta) `encode --to csv`',
    'any',
    'no response, statuses other than 200 to 399',
  ),
  requests(
    'vegeta lines',
    'vegeta',
    'vegeta `encode --to json`',
    'any',
    'no response, statuses other than 200 to 399',
  ),
  summary(
    'wrk report',
    'the report of wrk',
    '[wrk](https://github.com/wg/wrk) `--latency`',
    'the 4 that it prints, and `max`',
    OF_GENERATOR,
    'wrk2 --latency prints all of its counts',
  ),
  // Access logs.
  accessLog('nginx log', 'an access log of nginx', 'any, within 2 ms'),
  accessLog('nginx json', 'an access log of nginx in JSON', 'any, within 2 ms'),
  accessLog('envoy log', 'an access log of Envoy', 'any, within 1 ms'),
  accessLog('envoy json', 'an access log of Envoy in JSON', 'any, within 1 ms'),
  accessLog('caddy json', 'an access log of Caddy', 'any'),
  accessLog('traefik json', 'an access log of Traefik', 'any'),
  {
    ...accessLog(
      'access log',
      'an access log of another format, such as one of Apache',
      'any, as the format states it',
    ),
    madeBy: 'any server: `--log-format` states the format',
    needs: '--log-format',
  },
] as const satisfies readonly Form[];
