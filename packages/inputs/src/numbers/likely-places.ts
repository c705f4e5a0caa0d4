import type { CountedUnit } from '@hdrscope/registry';
import { isNumber, type Place, type TableText } from './number-texts.ts';
import { numberWithUnit } from './number-unit.ts';

// Which of several columns or fields has measured values. What is proposed is followed, so a place is proposed only when no other one is as
// likely.

/** A place that probably has measured values. */
export interface LikelyPlace {
  readonly name: string;
  /** The unit that its name states; `undefined` when it states none, and when values have units. */
  readonly unit?: CountedUnit;
}

/**
 * The places that most probably have measured values: none, one, or several that are equally probable.
 *
 * @param places The places whose texts are all numbers.
 * @param others The places that have other texts too.
 */
export function likelyPlaces(places: readonly Place[], others: readonly Place[]): LikelyPlace[] {
  const named = places.map(withWords);
  // Figures of distributions: no place has the values that they were made of.
  if (named.filter(({ words }) => words.some((word) => STATISTIC.test(word))).length > 1) return [];
  if (isCounted(named) || others.some(isMixed)) return [];
  const ranked = named.map((place) => ({ place, rank: rankOf(place) }));
  const most = ranked.reduce((highest, { rank }) => Math.max(highest, rank), 1);
  // Durations such as `5,500`, `-1`, `10/0/30` and `5.5 ns/op` cannot be counted. The numbers beside them are not the measured values then.
  const isRival = (other: Place): boolean =>
    other.cells.some((cell) => NEAR_NUMBER.test(cell)) && rankOf(withWords(other)) >= most;
  if (others.some(isRival)) return [];
  return ranked
    .filter(({ rank }) => rank === most)
    .map(({ place: { name, unit, cells } }) => {
      const isBare = cells.every((cell) => cell === '' || isNumber(cell));
      return { name, ...(isBare && unit && { unit }) };
    });
}

/** A number alone, below 0, with a decimal comma, with more text, or several of them; but neither a date nor an address. */
const NEAR_NUMBER =
  /^-?\d{1,20}(?:\.\d{1,20}|(?:,\d{1,20})+(?:\.\d{1,20})?)?(?: ?[a-z%].*|(?:\/-?\d{1,20})+)?$/i;

interface Named extends Place {
  /** The words of the name, in lower case, without its unit. */
  readonly words: readonly string[];
  readonly unit: CountedUnit | undefined;
}

function withWords(place: Place): Named {
  return { ...place, ...(place.isTitled ? readName(place.name) : { words: [], unit: undefined }) };
}

/** 4: a duration by its name; 3: a value, or in a unit of time; 2: perhaps a duration; 1: any other number; 0: none of the values. */
function rankOf({ name, words, unit, cells }: Named): 0 | 1 | 2 | 3 | 4 {
  const last = words.at(-1) ?? '';
  const numbers = cells.filter(isNumber).map(Number);
  if (words.some((word) => STATISTIC.test(word) || LIMIT.test(word))) return 0;
  if ((words.length > 0 && SHARE.test(name)) || isMoment(numbers, unit === 's')) return 0;
  const ascends = isAscending(numbers);
  if (!ascends && (DURATION.test(last) || DURATION_NAME.test(words.join('')))) return 4;
  if (words.some((word) => CLOCK.test(word))) return 0;
  if (unit === undefined && NO_VALUE.test(last)) return 0;
  // A clock in a column with a name, values that somebody has sorted, or a setting, which is always the same.
  if (words.length > 0 && ascends) return 1;
  if (unit !== undefined || VALUE.test(last)) return 3;
  if (cells.some((cell) => numberWithUnit(cell)?.measure === 'time')) return 3;
  if (TIME.test(last)) return 2;
  return isStatus(numbers) || isCounter(numbers) || isFlag(numbers) ? 0 : 1;
}

/** Whether a row stands for several values, which another place counts. */
function isCounted(places: readonly Named[]): boolean {
  return places.some(({ words: [word = '', ...more] }) => more.length === 0 && COUNT.test(word));
}

/** Whether a place says of each row what its number is, and says several things. */
function isMixed(place: Place): boolean {
  const kinds = new Set(place.cells.filter((cell) => cell !== ''));
  return kinds.size > 1 && KIND.test(withWords(place).words.join(''));
}

// Names.

const DURATION = /^(?:duration|durations|latency|latencies|elapsed|rtt|took)$/;
// The end of the name without blanks and signs: request_time, time-taken, totalTime.
const DURATION_NAME =
  /(?:(?:response|request|resp|req|total|service|processing|execution|exec|run|wall)time|time(?:total|taken|spent)|roundtrip|^ttime)$/;
const VALUE = /^values?$/;
const TIME = /^(?:time|wait|waiting|waited|delay|ping)$/;
const CLOCK =
  /^(?:timestamp|ts|date|datetime|epoch|start|started|starttime|end|ended|endtime|finished|begin|began|created|offset|at)$/;
/** Outcomes, identities, amounts of load, and shares. */
const NO_VALUE =
  /^(?:status|code|codes|statuscode|responsecode|exit|exitcode|errno|error|errors|success|failed|ok|id|ids|uid|uuid|guid|key|seq|sequence|index|idx|line|row|nr|pid|tid|port|level|version|year|month|day|hour|thread|threads|connections|clients|users|workers|attempt|retries|count|counts|rate|ratio|percent|percentage|percentile|quantile|pct|share|served)$/;
const STATISTIC =
  /^(?:mean|avg|average|median|med|min|minimum|max|maximum|stddev|stdev|stdv|percentile|p\d+(?:_\d+)?|\d+(?:th|st|nd|rd)|\d+%)$/;
/** What somebody has set, and not measured. */
const LIMIT = /^(?:target|limit|timeout|threshold|expected|budget|slo|sla|interval)$/;
const COUNT = /^(?:count|counts|frequency|freq|occurrences|hits|samples|requests|calls|executions)$/;
const KIND = /^(?:metric|metricname|measurement)$|units?$/;
const SHARE = /[%/]|\bper\b/i;

/** The words of a name, in lower case: `http.responseTime_ms` has four. */
function wordsOf(name: string): string[] {
  return name
    .replace(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase()
    .split(/[^a-z\d%\u00b5\u03bc]+/)
    .filter((word) => word !== '' && word !== 'in');
}

const UNIT_NAMES: readonly (readonly [CountedUnit, RegExp])[] = [
  ['ns', /^(?:ns|nsecs?|nanos|nanoseconds?)$/],
  ['us', /^(?:[u\u00b5\u03bc]s|usecs?|micros|microseconds?)$/],
  ['ms', /^(?:ms|msecs?|millis|milliseconds?)$/],
  ['s', /^(?:s|secs?|seconds?)$/],
];

/** A name without the unit of time that it ends with, as in `latency_ms`, `elapsed (s)` and `Time in ms`. */
function readName(name: string): Pick<Named, 'words' | 'unit'> {
  const words = wordsOf(name);
  const last = words.at(-1);
  const unit = UNIT_NAMES.find(([, names]) => last !== undefined && names.test(last))?.[0];
  const others = words.slice(0, -1);
  // `us` alone is the share of programs in the output of vmstat.
  const isAmbiguous = others.length === 0 && last === 'us';
  if (unit === undefined || isAmbiguous || SHARE.test(name)) return { words, unit: undefined };
  // What ends with a short s may be a rate: requests_s, bytes_sec.
  const isRate = /^s(?:ecs?)?$/.test(last!) && !/\(\w+\)$|\bin\b/.test(name) && !isTimed(others);
  return isRate ? { words, unit: undefined } : { words: others.length > 0 ? others : words, unit };
}

function isTimed(words: readonly string[]): boolean {
  const last = words.at(-1) ?? '';
  return DURATION.test(last) || TIME.test(last) || DURATION_NAME.test(words.join(''));
}

// Numbers.

// What few rows have in common may be chance.
const FEW = 8;

function isAscending(numbers: readonly number[]): boolean {
  return numbers.length >= FEW && numbers.every((one, at) => at === 0 || one >= numbers[at - 1]!);
}

/** The moments of this century, since 1970. */
const MOMENTS: readonly (readonly [from: number, to: number])[] = [1, 1e3, 1e6, 1e9].map((perSec) => [
  9.5e8 * perSec,
  4.1e9 * perSec,
]);

/** Whether all numbers are moments, in one unit. Nanoseconds of a second look like seconds of this century, but do not ascend. */
function isMoment(numbers: readonly number[], isInSeconds: boolean): boolean {
  if (numbers.length === 0) return false;
  const least = numbers.reduce((lowest, one) => Math.min(lowest, one));
  const most = numbers.reduce((highest, one) => Math.max(highest, one));
  const at = MOMENTS.findIndex(([from, to]) => from <= least && most <= to);
  if (at === -1 || most / least > 1.1) return false;
  return at > 0 || isInSeconds || numbers.every((one, row) => row === 0 || one >= numbers[row - 1]!);
}

// The statuses that servers send. Durations from 100 to 599 soon have other values.
const STATUSES: ReadonlySet<number> = new Set([
  ...[101, 200, 201, 202, 204, 206, 301, 302, 303, 304, 307, 308, 400, 401, 403, 404, 405, 406, 408, 409],
  ...[410, 411, 412, 413, 414, 415, 416, 421, 422, 423, 425, 426, 429, 431, 444, 451, 460, 463, 499],
  ...[500, 501, 502, 503, 504, 505, 507, 511, 520, 521, 522, 523, 524, 525, 526, 561],
]);

/** Whether all numbers are statuses of HTTP, and few different ones. */
function isStatus(numbers: readonly number[]): boolean {
  const different = new Set(numbers);
  return numbers.length > 0 && different.size <= 12 && [...different].every((one) => STATUSES.has(one));
}

/** Whether the numbers count rows: each is one more than that before. */
function isCounter(numbers: readonly number[]): boolean {
  return numbers.length >= FEW && numbers.every((one, at) => at === 0 || one === numbers[at - 1]! + 1);
}

/** Whether the numbers tell kinds apart, or are all the same. */
function isFlag(numbers: readonly number[]): boolean {
  const different = new Set(numbers);
  return (
    numbers.length >= FEW && (different.size === 1 || [...different].every((one) => one === 0 || one === 1))
  );
}

// Tables without titles.

/** The columns of a table that have numbers, without those that are known to be none of values. */
export function withoutKnown(places: readonly Place[], rows: TableText['rows']): readonly Place[] {
  const known = [...accessLogColumns(rows), ...fioColumns(rows)];
  return places.filter(({ name }) => !known.includes(Number(name)));
}

/** The status and the size in an access log of Apache or nginx: the second and third column behind `[26/Nov/2026:23:06:34 +0000]`. */
function accessLogColumns(rows: TableText['rows']): number[] {
  const at = rows[0]?.findIndex((cell) => cell.startsWith('[')) ?? -1;
  const isLog =
    at !== -1 && rows.every((row) => row[at + 1]?.endsWith(']') && isStatus([Number(row[at + 3])]));
  return isLog ? [at + 4, at + 5] : [];
}

/**
 * All but the value in a log of fio: time, value, direction, block size, offset, and perhaps more.
 * Source: fio, `HOWTO.rst`, "Log File Formats".
 */
function fioColumns(rows: TableText['rows']): number[] {
  const isLog = rows.every(
    (row) =>
      row.length >= 5 &&
      row.every((cell) => /^(?:0x[\da-f]+|\d+)$/.test(cell)) &&
      /^[012]$/.test(row[2]!) &&
      Number(row[3]) % 512 === 0,
  );
  const times = rows.map(([time]) => Number(time));
  return isLog && isAscending(times) ? rows[0]!.flatMap((_, at) => (at === 1 ? [] : [at + 1])) : [];
}
