/** The output of a load generator that has the duration of every request. */
export type RequestsKind = 'k6 points' | 'k6 table' | 'oha table';

/** The output of a load generator that has a few percentiles of all requests. */
type SummaryKind = 'autocannon' | 'k6 summary' | 'oha summary';

/** The output of a load generator. */
export type LoadKind = RequestsKind | SummaryKind;

const MARKS: readonly (readonly [LoadKind, RegExp])[] = [
  ['k6 points', /^\s*\{"(?:type":"(?:Metric|Point)"|metric":"[^"\n]*","type":"Point")/],
  ['k6 table', /^metric_name,timestamp,metric_value\b/],
  ['oha table', /^request-start,DNS,DNS\+dialup,Response-delay,request-duration,/],
  ['oha summary', /^\s*\{\s*"summary"\s*:\s*\{\s*"successRate"/],
];

/** Recognises the output of a load generator by its beginning; `undefined` for other texts, and when the beginning is too short. */
export function loadKindOf(beginning: string): LoadKind | undefined {
  const [kind] = MARKS.find(([, mark]) => mark.test(beginning)) ?? [];
  if (kind !== undefined || !/^\s*\{/.test(beginning)) return kind;
  const has = (...keys: readonly string[]): boolean => keys.every((key) => beginning.includes(`"${key}"`));
  if (has('sampleInt', 'pipelining', 'latency')) return 'autocannon';
  // A test without HTTP has iterations instead of requests.
  return has('metrics') && (has('iterations') || has('http_reqs')) ? 'k6 summary' : undefined;
}

/** Whether a kind has the duration of every request. */
export function hasRequests(kind: string): kind is RequestsKind {
  return kind === 'k6 points' || kind === 'k6 table' || kind === 'oha table';
}

/** Ends of messages: what the file is, and which commands take it. */
export const LOAD_NOT_TAKEN: Readonly<Record<LoadKind, string>> = {
  'k6 points': 'has the requests of k6: hdrscope check, diff and plot take it',
  'k6 table': 'has the requests of k6: hdrscope check, diff and plot take it',
  'oha table': 'has the requests of oha: hdrscope check, diff and plot take it',
  autocannon:
    'is a summary of autocannon, which has a few percentiles and not the values between them: hdrscope check judges those. wrk2 --latency, k6 --out json=FILE and oha --output-format csv write every value',
  'k6 summary':
    'is a summary of k6, which has a few percentiles and not the values between them: hdrscope check judges those. k6 run --out json=FILE writes every value',
  'oha summary':
    'is a summary of oha, which has a few percentiles and not the values between them: hdrscope check judges those. oha --output-format csv writes every value',
};
