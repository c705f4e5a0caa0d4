import { readLines, refuseLine, type TextBytes } from '../bytes.ts';
import { cellsOf, momentOf } from '../numbers/number-texts.ts';
import { perMs } from '../numbers/number-unit.ts';
import {
  assertLabels,
  isRequest,
  type ReadRequestsOptions,
  type RequestFacts,
  type RequestReader,
  type RequestSink,
} from './load.ts';
import { isVegetaFailure, VEGETA } from './vegeta.ts';

// Tables that have a line for each request, and nothing else.

/** Finds a cell of a line; empty when the table has no such column. */
type CellOf = (title: string) => string;

interface RequestTable {
  readonly mark: RegExp;
  readonly facts: RequestFacts;
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
    facts: {
      tool: 'oha',
      unstated:
        'the table of oha has no requests without a response: oha --output-format json states how many failed',
    },
    start: ['request-start', 1],
    duration: ['request-duration', 's'],
  },
  // Source: hey, `requester/print.go`. It has no line for a request without a response.
  'hey table': {
    mark: /^\s*response-time,DNS\+dialup,DNS,Request-write,Response-delay,Response-read,status-code,offset\r?\n/,
    facts: {
      tool: 'hey',
      // It writes four decimals of a second.
      errorMs: { lower: 0.05, upper: 0.05 },
      unstated:
        'the table of hey has no requests without a response: the text that hey prints without -o counts them',
    },
    start: ['offset', 1],
    duration: ['response-time', 's'],
  },
  // Source: httpd, `support/ab.c`. Milliseconds are those of ab since 2.2; before, seconds had 16 digits, and times were microseconds.
  'ab table': {
    mark: /^starttime\tseconds\tctime\tdtime\tttime\twait\r?\n[^\t\n]*\t\d{1,10}\t/,
    facts: {
      tool: 'ab',
      errorMs: { lower: 0.5, upper: 0.5 },
      unstated: 'the file of ab -g does not say which requests failed: the text that ab prints counts them',
    },
    start: ['seconds', 1],
    duration: ['ttime', 'ms'],
  },
  // Source: https://jmeter.apache.org/usermanual/listeners.html#csvlogformat. Properties choose the other columns and the separator.
  'jmeter table': {
    mark: /^timeStamp([,;\t|])elapsed(?:\1|\r?\n)/,
    facts: {
      tool: 'JMeter',
      // The difference of two clocks of whole milliseconds.
      errorMs: { lower: 1, upper: 1 },
      failure: 'samples that JMeter counts as failed: no response, a status from 400, or a failed assertion',
      unstated:
        'the table of JMeter has no column success: jmeter.save.saveservice.successful=true writes it',
    },
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
    facts: VEGETA,
    titles: ['1', '2', '3', '4', '5', '6'],
    start: ['1', 1e9],
    duration: ['3', 'ns'],
    isFailed: (cellOf) => isVegetaFailure(Number(cellOf('2')), cellOf('6')),
  },
};

/** The readers of these tables. */
export const REQUEST_TABLES: Readonly<Record<RequestTableForm, RequestReader>> = Object.fromEntries(
  Object.entries(TABLES).map(([form, table]) => {
    const reader: RequestReader = {
      mark: table.mark,
      facts: table.facts,
      read: (bytes, options, sink) => readRequestTable(table, bytes, options, sink),
    };
    return [form, reader];
  }),
) as Record<RequestTableForm, RequestReader>;

function readRequestTable(
  { start, duration, isFailed, ...table }: RequestTable,
  bytes: TextBytes,
  options: ReadRequestsOptions,
  sink: RequestSink,
): Promise<void> {
  const { name = 'the text', onBadLine = refuseLine, labels = [] } = options;
  const values = labels.map(() => '');
  let titles = table.titles;
  let separator = ',';
  // A table without titles has its columns by their numbers.
  if (titles !== undefined) assertLabels(labels, titles, 'the columns are');
  return readLines(bytes, options, (line, lineNumber) => {
    if (titles === undefined) {
      [separator] = /[,;\t|]/.exec(line) ?? [separator];
      titles = cellsOf(line, separator);
      assertLabels(labels, titles, 'the columns are');
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
    for (const [at, label] of labels.entries()) values[at] = cellOf(label);
    sink.onRequest(durationMs, startSec, labels.length === 0 ? undefined : values);
    const failed = isFailed?.(cellOf);
    if (failed !== undefined) sink.onOutcome?.(failed, startSec);
  });
}

function numberOf(cell: string): number {
  return cell === '' ? Number.NaN : Number(cell);
}
