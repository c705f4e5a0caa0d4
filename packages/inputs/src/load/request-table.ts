import { type ReadLinesOptions, readLines, refuseLine, type TextBytes } from '../bytes.ts';
import { cellsOf, momentOf } from '../numbers/number-texts.ts';
import { perMs } from '../numbers/number-unit.ts';
import { isRequest, type RequestSink } from './load.ts';

// Tables that have a line for each request, and nothing else.

/** Finds a cell of a line; empty when the table has no such column. */
type CellOf = (title: string) => string;

interface RequestTable {
  /** Matches the first lines of a table. */
  readonly mark: RegExp;
  /** The titles of a table without a line of titles. @default the first line */
  readonly titles?: readonly string[];
  /** The column of the moment at which a request has begun, and how many of its steps are a second. */
  readonly start: readonly [title: string, perSec: number];
  /** The column of the duration, and its unit. */
  readonly duration: readonly [title: string, unit: 'ns' | 'ms' | 's'];
  /** Whether a request has failed; `undefined` when the line does not state it. @default no line does */
  readonly isFailed?: (cellOf: CellOf) => boolean | undefined;
}

/** The tables that have a line for each request. */
export type RequestTableForm = 'vegeta table' | 'oha table' | 'hey table' | 'ab table' | 'jmeter table';

const TABLES: Readonly<Record<RequestTableForm, RequestTable>> = {
  // Source: oha, `src/printer.rs`, `print_csv`. It has no line for a request without a response.
  'oha table': {
    mark: /^request-start,DNS,DNS\+dialup,Response-delay,request-duration,/,
    start: ['request-start', 1],
    duration: ['request-duration', 's'],
  },
  // Source: hey, `requester/print.go`. It has no line for a request without a response.
  'hey table': {
    mark: /^\s*response-time,DNS\+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\r?\n/,
    start: ['offset', 1],
    duration: ['response-time', 's'],
  },
  // Source: httpd, `support/ab.c`. Milliseconds are those of ab since 2.2; before, seconds had 16 digits, and times were microseconds.
  'ab table': {
    mark: /^starttime\tseconds\tctime\tdtime\tttime\twait\r?\n[^\t\n]*\t\d{1,10}\t/,
    start: ['seconds', 1],
    duration: ['ttime', 'ms'],
  },
  // Source: https://jmeter.apache.org/usermanual/listeners.html#csvlogformat. Properties choose the other columns and the separator.
  'jmeter table': {
    mark: /^timeStamp([,;\t|])elapsed(?:\1|\r?\n)/,
    start: ['timeStamp', 1000],
    duration: ['elapsed', 'ms'],
    isFailed: (cellOf) => {
      const success = cellOf('success');
      return success === '' ? undefined : success !== 'true';
    },
  },
  // Source: vegeta, `lib/results.go`, `NewCSVEncoder`: 9 columns, and 12 since version 12.8.
  'vegeta table': {
    mark: /^\d{19},\d{1,3},\d+,\d+,\d+,/,
    titles: ['1', '2', '3', '4', '5', '6'],
    start: ['1', 1e9],
    duration: ['3', 'ns'],
    isFailed: (cellOf) => isVegetaFailure(Number(cellOf('2')), cellOf('6')),
  },
};

/** Whether vegeta counts a request as no success. Source: vegeta, `lib/metrics.go`, `Metrics.Add`. */
export function isVegetaFailure(code: number, error: string): boolean {
  return code < 200 || code >= 400 || error !== '';
}

/** Recognises a table of requests by its beginning. */
export function recogniseRequestTable(beginning: string): RequestTableForm | undefined {
  return FORMS.find((form) => TABLES[form].mark.test(beginning));
}

const FORMS = Object.keys(TABLES) as readonly RequestTableForm[];

export function isRequestTable(form: string): form is RequestTableForm {
  return Object.hasOwn(TABLES, form);
}

/** The column of the durations of a table, and their unit. */
export function durationColumn(form: RequestTableForm): RequestTable['duration'] {
  return TABLES[form].duration;
}

/** Reads a table that has a line for each request. */
export function readRequestTable(
  form: RequestTableForm,
  bytes: TextBytes,
  options: ReadLinesOptions,
  sink: RequestSink,
): Promise<void> {
  const { name = 'the text', onBadLine = refuseLine } = options;
  const { start, duration, isFailed, ...table } = TABLES[form];
  let titles = table.titles;
  let separator = ',';
  return readLines(bytes, options, (line, lineNumber) => {
    if (titles === undefined) {
      [separator] = /[,;\t|]/.exec(line) ?? [separator];
      titles = cellsOf(line, separator);
      return;
    }
    const cells = cellsOf(line, separator);
    const cellOf: CellOf = (title) => cells[titles!.indexOf(title)] ?? '';
    const startSec = momentOf(cellOf(start[0]), start[1]);
    // 0.0051 s are 5.1 ms, not 5.1000000000000005.
    const durationMs = Number((numberOf(cellOf(duration[0])) / perMs(duration[1])).toPrecision(15));
    if (!isRequest(durationMs, startSec)) {
      const where = `in the columns ${start[0]} and ${duration[0]}`;
      const message = `${name}: line ${lineNumber} must have a time and a duration of at least 0 ${where}`;
      onBadLine({ lineNumber, message });
      return;
    }
    sink.onRequest(durationMs, startSec);
    const failed = isFailed?.(cellOf);
    if (failed !== undefined) sink.onOutcome?.(failed, startSec);
  });
}

function numberOf(cell: string): number {
  return cell === '' ? Number.NaN : Number(cell);
}
