/** The report that a load generator prints for people. It rounds a few percentiles, or states no counts. */
export interface LoadReport {
  readonly tool: string;
  /** How the tool writes every value, or all of its counts. */
  readonly cure: string;
}

const REPORTS: readonly (readonly [tool: string, mark: RegExp, cure: string])[] = [
  ['hey', /^Summary:\r?\n +Total:\t/m, 'hey -o csv writes every request'],
  ['oha', /^Summary:\r?\n +Success rate:/m, 'oha --output-format csv writes every request'],
  [
    'ab',
    /^This is ApacheBench, |^Percentage of the requests served within/m,
    'ab -g FILE writes every request',
  ],
  [
    'autocannon',
    /^Running \d{1,9}(?:s| requests) test @ [^\n]*\n\d{1,9} connections/m,
    'autocannon --json writes the percentiles that hdrscope check judges',
  ],
  ['wrk', /^ +Thread Stats +Avg +Stdev +Max +\+\/- Stdev$/m, 'wrk2 --latency writes all of its counts'],
  [
    'fio',
    /^fio-\d+\.\d|: \(groupid=\d+, jobs=\d+\): err=/m,
    'fio --write_lat_log=NAME writes every latency, in the second column of its log',
  ],
  [
    'vegeta',
    /^Requests +\[total, rate(?:, throughput)?\] /m,
    'vegeta encode --to csv writes every request, and vegeta report --type=hdrplot estimates many percentiles',
  ],
  [
    'Locust',
    /^Type +Name +# reqs +# fails \|/m,
    'locust --csv writes the percentiles that hdrscope check judges',
  ],
  [
    'Artillery',
    /^(?:All VUs finished|Summary report @|Metrics for period to: )/m,
    'artillery run --output FILE writes the percentiles that hdrscope check judges',
  ],
  [
    'Gatling',
    /^---- (?:Global Information|Requests) -{10}/m,
    'its simulation.log, which lies in the folder of the results, has every request',
  ],
  ['k6', /^ +http_req_duration\.{2,}: avg=/m, 'k6 run --out json=FILE writes every request'],
];

/** Recognises a report by its beginning. */
export function recogniseReport(beginning: string): LoadReport | undefined {
  const [tool, , cure] = REPORTS.find(([, mark]) => mark.test(beginning)) ?? [];
  return tool === undefined || cure === undefined ? undefined : { tool, cure };
}
