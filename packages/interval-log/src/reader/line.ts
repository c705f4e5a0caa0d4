import type { HdrscopeError } from '@hdrscope/core';
import { lineError } from '../errors.ts';
import type { IntervalLine, LogBaseTime, LogComment, LogLegend, LogStartTime } from './entry.ts';

// Source: HdrHistogram (Java), `HistogramLogScanner`. Each pair of fields is separated by one space or comma. Fields after the
// histogram are ignored.
//
//   [Tag=TAG,]TIMESTAMP,LENGTH,MAX,BASE64[,ANYTHING]
const TAG_PREFIX = 'Tag=';
const SEPARATORS = /[ ,]+/;
const NUMBER = /^[+-]?(?:\d+(?:\.\d*)?|\.\d+)(?:[eE][+-]?\d+)?$/;
const TIME_NOTE = /^#\[(StartTime|BaseTime):[ ,]*([^ ,)\]]*)/;

/** The content of one line, before its time is interpreted; `undefined` for a blank line. */
export type ParsedLine =
  | LogComment
  | LogStartTime
  | LogBaseTime
  | LogLegend
  | (IntervalLine & { readonly kind?: never })
  | undefined;

/**
 * Parses one line. Spaces around fields are allowed, although no writer makes them.
 *
 * @throws HdrscopeError `ERR_LOG_FORMAT`
 */
export function parseLine(line: string, lineNumber: number): ParsedLine {
  const text = line.trim();
  switch (text.charCodeAt(0)) {
    case HASH:
      return timeNote(text, lineNumber) ?? { kind: 'comment', lineNumber, text: text.slice(1) };
    case QUOTE:
      return legend(text, lineNumber);
    default:
      return text === '' ? undefined : parseInterval(text, lineNumber);
  }
}

const HASH = '#'.charCodeAt(0);
const QUOTE = '"'.charCodeAt(0);

// No writer names more than a dozen.
const MOST_COLUMNS = 1000;

function legend(text: string, lineNumber: number): LogLegend {
  const columns = text.split(',', MOST_COLUMNS + 1);
  if (columns.length > MOST_COLUMNS) {
    const message = `a legend must name at most ${MOST_COLUMNS} columns, got more in ${excerpt(text)}`;
    throw lineError('ERR_LOG_FORMAT', lineNumber, message, { details: { text: beginningOf(text) } });
  }
  return { kind: 'legend', lineNumber, columns: columns.map(unquoted) };
}

function unquoted(column: string): string {
  return column.trim().replace(/^"|"$/g, '');
}

function timeNote(text: string, lineNumber: number): LogStartTime | LogBaseTime | undefined {
  const [, what, seconds] = TIME_NOTE.exec(text) ?? [];
  if (what === undefined || seconds === undefined) return undefined;
  const kind = what === 'StartTime' ? 'start-time' : 'base-time';
  return {
    kind,
    lineNumber,
    seconds: toSeconds(seconds, what, lineNumber, 'a number of seconds since 1970'),
  };
}

function parseInterval(text: string, lineNumber: number): IntervalLine {
  // The fast path: splitting at a comma takes a tenth of the time, and no writer makes spaces or empty fields.
  const isPlain = !text.includes(' ') && !text.includes(',,');
  const hasTag = text.startsWith(TAG_PREFIX);
  let fields: readonly string[] = text.split(isPlain ? ',' : SEPARATORS, hasTag ? 5 : 4);
  let tag: string | undefined;
  if (hasTag) {
    tag = (fields[0] as string).slice(TAG_PREFIX.length);
    fields = fields.slice(1);
  }
  if (fields.length !== 4) {
    const allowed = '[Tag=TAG,]TIMESTAMP,LENGTH,MAX,HISTOGRAM';
    throw lineError(
      'ERR_LOG_FORMAT',
      lineNumber,
      `an interval must be ${allowed}, got ${fields.length} fields in ${excerpt(text)}`,
      { details: { text: beginningOf(text) } },
    );
  }
  const [timestamp, length, max, encoded] = fields as [string, string, string, string];
  return {
    lineNumber,
    tag,
    timestampSec: toSeconds(timestamp, 'timestamp', lineNumber),
    lengthSec: toSeconds(length, 'interval length', lineNumber),
    writtenMax: maximum(max, lineNumber),
    encoded,
  };
}

function toSeconds(field: string, what: string, lineNumber: number, allowed = 'a number of seconds'): number {
  const number = NUMBER.test(field) ? Number(field) : Number.NaN;
  if (!(Math.abs(number) <= LAST_SECOND)) throw wrongField(lineNumber, what, allowed, field);
  return number;
}

/** Returns where the histogram of an interval's line begins and ends. Other fields may follow it. */
export function findHistogram(line: string, { tag, encoded }: IntervalLine): readonly [number, number] {
  const field = /[^ ,]+/g;
  field.lastIndex = line.length - line.trimStart().length;
  for (let before = tag === undefined ? 3 : 4; before > 0; before--) field.exec(line);
  const start = field.exec(line)?.index ?? line.length;
  return [start, start + encoded.length];
}

// The range of JavaScript dates around 1970: every time within it has a date and exact milliseconds.
const LAST_SECOND = 8.64e12;

/** Accepts `Infinity` and `NaN`, which Java writes when its divisor is 0. */
function maximum(field: string, lineNumber: number): number {
  if (NUMBER.test(field)) return Number(field);
  if (field === 'Infinity' || field === 'NaN') return Number(field);
  throw wrongField(lineNumber, 'interval maximum', 'a number', field);
}

function wrongField(lineNumber: number, field: string, allowed: string, text: string): HdrscopeError {
  const message = `the ${field} must be ${allowed}, got ${excerpt(text)}`;
  return lineError('ERR_LOG_FORMAT', lineNumber, message, { details: { field, text: beginningOf(text) } });
}

const LONGEST_EXCERPT = 60;

/** Quotes the beginning of a text and escapes invisible characters. */
function excerpt(text: string): string {
  const shown = JSON.stringify(text.slice(0, LONGEST_EXCERPT));
  return text.length > LONGEST_EXCERPT ? `${shown}… (${text.length} characters)` : shown;
}

/** Copies the beginning of a text. A slice would keep the whole text in memory as long as the error lives. */
function beginningOf(text: string): string {
  return new TextDecoder().decode(new TextEncoder().encode(text.slice(0, LONGEST_EXCERPT)));
}
