import { HdrscopeError } from '@hdrscope/core';
import { assertOptions, mustBe, type OptionsOwner, object } from '@hdrscope/core/internal';
import { assertPercentile } from '../rows/percentiles.ts';
import { checkedDivision, type Division, type DivisionOptions } from '../stretches.ts';

/** What is asked of a history: percentiles of one metric, by groups of series and by time. */
export interface HistoryQuestion extends DivisionOptions {
  /** The name of the metric, as in the registry. */
  readonly metric: string;
  /** Percentiles from 0 to 100. Repeated ones are asked once. @default [50, 90, 99, 99.9] */
  readonly percentiles?: readonly number[];
  /** Keys of attributes: each combination of their values is a group, and so are series without the key. @default one group */
  readonly by?: readonly string[];
  /** Attributes that series must have, with their values. @default all series */
  readonly where?: Readonly<Record<string, string>>;
  /** Only intervals that start at this time or later: milliseconds since 1970. @default all */
  readonly sinceMs?: number;
  /** Only intervals that start before this time: milliseconds since 1970. @default all */
  readonly untilMs?: number;
}

/** Some rows of a history. */
export interface RowSelection extends Pick<HistoryQuestion, 'where' | 'sinceMs' | 'untilMs'> {
  /** Name of the family. @default all metrics */
  readonly metric?: string;
}

/** A checked question, with its defaults. */
export interface CheckedQuestion {
  readonly metric: string;
  readonly percentiles: readonly number[];
  readonly by: readonly string[];
  readonly where: readonly (readonly [key: string, value: string])[];
  readonly sinceMs: number | undefined;
  readonly untilMs: number | undefined;
  /** How time is divided; `undefined` when the whole time is one stretch. */
  readonly division: Division | undefined;
}

const OWNER: OptionsOwner<HistoryQuestion> = {
  name: 'the question',
  names: {
    metric: true,
    percentiles: true,
    by: true,
    where: true,
    sinceMs: true,
    untilMs: true,
    everyMs: true,
    every: true,
    timeZone: true,
  },
  call: "{ metric: 'http.server.request.duration', percentiles: [99.9], by: ['http.route'], everyMs: 86_400_000 }",
};

// Date holds as much: year 275760.
const LATEST_MS = 8.64e15;

/** @throws HdrscopeError `ERR_INVALID_OPTION`, `ERR_INVALID_VALUE` */
export function checkedQuestion(question: HistoryQuestion): CheckedQuestion {
  assertOptions(question, OWNER);
  const { metric, percentiles = [50, 90, 99, 99.9], by = [], where = {} } = question;
  const { sinceMs, untilMs } = question;
  assertText('metric', metric);
  if (!Array.isArray(percentiles)) {
    throw mustBe('ERR_INVALID_OPTION', 'percentiles', 'an array of numbers from 0 to 100', percentiles);
  }
  for (const percentile of percentiles) assertPercentile(percentile);
  if (!Array.isArray(by)) throw mustBe('ERR_INVALID_OPTION', 'by', 'an array of texts', by);
  for (const key of by) assertText('a key of by', key);
  if (!object().accepts(where)) {
    throw mustBe('ERR_INVALID_OPTION', 'where', 'an object of texts', where);
  }
  for (const [key, value] of Object.entries(where)) assertText(`where[${JSON.stringify(key)}]`, value);
  assertTime('sinceMs', sinceMs);
  assertTime('untilMs', untilMs);
  return {
    metric,
    percentiles: [...new Set(percentiles)],
    by,
    where: Object.entries(where),
    sinceMs,
    untilMs,
    division: checkedDivision(question),
  };
}

function assertText(name: string, text: unknown): void {
  if (typeof text === 'string') return;
  throw mustBe('ERR_INVALID_OPTION', name, 'a text', text);
}

/** @throws HdrscopeError `ERR_INVALID_OPTION` */
export function assertTime(name: string, timeMs: number | undefined): void {
  if (timeMs === undefined || (Number.isFinite(timeMs) && timeMs >= 0 && timeMs <= LATEST_MS)) return;
  throw mustBe('ERR_INVALID_OPTION', name, `a number of milliseconds from 0 to ${LATEST_MS}`, timeMs);
}

/** Refuses a text that a dialect cannot hold. */
export function cannotHold(dialect: string, what: string, text: string): HdrscopeError {
  const message = `${dialect} cannot hold ${what}, got ${JSON.stringify(text)}`;
  return new HdrscopeError('ERR_INVALID_OPTION', message, { details: { dialect, text } });
}
