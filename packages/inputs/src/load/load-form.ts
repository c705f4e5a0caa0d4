import { ACCESS_JSON, type AccessJsonForm } from './access-json.ts';
import { ACCESS_LOGS, type AccessLogForm } from './access-log.ts';
import { FIO_COUNTS } from './fio.ts';
import { GATLING_LOG } from './gatling.ts';
import { HEY_REPORT } from './hey.ts';
import { K6_REQUESTS } from './k6.ts';
import type { CountsReader, ReadRequestsOptions, RequestFacts, RequestReader } from './load.ts';
import { LOCUST_COUNTS, LOCUST_TABLE } from './locust.ts';
import { REQUEST_TABLES, type RequestTableForm } from './request-table.ts';
import { VEGETA_LINES } from './vegeta.ts';
import { WRK_REPORT } from './wrk.ts';

/** The output of a load generator that has the duration of every request, or the access log of a server. */
export type RequestForm =
  | 'k6 points'
  | 'k6 table'
  | 'vegeta lines'
  | 'gatling log'
  | RequestTableForm
  | AccessLogForm
  | AccessJsonForm;

/** The output of a load generator that has counts over slots, by labels. */
export type CountsForm = 'fio json' | 'fio histograms' | 'locust json';

/** The output of a load generator that has a few percentiles of all requests. */
type SummaryForm =
  | 'autocannon'
  | 'k6 summary'
  | 'oha summary'
  | 'locust table'
  | 'artillery report'
  | 'wrk report'
  | 'hey report';

/** The output of a load generator. */
export type LoadForm = RequestForm | CountsForm | SummaryForm;

/** The readers of all requests. */
export const REQUEST_READERS: Readonly<Record<RequestForm, RequestReader>> = {
  ...K6_REQUESTS,
  'vegeta lines': VEGETA_LINES,
  'gatling log': GATLING_LOG,
  ...REQUEST_TABLES,
  ...ACCESS_LOGS,
  ...ACCESS_JSON,
};

/** The readers of counts. */
export const COUNTS_READERS: Readonly<Record<CountsForm, CountsReader>> = {
  ...FIO_COUNTS,
  'locust json': LOCUST_COUNTS,
};

const SUMMARIES: readonly SummaryForm[] = [
  'autocannon',
  'k6 summary',
  'oha summary',
  'locust table',
  'artillery report',
  'wrk report',
  'hey report',
];

/** All outputs of load generators. */
const LOAD_FORMS: readonly LoadForm[] = [
  ...(Object.keys(REQUEST_READERS) as RequestForm[]),
  ...(Object.keys(COUNTS_READERS) as CountsForm[]),
  ...SUMMARIES,
];

/** What recognises all forms but summaries. */
const MARKS: Readonly<Partial<Record<LoadForm, { readonly mark: RegExp }>>> = {
  ...REQUEST_READERS,
  ...COUNTS_READERS,
};

/** Recognises the output of a load generator by its beginning; `undefined` for other texts, and when the beginning is too short. */
export function recogniseLoad(beginning: string): LoadForm | undefined {
  const form = LOAD_FORMS.find((one) => MARKS[one]?.mark.test(beginning));
  if (form !== undefined) return form;
  if (WRK_REPORT.test(beginning)) return 'wrk report';
  if (HEY_REPORT.test(beginning)) return 'hey report';
  if (LOCUST_TABLE.test(beginning)) return 'locust table';
  if (!/^\s*\{/.test(beginning)) return undefined;
  if (/^\s*\{\s*"summary"\s*:\s*\{\s*"successRate"/.test(beginning)) return 'oha summary';
  const has = (...keys: readonly string[]): boolean => keys.every((key) => beginning.includes(`"${key}"`));
  if (has('sampleInt', 'pipelining', 'latency')) return 'autocannon';
  if (/^\s*\{\s*"aggregate"\s*:\s*\{/.test(beginning) && has('counters')) return 'artillery report';
  // A test without HTTP has iterations instead of requests.
  return has('metrics') && (has('iterations') || has('http_reqs')) ? 'k6 summary' : undefined;
}

/** Whether a form has the duration of every request. */
export function hasRequests(form: string): form is RequestForm {
  return Object.hasOwn(REQUEST_READERS, form);
}

/** Whether a form is an access log, whose requests have routes. */
export function isAccessLog(form: string): form is AccessLogForm | AccessJsonForm {
  return Object.hasOwn(ACCESS_LOGS, form) || Object.hasOwn(ACCESS_JSON, form);
}

/** Whether a form has counts over slots. */
export function hasCounts(form: string): form is CountsForm {
  return Object.hasOwn(COUNTS_READERS, form);
}

/** What is known of a form, and of the format that the options state. @throws HdrscopeError `ERR_INVALID_OPTION` when that is no format */
export function requestFacts(form: RequestForm, options: ReadRequestsOptions = {}): RequestFacts {
  const { facts, factsFor } = REQUEST_READERS[form];
  return factsFor?.(options) ?? facts;
}
