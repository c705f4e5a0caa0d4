import { mustBe, type OptionRules, readOptions } from '@hdrscope/core/internal';
import { isObject } from '@hdrscope/kit';
import { FILTER_RULES, type PerfFilter } from '../dump/loggers.ts';
import { DOCUMENT_RULES, type DocumentOptions, readDocuments, type TextDocument } from './documents.ts';
import {
  asCount,
  asInteger,
  asObject,
  type CounterLabels,
  isHistogram,
  labelledCounters,
  pathOf,
  shownName,
} from './fields.ts';
import { type Json, type JsonObject, LongDecimal } from './json.ts';
import { type ImportedDescription, readDescription } from './parse-schema.ts';

/** The mean of a number that a daemon has counted: how often, and the sum. */
export interface ImportedAverage {
  /** How many numbers the sum has. A bigint above 2^53 − 1. */
  readonly count: number | bigint;
  /** Times are in seconds. */
  readonly sum: number | bigint;
}

/** The counters of a logger for one set of labels. */
export interface ImportedCounters {
  /** The daemon, when the text names it: `osd.0`. */
  readonly daemon: string | undefined;
  /** Name of the logger, such as `osd`. */
  readonly logger: string;
  /** Empty for counters without labels, and in the answer to `perf dump`. */
  readonly labels: CounterLabels;
  /** By name. Times are in seconds; integers above 2^53 − 1 are bigints. */
  readonly counters: ReadonlyMap<string, number | bigint | ImportedAverage>;
  /** What else the text has, as sentences. */
  readonly notes: readonly string[];
}

/** The description of a counter that has labels. */
export interface ImportedCounterDescription extends ImportedDescription {
  /** The labels of its logger. */
  readonly labels: CounterLabels;
}

/** The options for reading counters. */
export interface ParseCountersOptions extends DocumentOptions, PerfFilter {}

/**
 * Reads the numbers of a daemon: its answer to `counter dump` (Reef and later), which has labels, or to `perf dump`.
 * Histograms in it are left out: `parseHistogramDump` reads them. Integers are exact up to 2^64 − 1.
 *
 * @throws HdrscopeError `ERR_INVALID_OPTION` when an option does not exist or is out of range; `ERR_DECODE` when the text is not such an answer;
 *   `ERR_TOO_LARGE` when it is longer than `maxLength`, or has more than `maxElements`.
 * @example
 * ```ts
 * import { parseCounters } from '@hdrscope/ceph';
 *
 * const [worker] = parseCounters(`{"AsyncMessenger::Worker":[{"labels":{"id":"0"},"counters":{
 *   "msgr_recv_bytes":7,"msgr_lat":{"avgcount":2,"sum":0.000300000,"avgtime":0.000150000}}}]}`);
 * [worker!.logger, worker!.labels]; //=> ['AsyncMessenger::Worker', { id: '0' }]
 * worker!.counters.get('msgr_recv_bytes'); //=> 7
 * worker!.counters.get('msgr_lat'); //=> { count: 2, sum: 0.0003 }
 * ```
 */
export function parseCounters(text: string, options: ParseCountersOptions = {}): ImportedCounters[] {
  const settings = readOptions(options, PARSE_COUNTERS);
  const isExact = typeof text === 'string' && LONG_NUMBER.test(text);
  const { documents, notes } = readDocuments(text, settings, isExact);
  return documents.flatMap((document) => readCounters(document, settings, notes));
}

const PARSE_COUNTERS = {
  name: 'parseCounters',
  rules: { ...DOCUMENT_RULES, ...FILTER_RULES } satisfies OptionRules<ParseCountersOptions>,
  call: "parseCounters(text, { logger: 'osd' })",
};

/**
 * Reads the descriptions of a daemon's counters: its answer to `counter schema` (Reef and later) or to `perf schema`. The entries
 * of a logger are in the order of `counter dump`.
 *
 * @throws HdrscopeError as `parseCounters` does.
 * @example
 * ```ts
 * import { parseCounterSchema } from '@hdrscope/ceph';
 *
 * const [described] = parseCounterSchema(
 *   '{"rgw":[{"labels":{"op":"put"},"counters":{"ops":{"type":10,"description":"Requests","priority":5}}}]}',
 * );
 * [described!.counter, described!.labels, described!.description]; //=> ['ops', { op: 'put' }, 'Requests']
 * ```
 */
export function parseCounterSchema(
  text: string,
  options: DocumentOptions = {},
): ImportedCounterDescription[] {
  const { documents, notes } = readDocuments(text, readOptions(options, PARSE_COUNTER_SCHEMA), false);
  return documents.flatMap(({ daemon, json }) =>
    Object.entries(asObject(json, 'a schema')).flatMap(([logger, entries]) =>
      labelledCounters(entries, pathOf(daemon, logger)).flatMap(({ labels, counters, path }) =>
        Object.entries(counters).map(([counter, one]) => ({
          ...readDescription(one, { daemon, logger, counter }, `${path}.${shownName(counter)}`),
          labels,
          notes,
        })),
      ),
    ),
  );
}

const PARSE_COUNTER_SCHEMA = {
  name: 'parseCounterSchema',
  rules: DOCUMENT_RULES,
  call: 'parseCounterSchema(text, { lenient: true })',
};

// Reading exactly is slower, and few answers have such numbers.
const LONG_NUMBER = /\d{16}/;

function readCounters(
  { daemon, json }: TextDocument,
  { logger: loggerAsked, counter: counterAsked }: PerfFilter,
  notes: readonly string[],
): ImportedCounters[] {
  return Object.entries(asObject(json, 'a dump'))
    .filter(([logger]) => loggerAsked === undefined || logger === loggerAsked)
    .flatMap(([logger, entries]) =>
      labelledCounters(entries, pathOf(daemon, logger)).map(({ labels, counters, path }) => ({
        daemon,
        logger,
        labels,
        counters: new Map(
          Object.entries(counters)
            .filter(
              ([name, one]) => (counterAsked === undefined || name === counterAsked) && !isHistogram(one),
            )
            .map(([name, one]) => [name, readNumber(one, `${path}.${shownName(name)}`)]),
        ),
        notes,
      })),
    );
}

function readNumber(json: Json, path: string): number | bigint | ImportedAverage {
  if (!isObject(json) || json instanceof LongDecimal) return asNumber(json, path);
  const { avgcount, sum } = json as JsonObject;
  return { count: asCount(avgcount, `${path}.avgcount`), sum: asNumber(sum, `${path}.sum`) };
}

function asNumber(json: Json | undefined, path: string): number | bigint {
  if (typeof json === 'bigint') return asInteger(json, path);
  if (json instanceof LongDecimal) return json.toJSON();
  if (typeof json === 'number' && Number.isFinite(json)) return json;
  throw mustBe('ERR_DECODE', path, 'a number, or an object with avgcount and sum', json);
}
