import type { CountedUnit } from '@hdrscope/registry';
import { K6_FAILURE } from './k6.ts';
import {
  durationColumn,
  isRequestTable,
  type RequestTableForm,
  recogniseRequestTable,
} from './request-table.ts';

/** The output of a load generator that has the duration of every request. */
export type RequestForm = 'k6 points' | 'k6 table' | 'vegeta lines' | RequestTableForm;

/** The output of a load generator that has a few percentiles of all requests. */
type SummaryForm = 'autocannon' | 'k6 summary' | 'oha summary';

/** The output of a load generator. */
export type LoadForm = RequestForm | SummaryForm;

const MARKS: readonly (readonly [LoadForm, RegExp])[] = [
  ['k6 points', /^\s*\{"(?:type":"(?:Metric|Point)"|metric":"[^"\n]*","type":"Point")/],
  ['k6 table', /^metric_name,timestamp,metric_value\b/],
  ['vegeta lines', /^\s*\{"attack":"(?:[^"\\\n]|\\.)*","seq":\d+,"code":\d+,"timestamp":"/],
  ['oha summary', /^\s*\{\s*"summary"\s*:\s*\{\s*"successRate"/],
];

/** Recognises the output of a load generator by its beginning; `undefined` for other texts, and when the beginning is too short. */
export function recogniseLoad(beginning: string): LoadForm | undefined {
  const [form = recogniseRequestTable(beginning)] = MARKS.find(([, mark]) => mark.test(beginning)) ?? [];
  if (form !== undefined || !/^\s*\{/.test(beginning)) return form;
  const has = (...keys: readonly string[]): boolean => keys.every((key) => beginning.includes(`"${key}"`));
  if (has('sampleInt', 'pipelining', 'latency')) return 'autocannon';
  // A test without HTTP has iterations instead of requests.
  return has('metrics') && (has('iterations') || has('http_reqs')) ? 'k6 summary' : undefined;
}

/** Whether a form has the duration of every request. */
export function hasRequests(form: string): form is RequestForm {
  return form === 'k6 points' || form === 'k6 table' || form === 'vegeta lines' || isRequestTable(form);
}

// Facts about forms.

/** What is known of the output of a load generator that has every request. */
export interface RequestFacts {
  readonly tool: string;
  /** What the tool calls a failure. @default the output does not state which requests failed */
  readonly failure?: string;
  /** Why an output does not state which requests failed. */
  readonly unstated: string;
  /** How far a duration that the tool writes may be from the one that it has measured, in milliseconds. @default 0 */
  readonly errorMs?: number;
  /** The field or column of the durations, and their unit. @default the durations are in some lines only */
  readonly durations?: {
    readonly kind: 'field' | 'column';
    readonly name: string;
    readonly unit: CountedUnit;
  };
}

const VEGETA = {
  tool: 'vegeta',
  failure: 'requests without a response, or with a status other than 200 to 399',
  unstated: 'there are no requests',
};

const K6 = {
  tool: 'k6',
  failure: K6_FAILURE,
  unstated: 'k6 has written no values of http_req_failed: it does so for HTTP requests, since version 0.31',
};

const FACTS: Readonly<Record<RequestForm, RequestFacts>> = {
  'k6 points': K6,
  'k6 table': K6,
  'vegeta lines': { ...VEGETA, durations: { kind: 'field', name: 'latency', unit: 'ns' } },
  'vegeta table': VEGETA,
  'oha table': {
    tool: 'oha',
    unstated:
      'the table of oha has no requests without a response: oha --output-format json states how many failed',
  },
  'hey table': {
    tool: 'hey',
    // It writes four decimals of a second.
    errorMs: 0.05,
    unstated:
      'the table of hey has no requests without a response: the text that hey prints without -o counts them',
  },
  'ab table': {
    tool: 'ab',
    errorMs: 0.5,
    unstated: 'the file of ab -g does not say which requests failed: the text that ab prints counts them',
  },
  'jmeter table': {
    tool: 'JMeter',
    // The difference of two clocks of whole milliseconds.
    errorMs: 1,
    failure: 'samples that JMeter counts as failed: no response, a status from 400, or a failed assertion',
    unstated: 'the table of JMeter has no column success: jmeter.save.saveservice.successful=true writes it',
  },
};

/** What is known of a form. */
export function requestFacts(form: RequestForm): RequestFacts {
  if (!isRequestTable(form)) return FACTS[form];
  const [name, unit] = durationColumn(form);
  return { ...FACTS[form], durations: { kind: 'column', name, unit } };
}
